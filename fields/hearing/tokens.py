"""Tokens: a stretch of the utterance with everything it may mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What a stretch may be. One stretch may be several: "for" is a digit, a hint and a word."""

    LETTER = "letter"  # writes one character: "bee", "b", "double u"
    SPELL = "spell"  # a word of a spelling alphabet: "oscar"
    DIGIT = "digit"  # writes one digit: "oh", "nought"
    NUMBER = "number"  # a number word below a hundred
    SCALE = "scale"  # "hundred", "thousand", "lakh"
    SYMBOL = "symbol"  # writes a symbol: "at", "full stop"
    REPEAT = "repeat"  # "double", "triple"
    HINT = "hint"  # "as in", "for", "like"
    OF = "of"  # explains a letter by a word it begins ("Monday的M"); ``out``: "of" behind the word, "is" before it
    REPAIR = "repair"  # "no sorry"
    RESTART = "restart"  # "let me start again"
    FILLER = "filler"  # "um"
    CARRIER = "carrier"  # "my email is"
    SPELLED = "spelled"  # "spelled", "that's": what follows spells what came before
    CLASSIFIER = "classifier"  # "the number", "the letter"
    CASE = "case"  # "capital", "all lower case"
    JOIN = "join"  # "one word", "no spaces"
    NOT = "not"  # "no", "without": before a symbol word an instruction, not a symbol
    WITH = "with"  # "with", "and": before a symbol or a repeat a remark about the word before
    AND = "and"  # inside numbers
    OR = "or"  # two values
    END = "end"  # "that's all"
    LITERAL = "literal"  # digits and characters as written
    TERM = "term"  # a word that only some field types read: "extension", a month, a unit; ``out`` names it
    LATIN = "latin"  # a word of another script or spelling that addresses write in Latin: "जीमेल" is gmail
    PROSE = "prose"  # a word of ordinary sentences that no value starts with: "reach", "me"
    ACCENT = "accent"  # "acute", "with an umlaut": changes a letter; ``out`` is the combining character
    UNSURE = "unsure"  # "i can't remember"


class Meaning(NamedTuple):
    """One meaning: what it writes (or its number), and what it costs to take it that way."""

    kind: Kind
    out: str = ""
    cost: int = 0
    number: int = -1


@dataclass(slots=True)
class Token:
    """One stretch: ``raw`` as said, ``text`` case-folded, ``start``/``end`` offsets into the cleaned text.

    ``pause``: a comma, full stop or line break stood before it. ``glued``: nothing stood before it, not even a space.
    """

    raw: str
    text: str
    start: int
    end: int
    pause: bool
    glued: bool
    meanings: tuple[Meaning, ...]
    kinds: frozenset[Kind] = field(default_factory=frozenset)

    def get(self, kind: Kind) -> Meaning | None:
        """The first meaning of that kind, or None."""
        if kind not in self.kinds:
            return None
        return next(m for m in self.meanings if m.kind is kind)

    @property
    def plain(self) -> bool:
        """Whether it is only a word to us."""
        return self.kinds <= {Kind.TERM, Kind.ACCENT}
