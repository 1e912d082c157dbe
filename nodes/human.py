"""HUMAN: waits for the desk, once nothing else is left to ask. A resume only wakes it.

The answer is read from the desk's table, where an authenticated person wrote it. A value inside a resume is only a
proposal that the user must confirm. Whatever a resume holds, nothing is raised: a resume that raises would poison the
thread for every later one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.types import interrupt

from langgraph_readback.nodes.budgets import REOPENINGS
from langgraph_readback.nodes.handoff import answered, settle
from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.view import Look, Update, View, begun, look
from langgraph_readback.state import CaptureState, mine

__all__ = ["RESPONSE_SCHEMA", "human", "inbox"]

RESPONSE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "Wakes the thread: the answers themselves are read from the desk. "
    "A value given here is only a proposal, which the user is asked to confirm.",
    "properties": {"ticket": {"type": "string"}, "value": {"type": "string"}},
}
"""Plain JSON Schema: LangGraph shows it to clients and does not validate with it (validating would raise)."""


def human(kit: Kit) -> Callable[..., Update]:
    """The shared node ``HUMAN``."""

    def node(state: CaptureState) -> Update:
        resume = _edited(interrupt(payload(kit, look(state)), response_schema=RESPONSE_SCHEMA))
        update: Update = {}
        for spec in kit.specs.values():
            view = begun(spec, state)
            if view.record.get("status") == "HANDOFF":
                _add(update, _answer(view, kit, resume))
        return update

    return node


def payload(kit: Kit, run: Look) -> dict[str, Any]:
    """What a client sees while the thread waits: the open tickets and what the user was told. No values.

    Beside our own keys it is a ``HumanInterrupt`` of Agent Inbox (``inbox``).
    """
    tickets = [
        {
            "ticket": record.get("ticket"), "field": name, "revision": record.get("revision"),
            "reason": record.get("reason"), "attempts": record.get("attempts", 0),
        }
        for name in kit.specs
        if (record := run.records.get(name, {})).get("status") == "HANDOFF"
    ]  # fmt: skip
    return {"kind": "handoff", "tickets": tickets, "told": told(run), **inbox(tickets)}


def inbox(tickets: list[dict[str, Any]]) -> dict[str, Any]:
    """The keys by which Agent Inbox shows an interrupt: action_request, config, description.

    It asks for the first ticket's value. What somebody types there is not signed by the desk, so it is a proposal that
    the user is asked to confirm (https://github.com/langchain-ai/agent-inbox, "How Human Interrupts work").
    """
    first = tickets[0] if tickets else {"ticket": None, "field": "detail"}
    lines = [
        f"- `{one['field']}`: ticket `{one['ticket']}`, {one['attempts']} failed attempts ({one['reason']})"
        for one in tickets
    ]
    how = "Answer at the desk (`readback handoffs`); a value typed here is read back to the user first."
    return {
        "action_request": {
            "action": f"Hand-off: {first['field']}",
            "args": {"ticket": first["ticket"], "value": ""},
        },
        "config": {"allow_ignore": False, "allow_respond": False, "allow_edit": True, "allow_accept": False},
        "description": "\n".join([*lines, "", how]),
    }


def told(run: Look) -> list[str]:
    """The loop's lines since the user last spoke: inside a parent graph its messages arrive only later."""
    lines: list[str] = []
    for message in reversed(run.messages):
        if not (isinstance(message, AIMessage) and mine(message)):
            break
        lines.append(message.text)
    return lines[::-1]


def _edited(resume: Any) -> Any:
    """The arguments of an ``edit`` from Agent Inbox, which answers with a list; anything else as it is."""
    one = resume[0] if isinstance(resume, list) and resume else resume
    if isinstance(one, Mapping) and one.get("type") == "edit" and isinstance(one.get("args"), Mapping):
        return one["args"].get("args")
    return resume


def _answer(view: View, kit: Kit, resume: Any) -> Update:
    """The desk's answer; else a proposal of the resume; else nothing."""
    if (answer := answered(view, kit)) is not None:
        return settle(view, answer)
    if isinstance(resume, Mapping) and resume.get("ticket") == view.record.get("ticket") is not None:
        value, used = resume.get("value"), view.record.get("reopened", 0)
        if isinstance(value, str) and value.strip() and used < REOPENINGS:
            return _propose(view, kit, value, used + 1)
    return {}


def _propose(view: View, kit: Kit, value: str, used: int) -> Update:
    """An unauthenticated value: the ticket is withdrawn, and the user hears a read-back like any other."""
    if kit.desk is not None and (ticket := view.record.get("ticket")):
        kit.desk.withdraw(ticket, "proposed")
    record = {
        "status": "ASK", "revision": view.record.get("revision", 1) + 1, "attempts": 0, "budgets": {},
        "form": "natural", "reason": None, "ticket": None, "cause": None, "reopened": used,
    }  # fmt: skip
    return view.write(record=record, heard={"waiting": value, "desk": None, "history": []})


def _add(update: Update, more: Update) -> None:
    """Lay one field's update beside the others'."""
    for channel, value in more.items():
        if isinstance(value, dict):
            update[channel] = {**update.get(channel, {}), **value}
        elif isinstance(value, list) and isinstance(update.get(channel, []), list):
            update[channel] = [*update.get(channel, []), *value]
        else:
            update[channel] = value
