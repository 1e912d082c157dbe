"""Accents said in words: "e acute" inside a spelling, "with an accent on the i of rio" after the value.

The names of the accents are data (``[accents]`` of ``texts.toml``): phrase to combining character. A letter with
its accent is one edge of the lattice; a remark about a word said before is kept and laid on the finished items.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

from langgraph_readback.fields.hearing.tokens import Kind, Token

REACH = 5
"""How many words may stand between an accent and its letter: "on top of the second o"."""


class Remark(NamedTuple):
    """``mark`` on ``letter`` (None: not said which), the ``nth`` one (0: the only one, -1: the last), of ``word``."""

    mark: str
    letter: str | None
    nth: int
    word: str | None


def composed(letter: str, mark: str) -> str | None:
    """One letter with its accent, or None when Unicode has no such letter."""
    whole = unicodedata.normalize("NFC", letter + mark)
    return whole if len(whole) == 1 else None


def accented(tokens: Sequence[Token], end: int, letter: str) -> str | None:
    """The letter that ends at token ``end`` with the accent named right after it, or None."""
    if end >= len(tokens) or tokens[end].pause or Kind.ACCENT not in tokens[end].kinds:
        return None
    mark = tokens[end].get(Kind.ACCENT)
    following = tokens[end + 1] if end + 1 < len(tokens) else None
    if following is not None and following.plain and not following.pause and len(following.text) > 1:
        return None  # "3 A Grave Lane"
    return None if mark is None else composed(letter, mark.out)


def remark(tokens: Sequence[Token], i: int, last: int, data: dict[str, Any]) -> tuple[int, Remark] | None:
    """The remark that starts with the accent at ``i`` and where it ends; None when the accent is a word of a value."""
    mark = tokens[i].get(Kind.ACCENT)
    nth, at = 0, i + 1
    places, nths = data.get("accent_places", ()), data.get("accent_nth", {})
    placed = at < last and not tokens[at].pause and tokens[at].text.split()[0] in places
    if mark is None or not (" " in tokens[i].text or placed):
        return None
    while at < min(last, i + 1 + REACH) and not tokens[at].pause:
        token = tokens[at]
        if token.text in nths:
            nth = int(nths[token.text])
        elif len(token.text) == 1 and token.text.isalpha():
            end, word = _of(tokens, at + 1, last, data)
            return end, Remark(mark.out, token.text, nth, word)
        elif not any(part in places for part in token.text.split()):
            break
        at += 1
    while at < last and not tokens[at].pause:
        at += 1
    return at, Remark(mark.out, None, 0, None)


def _of(tokens: Sequence[Token], at: int, last: int, data: dict[str, Any]) -> tuple[int, str | None]:
    """The word after "of" or "in": (end of the remark, word)."""
    links, end = data.get("accent_links", ()), at
    while end < last and tokens[end].text in links and not tokens[end].pause:
        end += 1
    if end == at or end >= last or tokens[end].pause:
        return at, None
    return end + 1, tokens[end].raw


def lay(texts: list[str], remarks: Sequence[Remark]) -> tuple[list[str], str | None]:
    """The words with the accents of all remarks, and the doubt when one does not say where."""
    for said in remarks:
        if said.letter is None:
            if not any(said.mark in unicodedata.normalize("NFD", text) for text in texts):
                return texts, "spelling_contradiction"
            continue
        places = [
            (w, c)
            for w, text in enumerate(texts)
            if said.word is None or fold(text) == fold(said.word)
            for c, char in enumerate(text)
            if fold(char) == fold(said.letter)
        ]
        if (place := _chosen(places, said.nth, texts)) is None:
            return texts, "ambiguous" if places else "spelling_contradiction"
        w, c = place
        whole = composed(fold(texts[w][c]) if texts[w][c].islower() else fold(texts[w][c]).upper(), said.mark)
        if whole is None:
            return texts, "spelling_contradiction"
        texts = [*texts[:w], texts[w][:c] + whole + texts[w][c + 1 :], *texts[w + 1 :]]
    return texts, None


def _chosen(places: list[tuple[int, int]], nth: int, texts: list[str]) -> tuple[int, int] | None:
    """The place a remark means: the only one, the nth, or the one that was written with an accent already."""
    if nth:
        return places[nth - 1 if nth > 0 else nth] if len(places) >= abs(nth) else None
    if len(places) > 1:
        written = [(w, c) for w, c in places if fold(texts[w][c]) != texts[w][c].casefold()]
        places = written or places
    return places[0] if len(places) == 1 else None


def fold(text: str) -> str:
    """Case and accents aside."""
    if text.isascii():
        return text.casefold()
    return "".join(c for c in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(c))
