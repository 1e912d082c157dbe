"""Figures: how long people waited for the desk. Counts and seconds; nothing captured."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from statistics import quantiles
from typing import TypedDict

import sqlalchemy as sa

from langgraph_readback.handoff.records import WAITING
from langgraph_readback.handoff.store import Store
from langgraph_readback.handoff.tables import DAYS, TICKETS

__all__ = ["Day", "Reporting", "Waiting"]

_DAY = 86_400.0


class Waiting(TypedDict):
    """The queue now. ``oldest``: seconds since the longest waiting ticket was filed; None when none waits."""

    open: int
    claimed: int
    overdue: int
    oldest: float | None


class Day(TypedDict):
    """One UTC day, by when tickets were filed. Times in seconds; None when there is nothing to measure.

    ``pick_up``  from filing to the first claim (or close); ``close``: to the close. Median and 95th percentile.
    """

    day: str
    filed: int
    resolved: int
    returned: int
    expired: int
    waiting: int
    late: int
    pick_up_median: float | None
    pick_up_p95: float | None
    close_median: float | None
    close_p95: float | None


class Reporting(Store):
    """What the watch reports."""

    def waiting(self) -> Waiting:
        """How many wait now, and for how long."""
        now, due = self.now(), TICKETS.c.due_at
        held = (TICKETS.c.status == "CLAIMED") & (TICKETS.c.lease_until > now)
        query = sa.select(
            sa.func.count(),
            sa.func.sum(sa.case((held, 1), else_=0)),
            sa.func.sum(sa.case((due < now, 1), else_=0)),
            sa.func.min(TICKETS.c.filed_at),
        ).where(TICKETS.c.status.in_(WAITING))
        with self.transaction() as db:
            count, claimed, overdue, first = db.execute(query).one()
        oldest = None if first is None else now - first
        return Waiting(open=count - (claimed or 0), claimed=claimed or 0, overdue=overdue or 0, oldest=oldest)

    def figures(self, *, days: int = 7) -> list[Day]:
        """Pick-up and close times of each of the last ``days`` UTC days on which something was filed, newest first."""
        return self._days((self.now() // _DAY - days + 1) * _DAY)

    def told_day(self) -> Day | None:
        """Yesterday's figures, once: of any number of watchers one gets them. None on a day without tickets."""
        midnight = self.now() // _DAY * _DAY
        day = datetime.fromtimestamp(midnight - 1, UTC).date().isoformat()
        with self.transaction() as db:
            if db.execute(sa.select(DAYS.c.day).where(DAYS.c.day == day)).first() is not None:
                return None
            try:
                with db.begin_nested():
                    db.execute(sa.insert(DAYS).values(day=day, told_at=self.now()))
            except sa.exc.IntegrityError:  # another watcher was faster
                return None
        return next(iter(self._days(midnight - _DAY, midnight)), None)

    def _days(self, since: float, until: float | None = None) -> list[Day]:
        """The days of a span of time, newest first."""
        columns = ("filed_at", "picked_at", "closed_at", "due_at", "status")
        query = sa.select(*(TICKETS.c[name] for name in columns)).where(TICKETS.c.filed_at >= since)
        if until is not None:
            query = query.where(TICKETS.c.filed_at < until)
        with self.transaction() as db:
            rows = db.execute(query).all()
        by_day: dict[str, list[sa.Row[tuple[float, float, float, float, str]]]] = {}
        for row in rows:
            by_day.setdefault(datetime.fromtimestamp(row.filed_at, UTC).date().isoformat(), []).append(row)
        return [_day(day, by_day[day], self.now()) for day in sorted(by_day, reverse=True)]


def _day(day: str, rows: Sequence[sa.Row[tuple[float, float, float, float, str]]], now: float) -> Day:
    states = [row.status for row in rows]
    picked = [row.picked_at - row.filed_at for row in rows if row.picked_at is not None]
    closed = [row.closed_at - row.filed_at for row in rows if row.closed_at is not None]
    return Day(
        day=day, filed=len(rows), resolved=states.count("RESOLVED"), returned=states.count("RETURNED"),
        expired=states.count("EXPIRED"), waiting=sum(state in WAITING for state in states),
        late=sum(row.due_at is not None and (row.closed_at or now) > row.due_at for row in rows),
        pick_up_median=_quantile(picked, 50), pick_up_p95=_quantile(picked, 95),
        close_median=_quantile(closed, 50), close_p95=_quantile(closed, 95),
    )  # fmt: skip


def _quantile(values: Sequence[float], percent: int) -> float | None:
    if not values:
        return None
    return values[0] if len(values) == 1 else quantiles(values, n=100, method="inclusive")[percent - 1]
