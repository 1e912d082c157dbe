"""The world: lookups on one background event loop, the same for ``invoke`` and ``ainvoke``.

A lookup may keep a client that is bound to its event loop. With a loop for each call such a client breaks at the
second call; with the caller's loop it breaks when ``invoke`` and ``ainvoke`` are mixed. So all lookups run here.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from langgraph_readback.fields import FieldSpec, Lookup, LookupOutcome
from langgraph_readback.fields.lookups import ask_world
from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.view import View

__all__ = ["ask_about", "submit"]

T = TypeVar("T")
_GRACE = 1.0
"""Seconds on top of a lookup's deadline before its event loop is given up as blocked."""


class _Background:
    """One daemon thread with one event loop, made on first use, and made anew when a lookup blocks it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def loop(self) -> asyncio.AbstractEventLoop:
        """The running loop."""
        with self._lock:
            if self._loop is None or self._loop.is_closed():
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=_serve, args=(self._loop,), name="readback-lookups", daemon=True).start()
            return self._loop

    def give_up(self, loop: asyncio.AbstractEventLoop) -> None:
        """Leave a blocked loop behind; the next lookup gets another."""
        with self._lock:
            if self._loop is loop:
                self._loop = None
        loop.call_soon_threadsafe(loop.stop)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it is given up; then end what it still held, without a word."""
    loop.run_forever()
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


_BACKGROUND = _Background()


def submit(work: Coroutine[Any, Any, T]) -> tuple[Future[T], asyncio.AbstractEventLoop]:
    """Start ``work`` on the background loop."""
    loop = _BACKGROUND.loop()
    return asyncio.run_coroutine_threadsafe(work, loop), loop


def ask_about(spec: FieldSpec, kit: Kit, view: View, value: str) -> Lookups:
    """The question whether ``value`` exists, not yet asked."""
    records = view.records.items()  # only what is confirmed vouches for another field
    others = {name: r["value"] for name, r in records if name != spec.name and kit.sealed(name, r, view.thread)}
    context = {"locale": view.ask.locale, "region": view.ask.where, "channel": view.ask.channel, "values": others}
    return Lookups(kit.lookup(spec), value, context, spec.lookup_deadline)


class Lookups:
    """One lookup, to be asked from plain code or from a coroutine. UNAVAILABLE when nothing else can be said."""

    def __init__(self, lookup: Lookup | None, value: str, context: dict[str, Any], deadline: float) -> None:
        self._lookup, self._value, self._context, self._deadline = lookup, value, context, deadline

    def ask(self) -> LookupOutcome | None:
        """Ask and wait; None when there is nobody to ask."""
        if self._lookup is None:
            return None
        future, loop = submit(ask_world(self._lookup, self._value, self._context, self._deadline))
        try:
            return future.result(self._deadline + _GRACE)
        except TimeoutError:
            _BACKGROUND.give_up(loop)
            return LookupOutcome.UNAVAILABLE

    async def aask(self) -> LookupOutcome | None:
        """As ``ask``, without blocking the caller's loop."""
        if self._lookup is None:
            return None
        future, loop = submit(ask_world(self._lookup, self._value, self._context, self._deadline))
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._deadline + _GRACE)
        except TimeoutError:
            _BACKGROUND.give_up(loop)
            return LookupOutcome.UNAVAILABLE
