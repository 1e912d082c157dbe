"""What happens when a person must look at an action: the alarm, and a ticket in the desk's queue.

The ticket is for the desk's eyes and shows both values of a detail that was carried out differently than confirmed.
Nothing waits for its answer: closing it (``--decline`` on the command line) says that somebody has looked.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Mapping
from typing import Any

from langgraph_readback.ports import Ticket
from langgraph_readback.tools.actions import Alarm, Services

__all__ = ["action_ticket", "raise_alarm"]

_LOG = logging.getLogger("langgraph_readback.tools")
_SPACE = uuid.UUID("5f6d0b1e-8a4c-4a53-9d0e-6a1c3a6b7d21")
_REASON = {"unknown": "action_unknown", "different": "action_different"}


async def raise_alarm(
    alarm: Alarm,
    services: Services,
    confirmed: Mapping[str, Any] | None = None,
    executed: Mapping[str, Any] | None = None,
) -> None:
    """Call the alarm and file the ticket, each in a thread. Neither failing hides the outcome, nor the other."""
    try:
        await asyncio.to_thread(services.alarm, alarm)
    except Exception as error:  # noqa: BLE001 - an alarm that fails must not hide the outcome
        _LOG.error("the alarm about action %s failed with %s", alarm.action, type(error).__name__)
    if services.desk is None:
        return
    try:
        await asyncio.to_thread(services.desk.file, action_ticket(alarm, confirmed or {}, executed or {}))
    except Exception as error:  # noqa: BLE001 - as above
        _LOG.error("no ticket about action %s could be filed: %s", alarm.action, type(error).__name__)


def action_ticket(alarm: Alarm, confirmed: Mapping[str, Any], executed: Mapping[str, Any]) -> Ticket:
    """The one ticket about this action and kind of alarm. Its field is the action with its key, so none is replaced."""
    attempts = [
        {
            "utterance": f"{field}: {words}",
            "value": None if what.get(field) is None else str(what[field]),
            "reason": None,
        }
        for field in alarm.fields
        for words, what in (("as confirmed", confirmed), ("as carried out", executed))
    ]
    return Ticket(
        id=action_ticket_id(alarm.key, alarm.kind),
        thread=alarm.thread,
        field=f"action:{alarm.action}:{alarm.key[:12]}",
        revision=1,
        label=f"action {alarm.action}, key {alarm.key}",
        locale="en-US",
        reason=_REASON[alarm.kind],
        attempts=attempts,
        priority=1,
    )


def action_ticket_id(key: str, kind: str) -> str:
    """The id of the ticket about an action: filing it twice is filing it once."""
    return f"rb-{uuid.uuid5(_SPACE, f'{key}/{kind}').hex}"
