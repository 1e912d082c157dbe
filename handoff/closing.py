"""Closing: the one place where a ticket closes, and what is done with a callback, which closes without an answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from langgraph_readback.handoff.claims import Claims, mine_or_lapsed, named
from langgraph_readback.handoff.gauges import timed
from langgraph_readback.handoff.records import CALLBACK, CLOSED, WAITING, TicketStatus
from langgraph_readback.handoff.tables import TICKETS

__all__ = ["Closing"]


class Closing(Claims):
    """Closes tickets, and puts them off."""

    def called(self, ticket: str, by: str) -> None:
        """A callback was made: RESOLVED, ``called``. What the user said on it belongs to the tickets it is about.

        Raises as ``resolve`` does, and ValueError for a ticket that is no callback.
        """
        by, now, filed = named(by), self.now(), self._callback(ticket)
        with self.transaction() as db:
            self.seen(db, by)
            if not self._shut(db, ticket, self._free(by, now), status="RESOLVED", outcome="called", by=by):
                self._refuse(db, ticket)
        timed("close", now - filed, channel="callback", outcome="called")

    def postpone(self, ticket: str, by: str, *, minutes: float) -> float:
        """Nobody picked up: the callback waits again, due ``minutes`` from now. Gives when. Raises as ``called``."""
        by, now = named(by), self.now()
        self._callback(ticket)
        if not 0 < minutes <= 7 * 24 * 60:
            raise ValueError("a callback can be put off by more than 0 minutes and at most a week")
        values = {"status": "OPEN", "claimed_by": None, "lease_until": None, "due_at": now + 60 * minutes, "alarms": ""}
        with self.transaction() as db:
            self.seen(db, by)
            where = (TICKETS.c.id == ticket) & self._free(by, now)
            if db.execute(sa.update(TICKETS).where(where).values(values)).rowcount == 0:
                self._refuse(db, ticket)
            self.note(db, ticket, by, "postponed", f"{minutes:g} min")
        return now + 60 * minutes

    def put_off(self, tickets: Iterable[str], until: float) -> None:
        """Tickets that a callback is about are due when it is, unless they are due later already."""
        with self.transaction() as db:
            for ticket in tickets:
                waits = (TICKETS.c.id == ticket) & TICKETS.c.status.in_(WAITING) & (TICKETS.c.due_at < until)
                if db.execute(sa.update(TICKETS).where(waits).values(due_at=until)).rowcount:
                    self.note(db, ticket, "conversation", "put off", "until the callback")

    def _callback(self, ticket: str) -> float:
        """When the callback was filed. Raises ValueError for another kind of ticket, TicketError for none."""
        with self.transaction() as db:
            row = self.found(db, ticket)
        if row["field"] != CALLBACK:
            raise ValueError(f"ticket {ticket!r} is no callback: resolve it with a value, a retry or a decline")
        return float(row["filed_at"])

    @staticmethod
    def _free(by: str, now: float) -> sa.ColumnElement[bool]:
        """What ``by`` may close: a ticket that nobody else holds."""
        return (TICKETS.c.status == "OPEN") | ((TICKETS.c.status == "CLAIMED") & mine_or_lapsed(by, now))

    def _shut(
        self, db: sa.Connection, ticket: str, when: Any, *, status: TicketStatus, outcome: str, by: str
    ) -> bool:  # fmt: skip
        """The one place where a ticket closes: a conditional update that succeeds once."""
        waits = (TICKETS.c.id == ticket) & TICKETS.c.status.in_(WAITING)
        now = self.now()
        values = {
            "status": status, "outcome": outcome, "closed_at": now, "closed_by": by, "lease_until": None,
            "picked_at": sa.func.coalesce(TICKETS.c.picked_at, now) if status in CLOSED[:2] else TICKETS.c.picked_at,
        }  # fmt: skip
        done = db.execute(sa.update(TICKETS).where(waits, when).values(values)).rowcount == 1
        if done:
            self.note(db, ticket, by, status.lower(), outcome)
        return done
