"""International bank account numbers (ISO 13616), upper case, without spaces.

Structures by country (SWIFT IBAN registry), mod 97-10 and the national check digits by python-stdnum:
https://arthurdejong.org/python-stdnum/formats#iban

>>> from langgraph_readback.fields import catalogue, hear
>>> hear(catalogue["iban"], "IBAN: IE46 AIBK 9311 5212 8700 45", channel="chat").value
'IE46AIBK93115212870045'
>>> hear(catalogue["iban"], "IE46 AIBK 9311 5212 8700 54", channel="chat").reason.code
'checksum'
>>> hear(catalogue["iban"], "i e four six a i b k nine three one one").complete
False
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from string import ascii_uppercase

import regex
from stdnum import iban, numdb

from langgraph_readback.fields.hearing import pattern
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.readback import Chunk
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import coded
from langgraph_readback.fields.types.coded import SUBJECT
from langgraph_readback.outcome import Reading, Reason, Verdict

__all__ = ["ASKS", "SUBJECT", "check", "hear", "say"]

ASKS = ("natural", "groups")
PART = regex.compile(r"(\d+)!([nac])")
KINDS = {"n": r"\d", "a": "[A-Z]", "c": "[A-Z0-9]"}
GROUP = 4


@lru_cache(maxsize=1)
def form() -> pattern.Shape:
    """Every country's structure as one pattern: country, two check digits, account."""
    registry = numdb.get("iban")
    found = []
    for pair in product(ascii_uppercase, repeat=2):
        country = "".join(pair)
        structure = registry.info(country + "00")[0][1].get("bban", "")
        if structure:
            parts = "".join(f"{KINDS[kind]}{{{count}}}" for count, kind in PART.findall(structure))
            found.append(rf"{country}\d\d{parts}")
    return pattern.shape("|".join(found))


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """The structure of its country, and check digits that fit. What does not fit is never repaired."""
    return coded.hear(utterance, form(), iban.is_valid)


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """Structure, check digits and the national check where there is one."""
    if not coded.fits(form(), value):
        return Verdict(reason=Reason(code="bad_pattern"))
    return Verdict() if iban.is_valid(value) else Verdict(reason=Reason(code="checksum"))


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """In groups of four, as it is printed."""
    groups = [value[i : i + GROUP] for i in range(0, len(value), GROUP)]
    said: list[Chunk] = []
    for index, group in enumerate(groups):
        said += coded.chunks(group, form(), ask, before=value[: index * GROUP])
    return tuple(said)
