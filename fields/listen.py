"""The front door of hearing: ``hear``, ``check``, ``read_back`` and ``speak`` for any spec and locale."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal, cast

import regex

from langgraph_readback.fields.hearing.lexer import lex
from langgraph_readback.fields.prompts import aliases
from langgraph_readback.fields.readback import note, render
from langgraph_readback.fields.remarks import remark
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import field_type
from langgraph_readback.outcome import Reading, Reason, Spoken, Verdict

LONGEST = 2000
"""Characters; a longer utterance is a Reason."""
LABELLED = regex.compile(r"\s*([\p{L}\p{M}][\p{L}\p{M} '-]{0,40})[:\uff1a]\s*(?=\S)")
"""What may be a label before a value."""


def _ask(locale: str, region: str | None, channel: str, today: date | None) -> Ask:
    if channel not in ("voice", "chat"):
        raise ValueError(f"channel must be 'voice' or 'chat', got {channel!r}")
    return Ask(locale=locale, region=region, channel=cast("Literal['voice', 'chat']", channel), today=today)


def hear(
    spec: FieldSpec,
    utterance: str,
    *,
    locale: str = "en-US",
    region: str | None = None,
    channel: str = "voice",
    today: date | None = None,
) -> Reading:
    """What one utterance (with its continuations) says: a canonical value or a reason, never a guess.

    Total for any string; more than 2,000 characters is the reason ``too_much``. Raises ValueError for an unknown
    channel, KeyError for an unknown type.
    """
    ask = _ask(locale, region, channel, today)
    kind = field_type(spec.type)
    if len(utterance) > LONGEST:
        return Reading(reason=Reason(code="too_much", params={"limit": LONGEST}))
    heard = lex(_unlabelled(spec, utterance, locale), locale, channel, getattr(kind, "SUBJECT", ""))
    if not heard.tokens:
        return _remarked(utterance, locale) or Reading(reason=Reason(code="silence"), intent="silence")
    any_word = getattr(kind, "ANY_WORD", False)
    remarked = _remarked(utterance, locale) if any_word else None
    if remarked is not None and remarked.intent != "restart":  # a value may follow "let me start again"
        return remarked
    reading = kind.hear(heard, spec, ask)
    if reading.ok:
        return reading
    return (remarked if any_word else _remarked(utterance, locale)) or reading


def _unlabelled(spec: FieldSpec, utterance: str, locale: str) -> str:
    """Without the detail's own name before it, as forms are pasted ("Name: Kim Lee"); blanked, so that offsets stay."""
    label = LABELLED.match(utterance) if ":" in utterance or "\uff1a" in utterance else None
    if label is None:
        return utterance
    known = {*aliases(locale).get(spec.type, ()), spec.name.replace("_", " "), (spec.label or "").casefold()}
    if label[1].strip().casefold() not in known:
        return utterance
    return " " * label.end() + utterance[label.end() :]


def _remarked(utterance: str, locale: str) -> Reading | None:
    """The utterance as a remark ("a person, please"), or None when it is an answer."""
    intent = remark(utterance, locale=locale)
    return None if intent is None else Reading(reason=Reason(code=intent), intent=intent)


def check(spec: FieldSpec, value: str, **circumstances: Any) -> Verdict:
    """Whether a canonical value has the right format (the world is asked elsewhere). Keywords as ``hear``."""
    ask = _circumstances(circumstances)
    return field_type(spec.type).check(value, spec, ask)


def read_back(
    spec: FieldSpec, value: str, *, explicit: bool = False, worded: bool = False, **circumstances: Any
) -> Spoken:
    """The read-back of a value; keywords as ``hear``.

    ``explicit`` for one that was heard wrong before; ``worded`` for one whose letters all came with spelling words.
    """
    ask = _circumstances(circumstances)
    if ask.channel == "chat":
        text = note(value, ask)
        return Spoken(text=text, ssml=f"<speak>{render((), ask).text}</speak>", form="natural")
    return render(field_type(spec.type).say(value, spec, ask), ask, explicit=explicit, worded=worded)


def speak(spec: FieldSpec, value: str, **circumstances: Any) -> str:
    """The first read-back of the value alone, as plain text. Keywords as ``hear``."""
    return read_back(spec, value, **circumstances).text


def _circumstances(given: dict[str, Any]) -> Ask:
    return _ask(given.get("locale", "en-US"), given.get("region"), given.get("channel", "voice"), given.get("today"))
