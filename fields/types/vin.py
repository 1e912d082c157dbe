"""Vehicle identification numbers (ISO 3779), upper case: 17 letters and digits, never I, O or Q.

The check digit in ninth place is law in the United States (49 CFR 565.15, https://www.ecfr.gov/current/title-49/section-565.15)
and Canada (CMVSS 115), for vehicles of any maker that are sold there; it is asked of the numbers whose first characters
(ISO 3780) are North American: 1 to 5, and 7F to 7Z and 70. Elsewhere that place is the maker's own.

>>> from langgraph_readback.fields import catalogue, hear
>>> hear(catalogue["vin"], "IFTFWIET4DF4IO382", channel="chat").value
'1FTFW1ET4DF410382'
>>> hear(catalogue["vin"], "1FTFW1ET4DF410328", channel="chat").reason.code
'checksum'
>>> hear(catalogue["vin"], "w v w z z z one j z").complete
False
"""

from __future__ import annotations

import regex

from langgraph_readback.fields.hearing import pattern
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.readback import Chunk
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import coded
from langgraph_readback.fields.types.coded import SUBJECT
from langgraph_readback.outcome import Reading, Reason, Verdict

__all__ = ["ASKS", "SUBJECT", "check", "hear", "say"]

ASKS = ("natural", "groups")
FORM = pattern.shape(r"[A-HJ-NPR-Z0-9]{17}")
NORTH_AMERICA = regex.compile(r"[1-5]|7[F-Z0]")
WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
"""49 CFR 565.15, table IV."""
WORTH = {
    c: n
    for letters, first in (("ABCDEFGH", 1), ("JKLMN", 1), ("P", 7), ("R", 9), ("STUVWXYZ", 2))
    for n, c in enumerate(letters, first)
}
"""49 CFR 565.15, table III: what a letter is worth."""
CUTS = (3, 9, 11)
"""Maker | vehicle | year and plant | serial number."""


def check_digit(value: str) -> str:
    """The check digit that the rule asks for: 0 to 9 or X."""
    total = sum(weight * (int(c) if c.isdigit() else WORTH[c]) for c, weight in zip(value, WEIGHTS, strict=True))
    return "0123456789X"[total % 11]


def _passes(value: str) -> bool:
    return not NORTH_AMERICA.match(value) or value[8] == check_digit(value)


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """Seventeen characters. A typed I, O or Q can only be 1, 0 and 0."""
    return coded.hear(utterance, FORM, _passes)


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """Seventeen characters, and the check digit where the law asks for it."""
    if not coded.fits(FORM, value):
        return Verdict(reason=Reason(code="bad_pattern"))
    return Verdict() if _passes(value) else Verdict(reason=Reason(code="checksum"))


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """In the parts of its structure, letters one by one."""
    said: list[Chunk] = []
    for start, end in zip((0, *CUTS), (*CUTS, len(value)), strict=True):
        said += coded.chunks(value[start:end], FORM, ask, before=value[:start])
    return tuple(said)
