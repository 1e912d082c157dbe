r"""Identifiers that a pattern describes: order numbers, booking references, member codes.

The pattern is any regular expression a builder gives. Check digits (Luhn, ISO 7064 mod 97-10 and mod 11-2) by
python-stdnum: https://arthurdejong.org/python-stdnum/

>>> from langgraph_readback.fields import FieldSpec, hear
>>> order = FieldSpec(name="order_id", pattern=r"HL-\d{6}")
>>> hear(order, "h l four two nine, no, four three nine, one six eight").value
'HL-439168'
>>> hear(order, "h l four two nine one six eight eight").reason.code
'too_long'
>>> hear(order, "h l four two").complete
False
>>> hear(order, "HL-429168 or HL-429169").reason.code
'two_values'
>>> hear(FieldSpec(name="code", pattern=r"[A-Za-z]\d{3}"), "k four two nine").reason.code
'ambiguous_case'
>>> hear(FieldSpec(name="code", pattern=r"[A-Z0-9]{4}"), "k oh four seven").reason.code
'ambiguous'
>>> hear(FieldSpec(name="code", pattern=r"\d{4}", checksum="luhn"), "one two three four").reason.code
'checksum'
"""

from __future__ import annotations

from typing import Any

from stdnum import luhn
from stdnum.exceptions import ValidationError
from stdnum.iso7064 import mod_11_2, mod_97_10

from langgraph_readback.fields.hearing import pattern
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.readback import Chunk
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import coded
from langgraph_readback.fields.types.coded import SUBJECT, groups
from langgraph_readback.fields.types.common import nothing
from langgraph_readback.outcome import Reading, Reason, Verdict

__all__ = ["ASKS", "SUBJECT", "check", "checks", "groups", "hear", "say"]

ASKS = ("natural", "groups")
ANY = r"[A-Z0-9][A-Z0-9/-]{3,31}"
"""For an id spec without a pattern."""


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """The cheapest reading that the pattern allows; two different ones at one price are ambiguous."""
    kind = spec.checksum
    passes = None if kind is None else lambda value: checks(value, kind)
    alone = _alone if spec.pattern is None else lambda _: False
    reading = coded.hear(utterance, pattern.shape(spec.pattern or ANY), passes, alone=alone, **_expected(spec))
    if spec.pattern is None and reading.value is not None and not _is_code(reading, utterance):
        return nothing()
    return reading


def _alone(value: str) -> bool:
    """Whether what any pattern would take is only believed by itself: it has no letters, or no digits."""
    return value.isdigit() or not any(c.isdigit() for c in value)


def _expected(spec: FieldSpec) -> dict[str, Any]:
    """What a value looks like, when the builder says so (``options={"example": "HL-123456"}``)."""
    example = (spec.options or {}).get("example")
    return {"expected": example} if example else {}


def _is_code(reading: Reading, utterance: Utterance) -> bool:
    """Whether what any pattern would take is a code and not a word: it has a digit, or was spelled or shouted."""
    value = reading.value or ""
    if any(c.isdigit() for c in value) or len(reading.spans) > 1:
        return True
    return value in utterance.text


def checks(value: str, kind: str) -> bool:
    """Whether a value passes its check-digit rule. Luhn runs over the digits, as on cards."""
    body = "".join(c for c in value.upper() if c.isalnum())
    try:
        if kind == "luhn":
            luhn.validate("".join(c for c in body if c.isdigit()))
        elif kind == "mod97-10":
            mod_97_10.validate(body)
        elif kind == "mod11-2":
            mod_11_2.validate("".join(c for c in body if c.isdigit() or c == "X"))
        else:
            raise ValueError(f"unknown checksum {kind!r}: use luhn, mod97-10 or mod11-2")
    except ValidationError:
        return False
    return True


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """Pattern and check digits. A pattern that ignores case has its values in capitals."""
    form = pattern.shape(spec.pattern or ANY)
    if not coded.fits(form, value):
        return Verdict(reason=Reason(code="bad_pattern"))
    if spec.checksum and not checks(value, spec.checksum):
        return Verdict(reason=Reason(code="checksum"))
    return Verdict()


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """Character by character, in groups of at most four, cut where letters and digits meet."""
    return coded.chunks(value, pattern.shape(spec.pattern or ANY), ask)
