"""Postcodes in the official layout of their country.

The country is the region asked for, else the one where the locale's language is at home. Layouts and their
sources: ``data/postcodes.toml``. Whether a postcode exists is a lookup.

>>> from langgraph_readback.fields import catalogue, hear
>>> hear(catalogue["postcode"], "k one a oh b one", locale="en-CA").value
'K1A 0B1'
>>> hear(catalogue["postcode"], "12345", locale="en-GB", channel="chat").reason.code
'not_a_postcode'
>>> hear(catalogue["postcode"], "nine oh two one").complete
False
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from langgraph_readback.fields.hearing import pattern
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.readback import Chunk
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import coded
from langgraph_readback.fields.types.coded import SUBJECT
from langgraph_readback.outcome import Reading, Reason, Verdict

__all__ = ["ASKS", "SUBJECT", "check", "hear", "say"]

ASKS = ("natural", "groups")
NEAR = ("bad_pattern", "too_short", "too_long")


def layout(ask: Ask) -> dict[str, Any]:
    """The country's row of ``data/postcodes.toml``."""
    rows = coded.table("postcodes")
    return rows.get(coded.region(ask), rows["generic"])


@lru_cache(maxsize=128)
def _with_prefix(prefix: str, plain: str) -> pattern.Shape:
    return pattern.shape(rf"(?:{prefix})-(?:{plain})")


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """The characters of the layout, with or without its separators; a country prefix ("D-") is left out."""
    row = layout(ask)
    plain = spec.pattern or row["pattern"]
    expected = row["example"]
    reading = coded.hear(utterance, pattern.shape(plain), expected=expected)
    if reading.value is None and reading.complete and "prefix" in row:
        abroad = coded.hear(utterance, _with_prefix(row["prefix"], plain), expected=expected)
        if abroad.value is not None:
            return Reading(value=abroad.value.split("-", 1)[1], evidence=abroad.evidence)
    if not reading.complete:
        return reading
    return coded.replaced(reading, *NEAR, code="not_a_postcode", expected=expected)


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """The layout of the country."""
    row = layout(ask)
    if coded.fits(pattern.shape(spec.pattern or row["pattern"]), value):
        return Verdict()
    return Verdict(reason=Reason(code="not_a_postcode", params={"expected": row["example"]}))


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """Letters one by one, digits in their groups; a gap is a pause."""
    form = pattern.shape(spec.pattern or layout(ask)["pattern"])
    return coded.chunks(value, form, ask, silent=" ")
