"""Amounts of money as plain decimals ("40.60", "15"): no currency, no thousands separators, cents where they were said.

Two numbers side by side ("two fifty") may be 250 or 2.50: a doubt. Separators by locale (Unicode CLDR).

>>> from langgraph_readback.fields import FieldSpec, hear
>>> def heard(said, locale="en-US"):
...     reading = hear(FieldSpec(name="amount"), said, locale=locale)
...     return reading.value or reading.reason.code
>>> heard("forty pounds sixty", locale="en-GB")
'40.60'
>>> heard("two fifty")
'ambiguous_amount'
>>> heard("about fifty dollars")
'approximate'
>>> heard("ten dollars or twenty dollars")
'two_values'
"""

from __future__ import annotations

from decimal import Decimal

import regex

from langgraph_readback.fields.hearing.grammar import Slots
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.readback import Chunk
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import quantity
from langgraph_readback.fields.types.common import failed
from langgraph_readback.fields.types.quantity import Manner, Outcome, Setting
from langgraph_readback.outcome import Reading, Reason, Verdict

ASKS = ("natural", "groups")
SUBJECT = quantity.SUBJECT
VALUE = regex.compile(r"(0|[1-9]\d{0,14})(\.\d\d)?")
NEGATIVE = regex.compile(r"(?<![\w)\p{Sc}])-\s?\p{Sc}?\s?\d")
HUNDRED = 100
HUNDREDTH = Decimal("0.01")
LARGEST = Decimal(10) ** 15


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """An amount, or why it cannot be told. A minus sign is not understood: amounts have none."""
    if NEGATIVE.search(utterance.text):
        return failed("ambiguous_amount")
    return quantity.hear(utterance, ask, MANNER)


def settle(slots: Slots, setting: Setting) -> Outcome:
    """The number a phrase means: (number + fraction) x scale + tenths + hundredths."""
    if "open" in slots:
        return Outcome(begun=True)
    if "about" in slots:
        return Outcome(code="approximate")
    if "beside" in slots:
        return Outcome(values=_two_ways(slots), code="ambiguous_amount")
    if slots.get("scale") == HUNDRED and slots.get("n", 0) >= HUNDRED:
        return Outcome(code="ambiguous_amount")  # "a thousand, twelve hundred"
    value, cents = _value(slots)
    twice = slots.keys() & {"minor", "tenths"} and Decimal(slots.get("n", 0)) % 1 != 0
    if twice or "doubt" in slots or value >= LARGEST or value != value.quantize(HUNDREDTH):
        return Outcome(code="ambiguous_amount")
    return Outcome(values=(canonical(value, cents=cents),))


def _value(slots: Slots) -> tuple[Decimal, bool]:
    """The amount, and whether tenths or hundredths were said."""
    number = Decimal(slots.get("n", 0))
    parts = Decimal(slots.get("frac", 0)) / 100
    value = (number + parts) * slots.get("scale", 1)
    minor = Decimal(slots.get("minor", 0)) * slots.get("worth", 1) / 100 + Decimal(slots.get("tenths", 0)) / 10
    written = isinstance(slots.get("n"), Decimal) and slots["n"].as_tuple().exponent != 0
    said = bool(slots.keys() & {"minor", "tenths"})
    return value + minor, said or value != value.to_integral_value() or (written and "scale" not in slots)


def _two_ways(slots: Slots) -> tuple[str, ...]:
    """What "two fifty" may be; nothing to choose from where more could be meant."""
    first, second = slots["n"], slots["beside"]
    if first == int(first) and first < 100 and second >= 10:
        return f"{int(first)}.{second:02d}", str(int(first) * 100 + second)
    return ()


def canonical(value: Decimal, *, cents: bool) -> str:
    """A plain decimal with two places, or none."""
    return f"{value:.2f}" if cents else f"{value:.0f}"


def amend(before: Slots, after: Slots, setting: Setting) -> list[Slots]:
    """What a repair leaves: the new amount, unless it may as well be only the new end of the old one."""
    if "open" in before or "beside" in before or "open" in after or "beside" in after:
        return [after]
    if after.keys() <= {"minor", "worth"} and "minor" in before and "n" in before:
        return [after, {**before, **after}]
    (old, cents), (new, _) = _value(before), _value(after)
    bare = not alone(after)
    ends = 0 < new < old and old % (10 ** len(str(int(new)))) != 0
    shorter = ends and len(str(int(new))) < len(str(int(old)))
    if bare and (shorter or (cents and old % 1 != 0)):
        return [after, {**before, "open": 1}]
    return [after]


def alone(slots: Slots) -> bool:
    """Whether a phrase is an amount by itself, and no end of one that a repair may change."""
    return bool(slots.keys() & {"currency", "minor", "tenths", "scale", "frac"})


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """A plain decimal with two places or none."""
    if VALUE.fullmatch(value):
        return Verdict()
    return Verdict(reason=Reason(code="bad_pattern", params={"expected": "0.00"}))


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """The amount with the locale's separators, then digit by digit: fifteen and fifty sound alike."""
    habits = quantity.data_for(ask).get("amounts", {})
    whole, _, cents = value.partition(".")
    groups = grouped(whole, indian=habits.get("indian", False))
    text = str(habits.get("group", ","))[:1].join(groups)
    text += str(habits.get("decimal", "."))[:1] + cents if cents else ""
    if len(value) == 1:
        return (Chunk("said", text),)
    chunks = [Chunk("said", text), *(Chunk("digits", g) for g in groups)]
    if cents:
        chunks += [Chunk("said", str(quantity.data_for(ask)["say"]["point"])), Chunk("digits", cents)]
    return tuple(chunks)


def grouped(digits: str, *, indian: bool = False) -> list[str]:
    """Digits in groups of three from the right; in India the last three, then twos."""
    groups = [digits[-3:]]
    rest, size = digits[:-3], 2 if indian else 3
    while rest:
        groups.insert(0, rest[-size:])
        rest = rest[:-size]
    return groups


MANNER = Manner(root="amounts", beside=(), settle=settle, amend=amend, alone=alone, unclear="ambiguous_amount")
