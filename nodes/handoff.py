"""HANDOFF: files the ticket, then tells the user. Answers the user's messages while the ticket is open."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

from langchain_core.messages import AIMessage, HumanMessage

from langgraph_readback.fields import FieldSpec
from langgraph_readback.nodes.budgets import REFUSED
from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.lines import label, line, said
from langgraph_readback.nodes.view import Update, View, begun, marks, words
from langgraph_readback.ports import Answer, Ticket, is_answer
from langgraph_readback.state import MARK, CaptureState, Heard, Record, mine

__all__ = ["SELF", "answered", "exchange", "handoff", "settle", "ticket_id", "vouched"]

_LOG = logging.getLogger("langgraph_readback.handoff")
SELF = "link:"
"""How the desk's name for a user who typed the value by a signed link begins: no colleague has vouched for it."""
_SPACE = uuid.UUID("0b7a4d6e-3c1f-4f0e-9a58-2f6c0a4f2d11")
_LINES = 40
"""Of the conversation, how many lines go with a ticket."""
_KEYS = {"wanted": "handoff.wanted", "unavailable": "unavailable.handoff"}


def ticket_id(thread: str, field: str, revision: int) -> str:
    """The id of the one ticket of this capture: filing it twice is filing it once."""
    return f"rb-{uuid.uuid5(_SPACE, f'{thread}/{field}/{revision}').hex}"


def handoff(spec: FieldSpec, kit: Kit) -> Callable[..., Update]:
    """The node ``<field>.HANDOFF``."""

    def node(state: CaptureState) -> Update:
        view = begun(spec, state)
        if view.record.get("ticket") != _ticket(view):  # none yet, or that of a thread this one was copied from
            return _file(view, kit)
        if (answer := answered(view, kit)) is not None:
            return settle(view, answer)
        if _hung_up(view):  # nobody is left to answer, and nobody to tell
            _withdraw(view, kit)
            return view.write(take=True)
        if _gone(view, kit):
            return _file(_later(view), kit)
        text = said(view, spec, "handoff.still")
        return view.write(say=[line("inform", spec, text)], take=True)

    return node


def _file(view: View, kit: Kit) -> Update:
    """The durable row first, the words afterwards (law 8)."""
    spec, revision = view.spec, view.record.get("revision", 1)
    reason = view.record.get("reason") or "attempts"
    again = "handoff.still" if reason.startswith("desk_") else "handoff.filed"
    text = said(view, spec, _KEYS.get(reason, again))
    ticket = Ticket(
        id=_ticket(view), thread=view.thread, field=spec.name, revision=revision,
        label=label(spec, view), locale=view.ask.locale, reason=reason,
        attempts=view.heard.get("history", []), purpose=spec.purpose, told=text, region=view.ask.region,
        channel=view.ask.channel, conversation=_conversation(view), rules=_rules(spec),
        priority=int(view.ask.channel == "voice") + int(spec.high_stakes),
    )  # fmt: skip
    if kit.desk is None:
        _LOG.warning(
            "no desk: ticket %s (%s) is only in its thread; pass desk= to the builder", ticket["id"], spec.name
        )
    else:
        kit.desk.file(ticket)
        _LOG.info("hand-off filed: ticket %s, field %s, reason %s", ticket["id"], spec.name, reason)
    return view.write(
        record={"status": "HANDOFF", "ticket": ticket["id"]}, say=[line("inform", spec, text)], session={"floor": None}
    )


def _conversation(view: View) -> list[dict[str, Any]]:
    """The last lines, for the desk: who said what, and for the loop's lines what for and about which field."""
    lines: list[dict[str, Any]] = []
    for message in view.messages[-_LINES:]:
        if isinstance(message, HumanMessage):
            lines.append({"who": "user", "text": message.text})
        elif isinstance(message, AIMessage) and mine(message):
            mark = message.additional_kwargs[MARK]
            known = {k: mark.get(k) for k in ("act", "field")} if isinstance(mark, Mapping) else {}
            lines.append({"who": "agent", "text": message.text, **known})
    return lines


def _rules(spec: FieldSpec) -> dict[str, Any]:
    """What a desk in another process needs to check a typed value as VALIDATE will."""
    rules: dict[str, Any] = {"type": spec.type, "pattern": spec.pattern, "checksum": spec.checksum}
    return rules | ({"options": dict(spec.options)} if spec.options else {})


def _hung_up(view: View) -> bool:
    return bool(view.pending) and not words(view.pending) and marks(view.pending).get("event") == "hangup"


def _withdraw(view: View, kit: Kit) -> None:
    """Close every ticket of this conversation that still waits: the user is gone."""
    for name in kit.specs:
        record = view.records.get(name, {})
        if kit.desk is not None and record.get("status") == "HANDOFF" and (ticket := record.get("ticket")):
            kit.desk.withdraw(ticket, "hangup")


def _gone(view: View, kit: Kit) -> bool:
    """Whether the ticket closed because nobody was left; a desk that cannot say so keeps it open."""
    gone = getattr(kit.desk, "gone", None)
    return bool(gone is not None and gone(_ticket(view)))


def exchange(view: View, cause: str) -> dict[str, Any]:
    """When an attempt failed; and when it got that far, what was read back and what the user replied. For the desk."""
    now = {"at": time.time()}
    if cause in REFUSED:
        return now
    about = [m.additional_kwargs.get(MARK) for m in view.messages]
    for at in range(len(about) - 1, -1, -1):
        mark = about[at]
        if isinstance(mark, dict) and (mark.get("act"), mark.get("field")) == ("readback", view.spec.name):
            reply = words([m for m in view.messages[at + 1 :] if isinstance(m, HumanMessage)])
            return {**now, "read_back": view.messages[at].text, "reply": reply}
    return now


def _later(view: View) -> View:
    """The same at the next revision: its ticket is another one."""
    revision = view.record.get("revision", 1) + 1
    record = cast("Record", {**view.record, "revision": revision})
    return replace(view, record=record, heard=cast("Heard", {**view.heard, "revision": revision}))


def answered(view: View, kit: Kit) -> Answer | None:
    """What the desk says of this field's ticket at this revision, if anything; never of another thread's or field's."""
    ticket, revision = view.record.get("ticket"), view.record.get("revision", 1)
    if kit.desk is None or ticket != _ticket(view):
        return None
    answer = kit.desk.answer(ticket, revision)
    return answer if answer is not None and is_answer(answer, ticket, revision) else None


def vouched(view: View, kit: Kit, value: str) -> str | None:
    """The person at the desk who gave this very value, as the desk's table has it; the state's word is not enough."""
    by = view.heard.get("desk")
    answer = answered(view, kit) if by else None
    given = answer is not None and answer["kind"] == "value" and (answer["by"], answer["value"]) == (by, value)
    return by if given else None


def _ticket(view: View) -> str:
    return ticket_id(view.thread, view.spec.name, view.record.get("revision", 1))


def settle(view: View, answer: Answer) -> Update:
    """The desk's answer put to work: a value for VALIDATE, another try from the start, or no value."""
    if answer["kind"] == "value" and answer["value"]:
        return view.write(
            record={"status": "ASK", "cause": None}, heard={"waiting": answer["value"], "desk": answer["by"]}, take=True
        )
    if answer["kind"] == "retry":
        record = {
            "status": "ASK", "revision": view.record.get("revision", 1) + 1, "attempts": 0, "budgets": {},
            "form": "natural", "reason": None, "ticket": None, "notice": {"key": "handoff.retry"},
        }  # fmt: skip
        advice = answer.get("advice")
        told = [line("inform", view.spec, advice)] if advice else []
        return view.write(record=record, heard={"history": []}, say=told, take=True)
    text = said(view, view.spec, "handoff.closed")
    record = {"status": "DECLINED", "reason": "desk", "ticket": None, "by": f"human:{answer['by']}"}
    return view.write(record=record, say=[line("inform", view.spec, text)], take=True)
