"""Alarms: what is wrong with the queue now, and which of it nobody was told yet. Nothing captured is in them."""

from __future__ import annotations

from typing import Literal, TypedDict

import sqlalchemy as sa

from langgraph_readback.handoff.figures import Day
from langgraph_readback.handoff.listing import Listing
from langgraph_readback.handoff.records import CALLBACK, WAITING, Row
from langgraph_readback.handoff.tables import TICKETS

__all__ = ["Alarm", "AlarmKind", "Alarms", "span", "summary"]

AlarmKind = Literal["unclaimed", "overdue", "escalated", "orphaned", "unread", "nobody"]
"""unclaimed: nobody took it in time. overdue: it is not closed in time. escalated: late by as long again. orphaned: the
user hung up, or the conversation is gone. unread: answered, and the conversation was not woken. nobody: tickets wait
and no person is at the desk."""

_URGENT = ("overdue", "escalated")
_RECENT = 3600.0


class Alarm(TypedDict):
    """One thing that is wrong. ``ticket`` is None for the desk as a whole; ``seconds``: for how long."""

    kind: AlarmKind
    ticket: str | None
    field: str | None
    thread: str | None
    seconds: float
    text: str


class Alarms(Listing):
    """Finds alarms, and remembers which were raised."""

    def alarms(
        self, *, unclaimed_after: float = 60.0, unread_after: float = 60.0, present_within: float = 300.0
    ) -> list[Alarm]:
        """Everything that is wrong now. In seconds: a ticket unclaimed, an answer unread, since anybody was here."""
        found: list[Alarm] = []
        waiting = self.search(limit=10_000)
        for row in waiting:
            found += _of(row, unclaimed_after)
        found += self._hung_up() + self._unread(unread_after)
        if waiting and not self.present(present_within):
            oldest = max(row["age"] for row in waiting)
            text = f"nobody is at the desk, and {_tickets(len(waiting))} for up to {span(oldest)}"
            found.append(Alarm(kind="nobody", ticket=None, field=None, thread=None, seconds=oldest, text=text))
        return found

    def raise_once(self, alarm: Alarm) -> bool:
        """Whether this alarm is new; of several watchers one is told so. A late ticket becomes more urgent."""
        ticket, kind = alarm["ticket"], alarm["kind"]
        if ticket is None:
            return True
        mark = f"{kind},"
        new = (TICKETS.c.id == ticket) & ~TICKETS.c.alarms.contains(mark, autoescape=True)
        urgent = TICKETS.c.priority + (1 if kind in _URGENT else 0)
        with self.transaction() as db:
            values = {"alarms": TICKETS.c.alarms + mark, "priority": urgent}
            first = db.execute(sa.update(TICKETS).where(new).values(values)).rowcount == 1
            if first:
                self.note(db, ticket, "watch", "alarm", kind)
        return first

    def waiting_threads(self) -> dict[str, str]:
        """Tickets that wait, with their conversations."""
        query = sa.select(TICKETS.c.id, TICKETS.c.thread).where(TICKETS.c.status.in_(WAITING))
        with self.transaction() as db:
            return {row.id: row.thread for row in db.execute(query)}

    def _hung_up(self) -> list[Alarm]:
        rows = self.search(status="EXPIRED", limit=1000)
        recent = [row for row in rows if self.now() - (row["closed_at"] or 0) < _RECENT]
        return [_alarm("orphaned", row, row["age"], f"was left by its user ({row['outcome']})") for row in recent]

    def _unread(self, after: float) -> list[Alarm]:
        late = TICKETS.c.woken_at.is_(None) & TICKETS.c.taken_at.is_(None) & (TICKETS.c.closed_at < self.now() - after)
        query = sa.select(TICKETS.c.id).where(late, TICKETS.c.outcome.in_(("value", "decline", "retry")))
        with self.transaction() as db:
            ids = set(db.execute(query).scalars())
        rows = self.search(status=("RESOLVED", "RETURNED"), limit=10_000) if ids else []
        return [
            _alarm("unread", row, since, f"was answered {span(since)} ago, and its conversation did not read it")
            for row in rows
            if row["id"] in ids and (since := self.now() - (row["closed_at"] or 0))
        ]


def _of(row: Row, unclaimed_after: float) -> list[Alarm]:
    """What is wrong with a ticket that waits."""
    found = []
    early = row["field"] == CALLBACK and (row["waits"] or 0) > unclaimed_after  # nobody need take it before its time
    if row["status"] == "OPEN" and row["age"] > unclaimed_after and not early:
        found.append(_alarm("unclaimed", row, row["age"], f"was filed {span(row['age'])} ago, and nobody took it"))
    late = -(row["waits"] or 0)
    if row["overdue"]:
        found.append(_alarm("overdue", row, late, f"is overdue by {span(late)}"))
    if row["overdue"] and row["due_at"] and late > row["due_at"] - row["filed_at"]:
        found.append(_alarm("escalated", row, late, f"is overdue by {span(late)}, more than its whole time"))
    return found


def _alarm(kind: AlarmKind, row: Row, seconds: float, what: str) -> Alarm:
    text = f"ticket {row['id']} ({row['label']}) {what}"
    return Alarm(kind=kind, ticket=row["id"], field=row["field"], thread=row["thread"], seconds=seconds, text=text)


def _tickets(count: int) -> str:
    return "1 ticket waits" if count == 1 else f"{count} tickets wait"


def summary(day: Day) -> str:
    """A day's figures as a sentence."""
    times = [
        f"{what} in {span(median)} (95 %: {span(p95 or 0.0)})"
        for what, median, p95 in (
            ("picked up", day["pick_up_median"], day["pick_up_p95"]), ("closed", day["close_median"], day["close_p95"])
        )
        if median is not None
    ]  # fmt: skip
    counts = [f"{day[key]} {key}" for key in ("filed", "resolved", "returned", "expired", "waiting", "late")]
    return f"{day['day']}: {', '.join([*counts, *times])}"


def span(seconds: float) -> str:
    """``90`` -> ``1 min 30 s``."""
    whole = int(seconds)
    if whole < 60:  # noqa: PLR2004
        return f"{whole} s"
    if whole < 3600:  # noqa: PLR2004
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
