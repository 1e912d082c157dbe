"""The ledger: what must not be forgotten, in SQL. Each field's high-water mark, each action's intent and outcome.

A row of ``readback_actions`` is written *before* an action runs (state INTENT) and again after it (DONE, FAILED or
UNKNOWN). Its key is unique, so an intent is claimed by one worker only, across threads, processes and hosts. No
captured value is stored: marks hold keyed fingerprints, actions hold revisions and masked words (which are encrypted
all the same when ``READBACK_ENCRYPTION_KEYS`` is set).

All methods are synchronous and safe to call from several threads; async code calls them through ``asyncio.to_thread``.
SQLite by default, PostgreSQL by URL. Times are seconds since 1970 (UTC).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.pool import StaticPool

from langgraph_readback.sql import Encrypted, engine

__all__ = ["Claim", "Entry", "Ledger", "Mark", "State"]

_ADVISORY_LOCK = 0x5EA1ED  # any number of our own: one process at a time makes the tables

_METADATA = sa.MetaData()
_MARKS = sa.Table(
    "readback_marks",
    _METADATA,
    sa.Column("thread", sa.String, primary_key=True),
    sa.Column("field", sa.String, primary_key=True),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("fingerprint", sa.String),
    sa.Column("at", sa.Float, nullable=False),
)
_ACTIONS = sa.Table(
    "readback_actions",
    _METADATA,
    sa.Column("key", sa.String, primary_key=True),
    sa.Column("thread", sa.String, nullable=False, index=True),
    sa.Column("action", sa.String, nullable=False),
    sa.Column("revisions", sa.JSON, nullable=False),
    sa.Column("state", sa.String, nullable=False, index=True),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("owner", sa.String, nullable=False),
    sa.Column("lease_until", sa.Float, nullable=False),
    sa.Column("started_at", sa.Float, nullable=False),
    sa.Column("ended_at", sa.Float),
    sa.Column("reference", Encrypted("readback_actions.reference"), nullable=False, server_default=""),
    sa.Column("text", Encrypted("readback_actions.text"), nullable=False, server_default=""),
    sa.Column("compared", sa.String, nullable=False, server_default="not_reported"),
    sa.Column("settled_by", sa.String),
)
_NOW = sa.text("SELECT extract(epoch FROM clock_timestamp())")


class State(StrEnum):
    """How far an action is. UNKNOWN: it may or may not have taken effect; only `check` or a human settles it."""

    INTENT = "INTENT"
    DONE = "DONE"
    FAILED = "FAILED"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """The revision of a field that an action is about to use, with its fingerprint under every key.

    Without fingerprints: the action is about to do without a value, so none may be confirmed.
    """

    field: str
    revision: int
    fingerprints: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One action in the ledger. ``text`` and ``reference`` are masked; ``compared`` is executed against confirmed."""

    key: str
    thread: str
    action: str
    revisions: dict[str, int]
    state: State
    attempt: int
    owner: str
    lease_until: float
    started_at: float
    ended_at: float | None = None
    reference: str = ""
    text: str = ""
    compared: str = "not_reported"
    settled_by: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """What came of claiming an intent.

    ``mine``: run it now, as ``entry.attempt``. Otherwise ``entry`` is somebody's, or an earlier run's; or ``stale``
    names fields whose record is not the newest sealed one, and nothing was written.
    """

    mine: bool = False
    entry: Entry | None = None
    stale: tuple[str, ...] = ()


class Ledger:
    """High-water marks (the ``HighWater`` port) and actions, in one database."""

    def __init__(self, connections: sa.Engine) -> None:
        """Use an engine for SQLite or PostgreSQL; ``Ledger.from_url`` makes one. Tables are made on first use."""
        self._engine = connections
        self._insert: Any = postgresql.insert if connections.dialect.name == "postgresql" else sqlite.insert
        self._alone = threading.RLock() if isinstance(connections.pool, StaticPool) else None
        self._ready = False
        self._making = threading.Lock()

    @classmethod
    def from_url(cls, url: str | None = None) -> Ledger:
        """Open by URL: ``sqlite:///file.db``, ``postgresql://...``; None keeps everything in this process's memory.

        Raises DatabaseUrlError for anything else.
        """
        return cls(engine((url or "memory:").replace("sqlite+aiosqlite:", "sqlite:", 1)))

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    def now(self) -> float:
        """Seconds since 1970 on the one clock that all workers share: PostgreSQL's, else this machine's."""
        if self._engine.dialect.name != "postgresql":
            return time.time()
        with self._transaction() as connection:
            return float(connection.execute(_NOW).scalar_one())

    # -- high-water marks (law 5)

    def raise_to(self, thread: str, field: str, revision: int, *, fingerprint: str | None = None) -> bool:
        """Raise the mark; see ``HighWater.raise_to`` for what True and False mean."""
        with self._transaction() as connection:
            return self._raise(connection, thread, field, revision, fingerprint)

    def highest(self, thread: str, field: str) -> int:
        """The mark of a field; 0 when there is none."""
        with self._transaction() as connection:
            mark = connection.execute(_mark_of(thread, field)).one_or_none()
        return 0 if mark is None else cast("int", mark.revision)

    def newest(self, thread: str, mark: Mark) -> bool:
        """Whether ``mark`` is the newest sealed revision of its field (and now known as such)."""
        with self._transaction() as connection:
            return self._is_newest(connection, thread, mark)

    def _raise(self, connection: sa.Connection, thread: str, field: str, revision: int, print_: str | None) -> bool:
        row = {"thread": thread, "field": field, "revision": revision, "fingerprint": print_, "at": time.time()}
        insert = self._insert(_MARKS).values(row)
        new, old = insert.excluded, _MARKS.c
        unclaimed = old.fingerprint.is_(None) | (old.fingerprint == new.fingerprint)
        raised = insert.on_conflict_do_update(
            index_elements=[old.thread, old.field],
            set_={name: new[name] for name in ("revision", "fingerprint", "at")},
            where=(old.revision < new.revision) | ((old.revision == new.revision) & unclaimed),
        ).returning(old.revision)
        return connection.execute(raised).one_or_none() is not None

    # -- actions (law 7)

    def claim(self, entry: Entry, marks: Sequence[Mark]) -> Claim:
        """Write the intent, if every mark is the newest and nobody has this key. All in one transaction.

        A key whose last attempt FAILED (nothing happened) is claimed again as the next attempt.
        """
        with self._transaction() as connection:
            stale = tuple(
                m.field for m in sorted(marks, key=_field) if not self._is_newest(connection, entry.thread, m)
            )
            if stale:
                connection.rollback()
                return Claim(stale=stale)
            columns = {name: getattr(entry, name) for name in Entry.__slots__}
            insert = self._insert(_ACTIONS).values(columns).on_conflict_do_nothing(index_elements=[_ACTIONS.c.key])
            if connection.execute(insert.returning(_ACTIONS.c.key)).one_or_none() is not None:
                return Claim(mine=True, entry=entry)
            again = {"state": State.INTENT, "attempt": _ACTIONS.c.attempt + 1, "ended_at": None, "settled_by": None}
            again |= {"owner": entry.owner, "lease_until": entry.lease_until, "started_at": entry.started_at}
            retake = (
                sa.update(_ACTIONS).where(_ACTIONS.c.key == entry.key, _ACTIONS.c.state == State.FAILED).values(again)
            )
            mine = connection.execute(retake.returning(_ACTIONS.c.key)).one_or_none() is not None
            row = connection.execute(sa.select(_ACTIONS).where(_ACTIONS.c.key == entry.key)).one()
        return Claim(mine=mine, entry=_entry(row))

    def _is_newest(self, connection: sa.Connection, thread: str, mark: Mark) -> bool:
        if not mark.fingerprints:
            row = connection.execute(_mark_of(thread, mark.field).with_for_update()).one_or_none()
            return row is None or row.fingerprint is None
        self._raise(connection, thread, mark.field, mark.revision, mark.fingerprints[0])
        row = connection.execute(_mark_of(thread, mark.field).with_for_update()).one()
        return row.revision == mark.revision and row.fingerprint in mark.fingerprints

    def settle(
        self, key: str, attempt: int, state: State, *, now: float, reference: str = "", text: str = "",
        compared: str = "not_reported", by: str = "gate",
    ) -> bool:  # fmt: skip
        """Write the outcome of an attempt whose outcome is still open; the first one stands.

        False, and nothing changes, when the attempt is over already or another one has begun.
        """
        values = {"state": state, "ended_at": now, "reference": reference, "text": text}
        values |= {"compared": compared, "settled_by": by}
        rows = _ACTIONS.c
        still_open = (rows.key == key) & (rows.attempt == attempt) & rows.state.in_([State.INTENT, State.UNKNOWN])
        with self._transaction() as connection:
            update = sa.update(_ACTIONS).where(still_open).values(values).returning(rows.key)
            return connection.execute(update).one_or_none() is not None

    def entry(self, key: str) -> Entry | None:
        """The action with this key."""
        with self._transaction() as connection:
            row = connection.execute(sa.select(_ACTIONS).where(_ACTIONS.c.key == key)).one_or_none()
        return None if row is None else _entry(row)

    def entries(self, *, thread: str | None = None, state: State | None = None) -> list[Entry]:
        """Actions, oldest first: of one thread, in one state, or all."""
        query = sa.select(_ACTIONS).order_by(_ACTIONS.c.started_at)
        query = query if thread is None else query.where(_ACTIONS.c.thread == thread)
        query = query if state is None else query.where(_ACTIONS.c.state == state)
        with self._transaction() as connection:
            return [_entry(row) for row in connection.execute(query)]

    def forget(self, thread: str) -> tuple[int, int]:
        """Take everything personal out of what is kept of a thread. Gives how many marks and actions there are.

        What stays are fences: each field's mark, one revision higher and without its fingerprint, so that no seal of
        this thread (in a backup, a copy, a client's state) ever passes the gate again; and each action's key and state
        without its words, so that none runs a second time.
        """
        with self._transaction() as connection:
            fence = {"revision": _MARKS.c.revision + 1, "fingerprint": None, "at": time.time()}
            marks = sa.update(_MARKS).where(_MARKS.c.thread == thread).values(fence)
            words = sa.update(_ACTIONS).where(_ACTIONS.c.thread == thread).values(reference="", text="")
            return connection.execute(marks).rowcount, connection.execute(words).rowcount

    # -- connections

    @contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        """One transaction; a database in memory has one connection, so there it is one at a time."""
        with self._alone or nullcontext():
            if not self._ready:
                self._make_tables()
            with self._engine.begin() as connection:
                yield connection

    def _make_tables(self) -> None:
        with self._making:
            if self._ready:
                return
            with self._engine.begin() as connection:
                if self._engine.dialect.name == "postgresql":
                    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_ADVISORY_LOCK)))
                _METADATA.create_all(connection)
            self._ready = True


def _field(mark: Mark) -> str:
    return mark.field


def _mark_of(thread: str, field: str) -> sa.Select[Any]:
    return sa.select(_MARKS).where(_MARKS.c.thread == thread, _MARKS.c.field == field)


def _entry(row: sa.Row[Any]) -> Entry:
    columns = dict(row._mapping)  # noqa: SLF001 - SQLAlchemy's documented way to a row's names
    return Entry(**columns | {"state": State(columns["state"])})
