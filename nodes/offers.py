"""Offers: a value that the user gave before it was asked for. Only a proposal, which the read-back settles.

Found by code, never by a model: each message nobody took, whole and piece by piece, is heard as the field.
"""

from __future__ import annotations

import re
from functools import lru_cache

from langgraph_readback.fields import Ask, FieldSpec, Reading, hear
from langgraph_readback.fields.remarks import mentions
from langgraph_readback.nodes.view import View

__all__ = ["heard_as", "is_loose", "offer"]

_PIECES = re.compile(r"(?:[.!?;:,]\s+|\n+|\s+-\s+)")
_PROBES = ("purple garden", "the weather today")
"""Ordinary words that are no detail of any kind. A field that hears a value in them hears one in anything."""


def offer(spec: FieldSpec, view: View) -> str | None:
    """The words of an earlier message that hold this field's value; None when there are none to be sure of."""
    for text in view.early:
        for piece in dict.fromkeys((text, *_PIECES.split(text))):
            reading = heard_as(spec, piece, view.ask)
            if reading.value is not None and _surely(spec, text, reading, view.ask):
                return piece
    return None


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
