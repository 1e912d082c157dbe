"""Claims: who works on which ticket. Each is one conditional UPDATE, so that of many desks exactly one succeeds."""

from __future__ import annotations

import sqlalchemy as sa

from langgraph_readback.errors import StaleTicketError, TicketClosedError, TicketTakenError
from langgraph_readback.handoff.gauges import timed
from langgraph_readback.handoff.records import CLOSED, Hold
from langgraph_readback.handoff.store import Store
from langgraph_readback.handoff.tables import TICKETS

__all__ = ["LEASE", "Claims"]

LEASE = 120.0
"""Seconds a claim lasts without a heartbeat. Send one every third of it."""


class Claims(Store):
    """Claim, heartbeat, release."""

    def claim(self, ticket: str, by: str, *, lease: float = LEASE, revision: int | None = None) -> Hold:
        """Hold a ticket for ``lease`` seconds as ``by`` (the signed-in person). Atomic among desks.

        Who holds it already only prolongs the lease. Raises TicketTakenError when somebody else holds it,
        TicketClosedError when it is closed, StaleTicketError when ``revision`` is not the ticket's, TicketError when
        there is none.
        """
        by, now, picked = named(by), self.now(), None
        free = (TICKETS.c.status == "OPEN") | ((TICKETS.c.status == "CLAIMED") & mine_or_lapsed(by, now))
        values = {
            "status": "CLAIMED", "claimed_by": by, "lease_until": now + lease,
            "picked_at": sa.func.coalesce(TICKETS.c.picked_at, now),
        }  # fmt: skip
        with self.transaction() as db:
            self.seen(db, by)
            before = self.found(db, ticket)
            current(before["revision"], revision, ticket)
            done = db.execute(sa.update(TICKETS).where(TICKETS.c.id == ticket, free).values(values))
            if done.rowcount == 0:
                self._refuse(db, ticket)
            if before["picked_at"] is None:
                picked = now - before["filed_at"]
            if before["claimed_by"] != by or before["status"] != "CLAIMED":
                self.note(db, ticket, by, "claimed", f"until {now + lease:.0f}")
        if picked is not None:
            timed("pick_up", picked, channel=before["content"].get("channel"))
        return Hold(ticket=ticket, revision=before["revision"], by=by, until=now + lease)

    def heartbeat(self, ticket: str, by: str, *, lease: float = LEASE) -> Hold:
        """Prolong a hold. Raises TicketTakenError when it has lapsed or passed to somebody else.

        A lapsed hold is not revived silently: whoever lost it claims anew, and sees when another was faster.
        """
        by, now = named(by), self.now()
        held = (TICKETS.c.status == "CLAIMED") & (TICKETS.c.claimed_by == by) & (TICKETS.c.lease_until > now)
        with self.transaction() as db:
            self.seen(db, by)
            made = sa.update(TICKETS).where(TICKETS.c.id == ticket, held).values(lease_until=now + lease)
            revision = db.execute(made.returning(TICKETS.c.revision)).scalar()
            if revision is None:
                self._refuse(db, ticket)
        return Hold(ticket=ticket, revision=int(revision or 0), by=by, until=now + lease)

    def release(self, ticket: str, by: str) -> None:
        """Give a held ticket back to the queue. Raises TicketTakenError when ``by`` does not hold it."""
        by = named(by)
        held = (TICKETS.c.status == "CLAIMED") & (TICKETS.c.claimed_by == by)
        open_again = {"status": "OPEN", "claimed_by": None, "lease_until": None}
        with self.transaction() as db:
            self.seen(db, by)
            if db.execute(sa.update(TICKETS).where(TICKETS.c.id == ticket, held).values(open_again)).rowcount == 0:
                self._refuse(db, ticket)
            self.note(db, ticket, by, "released")

    def sweep(self) -> list[str]:
        """Open the tickets whose lease has ended, and say so in their trail. Gives their ids."""
        now = self.now()
        lapsed = (TICKETS.c.status == "CLAIMED") & (TICKETS.c.lease_until <= now)
        with self.transaction() as db:
            found = db.execute(sa.select(TICKETS.c.id, TICKETS.c.claimed_by).where(lapsed)).all()
            open_again = {"status": "OPEN", "claimed_by": None, "lease_until": None}
            swept = []
            for ticket, holder in found:
                if db.execute(sa.update(TICKETS).where(TICKETS.c.id == ticket, lapsed).values(open_again)).rowcount:
                    self.note(db, ticket, "watch", "lapsed", f"the hold of {holder} ended")
                    swept.append(ticket)
        return swept

    def _refuse(self, db: sa.Connection, ticket: str) -> None:
        """Say why a conditional update found nothing."""
        data = self.found(db, ticket)
        if data["status"] in CLOSED:
            raise closed(ticket)
        holder = data["claimed_by"] if (data["lease_until"] or 0) > self.now() else None
        whose = f"{holder} holds it" if holder else "nobody holds it now: claim it"
        raise TicketTakenError(f"ticket {ticket!r} is not yours: {whose}")


def named(by: str) -> str:
    """Who acts. Raises ValueError for nobody."""
    if not by.strip():
        raise ValueError("say who answers: by='ana'")
    return by.strip()


def mine_or_lapsed(by: str, now: float) -> sa.ColumnElement[bool]:
    """Held by this person, or by nobody any more."""
    return (TICKETS.c.claimed_by == by) | (TICKETS.c.lease_until <= now)


def current(have: int, given: int | None, ticket: str) -> None:
    """Raises StaleTicketError when an answer was meant for another revision."""
    if given is not None and given != have:
        raise StaleTicketError(
            f"ticket {ticket!r} is at revision {have}, not {given}: load it again and look at what changed"
        )


def closed(ticket: str) -> TicketClosedError:
    """The refusal of a second close."""
    return TicketClosedError(f"ticket {ticket!r} is closed already: it was answered, returned or expired")
