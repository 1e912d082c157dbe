"""Store: the connections and transactions that all of the desk shares, its clock, and its audit trail."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any, Self

import sqlalchemy as sa
from sqlalchemy.pool import StaticPool

from langgraph_readback.database import database_url, is_memory
from langgraph_readback.errors import TicketError
from langgraph_readback.handoff.tables import AUDIT, PRESENCE, TICKETS, migrate
from langgraph_readback.seal import Sealer
from langgraph_readback.sql import engine

__all__ = ["DUE", "Store"]

DUE: Mapping[str, float] = {"voice": 120.0, "chat": 900.0}
"""Seconds after which a ticket is overdue, by channel: who waits on a line hangs up sooner."""

_ADVISORY_LOCK = 0x5EA1EE  # one process at a time makes the tables


class Store:
    """A desk's database. Safe to use from several threads and processes at once."""

    def __init__(
        self,
        connections: sa.Engine,
        sealer: Sealer,
        *,
        clock: Callable[[], float] = time.time,
        due: Mapping[str, float] = DUE,
    ) -> None:
        """Use an engine; ``from_url`` makes one. Tables are made on first use.

        ``clock``  seconds since 1970; desks on several hosts need clocks that agree to a few seconds.
        ``due``    seconds until a ticket is overdue, by channel.
        """
        self._engine, self._sealer, self._clock, self._due = connections, sealer, clock, dict(due)
        self._ready = False
        self._alone = threading.RLock() if isinstance(connections.pool, StaticPool) else None
        self._making = threading.Lock()

    @classmethod
    def from_url(cls, url: str | None = None, *, sealer: Sealer | None = None, **options: Any) -> Self:
        """The desk of a database: ``READBACK_DATABASE_URL`` or the user's data folder by default."""
        place = database_url(url)
        return cls(engine(place), sealer or Sealer.from_env(None if is_memory(place) else place), **options)

    @property
    def sealer(self) -> Sealer:
        """The keys that sign answers and links."""
        return self._sealer

    def now(self) -> float:
        """The time of the desk's clock."""
        return self._clock()

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """All or nothing. One at a time on SQLite; on PostgreSQL conditional updates keep order."""
        if not self._ready:
            self._make_tables()
        with self._alone or nullcontext(), self._engine.begin() as connection:
            yield connection

    def _make_tables(self) -> None:
        with self._making, self._alone or nullcontext(), self._engine.begin() as connection:
            if not self._ready:
                if self._engine.dialect.name == "postgresql":
                    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_ADVISORY_LOCK)))
                migrate(connection)
        self._ready = True

    def found(self, db: sa.Connection, ticket: str) -> sa.RowMapping:
        """The row of a ticket. Raises TicketError when there is none."""
        data = db.execute(sa.select(TICKETS).where(TICKETS.c.id == ticket)).mappings().first()
        if data is None:
            raise TicketError(f"no ticket {ticket!r}: `readback handoffs list` shows the open ones")
        return data

    def note(self, db: sa.Connection, ticket: str, who: str, what: str, note: str = "") -> None:
        """Write a line of the audit trail, in the same transaction as what it tells of."""
        db.execute(sa.insert(AUDIT).values(ticket=ticket, at=self.now(), who=who, what=what, note=note))

    def seen(self, db: sa.Connection, who: str) -> None:
        """Note that somebody is at the desk."""
        here, now = PRESENCE.c.who == who, self.now()
        if db.execute(sa.update(PRESENCE).where(here).values(seen_at=now)).rowcount == 0:
            try:
                with db.begin_nested():
                    db.execute(sa.insert(PRESENCE).values(who=who, seen_at=now))
            except sa.exc.IntegrityError:
                db.execute(sa.update(PRESENCE).where(here).values(seen_at=now))
