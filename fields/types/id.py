"""Identifiers that a pattern describes: order numbers, booking references, member codes.

The pattern is any regular expression a builder gives. Check digits (Luhn, ISO 7064 mod 97-10 and mod 11-2) by
python-stdnum: https://arthurdejong.org/python-stdnum/

>>> from langgraph_readback.fields import FieldSpec, hear
>>> order = FieldSpec(name="order_id", pattern=r"HL-\\d{6}")
>>> hear(order, "h l four two nine, no, four three nine, one six eight").value
'HL-439168'
>>> hear(order, "h l four two nine one six eight eight").reason.code
'too_long'
>>> hear(order, "h l four two").complete
False
"""

from __future__ import annotations

from stdnum import luhn
from stdnum.exceptions import ValidationError
from stdnum.iso7064 import mod_11_2, mod_97_10

from langgraph_readback.fields.hearing import pattern
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.tokens import Kind
from langgraph_readback.fields.readback import Chunk
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types.common import failed, incomplete, nothing
from langgraph_readback.outcome import Reading, Reason, Span, Verdict

ASKS = ("natural", "spelled", "words", "keypad")
ANY = r"[A-Z0-9][A-Z0-9/-]{3,31}"
"""For an id spec without a pattern."""
GROUP = 4
VALUE = frozenset({Kind.LETTER, Kind.SPELL, Kind.DIGIT, Kind.NUMBER, Kind.LITERAL})


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """The cheapest reading that the pattern allows; two different ones at one price are ambiguous."""
    form = pattern.shape(spec.pattern or ANY)
    found = pattern.read(utterance, form)
    if any(Kind.UNSURE in t.kinds for t in utterance.tokens):
        return failed("unsure")
    best = [p for p in found.values if p.cost == found.values[0].cost]
    if len(best) == 1:
        return _checked(utterance, best[0], spec)
    if len(best) > 1:
        passing = [p for p in best if spec.checksum and checks(p.text, spec.checksum)]
        if len(passing) == 1:
            return _checked(utterance, passing[0], spec)
        return failed("ambiguous", candidates=tuple(p.text for p in best))
    return _diagnosis(utterance, found, spec, form)


def _checked(utterance: Utterance, path: pattern.Path, spec: FieldSpec) -> Reading:
    if spec.checksum and not checks(path.text, spec.checksum):
        return failed("checksum")
    spans = tuple(
        Span(index=index, length=length, start=s, end=e)
        for (index, first, last), length in zip(path.trace, _lengths(path), strict=True)
        for s, e in [utterance.origin(first, last)]
    )
    return Reading(value=path.text, evidence="spelled" if len(spans) > 1 else "literal", spans=spans)


def _lengths(path: pattern.Path) -> list[int]:
    starts = [index for index, _, _ in path.trace] + [len(path.text)]
    return [b - a for a, b in zip(starts, starts[1:], strict=False)]


def _diagnosis(utterance: Utterance, found: pattern.Found, spec: FieldSpec, form: pattern.Shape) -> Reading:
    """Why no value came out: two of them, a beginning, too much, or not this format."""
    if any(Kind.OR in t.kinds for t in utterance.tokens):
        return failed("two_values")
    if found.clash:
        return failed("hint_contradiction")
    if found.partial and found.longest >= 1 and not found.overran:
        return incomplete("too_short") if utterance.voice else failed("too_short")
    if found.overran:
        return failed("too_long")
    if not any(t.kinds & VALUE for t in utterance.tokens):
        return nothing()
    return failed("bad_pattern")


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
    """Pattern and check digits."""
    if not pattern.shape(spec.pattern or ANY).whole(value):
        return Verdict(reason=Reason(code="bad_pattern"))
    if spec.checksum and not checks(value, spec.checksum):
        return Verdict(reason=Reason(code="checksum"))
    return Verdict()


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """Character by character, in groups of at most four, cut where letters and digits meet."""
    return tuple(Chunk("chars" if not g.isdigit() else "digits", g) for g in groups(value))


def groups(value: str, size: int = GROUP) -> list[str]:
    """``HL-429168`` -> ``HL``, ``-``, ``429``, ``168``."""
    runs: list[str] = []
    for char in value:
        kind = "d" if char.isdigit() else "a" if char.isalpha() else "s"
        last = runs[-1][-1] if runs else ""
        same = last and kind == ("d" if last.isdigit() else "a" if last.isalpha() else "s")
        if same:
            runs[-1] += char
        else:
            runs.append(char)
    out: list[str] = []
    for run in runs:
        count = -(-len(run) // size)
        step = -(-len(run) // count)
        out += [run[i : i + step] for i in range(0, len(run), step)]
    return out
