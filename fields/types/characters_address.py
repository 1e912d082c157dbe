"""Addresses in characters: the largest place first, no commas, numbers in digits where they count a house or a door.

``北京市朝阳区建国路88号3单元502室 100020``, ``서울시 강남구 테헤란로 123, 4층 06134``. Orders: Universal Postal Union,
"Postal addressing systems" (country sheets CHN, TWN, KOR). Not a field type.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from langgraph_readback.fields.hearing import asides, repairs
from langgraph_readback.fields.hearing.lexer import NOTE, Utterance
from langgraph_readback.fields.hearing.tokens import Kind
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import characters, postal
from langgraph_readback.fields.types.common import failed, incomplete, nothing
from langgraph_readback.outcome import Reading


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading | None:
    """The address, or why there is none; None where the locale or the utterance has no such characters."""
    known = characters.habits(utterance)
    if known is None:
        return None
    address: dict[str, Any] = utterance.lexicon.data.get("address", {})
    if not utterance.voice:
        return _typed(utterance, spec, ask, address)
    utterance = utterance.of(utterance.tokens[characters.beginning(utterance) :])
    if any(repairs.is_repair(utterance.tokens, i) for i in range(len(utterance.tokens))):
        return failed("ambiguous")
    utterance, code = postal.find(utterance, ask, address)
    if code.doubt:
        return failed(code.doubt, **code.params)
    if any(Kind.OR in t.kinds for t in utterance.tokens[1:]):
        return failed("two_values")
    parts, landmarks = _parts(utterance, code.first, known, address)
    text = (" " if known.get("spaced") else "").join(parts)
    if (missing := _missing(text, code.value, spec, address, landmarks)) is not None:
        return incomplete(missing) if missing == "incomplete" else failed(missing)
    value = f"{text} {code.value}" if code.value else text
    return Reading(value=value) if text else nothing()


def _typed(utterance: Utterance, spec: FieldSpec, ask: Ask, address: dict[str, Any]) -> Reading:
    """A typed address as it is, the postcode in its layout."""
    start = utterance.tokens[characters.beginning(utterance)].start
    text = unicodedata.normalize("NFC", " ".join(NOTE.sub("", utterance.text[start:]).split())).strip(" ,.;。，；")
    before, code, after = postal.split(text, ask)
    landmarks = sum(before.endswith(mark) for mark in address.get("landmarks", ()))
    if (missing := _missing(before + after, code, spec, address, landmarks)) is not None:
        return failed(missing)
    return Reading(value=" ".join(part for part in (before.strip(" ,，"), code, after.strip(" ,，")) if part))


def _parts(utterance: Utterance, last: int, known: Mapping[str, Any], address: dict[str, Any]) -> tuple[list[str], int]:
    """The clauses that are no talk, numbers in digits, and how many only describe the way."""
    endings = utterance.lexicon.data.get("endings", [])
    parts: list[str] = []
    landmarks = 0
    for start, end in asides.clauses(utterance.tokens, 0, last):
        begin = start
        while begin < end and _silent(utterance, begin, end, known):
            begin += 1
        if begin == end or (parts and Kind.PROSE in utterance.tokens[begin].kinds):
            continue
        text = characters.trimmed(characters.digits(utterance, begin, end, known), endings)
        if any(text.endswith(mark) for mark in address.get("landmarks", ())):
            landmarks += 1
            continue
        parts += [text] if text else []
    return parts, landmarks


def _silent(utterance: Utterance, i: int, end: int, known: Mapping[str, Any]) -> bool:
    """Whether a token only leads to a clause, or fills it."""
    token = utterance.tokens[i]
    if characters.hesitates(utterance.tokens, i, known):
        return True
    return bool(token.kinds & characters.SILENT) and (" " in token.text or end - i == 1)


def _missing(text: str, code: str | None, spec: FieldSpec, address: dict[str, Any], landmarks: int) -> str | None:
    """What is missing (a reason code), or None."""
    if not text:
        return "needs_number" if landmarks else "nothing_heard"
    placed = any(word in text for word in address.get("streets", ()))
    if not any(c.isdigit() for c in text):
        return "incomplete" if placed and not landmarks else "needs_number"
    required = (spec.options or {}).get("postcode") == "required"
    return "incomplete" if not placed or (required and code is None) else None
