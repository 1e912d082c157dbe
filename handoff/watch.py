"""Watch: looks at the queue again and again, and makes noise. Law 8: a queue that nobody watches is no hand-off.

One round opens lapsed claims, wakes conversations that have an answer, closes tickets whose conversation is gone, and
raises what is wrong: in the log (``langgraph_readback.handoff``), to a webhook, as metrics (``gauges``), and in what it
gives. The first round after midnight (UTC) tells the figures of the day before in the same places.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TypedDict

from langgraph_readback.errors import TicketError
from langgraph_readback.handoff import gauges
from langgraph_readback.handoff.alarms import Alarm, summary
from langgraph_readback.handoff.desk import SqlDesk
from langgraph_readback.handoff.exits.webhook import Webhook
from langgraph_readback.handoff.figures import Day
from langgraph_readback.handoff.wake import AsyncWaker, Waker, awake_due, wake_due
from langgraph_readback.handoff.waking import Outcome

__all__ = ["Round", "Watch"]

_LOG = logging.getLogger("langgraph_readback.handoff")


class Round(TypedDict):
    """What one look found. ``raised``: the alarms nobody was told before; ``standing``: all that hold now.

    ``day``: yesterday's figures, for the one watcher that comes first after midnight.
    """

    raised: list[Alarm]
    standing: list[Alarm]
    lapsed: list[str]
    woken: dict[str, Outcome]
    day: Day | None


class Watch:
    """Watches one desk. Any number of processes may; each alarm of a ticket is raised by one of them."""

    def __init__(
        self,
        desk: SqlDesk,
        *,
        waker: Waker | None = None,
        webhook: Webhook | None = None,
        unclaimed_after: float = 60.0,
        unread_after: float = 60.0,
        present_within: float = 300.0,
    ) -> None:
        """``waker``: wakes conversations, and knows which are gone. The rest in seconds, see ``Alarms.alarms``."""
        self._desk, self._waker, self._webhook = desk, waker, webhook
        self._limits = {
            "unclaimed_after": unclaimed_after, "unread_after": unread_after, "present_within": present_within,
        }  # fmt: skip
        self._again_after = present_within
        self._alone_since: float | None = None

    def round(self) -> Round:
        """Look once."""
        lapsed = self._desk.sweep()
        woken: dict[str, Outcome] = {}
        if self._waker is not None:
            self._close_orphans()
            woken = wake_due(self._desk, self._waker)
        standing = self._desk.alarms(**self._limits)
        raised = [alarm for alarm in standing if self._is_new(alarm)]
        for alarm in raised:
            _LOG.warning("%s: %s", alarm["kind"], alarm["text"])
            if self._webhook is not None:
                self._webhook.send(f"ticket.{alarm['kind']}", alarm["text"], alarm)
        gauges.looked(raised, standing, self._desk.waiting())
        return Round(raised=raised, standing=standing, lapsed=lapsed, woken=woken, day=self._tell_day())

    def run(self, *, every: float, wait: Callable[[float], bool], each: Callable[[Round], None]) -> Round:
        """Look until ``wait(every)`` says to stop. Gives the last round. What a round raises is logged, not raised."""
        last = Round(raised=[], standing=[], lapsed=[], woken={}, day=None)
        while True:
            try:
                last = self.round()
                each(last)
            except Exception as error:  # noqa: BLE001 - a watch that dies watches nothing
                _LOG.error("the watch could not look (%s): it will again in %g s", type(error).__name__, every)
            if wait(every):
                return last

    async def arun(self, every: float = 10.0, *, waker: AsyncWaker | None = None) -> None:
        """Look for ever, for the lifespan of a server: cancel the task to stop. ``waker``: one that is awaited."""
        while True:
            try:
                if waker is not None:
                    await awake_due(self._desk, waker)
                await asyncio.to_thread(self.round)
            except Exception as error:  # noqa: BLE001 - as in run
                _LOG.error("the watch could not look (%s): it will again in %g s", type(error).__name__, every)
            await asyncio.sleep(every)

    def _tell_day(self) -> Day | None:
        """Yesterday's figures, once."""
        if (day := self._desk.told_day()) is not None:
            _LOG.info("%s", summary(day))
            if self._webhook is not None:
                self._webhook.send("desk.day", summary(day), day)
        return day

    def _close_orphans(self) -> None:
        knows = getattr(self._waker, "exists", None)
        if knows is None:
            return
        for ticket, thread in self._desk.waiting_threads().items():
            if not knows(thread):
                try:
                    self._desk.expire(ticket, "orphaned")
                except TicketError:
                    _LOG.debug("ticket %s was closed meanwhile", ticket)

    def _is_new(self, alarm: Alarm) -> bool:
        """A ticket's alarm is raised once; that nobody is there, once in each span without anybody."""
        if alarm["kind"] != "nobody":
            return self._desk.raise_once(alarm)
        now, since = self._desk.now(), self._alone_since
        if since is not None and now - since < self._again_after:
            return False
        self._alone_since = now
        return True
