"""RETRY: alone spends budgets and decides what happens after anything that is not a yes.

Writes the status that follows (ASK, READBACK, HANDOFF or DECLINED), the form of the next question and what it begins
with. A user who takes a confirmed value back arrives here too: a new revision, with a capture of the whole value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langgraph_readback.fields import FieldSpec, classify_reply
from langgraph_readback.nodes.budgets import BUDGETS, COST, FAILS, PER_ATTEMPT, REFUSED, Budget
from langgraph_readback.nodes.handoff import exchange
from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.lines import form_for, line, said
from langgraph_readback.nodes.offers import heard_as
from langgraph_readback.nodes.reopen import CLEARED, anew
from langgraph_readback.nodes.view import Update, View, also, begun, words
from langgraph_readback.state import CaptureState

__all__ = ["retry"]

Facts = dict[str, Any]
_DONE = ("CONFIRMED", "DECLINED")
_NOT_SAID = REFUSED | {"unavailable", "doubt"}
"""What may come of a value from the session before the user has heard of it: they are just asked."""


def retry(spec: FieldSpec, kit: Kit) -> Callable[..., Update]:
    """The node ``<field>.RETRY``."""

    def node(state: CaptureState) -> Update:
        view = begun(spec, state)
        if view.record.get("status") in _DONE and view.pending:
            return _reopen(view, kit)
        return _decide(view, kit, view.record.get("cause") or "lost")

    return node


def _decide(view: View, kit: Kit, cause: str) -> Update:
    if cause == "clash" and (blamed := view.heard.get("blames")) in kit.blamed_by(view.spec.name):
        return _blame(view, kit, kit.specs[str(blamed)])
    if view.heard.get("known") and cause in _NOT_SAID:
        return _again(view, cause, attempts=view.record.get("attempts", 0), unsaid=True)
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
        "reason": view.record.get("reason") if cause in REFUSED else cause,
        "form": view.record.get("form", "natural"), **exchange(view, cause),
    }  # fmt: skip
    history = [*view.heard.get("history", []), entry]
    if attempts > view.spec.retries:
        return _hand_off(view, "attempts", attempts=attempts, history=history)
    return _again(view, cause, attempts=attempts, history=history)


def _again(
    view: View,
    cause: str,
    *,
    attempts: int,
    history: list[Facts] | None = None,
    budgets: dict[str, int] | None = None,
    unsaid: bool = False,
) -> Update:
    """A capture of the whole value from the start: of a waiting correction, else of what is asked for now.

    ``unsaid``: the user has said nothing of it yet, and is just asked.
    """
    form = form_for(view, attempts if budgets is None else max(attempts, 1))
    words_ = {"challenge": "readback.challenge_failed"}
    reason = view.record.get("reason") if cause in REFUSED else cause
    notice = view.record.get("notice") if cause in REFUSED else None
    if cause == "correction":
        words_[cause] = "correction.groups" if form == "groups" else "correction.generic"
    if cause in words_:
        notice = None if view.heard.get("waiting") else {"key": words_[cause]}
    if unsaid:
        reason = notice = None
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
        record=record, heard=CLEARED, say=[line("inform", view.spec, text)], session={"floor": None}, take=True
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
    return view.write(record=record | facts, heard={**CLEARED, "history": history})


_AT_ONCE: dict[str, Callable[[View], Update]] = {
    "decline": _decline,
    "handoff": lambda view: _hand_off(view, "wanted"),
    "unavailable": lambda view: _hand_off(view, "unavailable"),
}
"""What ends a capture whatever is left of its budgets."""


def _reopen(view: View, kit: Kit) -> Update:
    """The user takes back what was confirmed (or declined), maybe with the new value."""
    record, heard = anew(view, kit, reason="reopened", notice={"key": "reopen.generic"}, waiting=_news(view))
    return view.write(record=record, heard=heard, take=True)


def _blame(view: View, kit: Kit, blamed: FieldSpec) -> Update:
    """This value waits; the confirmed one that it does not go with is asked for again. Blamed twice: a person."""
    notice = view.record.get("notice")
    mine = view.write(
        record={"status": "ASK", "cause": None, "notice": None, "reason": None, "agreed": False, "read": False},
        heard={"parts": [], "proposal": False},
    )  # fmt: skip

    def reopened(other: View) -> Update:
        twice = other.record.get("value") in other.heard.get("rejected", [])
        record, heard = anew(other, kit, reason="clash", notice=notice, over=twice)
        return other.write(record=record, heard=heard)

    return also(view, mine, blamed, reopened)


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
