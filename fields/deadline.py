"""What a builder's function answers in time: lookups, prefill, rules over several fields."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable
from typing import Any

from langgraph_readback.outcome import LookupOutcome

__all__ = ["call", "in_time"]

_LOG = logging.getLogger("langgraph_readback.fields.lookups")


async def in_time(function: Callable[..., Any], *args: Any, deadline: float, what: str) -> Any:
    """What a builder's function answers within ``deadline`` seconds; UNAVAILABLE when it is slow or fails.

    Never raises (but for the cancellation of the caller), and logs what went wrong without the value: only the type
    of an exception is logged, since its words may quote what was looked up. A function that ignores cancellation is
    left behind. A plain one is run in a thread.
    """
    task = asyncio.ensure_future(call(function, *args))
    try:
        await asyncio.wait({task}, timeout=deadline)
    finally:
        if not task.done():
            task.cancel()
            task.add_done_callback(_forget)
    if not task.done():
        _LOG.warning("%s took longer than %s seconds: unavailable", what, deadline)
        return LookupOutcome.UNAVAILABLE
    if task.cancelled() or (error := task.exception()) is not None:
        failed = "cancellation" if task.cancelled() else type(error).__name__
        _LOG.warning("%s failed with %s: unavailable", what, failed)
        return LookupOutcome.UNAVAILABLE
    return task.result()


async def call(function: Callable[..., Any], *args: Any) -> Any:
    """Call it where it cannot block the loop: a coroutine function here, anything else in a thread."""
    try:
        return await _called(function, *args)
    except (KeyboardInterrupt, SystemExit) as error:  # would end the loop, and be printed with the value in it
        raise RuntimeError(type(error).__name__) from None


async def _called(function: Callable[..., Any], *args: Any) -> Any:
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004
        return await function(*args)
    result = await asyncio.to_thread(function, *args)
    return await result if inspect.isawaitable(result) else result


def _forget(task: asyncio.Future[Any]) -> None:
    """Take the exception of an abandoned lookup, or asyncio would log it with the value in it."""
    if not task.cancelled():
        task.exception()
