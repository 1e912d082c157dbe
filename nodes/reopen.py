"""Reopening: what was confirmed is captured anew, at a new revision above every mark, so that the gate refuses it.

The user took it back, or a rule over several fields blames it, or something that it depends on has changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph_readback.nodes.budgets import REOPENINGS
from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.lines import label
from langgraph_readback.nodes.view import Update, View, also

__all__ = ["CLEARED", "anew", "without_dependants"]

Facts = dict[str, Any]

CLEARED: Facts = {
    "parts": [], "waiting": None, "value": None, "vet": None, "verified": None, "proposal": False, "desk": None,
    "candidates": [], "alternatives": [], "known": None, "blames": None,
}  # fmt: skip
"""What was heard, without a capture: what was rejected and the history stay."""


def anew(
    view: View, kit: Kit, *, reason: str, notice: Mapping[str, Any] | None, waiting: str | None = None,
    over: bool = False,
) -> tuple[Facts, Facts]:  # fmt: skip
    """Record and Heard of a field that is captured anew; of one that a person takes over after too many (or ``over``).

    The old value counts as rejected, so that it is read back with care when it comes again.
    """
    old, wrong = view.record, [value] if isinstance(value := view.record.get("value"), str) else []
    reopened = old.get("reopened", 0) + 1
    record = _open(view, kit) | {"reason": reason, "notice": notice, "reopened": reopened}
    heard: Facts = {**CLEARED, "history": view.heard.get("history", []), "rejected": wrong, "waiting": waiting}
    if over or reopened > REOPENINGS:
        return record | {"status": "HANDOFF", "notice": None}, heard | {"waiting": None}
    return record, heard


def _open(view: View, kit: Kit) -> Facts:
    """A record at the next revision. From now on the gate refuses the old value."""
    old, thread, name = view.record, view.thread, view.spec.name
    revision = max(old.get("revision", 0), kit.marks.highest(thread, name)) + 1
    kit.marks.raise_to(thread, name, revision)
    before = {key: old.get(key) for key in ("value", "verified", "revision")} if old.get("value") else old.get("before")
    return {
        "status": "ASK", "value": None, "seal": None, "verified": None, "by": None, "at": None, "revision": revision,
        "attempts": 0, "budgets": {}, "form": "natural", "cause": None, "agreed": False, "read": False, "ticket": None,
        "before": before,
    }  # fmt: skip


def without_dependants(view: View, kit: Kit, update: Update, value: str) -> Update:
    """``update``, which confirms ``value``, with every field reopened that depends on it, if it has changed.

    Not the user's doing, so it spends none of their reopenings; fields depend on each other in no circle, which bounds
    it (``graph.bound``).
    """
    before = view.record.get("before")
    if not isinstance(before, Mapping) or before.get("value") == value:
        return update
    notice = {"key": "depends.generic", "params": {"other": label(view.spec, view)}}
    for spec in kit.specs.values():
        record = view.records.get(spec.name, {})
        if view.spec.name in spec.depends_on and kit.sealed(spec.name, record, view.thread):
            update = also(view, update, spec, lambda other: _void(other, kit, notice))
    return update


def _void(view: View, kit: Kit, notice: Facts) -> Update:
    heard = {**CLEARED, "rejected": []}
    return view.write(record=_open(view, kit) | {"reason": "depends", "notice": notice}, heard=heard)
