"""Checking: what a typed value becomes under the rules that a ticket carries, as VALIDATE will hear and check it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langgraph_readback.fields import FieldSpec, Reason, catalogue, check, hear, read_back
from langgraph_readback.handoff.records import Filed

__all__ = ["Checked", "check_typed", "spec_of"]

_RULES = ("type", "pattern", "checksum", "options")


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """``value``: canonical, or None with the ``reason``. ``spoken``: how it is read back in writing."""

    value: str | None = None
    reason: Reason | None = None
    spoken: str = ""


def spec_of(ticket: Filed) -> FieldSpec | None:
    """The rules of a ticket as a spec; else the catalogue's field of its name; None when neither is known."""
    rules = {key: value for key, value in (ticket.get("rules") or {}).items() if key in _RULES and value is not None}
    if not rules:
        return catalogue.get(ticket["field"])
    return FieldSpec(name=ticket["field"], label=ticket["label"], **rules)


def check_typed(ticket: Filed, text: str) -> Checked:
    """Hear and check a typed value. Raises ValueError when the ticket's rules are not known here."""
    spec = spec_of(ticket)
    if spec is None:
        raise ValueError(f"no rules are known for field {ticket['field']!r}: only its conversation can check a value")
    around: Mapping[str, Any] = {"locale": ticket["locale"], "region": ticket.get("region"), "channel": "chat"}
    reading = hear(spec, text, **around)
    if reading.value is None or not reading.complete:
        return Checked(reason=reading.reason or Reason(code="not_understood"))
    verdict = check(spec, reading.value, **around)
    if verdict.reason is not None:
        return Checked(reason=verdict.reason)
    return Checked(value=reading.value, spoken=read_back(spec, reading.value, **around).text)
