"""Tokens: a stretch of the utterance with everything it may mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

made = tuple.__new__
"""``made(Edge, (...))`` is ``Edge(...)`` in half the time, for the named tuples that hearing makes by the thousand."""


class Kind(str):
    """What a stretch may be. One stretch may be several: "for" is a digit, a hint and a word.

    No Enum: in CPython 3.11 a member of one is found and hashed several times slower, and every stage does so all
    the time.
    """

    __slots__ = ()

    LETTER: ClassVar[Kind]  # writes one character: "bee", "b", "double u"
    SPELL: ClassVar[Kind]  # a word of a spelling alphabet: "oscar"
    DIGIT: ClassVar[Kind]  # writes one digit: "oh", "nought"
    NUMBER: ClassVar[Kind]  # a number word below a hundred
    SCALE: ClassVar[Kind]  # "hundred", "thousand", "lakh"
    SYMBOL: ClassVar[Kind]  # writes a symbol: "at", "full stop"
    REPEAT: ClassVar[Kind]  # "double", "triple"
    HINT: ClassVar[Kind]  # "as in", "for", "like"
    OF: ClassVar[Kind]  # explains a letter by a word ("Monday的M"); ``out``: "of" behind the word, "is" before it
    REPAIR: ClassVar[Kind]  # "no sorry"
    RESTART: ClassVar[Kind]  # "let me start again"
    FILLER: ClassVar[Kind]  # "um"
    CARRIER: ClassVar[Kind]  # "my email is"
    SPELLED: ClassVar[Kind]  # "spelled", "that's": what follows spells what came before
    CLASSIFIER: ClassVar[Kind]  # "the number", "the letter"
    CASE: ClassVar[Kind]  # "capital", "all lower case"
    JOIN: ClassVar[Kind]  # "one word", "no spaces"
    NOT: ClassVar[Kind]  # "no", "without": before a symbol word an instruction, not a symbol
    WITH: ClassVar[Kind]  # "with", "and": before a symbol or a repeat a remark about the word before
    AND: ClassVar[Kind]  # inside numbers
    OR: ClassVar[Kind]  # two values
    END: ClassVar[Kind]  # "that's all"
    LITERAL: ClassVar[Kind]  # digits and characters as written
    TERM: ClassVar[Kind]  # a word that only some field types read: "extension", a month, a unit; ``out`` names it
    LATIN: ClassVar[Kind]  # a word of another script or spelling that addresses write in Latin: "जीमेल" is gmail
    PROSE: ClassVar[Kind]  # a word of ordinary sentences that no value starts with: "reach", "me"
    ACCENT: ClassVar[Kind]  # "acute", "with an umlaut": changes a letter; ``out`` is the combining character
    UNSURE: ClassVar[Kind]  # "i can't remember"


for _name in Kind.__annotations__:
    setattr(Kind, _name, Kind(_name.lower()))


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
    kinds: frozenset[Kind] = frozenset()

    def get(self, kind: Kind) -> Meaning | None:
        """The first meaning of that kind, or None."""
        if kind not in self.kinds:
            return None
        for meaning in self.meanings:
            if meaning.kind is kind:
                return meaning
        return None

    def meaning(self, meanings: tuple[Meaning, ...]) -> Token:
        """The same stretch with other meanings."""
        kinds = frozenset([m.kind for m in meanings])
        return Token(self.raw, self.text, self.start, self.end, self.pause, self.glued, meanings, kinds)

    @property
    def plain(self) -> bool:
        """Whether it is only a word to us."""
        return self.kinds <= {Kind.TERM, Kind.ACCENT}
