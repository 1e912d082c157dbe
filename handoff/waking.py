"""Waking: which conversations have an answer that they have not read, and who is waking them. One at a time each."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

import sqlalchemy as sa

from langgraph_readback.handoff.store import Store
from langgraph_readback.handoff.tables import TICKETS, WAKES

__all__ = ["Outcome", "Sleeper", "Waking"]

Outcome = Literal["resumed", "settled", "gone", "waiting", "failed"]
"""Of one attempt to wake. resumed: the conversation read the answer. settled: it had read it by itself. gone: there is
no such conversation. waiting: it does not wait for the desk yet (it still asks for other fields). failed: try again."""

_DONE = frozenset({"resumed", "settled", "gone"})
_LONGEST_WAIT = 300.0
_ANSWERED = ("value", "decline", "retry")


class Sleeper(TypedDict):
    """A closed ticket whose conversation is to be woken. ``taken``: the answer was read at least once."""

    ticket: str
    thread: str
    taken: bool
    tries: int


class Waking(Store):
    """What the wakers share through the database."""

    def sleepers(self, limit: int = 100) -> list[Sleeper]:
        """Answered tickets whose conversation is due to be woken, the oldest close first."""
        now = self.now()
        due = TICKETS.c.wake_next.is_(None) | (TICKETS.c.wake_next <= now)
        where = TICKETS.c.outcome.in_(_ANSWERED) & TICKETS.c.closed_at.is_not(None) & TICKETS.c.woken_at.is_(None)
        query = sa.select(TICKETS).where(where, due).order_by(TICKETS.c.closed_at, TICKETS.c.id).limit(limit)
        with self.transaction() as db:
            return [_sleeper(row) for row in db.execute(query).mappings().all()]

    def begin_wake(self, thread: str, owner: str, *, lease: float = 120.0) -> Literal["mine", "inherited"] | None:
        """Become the one who wakes a conversation; None while somebody else does.

        ``inherited``: whoever did it before has died or hung, so a run may have stopped half-way.
        """
        now, mine = self.now(), WAKES.c.thread == thread
        values = {"owner": owner, "until": now + lease}
        with self.transaction() as db:
            if db.execute(sa.update(WAKES).where(mine, WAKES.c.until <= now).values(values)).rowcount:
                return "inherited"
            try:
                with db.begin_nested():
                    db.execute(sa.insert(WAKES).values(thread=thread, **values))
            except sa.exc.IntegrityError:
                return None
        return "mine"

    def sleeper(self, ticket: str) -> Sleeper | None:
        """One of ``sleepers``, as it is now; None when it needs no waking any more."""
        with self.transaction() as db:
            row = self.found(db, ticket)
        asleep = row["outcome"] in _ANSWERED and row["closed_at"] is not None and row["woken_at"] is None
        return _sleeper(row) if asleep else None

    def keep_wake(self, thread: str, owner: str, *, lease: float = 120.0) -> None:
        """Still at it: who lives keeps the lease, so that nobody else runs the same conversation beside it."""
        mine = (WAKES.c.thread == thread) & (WAKES.c.owner == owner)
        with self.transaction() as db:
            db.execute(sa.update(WAKES).where(mine).values(until=self.now() + lease))

    def end_wake(
        self, thread: str, owner: str, ticket: str, outcome: Outcome, *, again_in: float | None = None
    ) -> None:
        """Note what came of it, and let others wake the conversation again.

        ``again_in``: look once more after so many seconds before ``resumed`` is believed. Who inherited a wake cannot
        know that the one before is dead. When it was only slow, it may write an older step over the end of this run,
        and die then; the second look finds that the conversation stands half-way, and goes on with it.
        """
        now, this = self.now(), TICKETS.c.id == ticket
        held = (WAKES.c.thread == thread) & (WAKES.c.owner == owner)
        with self.transaction() as db:
            if db.execute(sa.select(WAKES.c.owner).where(held)).first() is None:
                return  # the lease ran out, and another waker has taken over: what it finds counts
            tries = db.execute(sa.select(TICKETS.c.wake_tries).where(this)).scalar() or 0
            values: dict[str, Any] = {"wake_tries": tries + 1}
            doubt = outcome == "resumed" and again_in is not None
            if doubt:
                values["wake_next"] = now + (again_in or 0.0)
            elif outcome in _DONE:
                values["woken_at"] = now
            else:
                values["wake_next"] = now + min(2.0 ** min(tries, 20), _LONGEST_WAIT)
            first = db.execute(sa.update(TICKETS).where(this, TICKETS.c.woken_at.is_(None)).values(values)).rowcount
            if first and outcome in _DONE and not doubt:
                self.note(db, ticket, "waker", outcome)
            if outcome == "failed" or doubt:  # a run may have stopped half-way: the next one inherits it
                db.execute(sa.update(WAKES).where(held).values(until=now))
            else:
                db.execute(sa.delete(WAKES).where(held))


def _sleeper(row: sa.RowMapping) -> Sleeper:
    taken = row["taken_at"] is not None
    return Sleeper(ticket=row["id"], thread=row["thread"], taken=taken, tries=row["wake_tries"])
