"""Words that a caller spells: "Eight, E I G H T" is no number, "Sorry, S O R R Y" takes nothing back.

The spelling is authoritative: what is spelled letter by letter behind a word says that the word is one. It loses
whatever else it may mean (number, repeat, unit, case, carrier, repair), alone and in phrases, before anything is read.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from langgraph_readback.fields.hearing.accents import fold
from langgraph_readback.fields.hearing.lattice import Edge, cheapest, edges, letters, repeats
from langgraph_readback.fields.hearing.lexer import Utterance, plainly
from langgraph_readback.fields.hearing.lexicon import ATOM
from langgraph_readback.fields.hearing.tokens import Kind

LEAST = 2
"""Letters of a spelled word behind a pause; without the pause one more."""
LONG = re.compile(r"[A-Za-z](?:'?[A-Za-z])+|[0-9]{2,}")
"""``ATOM`` for ASCII alone, without what is one character."""
STARTS = frozenset({Kind.LETTER, Kind.SPELL, Kind.CASE, Kind.CLASSIFIER, Kind.REPEAT, Kind.OF})
"""What may begin a letter said by itself."""


def bound(utterance: Utterance) -> Utterance:
    """The utterance with each word that is spelled further on as a mere word. The same object when there is none."""
    if not utterance.voice or sum(Kind.LETTER in t.kinds for t in utterance.tokens) < LEAST:
        return utterance
    found = _spelled(utterance)
    plain = {t.start for t in utterance.tokens if not t.kinds}
    changed = plainly(utterance, starts) if (starts := found.keys() - plain) else utterance
    changed.memo["spelled"] = frozenset(found.values())
    return changed


def spelled(utterance: Utterance) -> frozenset[str]:
    """The words of an utterance made by ``bound`` that are spelled in it, folded."""
    words: frozenset[str] = utterance.memo.get("spelled", frozenset())
    return words


def _spelled(utterance: Utterance) -> dict[int, str]:
    """Where words stand in the text that are spelled behind them, and the words, folded."""
    tokens = utterance.tokens
    found: dict[int, str] = {}
    times: Counter[str] = Counter()
    i = 0
    while i < len(tokens):
        if (end := _own_spelling(utterance, i)) > i:
            word = fold(tokens[i].text)
            times[word] += 1
            found |= dict.fromkeys(_meant(utterance, tokens[i].end, word, times[word]), word)
            i = end
            continue
        start, text = i, ""
        while i < len(tokens) and not (i > start and _hesitated(utterance, i)):
            edge = _letter(utterance, i)
            if edge is None or _own_spelling(utterance, i) > i:
                break
            text += edge.out
            i = edge.end
        if len(text) >= LEAST + (not tokens[start].pause):
            word = fold(text)
            times[word] += 1
            found |= dict.fromkeys(_meant(utterance, tokens[start].start, word, times[word]), word)
        i = max(i, start + 1)
    return found


def _meant(utterance: Utterance, end: int, word: str, times: int) -> list[int]:
    """Where the word stands before ``end`` that is spelled so many times: where it has a capital, else last."""
    known = _words(utterance).get(word, [])
    said = known[: bisect_left(known, (end, False))]
    titled = [m for m in said if m[1]]
    return [start for start, _ in (titled or said)[-times:]]


def _words(utterance: Utterance) -> dict[str, list[tuple[int, bool]]]:
    """The words of the text that are no hints, folded: where each stands, and whether it has a capital."""
    found: dict[str, list[tuple[int, bool]]] | None = utterance.memo.get("words")
    if found is None:
        hints = {after.start for before, after in pairwise(utterance.tokens) if Kind.HINT in before.kinds}
        found = utterance.memo["words"] = {}
        for m in (LONG if utterance.text.isascii() else ATOM).finditer(utterance.text):
            if len(m[0]) > 1 and m.start() not in hints:
                found.setdefault(fold(m[0]), []).append((m.start(), m[0][0].isupper()))
    return found


def _own_spelling(utterance: Utterance, i: int) -> int:
    """Where the letters end that follow a word behind a pause and spell it; ``i`` when they do not."""
    tokens = utterance.tokens
    text, at = "", i + 1
    if at >= len(tokens) or not tokens[at].pause or tokens[at].kinds.isdisjoint(STARTS):
        return i
    word = fold(tokens[i].text)
    if len(word) < LEAST:
        return i
    while at < len(tokens) and (edge := _letter(utterance, at)) is not None:
        text += fold(edge.out)
        if not word.startswith(text):
            return at if text[:-1] == word and _own_spelling(utterance, at) > at else i
        at = edge.end
    return at if text == word else i


def _letter(utterance: Utterance, i: int) -> Edge | None:
    """The letter that is surely said at a position, with its hint; no word with a spelling of its own is a hint."""
    if utterance.tokens[i].kinds.isdisjoint(STARTS):
        return None
    sure = [e for e in _edges(utterance, i) if e.how == "letter" and e.cost <= 0]
    best = cheapest(sure) if sure else None
    if best is None or best.end <= i + 1 or not any(utterance.tokens[k].pause for k in range(i + 1, best.end)):
        return best
    within = next((k for k in range(i + 1, best.end) if _own_spelling(utterance, k) > k), best.end)
    return min((e for e in sure if e.end <= within), key=lambda e: (e.cost, -e.end), default=None)


def _edges(utterance: Utterance, i: int) -> Iterable[Edge]:
    """The edges of one token: of the lattice where it is made already, else of letters alone."""
    if "edges" in utterance.memo or utterance.lexicon.data.get("letter_of"):
        return edges(utterance)[i]
    found = letters(utterance, i)
    return [*found, *repeats(utterance.tokens, i)] if Kind.REPEAT in utterance.tokens[i].kinds else found


def _hesitated(utterance: Utterance, i: int) -> bool:
    """Whether a sound that is no token stands before a token: "r, erm, e"."""
    tokens = utterance.tokens
    return any(c.isalpha() for c in utterance.text[tokens[i - 1].end : tokens[i].start])
