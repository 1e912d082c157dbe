"""Offers: a value that the user gave before it was asked for. Only a proposal, which the read-back settles.

Found by code, never by a model: each message nobody took, whole and piece by piece, is heard as the field.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from langgraph_readback.fields import Ask, FieldSpec, Reading, hear
from langgraph_readback.fields.remarks import mentions
from langgraph_readback.nodes.view import View

__all__ = ["heard_as", "is_loose", "offer", "within"]

_PIECES = re.compile(r"(?:[.!?;:,]\s+|\n+|\s+-\s+)")
_MOST_PIECES = 7
"""Cuts of a message that are looked at."""
_PROBES = ("purple garden", "the weather today")
"""Ordinary words that are no detail of any kind. A field that hears a value in them hears one in anything."""


def offer(spec: FieldSpec, view: View) -> str | None:
    """The words of an earlier message that hold this field's value; None when there are none to be sure of."""
    return next((piece for text in view.early if (piece := within(spec, text, view.ask)) is not None), None)


def within(spec: FieldSpec, text: str, ask: Ask) -> str | None:
    """The longest stretch of a message that surely holds this field's value, beside other things."""
    for piece in _stretches(text):
        reading = heard_as(spec, piece, ask)
        if reading.value is not None and _surely(spec, text, reading, ask):
            return piece
    return None


def _stretches(text: str) -> dict[str, None]:
    """The text whole, then its clauses in runs, the longest first: "priya raman, p r i y a", "and my number is ..."."""
    cuts = [0, *(m.end() for m in islice(_PIECES.finditer(text), _MOST_PIECES)), len(text)]
    runs = [(a, b) for n in range(len(cuts) - 1, 0, -1) for a, b in zip(cuts, cuts[n:], strict=False)]
    return dict.fromkeys((text, *(text[a:b].strip(" \n\t.!?;:,-") for a, b in runs)))


def heard_as(spec: FieldSpec, text: str, ask: Ask) -> Reading:
    """What the field hears in these circumstances."""
    return hear(spec, text, locale=ask.locale, region=ask.region, channel=ask.channel, today=ask.today)


def _surely(spec: FieldSpec, text: str, reading: Reading, ask: Ask) -> bool:
    """Whether it was this detail that was said, and not words that happen to fit."""
    if reading.intent not in ("value", "none") or not reading.complete:
        return False
    return reading.evidence != "literal" or not is_loose(spec) or spec.type in mentions(text, locale=ask.locale)


def is_loose(spec: FieldSpec) -> bool:
    """Whether the field takes ordinary words for a value, as a name or a company does."""
    return _loose(spec.type, spec.pattern, spec.checksum)


@lru_cache(maxsize=256)
def _loose(kind: str, pattern: str | None, checksum: str | None) -> bool:
    probe = FieldSpec(name="probe", type=kind, pattern=pattern, checksum=checksum)  # type: ignore[arg-type]
    return any(hear(probe, words, locale="en-US").value is not None for words in _PROBES)
