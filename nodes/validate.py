"""VALIDATE: hears the utterance, checks the format, then asks the world. Writes a candidate, or why there is none."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any, cast

from langchain_core.runnables import RunnableLambda

from langgraph_readback.fields import CrossRule, FieldSpec, LookupOutcome, Reading, Reason, check
from langgraph_readback.fields.dictation import GROWING, LONG, OPEN, Answer, after_echo, complete, dictated, group
from langgraph_readback.fields.types import field_type
from langgraph_readback.nodes.handoff import SELF, vouched
from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.lines import label
from langgraph_readback.nodes.offers import heard_as, within
from langgraph_readback.nodes.prefill import known_from
from langgraph_readback.nodes.view import NOTHING, Update, View, begun, confidence, marks, words
from langgraph_readback.nodes.world import World, ask_about
from langgraph_readback.state import CaptureState, Heard, Verified

__all__ = ["VET", "validate"]

VET = "vet:"
"""Prefix of the field a vet is sealed for. No field name has a colon, so a vet is never taken for a seal."""

_REFUSED = {LookupOutcome.NOT_FOUND: "not_found", LookupOutcome.OTHER_OWNER: "other_owner"}
_JOIN = ", "
_NOTHING = ("nothing_heard", "not_understood")
_ALIKE = 0.75
"""Share of words that a part has in common with the one before it, when it says that one again."""
SURE, SURE_AGAIN = 0.8, 0.9
"""ASR confidences (0 to 1) below which a long detail is asked for in groups rather than read back: at first, and once
an attempt has failed, when most of what is heard next is wrong as well."""
_HYPOTHESES = 5
"""Of the recogniser's n-best list, how many are tried when the first holds no value."""


def validate(spec: FieldSpec, kit: Kit) -> Callable[..., Update] | RunnableLambda[CaptureState, Update]:
    """The node ``<field>.VALIDATE``, for ``invoke`` and ``ainvoke``: only the lookup and the rules are awaited."""

    def node(state: CaptureState) -> Update:
        view = _listening(begun(spec, state), kit)
        found = _understand(view)
        if found.value is None:
            return _refuse(view, found)
        return _settle(view, kit, found, ask_about(spec, kit, view, found.value).ask())

    async def anode(state: CaptureState) -> Update:
        view = _listening(begun(spec, state), kit)
        found = _understand(view)
        if found.value is None:
            return _refuse(view, found)
        return _settle(view, kit, found, await ask_about(spec, kit, view, found.value).aask())

    if kit.lookup(spec) is None and not any(spec.name in rule.fields for rule in kit.rules):
        return node
    return RunnableLambda(node, afunc=anode, name=f"{spec.name}.VALIDATE")


def _listening(view: View, kit: Kit) -> View:
    """With the user's turn, when this field has the floor: a new utterance, or more of an unfinished one.

    Words said to be the desk's that are not in its table are taken for the user's.
    """
    if not view.pending or view.floor != view.spec.name:
        if view.heard.get("desk") and not vouched(view, kit, (view.heard.get("parts") or [""])[-1]):
            view = replace(view, heard=cast("Heard", {**view.heard, "desk": None}))
        known = view.heard.get("known") if known_from(kit, view) else None
        return replace(view, heard=cast("Heard", {**view.heard, "known": known}))
    text, asr = words(view.pending), marks(view.pending, "asr")
    event = None if text else marks(view.pending).get("event")
    others = nbest if isinstance(nbest := asr.get("nbest"), list) else []
    parts = [*view.heard.get("parts", []), text]  # no parts before it, unless the last line was "go on"
    alternatives = [t for t in others if isinstance(t, str)][:_HYPOTHESES]
    heard = {
        **view.heard, **NOTHING, "parts": parts, "alternatives": alternatives, "event": event, "desk": None,
        "confidence": confidence(asr),
    }  # fmt: skip
    return replace(view, heard=cast("Heard", heard))


class _Found:
    """What came of an utterance: a value that passed the format check, or a cause for RETRY."""

    def __init__(
        self, value: str | None = None, cause: str | None = None, reason: str | None = None,
        *, params: Mapping[str, Any] | None = None, candidates: tuple[str, ...] = (), parts: list[str] | None = None,
        echo: str | None = None,
    ) -> None:  # fmt: skip
        self.value, self.cause, self.reason, self.echo = value, cause, reason, echo
        self.params, self.candidates, self.parts = dict(params or {}), candidates, parts
        self.whole = False


def _understand(view: View) -> _Found:
    """Hear the parts: the last one alone when it is a remark, else all of them joined, else the last one alone."""
    parts = view.heard.get("parts") or [""]
    before, last = parts[:-1], parts[-1]
    if not last.strip():
        return _Found(cause="hangup" if view.heard.get("event") == "hangup" else "silence", parts=before)
    if view.heard.get("desk") or view.heard.get("known"):
        return _typed(view, last)
    grouped = _is_dictation(view)
    answer = after_echo(last, view.ask) if grouped and before else Answer("group", last)
    if answer.kind != "group":
        return _answered(view, answer, before)
    alone = heard_as(view.spec, last, view.ask)
    if alone.intent not in ("value", "none"):
        return _Found(cause=alone.intent, parts=before)
    if grouped and (found := _grouped(view, [*before, answer.text])) is not None:
        return found
    reading = _best(view, _JOIN.join(parts), alone, joined=bool(before) and not grouped)
    if reading.value is None and not reading.complete:
        return _Found(cause="incomplete", reason="incomplete", parts=parts)
    return _in_one_go(view, reading, parts) if grouped and not before else _checked(view, reading)


def _is_dictation(view: View) -> bool:
    """Whether the user was asked for groups, and this turn is one."""
    asked = view.record.get("form") == "groups" and view.ask.channel == "voice"
    return asked and bool(view.pending) and view.floor == view.spec.name


def _grouped(view: View, parts: list[str]) -> _Found | None:
    """A group to be echoed; the value that it completes; None when it is the whole value in one go."""
    spec, ask = view.spec, view.ask
    one = group(spec, parts[-1], ask, first=len(parts) == 1)
    if one is None:
        return _Found(cause="misheard", parts=parts[:-1]) if len(parts) > 1 else None
    if one.whole:
        return None
    if (reading := complete(spec, parts, ask)) is not None:
        return _checked(view, reading, parts, echo=one.said)
    return _Found(cause="group", parts=parts, echo=one.said)


def _in_one_go(view: View, reading: Reading, parts: list[str]) -> _Found:
    """What a user who was asked for groups gave as the whole value: its echo is for the case that it is unknown."""
    found = _checked(view, reading)
    one = group(view.spec, parts[-1], view.ask, first=True) if found.value and view.spec.type in OPEN else None
    if one is not None:
        found.parts, found.echo, found.whole = parts, one.said, True
    return found


def _answered(view: View, answer: Answer, before: list[str]) -> _Found:
    """After an echo: the end of the dictation, or the last group again."""
    if answer.kind == "done":
        return _checked(view, dictated(view.spec, before, view.ask), before)
    parts = before[:-1]
    one = group(view.spec, answer.text, view.ask, first=False) if answer.text else None
    if one is None:
        return _Found(cause="misheard", parts=parts)
    parts = [*parts, answer.text]
    if (reading := complete(view.spec, parts, view.ask)) is not None:
        return _checked(view, reading, parts, echo=one.said)
    return _Found(cause="misheard", parts=parts, echo=one.said)


def _best(view: View, text: str, alone: Reading, *, joined: bool) -> Reading:
    """The joined reading; else the last part alone, when the user began anew; else another hypothesis of the ASR."""
    reading = heard_as(view.spec, text, view.ask) if joined else alone
    if joined and alone.value is not None and (reading.value is None or _began_anew(view.heard.get("parts", []))):
        reading = alone
    rejected = set(view.heard.get("rejected", []))
    good = reading.value is not None and reading.value not in rejected
    if good or (reading.value is None and not reading.complete) or joined:
        return reading
    if reading.reason is not None and reading.reason.code in _NOTHING and (piece := within(view.spec, text, view.ask)):
        return heard_as(view.spec, piece, view.ask)
    others = (heard_as(view.spec, other, view.ask) for other in view.heard.get("alternatives", []))
    return next((r for r in others if r.value is not None and r.value not in rejected), reading)


def _began_anew(parts: Sequence[str]) -> bool:
    """Whether the last part says again what came before it, and more: "sarah dot", "sarah dot mitchell at ..."."""
    before, last = " ".join(parts[:-1]).casefold().split(), parts[-1].casefold().split()
    if not before or len(last) <= len(before):
        return False
    return SequenceMatcher(None, before, last[: len(before)], autojunk=False).ratio() >= _ALIKE


def _typed(view: View, value: str) -> _Found:
    """A value the desk typed, or the session knows, through the same validators as the user's."""
    reading = heard_as(view.spec, value, replace(view.ask, channel="chat"))
    return _checked(view, reading)


def _checked(view: View, reading: Reading, parts: list[str] | None = None, *, echo: str | None = None) -> _Found:
    """What the format check makes of a reading. ``parts``: the groups it was heard in; ``echo``: the last one's."""
    if reading.value is None:
        reason = reading.reason
        return _Found(
            cause="invalid", reason=reason.code if reason else "not_understood",
            params=reason.params if reason else {}, candidates=reading.candidates, parts=parts,
        )  # fmt: skip
    ask = view.ask
    verdict = check(
        view.spec, reading.value, locale=ask.locale, region=ask.region, channel=ask.channel, today=ask.today
    )
    if verdict.reason is not None:
        return _Found(cause="invalid", reason=verdict.reason.code, params=verdict.reason.params, parts=parts)
    return _Found(value=reading.value, parts=parts, echo=echo)


def _refuse(view: View, found: _Found, *, notice: Mapping[str, Any] | None = None, **more: Any) -> Update:
    """No candidate: the cause for RETRY, and the reason's words, or those of ``notice``."""
    words_ = {"key": f"reason.{found.reason}", "params": _plain(found.params)} if found.reason else None
    heard: dict[str, Any] = {"value": None, "vet": None, "verified": None, "candidates": list(found.candidates)}
    if found.parts is not None:
        heard["parts"] = found.parts
    heard |= {"echo": found.echo, **more}
    record = {"status": "RETRY", "cause": found.cause, "notice": notice or words_}
    return view.write(record=record | ({"reason": found.reason} if found.reason else {}), heard=heard, take=True)


def _doubtful(view: View) -> bool:
    """Whether the recogniser is so unsure of a long detail that asking for groups is quicker than reading it back."""
    sure = view.heard.get("confidence")
    if not isinstance(sure, float) or view.heard.get("desk") or view.record.get("form") == "groups":
        return False
    least = SURE_AGAIN if view.record.get("attempts") else SURE
    return view.spec.type in LONG and sure < least


def _rejected(view: View, found: _Found) -> bool:
    """Whether the recogniser hears a third time what the user has rejected twice, once in its most explicit form."""
    if found.parts is not None or view.heard.get("desk") or view.ask.channel != "voice":
        return False
    twice = view.heard.get("rejected", []).count(str(found.value)) > 1
    return twice and "groups" in field_type(view.spec.type).ASKS


def _plain(params: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v if isinstance(v, str | int | float | bool) else str(v) for k, v in params.items()}


def _clash(view: View, kit: Kit, found: _Found, rule: CrossRule, reason: Reason) -> Update:
    """The value does not go with another field's. When the other one is blamed, this value waits for it."""
    blamed = kit.specs[rule.blames]
    others = ", ".join(label(kit.specs[name], view) for name in rule.fields if name != rule.blames)
    why = _Found(cause="clash", reason=reason.code, params={"other": others, **reason.params}, parts=found.parts)
    notice = {"key": "reason.told", "params": {"words": rule.words}} if rule.words else None
    update = {} if blamed.name == view.spec.name else {"blames": blamed.name, "waiting": str(found.value)}
    return _refuse(view, why, notice=notice, **update)


def _settle(view: View, kit: Kit, found: _Found, world: World) -> Update:
    """What the world said of a value that passed the format check."""
    value, outcome = str(found.value), world.outcome
    desk = view.heard.get("desk")
    human = desk and not desk.startswith(SELF)
    broken = None if human else world.broken
    grows = outcome is not LookupOutcome.FOUND and view.spec.type in GROWING and not found.whole
    unsure = outcome in _REFUSED or broken is not None or grows
    if found.echo and unsure:  # the last group may have been misheard, or not be the last
        return _refuse(view, _Found(cause="group", parts=found.parts, echo=found.echo))
    if outcome in _REFUSED:
        # OTHER_OWNER says no more than NOT_FOUND does: whose it is, is nobody's business.
        return _refuse(view, _Found(cause="not_found", reason=_REFUSED[outcome]))
    if outcome is not LookupOutcome.FOUND and (_rejected(view, found) or _doubtful(view)):
        return _refuse(view, _Found(cause="doubt"))
    if broken is not None and world.reason is not None:
        return _clash(view, kit, found, broken, world.reason)
    if outcome is LookupOutcome.UNAVAILABLE and view.spec.on_unavailable == "handoff":
        return _refuse(view, _Found(cause="unavailable", reason="unavailable"))
    verified: Verified = "human" if human else "world" if outcome is LookupOutcome.FOUND else "format"
    vet = kit.sealer.seal(
        thread=view.thread, field=VET + view.spec.name, value=value, revision=view.record.get("revision", 1),
        by=f"human:{desk}" if desk else known_from(kit, view) or "user", at=time.time(), verified=verified,
    )  # fmt: skip
    asked = {"unchecked": outcome is LookupOutcome.UNAVAILABLE}
    record = {"status": "VALIDATE", "cause": None, **asked}
    heard = {"value": value, "vet": vet, "verified": verified}
    return view.write(record=record, heard=heard | ({} if found.parts is None else {"parts": found.parts}), take=True)
