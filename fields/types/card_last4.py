"""The last four digits of a payment card. More than four are refused: a whole card number is not to be taken.

PCI DSS 4.0, requirement 3.4.1, lets the last four be shown: https://www.pcisecuritystandards.org/document_library/

>>> from langgraph_readback.fields import catalogue, hear
>>> hear(catalogue["card_last4"], "ending in ninety nine oh one").value
'9901'
>>> hear(catalogue["card_last4"], "4242 4242 4242 4242", channel="chat").reason.code
'too_long'
>>> hear(catalogue["card_last4"], "nine nine").complete
False
"""

from __future__ import annotations

from langgraph_readback.fields.hearing import pattern
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.tokens import Kind
from langgraph_readback.fields.readback import Chunk
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import coded
from langgraph_readback.fields.types.coded import SUBJECT
from langgraph_readback.fields.types.common import failed
from langgraph_readback.outcome import Reading, Reason, Verdict

__all__ = ["ASKS", "SUBJECT", "check", "hear", "say"]

ASKS = ("natural", "keypad", "groups")
FORM = pattern.shape(r"\d{4}")
DIGIT = frozenset({Kind.LITERAL, Kind.NUMBER})


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """Exactly four digits, in any grouping."""
    reading = coded.hear(utterance, FORM, stray=1)
    if reading.value is None and reading.complete and _digits(utterance) > 8:
        return failed("too_long")
    return coded.replaced(reading, "bad_pattern", code="too_long") if _digits(utterance) > 4 else reading


def _digits(utterance: Utterance) -> int:
    """About how many digits were said."""
    found = [m for t in utterance.tokens if (m := t.get(Kind.LITERAL) or t.get(Kind.NUMBER)) is not None]
    return sum(len(m.out) for m in found)


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """Four digits."""
    return Verdict() if FORM.whole(value) and value.isascii() else Verdict(reason=Reason(code="bad_pattern"))


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """All four, one by one."""
    return (Chunk("digits", value),)
