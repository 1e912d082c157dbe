"""READBACK: reads the candidate back, or classifies the reply. Says nothing that is not the candidate it holds.

Both leave a seal over the value in what was heard: that it was read back, and that the user said yes to it. A reply
counts only after the first, and CONFIRMED believes only the second, so that written state is neither. SQL counts the
read-backs of a thread, and a reply answers the last one only: not one that a restored or rewritten state shows.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast
from xml.sax.saxutils import escape

from langgraph_readback.fields import FieldSpec, classify_reply, read_back, remark
from langgraph_readback.fields.dictation import worded
from langgraph_readback.nodes.challenge import is_challenged, passes, tail
from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.lines import framed, line, said
from langgraph_readback.nodes.offers import heard_as
from langgraph_readback.nodes.validate import VET
from langgraph_readback.nodes.view import Update, View, begun, confidence, marks, words
from langgraph_readback.state import CaptureState, Heard

__all__ = ["TOLD", "YES", "holds", "readback"]

TOLD, YES = "told:", "yes:"
"""Prefixes of what the seals of a read-back and of a yes are for. No field's name has a colon."""
_COUNT = ":read-backs"
"""The high-water mark that counts a thread's read-backs."""

SURE = 0.5
"""An ASR confidence (0 to 1) below which a yes is not believed."""


def readback(spec: FieldSpec, kit: Kit) -> Callable[..., Update]:
    """The node ``<field>.READBACK``."""

    def node(state: CaptureState) -> Update:
        view = _weighed(begun(spec, state), kit)
        value = view.heard.get("value")
        if not value:  # a parent without a checkpointer for its sub-graph loses what was heard
            return view.write(record={"cause": "lost"}, take=True)
        answering = view.record.get("read") and view.pending and view.floor == spec.name
        if answering and holds(kit, view, TOLD, [value, kit.marks.highest(view.thread, _COUNT)]):
            return _reply(view, kit, value)
        return _read(view, kit, value)

    return node


def _read(view: View, kit: Kit, value: str) -> Update:
    """The read-back: explicit from the first failed read-back of this value on."""
    spec, ask = view.spec, view.ask
    rejected = value in view.heard.get("rejected", [])
    spoken = read_back(
        spec, value, locale=ask.locale, region=ask.region, channel=ask.channel, explicit=rejected,
        worded=not rejected and _is_worded(view),
    )  # fmt: skip
    key = "readback.rejected" if rejected else "readback.known" if view.heard.get("known") else "readback.natural"
    params: dict[str, Any] = {"n": view.record.get("said", {}).get("read", 0)}
    if is_challenged(view):
        key, params["n_chars"] = "readback.challenge", len(tail(value))
    text, ssml = framed(view, key, spoken, **params)
    if (notice := view.record.get("notice")) and (first := said(view, spec, notice["key"], **notice.get("params", {}))):
        text, ssml = f"{first} {text}", ssml.replace("<speak>", f"<speak>{escape(first)} ", 1)
    count = view.record.get("said", {})
    record = {
        "status": "READBACK", "read": True, "agreed": False, "cause": None, "notice": None,
        "said": {**count, "read": count.get("read", 0) + 1},
    }  # fmt: skip
    heard = {"told": _sealed(kit, view, TOLD, [value, _counted(kit, view.thread)]), "yes": None}
    return view.write(
        record=record, heard=heard, say=[line("readback", spec, text, form=spoken.form, ssml=ssml)],
        session={"floor": spec.name},
    )  # fmt: skip


def _is_worded(view: View) -> bool:
    """Whether the value was dictated in groups that were said back, every letter with a spelling word."""
    parts = view.heard.get("parts", [])
    return view.record.get("form") == "groups" and len(parts) > 1 and worded(parts, view.ask)


def _weighed(view: View, kit: Kit) -> View:
    """With how far the candidate was checked as VALIDATE sealed it: what is written beside it decides nothing."""
    vet = kit.sealer.verify(
        view.heard.get("vet"), thread=view.thread, field=VET + view.spec.name, value=view.heard.get("value"),
        revision=view.record.get("revision", 1),
    )  # fmt: skip
    checked = vet.verified if vet.ok else "format"
    return replace(view, heard=cast("Heard", {**view.heard, "verified": checked}))


def _counted(kit: Kit, thread: str) -> int:
    """The number of this read-back in its thread; two at once never have the same."""
    while True:
        count = kit.marks.highest(thread, _COUNT) + 1
        if kit.marks.raise_to(thread, _COUNT, count, fingerprint=uuid.uuid4().hex):
            return count


def _sealed(kit: Kit, view: View, what: str, value: Any) -> str:
    return kit.sealer.seal(
        thread=view.thread, field=what + view.spec.name, value=value, revision=view.record.get("revision", 1),
        by="user", at=time.time(),
    )  # fmt: skip


def holds(kit: Kit, view: View, what: str, value: Any) -> bool:
    """Whether what was heard is sealed as ``what`` (TOLD, YES) for ``value``, in this thread, at this revision."""
    seal = view.heard.get("told" if what == TOLD else "yes")
    return (
        isinstance(seal, str)
        and kit.sealer.verify(
            seal, thread=view.thread, field=what + view.spec.name, value=value, revision=view.record.get("revision", 1)
        ).ok
    )


def _reply(view: View, kit: Kit, value: str) -> Update:
    """The user's answer to the read-back, as a fact: agreed, or the cause for RETRY."""
    cause, again = _classified(view, value)
    heard: dict[str, Any] = {"yes": _sealed(kit, view, YES, value) if cause is None else None}
    if cause in ("no", "correction", "challenge"):
        heard["rejected"] = [*view.heard.get("rejected", []), value]
        heard["waiting"] = again
        heard["confidence"] = confidence(marks(view.pending, "asr"))
    return view.write(record={"cause": cause, "agreed": cause is None, "notice": None}, heard=heard, take=True)


def _classified(view: View, value: str) -> tuple[str | None, str | None]:
    """Why this is no yes (None: it is one), and the utterance of a complete correction."""
    text, mark = words(view.pending), marks(view.pending)
    if not text:
        return ("hangup" if mark.get("event") == "hangup" else "silence"), None
    intent = remark(text, locale=view.ask.locale)
    if intent in ("restart", "wait", "handoff", "decline"):
        return intent, None
    ask = view.ask
    if is_challenged(view) and passes(view, text, value):
        return (None, None) if not mark.get("barge_in") else ("barge_in", None)
    reply = classify_reply(
        text, spec=view.spec, value=value, locale=ask.locale, region=ask.region, channel=ask.channel, today=ask.today
    )
    if reply.kind == "yes":
        return _doubt(view, mark), None
    if reply.kind == "correction":
        return "correction", _fresh(view, reply.utterance or text, reply.value)
    return reply.kind, None


def _doubt(view: View, mark: dict[str, Any]) -> str | None:
    """Why a yes does not count: to half a read-back, to a challenge, or hardly heard. Only ever downgrades."""
    if mark.get("barge_in"):
        return "barge_in"
    if is_challenged(view):
        return "unclear"
    confidence = marks(view.pending, "asr").get("confidence")
    sure = not isinstance(confidence, int | float) or confidence >= SURE
    return None if sure else "unclear"


def _fresh(view: View, utterance: str, value: str | None) -> str | None:
    """What a new capture should hear: the correction's own words when they hold the whole value, never a patch."""
    if value is None:
        return None
    return utterance if heard_as(view.spec, utterance, view.ask).value == value else value
