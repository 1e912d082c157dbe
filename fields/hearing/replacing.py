"""What a repair takes back among the items of a value: "fifty milligrams, no, fifteen milligrams"."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph_readback.fields.hearing import repairs
from langgraph_readback.fields.hearing.accents import fold
from langgraph_readback.fields.hearing.spellings import SOUNDS_LIKE, Item, likeness
from langgraph_readback.fields.hearing.tokens import Kind, Token

CONTENT = frozenset({Kind.LITERAL, Kind.NUMBER, Kind.DIGIT, Kind.SCALE})


def _counts_on(items: list[Item], start: int, end: int) -> bool:
    """Whether the item before ``start`` belongs to the number that ends at ``end``: "seven point five"."""
    before = items[start - 1]
    if start < end and items[start].pause:
        return False
    inside = before.kind == "symbol" and start < end and start > 1 and items[start - 2].kind == "digits"
    return before.kind == "digits" or inside


def number_before(items: list[Item], tokens: Sequence[Token], after: int, last: int) -> int | None:
    """Where the number starts that a new number replaces: the last one, if what follows it is said again.

    "fifty milligrams, no, fifteen milligrams" and "fifty, no, fifteen milligrams". A shorter new number may
    replace only the end of the old one, which is not for this rule to say.
    """
    if not tokens[after].kinds & {Kind.NUMBER, Kind.LITERAL, Kind.SCALE} or Kind.LETTER in tokens[after].kinds:
        return None
    end = next((k for k in range(len(items), 0, -1) if items[k - 1].kind == "digits"), 0)
    if not all(any(fold(t.text) == fold(i.text) for t in tokens[after:last]) for i in items[end:]):
        return None
    start = end
    while start and _counts_on(items, start, end):
        start -= 1
    counted = after
    while counted < last and tokens[counted].kinds & CONTENT:
        counted += 1
    again = end < len(items) or counted - after >= end - start
    return start if again and end else None


def keep_before(items: list[Item], tokens: Sequence[Token], after: int, last: int) -> int | None:
    """How many items stay when a repair's new words start at ``after``; None when that cannot be told."""
    head = tokens[after]
    if (k := number_before(items, tokens, after, last)) is not None:
        return k
    for k in range(len(items) - 1, -1, -1):
        if fold(tokens[items[k].first].text) == fold(head.text):
            return k
    best = max(range(len(items)), key=lambda k: likeness(items[k].text, head.raw))
    if likeness(items[best].text, head.raw) >= SOUNDS_LIKE and items[best].kind == "word":
        return best
    if len(items) == 1:
        return 0
    end = min(repairs.group_after(tokens, after), last)
    start = next((k for k in range(len(items) - 1, -1, -1) if items[k].pause), 0)
    said, replaced = end - after, items[-1].last - items[start].first
    return start if said == replaced else len(items) - 1 if said == 1 else None
