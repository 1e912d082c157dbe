"""RETRY: alone spends budgets and decides what happens after anything that is not a yes.

Writes the status that follows (ASK, READBACK, HANDOFF or DECLINED), the form of the next question and what it begins
with. A user who takes a confirmed value back arrives here too: a new revision, with a capture of the whole value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langgraph_readback.fields import FieldSpec, classify_reply
from langgraph_readback.nodes.budgets import BUDGETS, COST, FAILS, PER_ATTEMPT, REOPENINGS, Budget
from langgraph_readback.nodes.handoff import exchange
from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.lines import form_for, line, said
from langgraph_readback.nodes.offers import heard_as
from langgraph_readback.nodes.view import Update, View, begun, words
from langgraph_readback.state import CaptureState

__all__ = ["retry"]

Facts = dict[str, Any]
_DONE = ("CONFIRMED", "DECLINED")


def retry(spec: FieldSpec, kit: Kit) -> Callable[..., Update]:
    """The node ``<field>.RETRY``."""

    def node(state: CaptureState) -> Update:
        view = begun(spec, state)
        if view.record.get("status") in _DONE and view.pending:
            return _reopen(view, kit)
        return _decide(view, view.record.get("cause") or "lost")

    return node


def _decide(view: View, cause: str) -> Update:
    if view.heard.get("desk"):
        return _hand_off(view, f"desk_{view.record.get('reason') or cause}", anew=True)
    if cause in _AT_ONCE:
        return _AT_ONCE[cause](view)
    spends = COST.get(cause, "unclear")
    return _failed(view, cause) if spends == "retries" else _spend(view, cause, spends)


def _spend(view: View, cause: str, spends: Budget) -> Update:
    """What is not a failed attempt has a budget of its own."""
    spent = view.record.get("budgets", {})
    used = spent.get(spends, 0) + 1
    if used > BUDGETS[spends]:
        return _failed(view, "invalid") if spends in FAILS else _hand_off(view, spends)
    if cause == "doubt":
        return _again(view, cause, attempts=view.record.get("attempts", 0), budgets={**spent, spends: used})
    return _aside(view, cause, {**spent, spends: used})


def _failed(view: View, cause: str) -> Update:
    """An attempt has failed: ask in another form, or stop asking. A proposal was not an attempt."""
    if view.heard.get("proposal"):
        return _again(view, cause, attempts=view.record.get("attempts", 0))
    attempts = view.record.get("attempts", 0) + 1
    entry = {
        "utterance": ", ".join(view.heard.get("parts", [])), "value": view.heard.get("value"),
        "reason": view.record.get("reason") if cause in ("invalid", "not_found") else cause,
        "form": view.record.get("form", "natural"), **exchange(view, cause),
    }  # fmt: skip
    history = [*view.heard.get("history", []), entry]
    if attempts > view.spec.retries:
        return _hand_off(view, "attempts", attempts=attempts, history=history)
    return _again(view, cause, attempts=attempts, history=history)


def _again(
    view: View, cause: str, *, attempts: int, history: list[Facts] | None = None, budgets: dict[str, int] | None = None
) -> Update:
    """A capture of the whole value from the start: of a waiting correction, else of what is asked for now."""
    form = form_for(view, attempts if budgets is None else max(attempts, 1))
    words_ = {"challenge": "readback.challenge_failed"}
    reason = view.record.get("reason") if cause in ("invalid", "not_found") else cause
    notice = view.record.get("notice") if cause in ("invalid", "not_found") else None
    if cause == "correction":
        words_[cause] = "correction.groups" if form == "groups" else "correction.generic"
    if cause in words_:
        notice = None if view.heard.get("waiting") else {"key": words_[cause]}
    spent = view.record.get("budgets", {}) if budgets is None else budgets
    kept = {k: v for k, v in spent.items() if k not in PER_ATTEMPT}
    record = {
        "status": "ASK", "attempts": attempts, "reason": reason, "notice": notice, "budgets": kept,
        "form": form, "cause": None, "agreed": False, "read": False,
    }  # fmt: skip
    heard: Facts = {"parts": [], "value": None, "vet": None, "verified": None, "proposal": False, "alternatives": []}
    return view.write(record=record, heard=heard | ({} if history is None else {"history": history}))


def _aside(view: View, cause: str, budgets: dict[str, int]) -> Update:
    """Nothing failed: say what the aside needs, and go back to where the user was."""
    reading = view.record.get("status") == "READBACK" and bool(view.heard.get("value"))
    spent = budgets[COST.get(cause, "unclear")] - 1
    if cause == "hangup":  # nobody is there: say nothing, and wait where we were
        return view.write(record={"status": "READBACK" if reading else "ASK", "budgets": budgets})
    notices: dict[str, Facts | None] = {
        "silence": {"key": "silence.generic", "params": {"n": spent}},
        "incomplete": {"key": "go_on.generic", "params": {"n": spent}},
        "group": {"key": "readback.echo", "params": {"n": spent}},
        "misheard": {"key": "readback.echo" if view.heard.get("echo") else "again.generic", "params": {"n": spent}},
        "wait": {"key": "wait.generic", "params": {"n": spent}},
        "restart": {"key": "restart.generic"},
        "question": _purpose(view),
        "repeat": None if reading else {"key": "repeat.ask"},
        "unclear": {"key": "readback.unclear", "params": {"n": spent}} if reading else None,
    }
    record: Facts = {"budgets": budgets, "notice": notices.get(cause), "cause": None, "agreed": False, "read": False}
    heard: Facts = {"waiting": None}
    if cause == "restart":
        reading, heard = False, {"waiting": None, "parts": [], "value": None, "vet": None, "proposal": False}
    return view.write(record={**record, "status": "READBACK" if reading else "ASK"}, heard=heard)


def _purpose(view: View) -> Facts:
    if view.spec.purpose:
        return {"key": "purpose.frame", "params": {"purpose": view.spec.purpose}}
    return {"key": "purpose.generic"}


def _decline(view: View) -> Update:
    """I don't have one: fine for an optional field; for a required one a person takes over."""
    if not view.spec.optional:
        return _hand_off(view, "declined")
    text = said(view, view.spec, "declined.generic")
    record = {"status": "DECLINED", "reason": "declined", "value": None, "cause": None, "notice": None}
    return view.write(
        record=record, heard=_CLEARED, say=[line("inform", view.spec, text)], session={"floor": None}, take=True
    )


def _hand_off(view: View, reason: str, *, anew: bool = False, **facts: Any) -> Update:
    """To a person. HANDOFF files the ticket; ``anew`` when the desk's own answer was no good: another ticket."""
    history = facts.pop("history", view.heard.get("history", []))
    record: Facts = {
        "status": "HANDOFF",
        "reason": reason,
        "value": None,
        "cause": None,
        "notice": None,
        "ticket": None,
    }
    if anew:
        record["revision"] = view.record.get("revision", 1) + 1
    return view.write(record=record | facts, heard={**_CLEARED, "history": history})


_CLEARED: Facts = {
    "parts": [], "waiting": None, "value": None, "vet": None, "verified": None, "proposal": False, "desk": None,
    "candidates": [], "alternatives": [],
}  # fmt: skip


_AT_ONCE: dict[str, Callable[[View], Update]] = {
    "decline": _decline,
    "handoff": lambda view: _hand_off(view, "wanted"),
    "unavailable": lambda view: _hand_off(view, "unavailable"),
}
"""What ends a capture whatever is left of its budgets."""


def _reopen(view: View, kit: Kit) -> Update:
    """The user takes back what was confirmed (or declined): a new revision, above every mark, captured anew."""
    old, thread, name = view.record, view.thread, view.spec.name
    revision = max(old.get("revision", 0), kit.marks.highest(thread, name)) + 1
    kit.marks.raise_to(thread, name, revision)  # from now on the gate refuses the old value
    reopened = old.get("reopened", 0) + 1
    wrong = [old["value"]] if isinstance(old.get("value"), str) else []
    before = {key: old.get(key) for key in ("value", "verified", "revision")} if wrong else None
    record: Facts = {
        "status": "ASK", "value": None, "seal": None, "verified": None, "by": None, "at": None, "revision": revision,
        "attempts": 0, "budgets": {}, "reason": "reopened", "form": "natural", "cause": None, "agreed": False,
        "read": False, "ticket": None, "reopened": reopened, "before": before, "notice": {"key": "reopen.generic"},
    }  # fmt: skip
    heard: Facts = {**_CLEARED, "history": view.heard.get("history", []), "rejected": wrong, "waiting": _news(view)}
    if reopened > REOPENINGS:
        record |= {"status": "HANDOFF", "reason": "reopened", "notice": None}
        heard["waiting"] = None
    return view.write(record=record, heard=heard, take=True)


def _news(view: View) -> str | None:
    """The new value, if the user said it with taking the old one back."""
    text, value, ask = words(view.pending[-1:]), view.record.get("value"), view.ask
    if value is not None:
        reply = classify_reply(
            text, spec=view.spec, value=value, locale=ask.locale, region=ask.region, channel=ask.channel,
            today=ask.today,
        )  # fmt: skip
        if reply.kind == "correction" and reply.value is not None:
            told = reply.utterance or text
            return told if heard_as(view.spec, told, ask).value == reply.value else reply.value
    reading = heard_as(view.spec, text, ask)
    return text if reading.value is not None and reading.value != value else None
