"""Licence plates in their printed layout, by country; where a country has no table, any letters and digits.

Layouts and their sources: ``data/plates.toml``. Two plates are the same when their letters and digits are.

>>> from langgraph_readback.fields import catalogue, hear
>>> hear(catalogue["plate"], "kilo alpha seven three oscar tango lima", locale="en-GB").value
'KA73 OTL'
>>> hear(catalogue["plate"], "kilo alpha seven three", locale="en-GB").complete
False
>>> hear(catalogue["plate"], "b m w one two three", locale="en-DE").reason.code
'ambiguous'
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from langgraph_readback.fields.hearing import pattern
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.tokens import Kind
from langgraph_readback.fields.readback import Chunk, voice_words
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import coded
from langgraph_readback.fields.types.coded import SUBJECT
from langgraph_readback.fields.types.common import incomplete
from langgraph_readback.outcome import Reading, Reason, Verdict

__all__ = ["ASKS", "SUBJECT", "check", "hear", "say"]

ASKS = ("natural", "groups")


def _country(ask: Ask) -> str:
    where = coded.region(ask)
    return where if where in coded.table("plates") else "generic"


@lru_cache(maxsize=128)
def _forms(country: str) -> tuple[pattern.Shape, pattern.Shape]:
    """The usual plates of a country, and all of them."""
    row: dict[str, Any] = coded.table("plates")[country]
    codes = "|".join(row.get("codes", "").split())
    usual, rare = ([p.replace("{codes}", codes) for p in row[key]] for key in ("usual", "rare"))
    return pattern.shape("|".join(usual)), pattern.shape("|".join(usual + rare))


def _example(ask: Ask) -> str:
    return str(coded.table("plates")[_country(ask)]["example"])


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """A usual plate, else a rare one; in speech a rare one that may be half of a usual one waits for the rest."""
    expected = _example(ask)
    if spec.pattern:
        return coded.hear(utterance, pattern.shape(spec.pattern), expected=expected)
    usual, every = _forms(_country(ask))
    reading = coded.hear(utterance, every, expected=expected, alone=lambda v: not laid(usual, v))
    values = [reading.value] if reading.value is not None else list(reading.candidates)
    common = {layout for value in values for layout in laid(usual, value)}
    settled = len(common) == 1 and len({_bare(v) for v in values}) == 1
    if settled and (reading.reason is None or reading.reason.code == "ambiguous"):
        return Reading(value=common.pop(), evidence=reading.evidence, spans=reading.spans)
    if reading.value is None or common or not utterance.voice:
        return reading
    if any(Kind.END in t.kinds for t in utterance.tokens) or not laid(usual, reading.value, whole=False):
        return reading
    return incomplete("too_short", expected=expected)


def _bare(value: str) -> str:
    return "".join(c for c in value if c.isalnum())


def laid(form: pattern.Shape, value: str, *, whole: bool = True) -> set[str]:
    """The layouts in which a value is a plate, or the beginning of one. One with separators has its layout."""
    if whole and not value.isalnum():
        return {value} if form.whole(value) else set()
    starts = {""}
    for char in _bare(value):
        starts = {s + gap + char for s in starts for gap in ("", *form.literals) if form.begins(s + gap + char)}
    return {s for s in starts if form.whole(s)} if whole else starts


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """One of the country's layouts, and the usual one where letters and digits fit it."""
    if spec.pattern:
        fits = coded.fits(pattern.shape(spec.pattern), value)
    else:
        usual, every = _forms(_country(ask))
        fits = coded.fits(every, value) and (not laid(usual, value) or value in laid(usual, value))
    return Verdict() if fits else Verdict(reason=Reason(code="bad_pattern", params={"expected": _example(ask)}))


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """Letters one by one, digits in groups; a gap is a pause, a hyphen is said where it tells plates apart."""
    if spec.pattern:
        return coded.chunks(value, pattern.shape(spec.pattern), ask, silent=" ")
    usual, every = _forms(_country(ask))
    said = coded.chunks(value, every, ask, silent=" ")
    if not usual.whole(value) and laid(usual, value, whole=False):
        return (*said, Chunk("said", str(voice_words(ask.locale).get("end", "that's all"))))
    return said
