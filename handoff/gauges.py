"""Gauges of the desk for a dashboard: OpenTelemetry, never with a value.

With ``opentelemetry-api`` (extra ``metrics``) and a meter provider of the application's:

    readback.alarms           counter    kind            an alarm was raised, once for each ticket
    readback.alarms.standing  gauge      kind            what is wrong now: unclaimed, overdue, orphaned, nobody ...
    readback.queue            gauge      status          tickets that wait: open, claimed; overdue ones are among them
    readback.queue.oldest     gauge, s                   how long the oldest has waited
    readback.pick_up          histogram, s  channel      from filing to the first claim, or to a close without one
    readback.close            histogram, s  channel, outcome   from filing to the close by a person

The first four are set by whoever watches (``readback watch``, or a server's background); the last two by the process
where a person claims or closes. Without the library, or without a provider, nothing is measured.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langgraph_readback.handoff.alarms import Alarm
    from langgraph_readback.handoff.figures import Waiting

try:
    from opentelemetry import metrics as otel
except ImportError:  # pragma: no cover - the extra is not installed
    otel = None  # type: ignore[assignment]

__all__ = ["KINDS", "looked", "timed"]

KINDS = ("unclaimed", "overdue", "escalated", "orphaned", "unread", "nobody")
"""Of alarms: each has a gauge, 0 while none stands."""
_CODE = re.compile(r"[a-z][a-z_]{0,39}", re.ASCII)


@functools.cache
def _instruments() -> dict[str, Any]:
    """Made on first use. Those of the API pass on to the application's provider, also one that is set later."""
    meter = otel.get_meter("langgraph_readback")
    return {
        "alarms": meter.create_counter("readback.alarms", unit="1"),
        "standing": meter.create_gauge("readback.alarms.standing", unit="1"),
        "queue": meter.create_gauge("readback.queue", unit="1"),
        "oldest": meter.create_gauge("readback.queue.oldest", unit="s"),
        "pick_up": meter.create_histogram("readback.pick_up", unit="s"),
        "close": meter.create_histogram("readback.close", unit="s"),
    }


def looked(raised: Iterable[Alarm], standing: Iterable[Alarm], waiting: Waiting) -> None:
    """One round of a watch. A kind that does not stand any more goes back to 0."""
    if otel is None:
        return
    made = _instruments()
    now: Counter[str] = Counter(alarm["kind"] for alarm in standing)
    for alarm in raised:
        made["alarms"].add(1, {"kind": alarm["kind"]})
    for kind in KINDS:
        made["standing"].set(now[kind], {"kind": kind})
    for status, count in (("open", waiting["open"]), ("claimed", waiting["claimed"]), ("overdue", waiting["overdue"])):
        made["queue"].set(count, {"status": status})
    made["oldest"].set(waiting["oldest"] or 0.0)


def timed(what: str, seconds: float, **labels: str | None) -> None:
    """``pick_up`` or ``close`` of a ticket."""
    if otel is not None:
        said = {key: value if value and _CODE.fullmatch(value) else "other" for key, value in labels.items()}
        _instruments()[what].record(max(0.0, seconds), said)
