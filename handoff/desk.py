"""The desk: hand-off tickets in SQL, and the answers that authenticated people wrote to them.

First form. A ticket is OPEN until a person resolves it, exactly once, or the conversation withdraws it. An answer is
signed with the seal keys when it is written and verified when the graph reads it, so a row that somebody else put into
the table is no answer. Attempts hold captured values: who can read this table reads them.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, NotRequired, cast

import sqlalchemy as sa
from sqlalchemy.pool import StaticPool

from langgraph_readback.database import database_url
from langgraph_readback.errors import TicketError
from langgraph_readback.ports import Answer, AnswerKind, Ticket
from langgraph_readback.seal import Sealer
from langgraph_readback.sql import engine

__all__ = ["Filed", "SqlDesk", "TicketStatus"]

_LOG = logging.getLogger("langgraph_readback.handoff")
_ADVISORY_LOCK = 0x5EA1EE  # one process at a time makes the tables

TicketStatus = Literal["OPEN", "ANSWERED", "WITHDRAWN"]

_METADATA = sa.MetaData()
_TICKETS = sa.Table(
    "readback_tickets",
    _METADATA,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("thread", sa.String, nullable=False, index=True),
    sa.Column("field", sa.String, nullable=False),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("status", sa.String, nullable=False, index=True),
    sa.Column("filed_at", sa.Float, nullable=False),
    sa.Column("closed_at", sa.Float),
    sa.Column("outcome", sa.String),
    sa.Column("content", sa.JSON, nullable=False),
)
_ANSWERS = sa.Table(
    "readback_answers",
    _METADATA,
    sa.Column("ticket", sa.String, sa.ForeignKey("readback_tickets.id"), primary_key=True),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("value", sa.String),
    sa.Column("by", sa.String, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("token", sa.String, nullable=False),
)


class Filed(Ticket):
    """A ticket in the queue. Times are seconds since 1970 (UTC). ``outcome``: how it was closed."""

    status: TicketStatus
    filed_at: float
    closed_at: NotRequired[float | None]
    outcome: NotRequired[str | None]


class SqlDesk:
    """The ``Desk`` port over a SQL database; and what a person at the desk does with it."""

    def __init__(self, connections: sa.Engine, sealer: Sealer) -> None:
        """Use an engine; ``SqlDesk.from_url`` makes one. Tables are made on first use."""
        self._engine, self._sealer = connections, sealer
        self._ready = False
        self._alone = threading.RLock() if isinstance(connections.pool, StaticPool) else None
        self._making = threading.Lock()

    @classmethod
    def from_url(cls, url: str | None = None, *, sealer: Sealer | None = None) -> SqlDesk:
        """The desk of a database: ``READBACK_DATABASE_URL`` or the user's data folder by default."""
        place = database_url(url)
        return cls(engine(place), sealer or Sealer.from_env(None if place.startswith("memory:") else place))

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    # -- what the graph does

    def file(self, ticket: Ticket) -> None:
        """Put a ticket in the queue; one that is there already stays as it is."""
        row = {
            "id": ticket["id"], "thread": ticket["thread"], "field": ticket["field"], "revision": ticket["revision"],
            "status": "OPEN", "filed_at": time.time(), "content": dict(ticket),
        }  # fmt: skip
        with self._transaction() as db:
            if db.execute(sa.select(_TICKETS.c.id).where(_TICKETS.c.id == ticket["id"])).first() is None:
                try:
                    with db.begin_nested():
                        db.execute(sa.insert(_TICKETS).values(row))
                except sa.exc.IntegrityError:
                    _LOG.debug("ticket %s was filed by another worker", ticket["id"])

    def answer(self, ticket: str, revision: int) -> Answer | None:
        """The answer to this ticket at this revision whose signature holds."""
        with self._transaction() as db:
            row = db.execute(sa.select(_ANSWERS).where(_ANSWERS.c.ticket == ticket)).mappings().first()
        if row is None or row["revision"] != revision:
            return None
        said = {"kind": row["kind"], "value": row["value"]}
        verdict = self._sealer.verify_answer(row["token"], ticket=ticket, revision=revision, answer=said)
        if not verdict.ok or verdict.by != row["by"]:
            _LOG.error("the answer to ticket %s is not the desk's (%s): ignored", ticket, verdict.code)
            return None
        return Answer(
            ticket=ticket, revision=revision, kind=cast("AnswerKind", row["kind"]), value=row["value"],
            by=row["by"], at=row["at"],
        )  # fmt: skip

    def withdraw(self, ticket: str, outcome: str) -> None:
        """Close an open ticket that the conversation settled by itself."""
        with self._transaction() as db:
            db.execute(_close(ticket, "WITHDRAWN", outcome))

    # -- what a person does

    def tickets(self, status: TicketStatus | None = "OPEN") -> list[Filed]:
        """Tickets, oldest first; of one status, or all."""
        query = sa.select(_TICKETS).order_by(_TICKETS.c.filed_at, _TICKETS.c.id)
        with self._transaction() as db:
            rows = db.execute(query if status is None else query.where(_TICKETS.c.status == status)).mappings().all()
        return [_filed(row) for row in rows]

    def ticket(self, ticket: str) -> Filed:
        """One ticket with its attempts. Raises TicketError when there is none."""
        with self._transaction() as db:
            row = db.execute(sa.select(_TICKETS).where(_TICKETS.c.id == ticket)).mappings().first()
        if row is None:
            raise TicketError(f"no ticket {ticket!r}: `readback handoffs list` shows the open ones")
        return _filed(row)

    def resolve(self, ticket: str, *, kind: AnswerKind, by: str, value: str | None = None) -> Answer:
        """Answer a ticket as ``by``, exactly once. The thread uses it when it is next woken.

        Raises TicketError for a ticket that is unknown or closed, ValueError for an answer that makes no sense.
        """
        if (kind == "value") != bool(value and value.strip()):
            raise ValueError("an answer of kind 'value' needs a value, and the others have none")
        if not by.strip():
            raise ValueError("say who answers: by='ana'")
        revision, now = self.ticket(ticket)["revision"], time.time()
        said = {"kind": kind, "value": value}
        token = self._sealer.sign_answer(ticket=ticket, revision=revision, answer=said, by=by, at=now)
        with self._transaction() as db:
            if db.execute(_close(ticket, "ANSWERED", kind)).first() is None:
                raise TicketError(f"ticket {ticket!r} is closed already: it was answered or withdrawn")
            row = {"ticket": ticket, "revision": revision, **said, "by": by, "at": now, "token": token}
            db.execute(sa.insert(_ANSWERS).values(row))
        return Answer(ticket=ticket, revision=revision, kind=kind, value=value, by=by, at=now)

    # -- connections

    @contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        if not self._ready:
            self._make_tables()
        if self._alone:
            with self._alone, self._engine.begin() as connection:
                yield connection
        else:
            with self._engine.begin() as connection:
                yield connection

    def _make_tables(self) -> None:
        with self._making, self._engine.begin() as connection:
            if not self._ready:
                if self._engine.dialect.name == "postgresql":
                    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_ADVISORY_LOCK)))
                _METADATA.create_all(connection)
        self._ready = True


def _close(ticket: str, status: TicketStatus, outcome: str) -> Any:
    """Close an open ticket; gives its id, or nothing when somebody was faster."""
    still_open = (_TICKETS.c.id == ticket) & (_TICKETS.c.status == "OPEN")
    values = {"status": status, "outcome": outcome, "closed_at": time.time()}
    return sa.update(_TICKETS).where(still_open).values(values).returning(_TICKETS.c.id)


def _filed(row: Any) -> Filed:
    times = {key: row[key] for key in ("status", "filed_at", "closed_at", "outcome")}
    return cast("Filed", {**row["content"], **times})
