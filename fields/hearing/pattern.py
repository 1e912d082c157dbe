"""The reader for fields whose characters a pattern rules: order numbers, postcodes, plates, phone digits.

It walks the lattice with a small beam of beginnings, each a proper beginning of the pattern. The pattern so
settles what a sound means: in a digit place "oh" is 0, "for" is 4, and a typed O is 0 only where no letter fits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import regex

from langgraph_readback.fields.hearing import repairs
from langgraph_readback.fields.hearing.lattice import Edge, edges
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.tokens import Kind

BEAM = 16
LOOKALIKES = {"o": "0", "0": "O", "i": "1", "l": "1", "1": "I", "s": "5", "5": "S", "b": "8", "8": "B"}
LOOKALIKE_COST = 4
SEPARATORS = " -./_:,'"
JUNK_COST = 6
"""A word outside the value that is no known carrier."""


class Path(NamedTuple):
    """A beginning: what it wrote, its price, whether anything was bent, and its pieces (index, first, last)."""

    text: str
    cost: int
    trace: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What the walk ended with.

    ``values``: whole values with their prices, cheapest first. ``partial``: some beginning reached the end of
    the utterance. ``longest``: characters of the longest beginning. ``overran``: a whole value was followed by more.
    """

    values: tuple[Path, ...]
    partial: bool
    longest: int
    overran: bool
    clash: bool


@dataclass(frozen=True)
class Shape:
    """A compiled pattern and the separators it may write by itself."""

    regex: regex.Pattern[str]
    literals: str

    def begins(self, text: str) -> bool:
        """Whether ``text`` is a proper beginning of a value, or a whole one."""
        return self.regex.fullmatch(text, partial=True) is not None

    def whole(self, text: str) -> bool:
        """Whether ``text`` is a whole value."""
        return self.regex.fullmatch(text) is not None


@lru_cache(maxsize=512)
def shape(pattern: str) -> Shape:
    """Compile a builder's pattern. Raises ValueError when it is no regular expression."""
    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        raise ValueError(f"pattern {pattern!r} is not a regular expression: {error}") from None
    return Shape(compiled, "".join(c for c in SEPARATORS if c in pattern.replace("\\d", "").replace("\\s", " ")))


def extend(form: Shape, text: str, out: str, typed: bool) -> tuple[str, int] | None:
    """``text`` with ``out`` written after it, as the pattern wants it, and the price; None when it cannot be."""
    cost = 0
    for char in out:
        if (step := _step(form, text, char)) is not None:
            text = step
        elif typed and char.lower() in LOOKALIKES and (step := _step(form, text, LOOKALIKES[char.lower()])) is not None:
            text, cost = step, cost + LOOKALIKE_COST
        elif char in SEPARATORS and text:
            continue
        else:
            return None
    return text, cost


def _step(form: Shape, text: str, char: str) -> str | None:
    """One more character, in either case, with the separator that the pattern puts before it."""
    for variant in dict.fromkeys((char.upper(), char, char.lower())):
        if len(variant) == 1 and form.begins(text + variant):
            return text + variant
    if char in SEPARATORS:
        return None
    for literal in form.literals:
        for variant in dict.fromkeys((char.upper(), char, char.lower())):
            if len(variant) == 1 and form.begins(text + literal + variant):
                return text + literal + variant
    return None


def read(utterance: Utterance, form: Shape, words: Callable[[str], bool] = lambda w: len(w) <= 4) -> Found:
    """Walk the whole utterance. ``words`` says which unknown words may write themselves ("HL", not "hello")."""
    return Walk(utterance, form, words).run()


class Walk:
    """One walk: ``beams[i]`` are the best beginnings at token ``i``."""

    def __init__(self, utterance: Utterance, form: Shape, words: Callable[[str], bool]) -> None:
        self.utterance, self.form, self.words = utterance, form, words
        self.tokens = utterance.tokens
        self.lattice = edges(utterance)
        self.beams: list[dict[str, Path]] = [{} for _ in range(len(self.tokens) + 1)]
        self.longest = 0
        self.overran = self.clash = False

    def run(self) -> Found:
        """Fill the beams from the left and collect what reached the end."""
        self.beams[0][""] = Path("", 0, ())
        for i in range(len(self.tokens)):
            if repairs.is_restart(self.tokens, i) and i + 1 < len(self.tokens):
                self.beams[i + 1] = {"": Path("", 0, ())}
                continue
            if repairs.is_repair(self.tokens, i):
                self._repair(i)
            for path in sorted(self.beams[i].values(), key=lambda p: p.cost)[:BEAM]:
                self._advance(i, path)
        ended = sorted(self.beams[-1].values(), key=lambda p: p.cost)
        values = tuple(p for p in ended if p.text and self.form.whole(p.text))
        partial = any(p.text and not self.form.whole(p.text) for p in ended)
        return Found(values, partial, self.longest, self.overran, self.clash)

    def _advance(self, i: int, path: Path) -> None:
        moved = False
        for edge in self.lattice[i]:
            if edge.how == "clash":
                self.clash = True
            elif edge.how == "word" and not self._writes(edge):
                pass
            elif (step := extend(self.form, path.text, edge.out, self._typed(i, edge))) is not None:
                moved = moved or edge.how != "skip"
                self._put(edge.end, path, step[0], path.cost + edge.cost + step[1], i)
        whole = bool(path.text) and self.form.whole(path.text)
        if (not path.text or whole) and self._outside(i):
            self._put(i + 1, path, path.text, path.cost + JUNK_COST, i)
        elif whole and not moved:
            self.overran = True

    def _writes(self, edge: Edge) -> bool:
        return (not self.utterance.voice) or self.words(edge.out)

    def _typed(self, i: int, edge: Edge) -> bool:
        return not self.utterance.voice and edge.how in ("word", "letter", "digits")

    def _outside(self, i: int) -> bool:
        """Whether a token may stand before or after the value: an ordinary word, or a known carrier."""
        token = self.tokens[i]
        if token.kinds & {Kind.LITERAL, Kind.DIGIT, Kind.NUMBER} and not token.kinds & {Kind.HINT, Kind.SYMBOL}:
            return any(m.cost for m in token.meanings if m.kind is Kind.DIGIT) and Kind.LITERAL not in token.kinds
        return not (Kind.LETTER in token.kinds and len(token.text) == 1 and token.text not in "ai")

    def _put(self, i: int, path: Path, text: str, cost: int, first: int) -> None:
        self.longest = max(self.longest, len(text))
        old = self.beams[i].get(text)
        if old is None or cost < old.cost:
            trace = path.trace if len(text) == len(path.text) else (*path.trace, (len(path.text), first, i))
            self.beams[i][text] = Path(text, cost, trace)

    def _repair(self, i: int) -> None:
        """Beginnings of every earlier cut go on after the repair words."""
        _, after = repairs.extent(self.tokens, i)
        for cut, price in repairs.cuts(self.tokens, i):
            for path in self.beams[cut].values():
                if path.text or cut == 0:
                    self._put(after, path, path.text, path.cost + price, i)
