"""Remarks that stand behind a word without a pause: "zyntra | with a capital t"."""

from __future__ import annotations

from langgraph_readback.fields.hearing.tokens import Kind, Token


def remark_at(tokens: tuple[Token, ...], start: int, end: int) -> int:
    """Where a remark on letters starts without a pause before it: "zyntra | with a capital t". ``end`` if nowhere."""
    for i in range(start + 1, end - 1):
        following = tokens[i + 1]
        ends = i + 2 == end
        mark = Kind.SYMBOL in following.kinds
        denies = Kind.NOT in tokens[i].kinds and Kind.JOIN not in tokens[i].kinds
        if denies and ends and (mark or (Kind.LETTER in following.kinds and len(following.text) == 1)):
            return i
        if Kind.WITH not in tokens[i].kinds:
            continue
        letter = " " in tokens[i].text and len(following.text) == 1 and following.text.isalpha() and i + 2 == end
        if (
            letter
            or following.kinds & {Kind.CASE, Kind.CLASSIFIER}
            or (i + 2 == end and Kind.SYMBOL in following.kinds)
        ):
            return i
    return end
