"""The world: lookups on one background event loop, the same for ``invoke`` and ``ainvoke``.

A lookup may keep a client that is bound to its event loop. With a loop for each call such a client breaks at the
second call; with the caller's loop it breaks when ``invoke`` and ``ainvoke`` are mixed. So all lookups run here.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from langgraph_readback.fields import CrossRule, FieldSpec, LookupOutcome, Reason
from langgraph_readback.fields.lookups import ask_world
from langgraph_readback.fields.rules import verdict_of
from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.view import View

__all__ = ["Question", "World", "ask_about", "circumstances", "confirmed_beside", "submit"]

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


@dataclass(frozen=True, kw_only=True, slots=True)
class World:
    """What the world says of a value: by its lookup, and by the first rule that it breaks with other fields' values."""

    outcome: LookupOutcome | None = None
    broken: CrossRule | None = None
    reason: Reason | None = None


def ask_about(spec: FieldSpec, kit: Kit, view: View, value: str) -> Question[World]:
    """The question whether ``value`` exists and goes with what is confirmed, not yet asked."""
    known = confirmed_beside(kit, view)
    context = {**circumstances(view), "values": known}
    rules = [rule for rule in kit.rules if spec.name in rule.fields and known.keys() >= {*rule.fields} - {spec.name}]

    async def ask() -> World:
        lookup = kit.lookup(spec)
        outcome = None if lookup is None else await ask_world(lookup, value, context, spec.lookup_deadline)
        if outcome in (LookupOutcome.NOT_FOUND, LookupOutcome.OTHER_OWNER):
            return World(outcome=outcome)
        for rule in rules:
            if (reason := await verdict_of(rule, {**known, spec.name: value}, context)) is not None:
                return World(outcome=outcome, broken=rule, reason=reason)
        return World(outcome=outcome)

    asked = kit.lookup(spec) is not None or bool(rules)
    seconds = spec.lookup_deadline + sum(rule.deadline for rule in rules)
    silent = LookupOutcome.UNAVAILABLE if kit.lookup(spec) is not None else None
    return Question(ask if asked else None, seconds, World(outcome=silent))


def confirmed_beside(kit: Kit, view: View) -> dict[str, str]:
    """The values of the other fields: only what is confirmed vouches for another field."""
    records = view.records.items()
    return {
        name: str(record.get("value"))
        for name, record in records
        if name != view.spec.name and kit.sealed(name, record, view.thread)
    }


def circumstances(view: View) -> dict[str, Any]:
    """Where and how the conversation is held, as the builder's functions are told."""
    return {"locale": view.ask.locale, "region": view.ask.where, "channel": view.ask.channel}


class Question(Generic[T]):
    """One question to the world, to be asked from plain code or from a coroutine. ``silence`` when nobody answers."""

    def __init__(self, ask: Callable[[], Coroutine[Any, Any, T]] | None, seconds: float, silence: T) -> None:
        self._ask, self._seconds, self._silence = ask, seconds + _GRACE, silence

    def ask(self) -> T:
        """Ask and wait; silence when there is nobody to ask."""
        if self._ask is None:
            return self._silence
        future, loop = submit(self._ask())
        try:
            return future.result(self._seconds)
        except TimeoutError:
            _BACKGROUND.give_up(loop)
            return self._silence

    async def aask(self) -> T:
        """As ``ask``, without blocking the caller's loop."""
        if self._ask is None:
            return self._silence
        future, loop = submit(self._ask())
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._seconds)
        except TimeoutError:
            _BACKGROUND.give_up(loop)
            return self._silence
