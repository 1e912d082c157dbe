"""What the pattern reader has to know of each token, settled once before it walks.

What the token may write and at what price, and whether it may stand outside a value.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import NamedTuple

import regex

from langgraph_readback.fields.hearing.lattice import Edge, Lattice, edges
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.lexicon import SYLLABIC
from langgraph_readback.fields.hearing.tokens import Kind, Token, made

HAN = regex.compile(r"\p{Han}")
SOUND_COST = 2
"""What a sound costs to be a letter among digits, or a digit among letters."""
SPELLED_COST = 3
"""What a letter's name costs to be one in capitals ("AR" for R), where the rest is not in capitals."""

UNCASED, WORDY, WORDS, JUNKED, SOUNDED, SOUND, SOUNDS, SURE, PASSED = (1 << n for n in range(9))
"""Marks of a path: a letter whose case nobody said; written by an ordinary word; by two of them; ordinary words
stand outside the value; the last piece was only a sound ("for" as 4); a letter was only a sound ("are" as R); two
were; one was more than that; something was passed over inside the value."""

DIGITS = frozenset({Kind.LITERAL, Kind.DIGIT, Kind.NUMBER})
SURE_DIGIT = frozenset({Kind.DIGIT, Kind.NUMBER, Kind.LITERAL, Kind.SCALE})
SURE_LETTER = frozenset({Kind.LETTER, Kind.SPELL})
LEANS = frozenset({Kind.LETTER, Kind.REPEAT})
BOTH = frozenset({Kind.LETTER, Kind.DIGIT})
CARRYING = frozenset({Kind.CARRIER, Kind.FILLER, Kind.END, Kind.SPELLED, Kind.JOIN, Kind.CLASSIFIER})
LEADING = CARRYING | {Kind.REPAIR}
OPENING = frozenset({Kind.CARRIER, Kind.SPELLED, Kind.END})
NO_JUNK = CARRYING | {Kind.REPAIR, Kind.SYMBOL}
DOUBTFUL = DIGITS | {Kind.OR, Kind.LETTER}
"""Kinds that leave open whether a token may stand outside a value."""
NEVER_WRITES = frozenset({Kind.CARRIER, Kind.FILLER, Kind.PROSE, Kind.END, Kind.TERM})


class Move(NamedTuple):
    """One way to write from a token.

    ``keys``: each character with how it was said (``t`` typed, ``c`` with its case, ``v`` otherwise). ``marks`` are
    set by it, ``starts``: it may begin a value, ``weak``: it is an ordinary word (None: it may write nothing but
    what the pattern wants literally).
    """

    end: int
    keys: tuple[str, ...]
    cost: int
    letter: bool
    marks: int
    starts: bool
    word: str
    weak: bool | None


class Place(NamedTuple):
    """A token to the reader.

    ``skips``: (end, price) of stretches that write nothing. ``ordinary``: it may stand outside a value; ``junk``: and
    is then a word of some other sentence. ``stray``: digits that may stand outside. ``negates``: "not".
    ``introduces``: a carrier; ``carries``: it introduces or closes; ``opens``: what stands before it does, or a pause.
    ``runs_on``: it is written together with what stands before it.
    """

    moves: tuple[Move, ...]
    skips: tuple[tuple[int, int], ...]
    clash: bool
    ordinary: bool
    junk: int
    stray: bool
    negates: bool
    introduces: bool
    carries: bool
    opens: bool
    runs_on: bool
    pause: bool
    glued: bool


class Traits(NamedTuple):
    """What the kinds of a token alone say of its place; see ``Place``."""

    negates: bool
    junk: int
    digits: bool
    introduces: bool
    carries: bool
    opens: bool
    ordinary: bool


@lru_cache(maxsize=4096)
def _traits(kinds: frozenset[Kind]) -> Traits:
    """The traits of a set of kinds: there are as many as the lexicons have, and they say nothing of any words."""
    return Traits(
        negates=Kind.NOT in kinds and Kind.REPAIR not in kinds,
        junk=0 if kinds & NO_JUNK else JUNKED,
        digits=bool(kinds & DIGITS),
        introduces=Kind.CARRIER in kinds,
        carries=bool(kinds & CARRYING),
        opens=bool(kinds & OPENING),
        ordinary=kinds.isdisjoint(DOUBTFUL),
    )


class Places:
    """The places of one utterance, made when they are asked for."""

    def __init__(self, utterance: Utterance, words: Callable[[str], bool], stray: int) -> None:
        self.voice, self.tokens = utterance.voice, utterance.tokens
        self.words, self.most = words, stray
        self.lattice: Lattice = edges(utterance)
        self.between_digits: bool = utterance.lexicon.data.get("between_digits", False)
        self.letter_words: str = utterance.lexicon.data.get("letter_words", "ai")

    @cached_property
    def shouts(self) -> bool:
        """Whether nothing is written in small letters."""
        return not any(t.raw.islower() for t in self.tokens)

    def at(self, i: int, writes: Callable[[str], bool] | None) -> Place:
        """The place of token ``i``, with the moves whose text ``writes`` allows; None asks for no moves."""
        token = self.tokens[i]
        traits = _traits(token.kinds)
        skips: tuple[tuple[int, int], ...] = ()
        writing: list[Edge] = []
        clash = False
        for edge in self.lattice[i]:
            if edge.how == "skip":
                skips += ((edge.end, edge.cost),) if self._skips(i, edge) else ()
            elif edge.how == "clash":
                clash = True
            elif writes is not None and edge.out and writes(edge.out):
                writing.append(edge)
        return made(
            Place,
            (
                self._moves(i, writing) if writing else (),
                skips,
                clash,
                traits.ordinary or self._ordinary(i),
                traits.junk,
                traits.digits and self.most > 0 and self._is_stray(token),
                traits.negates,
                traits.introduces,
                traits.carries,
                token.pause or (i > 0 and _traits(self.tokens[i - 1].kinds).opens),
                token.glued and not token.pause and self._runs_on(i),
                token.pause,
                token.glued,
            ),
        )

    def _moves(self, i: int, writing: list[Edge]) -> tuple[Move, ...]:
        """The moves of the edges at a token that write something."""
        begins = not (self.tokens[i].glued and self._in_another(i))
        alone = begins and not self._among_words(i)
        return tuple([self._move(i, edge, begins, alone) for edge in writing])

    def _move(self, i: int, edge: Edge, begins: bool, alone: bool) -> Move:  # noqa: FBT001 - two facts of the token
        """The move of an edge."""
        token = self.tokens[i]
        end, out, cost, how = edge
        letter = how == "letter"
        sound = cost >= SOUND_COST and (letter or how == "digits")
        only = self.voice and len(token.text) == 1 and token.text in self.letter_words
        marks = SOUNDED if sound or only else 0
        if letter:
            marks |= 0 if only else SOUND if sound and self.voice else SURE
        named = letter and (Kind.CASE in token.kinds or Kind.CASE in self.tokens[end - 1].kinds)
        mode = "c" if named else "v" if self.voice or how == "symbol" else "t"
        word = out if how == "word" else ""
        weak = self._weak(i, word) if word else False
        keys = (out + mode,) if len(out) == 1 else tuple([c + mode for c in out])
        starts = alone if sound or only else begins
        return made(Move, (end, keys, cost + self._lean(i, edge), letter, marks, starts, word, weak))

    def _weak(self, i: int, word: str) -> bool | None:
        """Whether a word that writes itself is weak evidence of a value; None when it may not write at all."""
        if (
            len(word) == 1
            or not word.isalpha()
            or self._glued(i)
            or (word.isupper() and (not self.shouts or len(word) <= 4))
        ):
            return False
        if self.tokens[i].kinds & NEVER_WRITES or (self.voice and not (word.isupper() or self.words(word))):
            return None
        return True

    def _glued(self, i: int) -> bool:
        """Whether a token is written together with the one before or behind it ("HL429", "te-ly")."""
        return self.tokens[i].glued or (i + 1 < len(self.tokens) and self.tokens[i + 1].glued)

    def _lean(self, i: int, edge: Edge) -> int:
        """What to add to the price of an edge for what stands beside it.

        A sound that is a letter and a digit ("oh", "o") costs nothing as what it usually is where its neighbours
        are of that sort; elsewhere both are as likely. Who types O means O. A word in capitals is no letter's name.
        """
        token = self.tokens[i]
        if edge.how == "symbol" or token.kinds.isdisjoint(LEANS):
            return 0
        if len(token.raw) > 1 and Kind.LETTER in token.kinds and token.raw.isupper() and edge.end == i + 1:
            shown = not self.voice or not self.shouts or self._glued(i)
            return 0 if not shown else -edge.cost if edge.how == "word" else SPELLED_COST if edge.how == "letter" else 0
        at = i + 1 if Kind.REPEAT in token.kinds and i + 1 < len(self.tokens) else i
        token = self.tokens[at]
        if not self.voice or edge.end != at + 1 or edge.how == "word" or not token.kinds >= BOTH:
            return 0
        if self.between_digits and self._among_digits(at):
            return (0 if edge.how == "digits" else SOUND_COST) - edge.cost
        usual = "letter" if min(m.cost for m in token.meanings if m.kind is Kind.LETTER) == 0 else "digits"
        against = SURE_DIGIT if usual == "letter" else SURE_LETTER
        beside = [self.tokens[j].kinds for j in (i - 1, at + 1) if 0 <= j < len(self.tokens)]
        doubted = any(k & against and not k & (SURE_LETTER | SURE_DIGIT) - against for k in beside)
        return (0 if doubted or edge.how == usual else SOUND_COST) - edge.cost

    def _among_digits(self, i: int) -> bool:
        """Whether everything beside a token may be a digit, and something beside it is nothing else."""
        beside = [self.tokens[j].kinds for j in (i - 1, i + 1) if 0 <= j < len(self.tokens)]
        digits = [k for k in beside if k & SURE_DIGIT]
        return len(digits) == len(beside) and any(not k & SURE_LETTER for k in digits)

    def _skips(self, i: int, edge: Edge) -> bool:
        """Whether a stretch that writes nothing is one here: "no k" may be an answer, "no dash" is an instruction.

        "capital" is passed over only where no letter follows it.
        """
        if Kind.CASE in self.tokens[i].kinds and any(e.how == "letter" and e.end > i + 1 for e in self.lattice[i]):
            return False
        return edge.end == i + 1 or not any(Kind.LETTER in t.kinds for t in self.tokens[i + 1 : edge.end])

    def _in_another(self, i: int) -> bool:
        """Whether the token at ``i`` is written together with something before it that is no part of the value."""
        for at in (i, i - 1):
            if at <= 0 or not self.tokens[at].glued or self.tokens[at].pause:
                return False
            before = self.tokens[at - 1]
            if before.raw.isalnum():
                return not before.kinds & CARRYING and not _set_apart(before.raw, self.tokens[at].raw)
            if before.raw not in "-_/.":
                return False
        return False

    def _runs_on(self, i: int) -> bool:
        """Whether a glued token goes on with what stands before it ("HL-429168-1", "HL-429168abc")."""
        raw = self.tokens[i].raw
        if SYLLABIC.match(raw):
            return False
        return raw.isalnum() or (raw in "-_/" and i + 1 < len(self.tokens) and self.tokens[i + 1].glued)

    def _among_words(self, i: int) -> bool:
        """Whether an ordinary word runs into the token at ``i``, so that a mere sound there starts no value."""
        if i == 0 or self.tokens[i].pause:
            return False
        return self.tokens[i - 1].kinds.isdisjoint(LEADING)

    def _ordinary(self, i: int) -> bool:
        """Whether a token may stand before or after the value: an ordinary word, or a known carrier."""
        token = self.tokens[i]
        if Kind.OR in token.kinds:
            beside = [self.tokens[j] for j in (i - 1, i + 1) if 0 <= j < len(self.tokens)]
            return all(t.plain or t.kinds & CARRYING for t in beside)
        if Kind.LETTER in token.kinds and len(token.text) == 1:
            return token.text in self.letter_words and not any(map(self._is_letter, (i - 1, i + 1)))
        if token.kinds & DIGITS and not token.kinds & {Kind.HINT, Kind.SYMBOL}:
            return any(m.cost for m in token.meanings if m.kind is Kind.DIGIT) and Kind.LITERAL not in token.kinds
        return True

    def _is_letter(self, i: int) -> bool:
        """Whether a token is a single letter, so that one beside it is spelled too."""
        return 0 <= i < len(self.tokens) and len(self.tokens[i].text) == 1 and Kind.LETTER in self.tokens[i].kinds

    def _is_stray(self, token: Token) -> bool:
        """Whether digits may stand outside the value: few of them."""
        number = token.get(Kind.LITERAL) or token.get(Kind.NUMBER) or token.get(Kind.DIGIT)
        return number is not None and len(number.out) <= self.most


def _set_apart(before: str, text: str) -> bool:
    """Whether two glued characters are no one word: a syllable or Han character binds no letter behind it.

    Han characters bind no digits either, as nobody puts a space there ("单号429168"); Hangul may ("12가3456").
    """
    return bool(SYLLABIC.match(before)) and (not text[:1].isdigit() or bool(HAN.match(before)))
