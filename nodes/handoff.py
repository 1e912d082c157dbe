"""HANDOFF: files the ticket, then tells the user. Answers the user's messages while the ticket is open."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable

from langgraph_readback.fields import FieldSpec
from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.lines import label, line, said
from langgraph_readback.nodes.view import Update, View, begun
from langgraph_readback.ports import Answer, Ticket, is_answer
from langgraph_readback.state import CaptureState

__all__ = ["answered", "handoff", "settle", "ticket_id", "vouched"]

_LOG = logging.getLogger("langgraph_readback.handoff")
_SPACE = uuid.UUID("0b7a4d6e-3c1f-4f0e-9a58-2f6c0a4f2d11")
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
        attempts=view.heard.get("history", []), purpose=spec.purpose, told=text,
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
        return view.write(record=record, heard={"history": []}, take=True)
    text = said(view, view.spec, "handoff.closed")
    record = {"status": "DECLINED", "reason": "desk", "ticket": None, "by": f"human:{answer['by']}"}
    return view.write(record=record, say=[line("inform", view.spec, text)], take=True)
