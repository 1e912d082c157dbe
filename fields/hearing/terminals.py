"""The terminals that the phrase grammars of quantities may name, and who reads each."""

from __future__ import annotations

from langgraph_readback.fields.hearing import numerals
from langgraph_readback.fields.hearing.grammar import Numeral

NUMERALS: dict[str, Numeral] = {
    "day": numerals.day,
    "nth": numerals.ordinal,
    "dayth": numerals.spoken_day,
    "small": numerals.small,
    "leading": numerals.leading,
    "year": numerals.year,
    "yy": numerals.two_digit_year,
    "hour": numerals.hour,
    "minute": numerals.minute,
    "count": numerals.count,
    "datefigure": numerals.date_figure,
    "clockfigure": numerals.clock_figure,
    "number": numerals.number,
    "sixty": numerals.sixty,
    "fives": numerals.fives,
    "factor": numerals.factor,
    "units": numerals.units,
    "ones": numerals.ones,
    "scale": numerals.scale,
    "cents": numerals.cents,
    "clipped": numerals.clipped,
    "spread": numerals.spread,
}
"""The numerals that rules may name."""
