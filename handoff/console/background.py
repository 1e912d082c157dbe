"""Background: what a server does beside answering pages: it watches the queue, and wakes conversations."""

from __future__ import annotations

import asyncio
import logging
import math
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any

from langgraph_readback.handoff.console.trial import Trials
from langgraph_readback.handoff.desk import SqlDesk
from langgraph_readback.handoff.wake import AsyncWaker, awake_due
from langgraph_readback.handoff.waking import Outcome, Sleeper
from langgraph_readback.handoff.watch import Watch

__all__ = ["EVERY_VARIABLE", "Background", "Here", "every_from_env"]

_LOG = logging.getLogger("langgraph_readback.handoff")
EVERY_VARIABLE = "READBACK_WATCH_SECONDS"
_EVERY = 5.0


class Here:
    """Wakes conversations of the try page here, and all others through another waker."""

    def __init__(self, trials: Trials, others: AsyncWaker) -> None:
        """Take both."""
        self._trials, self._others = trials, others

    async def wake(self, sleeper: Sleeper, *, inherited: bool) -> Outcome:
        """See ``Waker.wake``."""
        if sleeper["thread"] in self._trials:
            await asyncio.to_thread(self._trials.look, sleeper["thread"])
            return "resumed"
        return await self._others.wake(sleeper, inherited=inherited)


class Background:
    """The tasks, as the lifespan of an app; ``ring`` is its ``answered``."""

    def __init__(self, desk: SqlDesk, waker: Callable[[], AsyncWaker] | None = None, *, every: float = _EVERY) -> None:
        """``waker``: made when the server has started; None: conversations are woken by somebody else.

        ``every``: seconds between two looks at the queue; 0: none, only what is answered here is woken.
        """
        self._desk, self._waker, self._every = desk, waker, every
        self._bell: Callable[[], Any] = lambda: None

    def ring(self, ticket: str) -> None:
        """Somebody answered: wake that conversation now. From any thread."""
        _LOG.info("ticket %s was answered", ticket)
        self._bell()

    def lifespan(self, app: object) -> AbstractAsyncContextManager[None]:
        """For ``Starlette(lifespan=...)``."""
        del app
        return self._live()

    @asynccontextmanager
    async def _live(self) -> AsyncIterator[None]:
        loop, bell = asyncio.get_running_loop(), asyncio.Event()
        tasks = [asyncio.create_task(Watch(self._desk).arun(self._every))] if self._every else []
        if self._waker is not None:
            self._bell = lambda: loop.call_soon_threadsafe(bell.set)
            tasks.append(asyncio.create_task(self._wake(self._waker(), bell)))
        try:
            yield
        finally:
            self._bell = lambda: None
            for task in tasks:
                task.cancel()
            for task in tasks:
                with suppress(asyncio.CancelledError):
                    await task

    async def _wake(self, waker: AsyncWaker, bell: asyncio.Event) -> None:
        """Wake what is due: when an answer rings, and now and then."""
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(bell.wait(), self._every or None)
            bell.clear()
            try:
                await awake_due(self._desk, waker)
            except Exception as error:  # noqa: BLE001 - whatever the database raised: it is asked again
                _LOG.error("conversations could not be woken (%s): the next look tries again", type(error).__name__)


def every_from_env() -> float:
    """Seconds between two looks. Raises ValueError for what is no number from 0."""
    text = os.environ.get(EVERY_VARIABLE, "").strip()
    try:
        every = float(text) if text else _EVERY
    except ValueError:
        every = -1.0
    if not 0 <= every < math.inf:
        raise ValueError(f"{EVERY_VARIABLE} must be a number of seconds, or 0 for no watch, e.g. 5")
    return every
