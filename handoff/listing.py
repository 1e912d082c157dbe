"""Listing: what the desk shows. Values are masked; seeing them is a reveal, and a reveal is in the audit trail."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import sqlalchemy as sa

from langgraph_readback.errors import TicketTakenError
from langgraph_readback.handoff import records
from langgraph_readback.handoff.claims import named
from langgraph_readback.handoff.records import Entry, Filed, Row, TicketStatus
from langgraph_readback.handoff.store import Store
from langgraph_readback.handoff.tables import AUDIT, PRESENCE, TICKETS

__all__ = ["Listing"]

_ESCAPE = "\\"


class Listing(Store):
    """Search, look, reveal, trail, presence."""

    def search(  # noqa: PLR0913 - filters, all by name
        self,
        *,
        status: TicketStatus | Iterable[TicketStatus] | None = records.WAITING,
        field: str | None = None,
        reason: str | None = None,
        locale: str | None = None,
        thread: str | None = None,
        by: str | None = None,
        overdue: bool | None = None,
        text: str = "",
        limit: int = 200,
        offset: int = 0,
    ) -> list[Row]:
        """Tickets, the most urgent first: what waits, by priority, then by when they are due. Masked.

        ``status``   one, several, or None for all; by default what waits (OPEN and CLAIMED). A lapsed claim is OPEN.
        ``by``       held or closed by this person. ``overdue``: only those, or only the others.
        ``text``     in the id, thread, field or outcome. Values are not searched.
        """
        now, due = self.now(), TICKETS.c.due_at
        end = sa.func.coalesce(TICKETS.c.closed_at, now)
        where = [_status(status, now), _text(text)]
        exact = {"field": field, "thread": thread, "reason": reason, "locale": locale}
        where += [TICKETS.c[name] == wanted for name, wanted in exact.items() if wanted is not None]
        if by is not None:
            where.append((TICKETS.c.claimed_by == by) | (TICKETS.c.closed_by == by))
        if overdue is not None:
            late = due.is_not(None) & (due < end)
            where.append(late if overdue else ~late)
        query = sa.select(TICKETS).where(*where).limit(limit).offset(offset)
        over = sa.case((TICKETS.c.status.in_(records.CLOSED), 1), else_=0)
        order = (over, TICKETS.c.priority.desc(), due, TICKETS.c.filed_at, TICKETS.c.id)
        with self.transaction() as db:
            rows = db.execute(query.order_by(*order)).mappings().all()
        return [records.row(one, now) for one in rows]

    def look(self, ticket: str) -> Filed:
        """One ticket with its attempts, masked. Raises TicketError when there is none."""
        return records.masked(self.ticket(ticket))

    def reveal(self, ticket: str, by: str, *, unheld: bool = False) -> Filed:
        """One ticket with its captured values, for who holds it; noted in the audit trail before they are given.

        Raises TicketTakenError when ``by`` does not hold it. ``unheld``: without a claim (the command line, whose
        user has the database anyhow).
        """
        by, now = named(by), self.now()
        with self.transaction() as db:
            data = self.found(db, ticket)
            held = records.effective(data, now) == "CLAIMED" and data["claimed_by"] == by
            if not held and not unheld:
                raise TicketTakenError(f"ticket {ticket!r} is not yours: claim it, then its values can be shown")
            self.note(db, ticket, by, "revealed")
            return records.filed(data, now)

    def ticket(self, ticket: str) -> Filed:
        """One ticket with its captured values, for code: to show it to a person use ``look`` or ``reveal``.

        Raises TicketError when there is none.
        """
        with self.transaction() as db:
            return records.filed(self.found(db, ticket), self.now())

    def tickets(self, status: TicketStatus | None = "OPEN") -> list[Filed]:
        """Whole tickets, oldest first, for code; of one status, or all. To list them for a person use ``search``."""
        query = sa.select(TICKETS).where(_status(status, self.now())).order_by(TICKETS.c.filed_at, TICKETS.c.id)
        with self.transaction() as db:
            return [records.filed(row, self.now()) for row in db.execute(query).mappings().all()]

    def trail(self, ticket: str) -> list[Entry]:
        """What was done with a ticket, by whom and when, oldest first."""
        query = sa.select(AUDIT).where(AUDIT.c.ticket == ticket).order_by(AUDIT.c.number)
        with self.transaction() as db:
            rows = db.execute(query).mappings().all()
        return [cast("Entry", {key: row[key] for key in ("ticket", "at", "who", "what", "note")}) for row in rows]

    def whole(self, beginning: str, *, limit: int = 2) -> list[str]:
        """The ids that begin so; at most ``limit`` of them."""
        query = sa.select(TICKETS.c.id).where(TICKETS.c.id.startswith(beginning, autoescape=True))
        with self.transaction() as db:
            return list(db.execute(query.order_by(TICKETS.c.id).limit(limit)).scalars())

    # -- who is at the desk

    def here(self, who: str) -> None:
        """Somebody is at the desk: pages call it when they poll. Claims and closes do it by themselves."""
        with self.transaction() as db:
            self.seen(db, named(who))

    def present(self, within: float = 300.0) -> list[str]:
        """Who was at the desk in the last ``within`` seconds."""
        query = sa.select(PRESENCE.c.who).where(PRESENCE.c.seen_at > self.now() - within).order_by(PRESENCE.c.who)
        with self.transaction() as db:
            return list(db.execute(query).scalars())


def _status(status: TicketStatus | Iterable[TicketStatus] | None, now: float) -> Any:
    if status is None:
        return sa.true()
    wanted = {status} if isinstance(status, str) else set(status)
    lapsed = (TICKETS.c.status == "CLAIMED") & (TICKETS.c.lease_until <= now)
    plain = TICKETS.c.status.in_(sorted(wanted - {"CLAIMED"}))
    held = (TICKETS.c.status == "CLAIMED") & ~lapsed if "CLAIMED" in wanted else sa.false()
    return plain | held | (lapsed if "OPEN" in wanted else sa.false())


def _text(text: str) -> Any:
    if not text.strip():
        return sa.true()
    columns = (TICKETS.c.id, TICKETS.c.thread, TICKETS.c.field, TICKETS.c.outcome)
    return sa.or_(*(column.icontains(text.strip(), autoescape=True, escape=_ESCAPE) for column in columns))
