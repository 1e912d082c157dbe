"""CONFIRMED: seals. The only place where a record gets its value."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from langgraph_readback.fields import FieldSpec
from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.lines import line, said
from langgraph_readback.nodes.prefill import SESSION, is_trusted
from langgraph_readback.nodes.readback import YES, holds
from langgraph_readback.nodes.reopen import without_dependants
from langgraph_readback.nodes.validate import VET
from langgraph_readback.nodes.view import NOTHING, Update, View, begun
from langgraph_readback.seal import UNREAD
from langgraph_readback.state import CaptureState

__all__ = ["confirmed"]


def confirmed(spec: FieldSpec, kit: Kit) -> Callable[..., Update]:
    """The node ``<field>.CONFIRMED``."""

    def node(state: CaptureState) -> Update:
        view = begun(spec, state)
        value = view.heard.get("value")
        vet = kit.sealer.verify(
            view.heard.get("vet"), thread=view.thread, field=VET + spec.name, value=value,
            revision=view.record.get("revision", 1),
        )  # fmt: skip
        said_yes = view.record.get("agreed") and holds(kit, view, YES, value)
        vouched = is_trusted(view, vet) or str(vet.by).startswith("human:")
        agreed = said_yes or view.spec.confirm == "none" or vouched
        if not (value and vet.ok and agreed):  # only a forged state gets here: ask the user
            return view.write(
                record={"status": "ASK", "cause": None, "agreed": False}, heard={"value": None, "vet": None}
            )
        by = str(vet.by) if vouched else "user" if said_yes else UNREAD
        return _seal(view, kit, value, by, vet.verified)

    return node


def _seal(view: View, kit: Kit, value: str, by: str, verified: str | None) -> Update:
    spec, now, verified = view.spec, time.time(), verified or "format"
    revision = _claim(view, kit, value)
    if revision is None:  # the yes is older than what the user said since: a replay, a restored state
        anew = kit.marks.highest(view.thread, spec.name) + 1
        return view.write(
            record={"status": "ASK", "revision": anew, "cause": None, "agreed": False, "read": False}, heard=NOTHING
        )
    seal = kit.sealer.seal(
        thread=view.thread,
        field=spec.name,
        value=value,
        revision=revision,
        by=by,
        at=now,
        verified=verified,
    )
    record = {
        "status": "CONFIRMED", "value": value, "revision": revision, "seal": seal, "by": by, "at": now,
        "verified": verified, "reason": None, "cause": None, "agreed": False, "read": False, "notice": None,
        "ticket": None, "before": None,
    }  # fmt: skip
    heard: dict[str, Any] = {"parts": [], "waiting": None, "value": None, "vet": None, "desk": None, "alternatives": []}
    heard |= {"told": None, "yes": None}
    place = list(kit.specs).index(spec.name) if spec.name in kit.specs else 0
    text = " ".join(said(view, spec, key, n=place) for key in _words(view, kit, by))
    say = [line("confirm", spec, text)] if text else []
    update = view.write(record=record, heard=heard, say=say, session={"floor": None})
    return without_dependants(view, kit, update, value)


def _claim(view: View, kit: Kit, value: str) -> int | None:
    """The revision that is this value's alone: two runs of one thread never both seal the newest one.

    None when a later revision has been opened: the user took the field back after this capture.
    """
    thread, name, captured = view.thread, view.spec.name, view.record.get("revision", 1)
    for revision in (captured, captured + 1):  # another run of this thread may have claimed the first one
        print_ = kit.sealer.fingerprint(thread=thread, field=name, value=value, revision=revision)
        if kit.marks.raise_to(thread, name, revision, fingerprint=print_):
            return revision
        if kit.marks.highest(thread, name) > captured:
            return None
    return None


def _words(view: View, kit: Kit, by: str) -> list[str]:
    """What to say: that it is noted; with the last field, that this was all, or that a colleague has the rest."""
    if by.startswith("human:"):
        first = "handoff.stored"
    elif by.startswith(SESSION):  # the user has said nothing that one could thank them for
        first = ""
    else:
        first = "confirmed.unverified" if view.record.get("unchecked") else "confirmed.generic"
    others = [view.records.get(name) for name in kit.specs if name != view.spec.name]
    names = [name for name in kit.specs if name != view.spec.name]
    if not all(kit.settled(name, record, view.thread) for name, record in zip(names, others, strict=True)):
        return [first] if first else []
    if any(record and record.get("status") == "HANDOFF" for record in others):
        return [first, "handoff.waiting"] if first else ["handoff.waiting"]
    return ["confirmed.all"] if first in ("", "confirmed.generic") else [first]
