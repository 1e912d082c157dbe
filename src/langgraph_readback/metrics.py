"""Metrics for a dashboard: OpenTelemetry counters, by field and locale, never with a value.

With ``opentelemetry-api`` (extra ``metrics``) and a meter provider of the application's, these grow:

    readback.captures     field, locale             a capture has begun; a value taken back begins another one
    readback.attempts     field, locale, reason     an attempt has failed
    readback.outcomes     field, locale, outcome    CONFIRMED, HANDOFF or DECLINED; ``verified`` with the first
    readback.recoveries   field, locale             confirmed after at least one failed attempt
    readback.handoffs     field, locale, reason     a ticket was filed

Without the library, or without a provider, nothing is counted and nothing is slower. A node that runs again after a
crash counts again: these are figures for a graph on the wall, the ledger and the desk's table are the books.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar, cast

from langchain_core.runnables import RunnableLambda
from langgraph.types import Overwrite

from langgraph_readback.state import entry, session_of

try:
    from opentelemetry import metrics as otel
except ImportError:  # pragma: no cover - the extra is not installed
    otel = None  # type: ignore[assignment]

__all__ = ["NAMES", "counted"]

N = TypeVar("N")

NAMES = ("captures", "attempts", "outcomes", "recoveries", "handoffs")
_SETTLED = frozenset({"CONFIRMED", "HANDOFF", "DECLINED"})
_CODE = re.compile(r"[a-z][a-z_]{0,39}", re.ASCII)
_LOCALE = re.compile(r"[a-z]{2,3}(-[A-Z]{2})?", re.ASCII)
_OTHER = "other"
"""What a label says when somebody wrote into the state: labels must not carry what a client sends."""


def counted(node: N, field: str) -> N:
    """``node`` of a field, with what it does to the record counted."""
    if otel is None:
        return node
    if isinstance(node, RunnableLambda):
        afunc = _async(cast("Any", node.afunc), field)
        return cast("N", RunnableLambda(_plain(node.func, field), afunc=afunc, name=node.name))
    return cast("N", _plain(cast("Callable[..., Any]", node), field))


def _plain(node: Callable[..., Any], field: str) -> Callable[..., Any]:
    @functools.wraps(node)
    def run(state: Any, *args: Any, **kwargs: Any) -> Any:
        update = node(state, *args, **kwargs)
        _count(field, state, update)
        return update

    return run


def _async(node: Callable[..., Awaitable[Any]], field: str) -> Callable[..., Awaitable[Any]]:
    @functools.wraps(node)
    async def run(state: Any, *args: Any, **kwargs: Any) -> Any:
        update = await node(state, *args, **kwargs)
        _count(field, state, update)
        return update

    return run


@functools.cache
def _counters() -> dict[str, Any]:
    """Made on first use. Those of the API pass on to the application's provider, also one that is set later."""
    meter = otel.get_meter("langgraph_readback")
    return {name: meter.create_counter(f"readback.{name}", unit="1") for name in NAMES}


def _count(field: str, state: Any, update: Any) -> None:
    before = _record(state.get("captures"), field)
    after = _record(update.get("captures"), field)
    if not after:
        return
    locale = session_of(state).get("locale") or _said(update)
    where = {"field": field, "locale": _label(locale, _LOCALE)}
    for name, labels in _events(before, after):
        _counters()[name].add(1, where | labels)


def _events(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, dict[str, str]]]:
    """What happened between two steps of a record: counters, and what they say beside field and locale."""
    new = not before or after.get("revision", 0) > before.get("revision", 0)
    found: list[tuple[str, dict[str, str]]] = []
    if new and after.get("status") not in _SETTLED:
        found.append(("captures", {}))
    if after.get("attempts", 0) > (0 if new else before.get("attempts", 0)):
        found.append(("attempts", {"reason": _label(after.get("reason"), _CODE)}))
    status = after.get("status")
    if status not in _SETTLED or status == before.get("status"):
        return found
    found.append(("outcomes", {"outcome": status} | _verified(after)))
    if status == "CONFIRMED" and after.get("attempts", 0) > 0:
        found.append(("recoveries", {}))
    if status == "HANDOFF":
        found.append(("handoffs", {"reason": _label(after.get("reason"), _CODE)}))
    return found


def _record(channel: Any, field: str) -> Mapping[str, Any]:
    records = channel.value if isinstance(channel, Overwrite) else channel
    return entry(records, field)


def _said(update: Mapping[str, Any]) -> Any:
    """The locale that a first turn brings along."""
    session = update.get("session")
    return (session.get("locale") if isinstance(session, Mapping) else None) or "en-US"


def _verified(record: Mapping[str, Any]) -> dict[str, str]:
    verified = record.get("verified")
    return {"verified": verified} if record.get("status") == "CONFIRMED" and isinstance(verified, str) else {}


def _label(value: Any, form: re.Pattern[str]) -> str:
    return value if isinstance(value, str) and form.fullmatch(value) else _OTHER
