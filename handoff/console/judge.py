"""Judge: what the desk types, checked as the conversation will check it: same ears, same rules, typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph_readback.fields import FieldSpec, Reason, catalogue, check, hear, sentence, speak
from langgraph_readback.fields.locales import section
from langgraph_readback.handoff.console.wording import Words
from langgraph_readback.handoff.records import Filed

__all__ = ["judge", "spec_of", "why"]

_RULES = ("type", "pattern", "checksum", "options")


def spec_of(ticket: Filed) -> FieldSpec | None:
    """The rules that a ticket carries; else those of the catalogue's field of its name; None when neither is known."""
    rules = {key: value for key, value in (ticket.get("rules") or {}).items() if key in _RULES and value is not None}
    if not rules and ticket["field"] not in catalogue:
        return None
    try:
        spec = FieldSpec(name=ticket["field"], label=ticket["label"], **rules)
        hear(spec, "a1")
    except (KeyError, TypeError, ValueError):  # filed by a newer or an older version: the conversation will check
        return None
    return spec


def judge(ticket: Filed, text: str, words: Words) -> dict[str, Any]:
    """What becomes of a typed value: ``ok``, the canonical ``value``, how it is ``spoken``, or ``said``: why not.

    ``value`` is None when it does not fit. Where no rules are known the text is taken as it is, and ``ok`` is None.
    """
    spec = spec_of(ticket)
    if spec is None:
        return {"ok": None, "value": text.strip() or None, "spoken": "", "said": words("answer.unchecked")}
    circle: dict[str, Any] = {"locale": ticket["locale"], "region": ticket.get("region")}
    reading = hear(spec, text, channel="chat", **circle)
    if reading.value is None or not reading.complete:
        said = _sentence(reading.reason or Reason(code="not_understood"), ticket, words)
        return {"ok": False, "value": None, "spoken": "", "said": said}
    verdict = check(spec, reading.value, channel="chat", **circle)
    if verdict.reason is not None:
        return {"ok": False, "value": None, "spoken": "", "said": _sentence(verdict.reason, ticket, words)}
    spoken = speak(spec, reading.value, channel="voice", **circle)
    return {"ok": True, "value": reading.value, "spoken": spoken, "said": words("answer.ok")}


def _sentence(reason: Reason, ticket: Filed, words: Words) -> str:
    params = {k: v for k, v in reason.params.items() if k not in ("locale", "key", "label", "n")}
    return sentence(words.language, f"reason.{reason.code}", label=ticket["label"], **params)


def why(code: Any, label: str, words: Words) -> str:
    """The words of a reason's code: the desk's own, else what the user was told, else the code itself."""
    if not isinstance(code, str) or not code:
        return ""
    if code.startswith("desk_"):
        return words("reason.desk", reason=why(code.removeprefix("desk_"), label, words))
    if (said := words.get(f"reason.{code}")) is not None:
        return said
    told: Mapping[str, Any] = section(words.language, "prompts").get("reason", {})
    return sentence(words.language, f"reason.{code}", label=label) if code in told else code.replace("_", " ")
