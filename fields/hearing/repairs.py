"""Repairs and restarts: "d, e, no sorry, d, a" and "let me start again".

A repair takes back some of what was said before it. How much is not said, so every cut is a candidate with a
price; the reader takes the cheapest one that its field allows. What is taken back was never part of a value.
"""

from __future__ import annotations

from collections.abc import Sequence

from langgraph_readback.fields.hearing.tokens import Kind, Token

REACH = 24
"""How many tokens back a repair may reach, in the pattern reader."""
VALUE = frozenset({Kind.LETTER, Kind.SPELL, Kind.DIGIT, Kind.NUMBER, Kind.LITERAL, Kind.SYMBOL, Kind.SCALE})


def is_repair(tokens: Sequence[Token], i: int) -> bool:
    """Whether the token at ``i`` takes something back: it stands between content, and a pause or two frame it."""
    token = tokens[i]
    if Kind.REPAIR not in token.kinds or not 0 < i < len(tokens) - 1:
        return False
    if " " in token.text or token.pause:
        return True
    return tokens[i + 1].pause


def is_restart(tokens: Sequence[Token], i: int) -> bool:
    """Whether everything before ``i`` is taken back."""
    return Kind.RESTART in tokens[i].kinds


def extent(tokens: Sequence[Token], i: int) -> tuple[int, int]:
    """First and last (exclusive) token of the repair words at ``i``: "no, sorry, I mean" is one repair."""
    end = i + 1
    while end < len(tokens) and tokens[end].kinds & {Kind.REPAIR, Kind.FILLER}:
        end += 1
    return i, end


def group_after(tokens: Sequence[Token], start: int) -> int:
    """The end of the stretch said in one go from ``start``."""
    end = start + 1
    while end < len(tokens) and not tokens[end].pause and not tokens[end].kinds & {Kind.REPAIR, Kind.RESTART}:
        end += 1
    return end


def cuts(tokens: Sequence[Token], i: int, first: int = 0) -> list[tuple[int, int]]:
    """Where the text before the repair at ``i`` may be cut: (position, price), cheapest first.

    The new group usually replaces as much as it says; best where it begins like what it replaces, or where a
    pause stood.
    """
    _, after = extent(tokens, i)
    if after >= len(tokens):
        return [(i, 0)]
    said = group_after(tokens, after) - after
    head = tokens[after].text
    priced = []
    for cut in range(max(first, i - REACH), i):
        size = i - cut
        price = min(abs(size - said), 3)
        price += 0 if tokens[cut].text == head else 1
        price += 0 if tokens[cut].pause else 1
        priced.append((cut, price))
    return sorted(priced, key=lambda c: (c[1], -c[0]))
