"""Views: tickets as the templates show them. Plain data; what was captured is in them only when it was revealed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from langgraph_readback.handoff.console.compare import GAP, Column, compare, doubts
from langgraph_readback.handoff.console.judge import why
from langgraph_readback.handoff.console.wording import Words
from langgraph_readback.handoff.records import CALLBACK, Entry, Filed, Row

__all__ = ["call_of", "duration", "evidence", "line_of", "trail_of"]

_UNITS = (("days", 86_400), ("hours", 3_600), ("minutes", 60), ("seconds", 1))
_SOON = 60.0
"""Seconds before it is due when a ticket is shown as pressing."""


def duration(seconds: float, words: Words) -> str:
    """A length of time in its largest unit, rounded down: ``3 min``."""
    whole = max(0, int(abs(seconds)))
    unit, size = next((one for one in _UNITS if whole >= one[1]), _UNITS[-1])
    return words(f"time.{unit}", n=whole // size)


def line_of(row: Row, person: str | None, words: Words) -> dict[str, Any]:
    """A ticket in the queue."""
    closed = row["closed_at"] is not None
    tried = "" if row["field"] == CALLBACK else words("list.attempts", n=row["attempts"])
    return {
        "id": row["id"], "label": row["label"], "status": row["status"], "urgency": _urgency(row),
        "state": words(f"status.{row['status']}"), "when": _when(row, words),
        "reason": why(row["reason"], row["label"], words),
        "age": words("list.took" if closed else "list.filed", time=duration(row["age"], words)),
        "attempts": tried, "locale": row["locale"],
        "channel": words.get(f"channel.{row['channel']}") or row["channel"],
        "outcome": (words.get(f"outcome.{row['outcome']}") or row["outcome"]) if row["outcome"] else "",
        "holder": _holder(row, person, words),
    }  # fmt: skip


def _urgency(row: Row) -> str:
    """``closed``, ``late``, ``soon`` or ``calm``."""
    if row["closed_at"] is not None:
        return "closed"
    if row["overdue"]:
        return "late"
    return "soon" if row["waits"] is not None and row["waits"] < _SOON else "calm"


def _when(row: Row, words: Words) -> str:
    if row["waits"] is None:
        return words("list.no_due")
    return words("list.overdue" if row["overdue"] else "list.due", time=duration(row["waits"], words))


def _holder(row: Row, person: str | None, words: Words) -> str:
    if row["status"] != "CLAIMED":
        return words("list.free") if row["status"] == "OPEN" else ""
    return words("list.held_me") if row["claimed_by"] == person else words("list.held", name=row["claimed_by"])


def call_of(ticket: Filed, words: Words) -> dict[str, Any] | None:
    """The call that a ticket asks for; None for other tickets. Name and number are as the ticket shows them."""
    if (wish := ticket.get("callback")) is None:
        return None
    at = datetime.fromtimestamp(wish["at"], ZoneInfo(wish["zone"]))
    return {
        "name": wish["name"], "phone": wish["phone"], "about": wish["about"],
        "when": f"{at:%Y-%m-%d} {wish['time']} ({wish['zone']})" if wish["time"] else words("call.soon"),
    }  # fmt: skip


def evidence(ticket: Filed, words: Words, *, shown: bool) -> dict[str, Any]:
    """The attempts, the conversation, and (when the values are shown) the comparison and its explanation."""
    attempts = [_attempt(number, one, ticket["label"], words) for number, one in enumerate(ticket["attempts"], 1)]
    heard = [(one["n"], one["value"]) for one in attempts if one["value"]]
    columns = compare([str(value) for _, value in heard]) if shown and len(heard) > 1 else []
    return {
        "attempts": attempts,
        "rows": [_cells(number, at, columns) for at, (number, _) in enumerate(heard)] if columns else [],
        "doubts": [_doubt(one.kind, one.chars, one.hints, words) for one in doubts(columns, ticket["locale"])],
        "talk": [
            {"who": words("ticket.user" if one.get("who") == "user" else "ticket.agent"), "text": one.get("text", ""),
             "mine": one.get("who") == "user"}
            for one in ticket.get("conversation", [])
        ],
    }  # fmt: skip


def _attempt(number: int, one: Mapping[str, Any], label: str, words: Words) -> dict[str, Any]:
    form = one.get("form")
    return {
        "n": number, "value": one.get("value"), "said": one.get("utterance"), "read_back": one.get("read_back"),
        "reply": one.get("reply"), "why": why(one.get("reason"), label, words),
        "form": (words.get(f"form.{form}") or form) if form else "",
    }  # fmt: skip


def _cells(number: int, at: int, columns: list[Column]) -> dict[str, Any]:
    cells = [
        {"char": column.chars[at], "gap": column.chars[at] == GAP, "differs": column.differs} for column in columns
    ]
    return {"n": number, "cells": cells}


def _doubt(kind: str, chars: tuple[str, ...], hints: tuple[str, ...], words: Words) -> str:
    said = words(f"doubt.{kind}", chars=", ".join(chars))
    known = [(char, hint) for char, hint in zip(chars, hints, strict=True) if hint]
    if not known:
        return f"{said}."
    if kind == "looks":
        return f"{said}: {', '.join(hint for _, hint in known)}."
    told = ", ".join(words("doubt.hint", char=char, word=hint) for char, hint in known)
    return f"{said}. {words('doubt.ask', hints=told)}"


def trail_of(entries: list[Entry], words: Words) -> list[dict[str, str]]:
    """The audit trail: when (UTC), who, what."""
    return [
        {
            "iso": (at := datetime.fromtimestamp(one["at"], UTC)).isoformat(timespec="seconds"),
            "when": at.strftime("%Y-%m-%d %H:%M:%S UTC"), "who": one["who"],
            "what": words.get(f"trail.{one['what'].replace(' ', '_')}") or one["what"],
        }
        for one in entries
    ]  # fmt: skip
