"""The reader for fields whose characters a pattern rules: order numbers, postcodes, plates, phone digits.

It walks the lattice with a small beam of beginnings, each a proper beginning of the pattern. The pattern so
settles what a sound means: in a digit place "oh" is 0, "for" is 4, and a typed O is 0 only where no letter fits.
Where the pattern leaves two choices and the voice does not settle them, both stay, and that is an ambiguity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from langgraph_readback.fields.hearing import repairs
from langgraph_readback.fields.hearing.lattice import Edge, edges
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.shape import SEPARATORS, Shape, shape
from langgraph_readback.fields.hearing.tokens import Kind, Token

__all__ = ["Found", "Path", "Shape", "read", "shape"]

BEAM = 16
LOOKALIKES = {"o": "0", "q": "0", "0": "O", "i": "1", "l": "1", "1": "IL", "s": "5", "5": "S", "b": "8", "8": "B"}
"""What a typed character may stand for where it does not fit itself; only a single choice is taken."""
LOOKALIKE_COST = 4
JUNK_COST = 6
"""A word outside the value that is no known carrier."""
STRAY_COST = 8
"""Digits outside the value ("two shirts, order HL-429168")."""
AGAIN_COST = 5
"""A second value after the first."""
SOUND_COST = 2
"""What a sound costs to be a letter among digits, or a digit among letters."""
SPELLED_COST = 3
"""What a letter's name costs to be one in capitals ("AR" for R), where the rest is not in capitals."""

BEFORE, DIRTY, INSIDE, AFTER, CLEAR = range(5)
"""Phases of a path: before the value; before it, just past stray digits; in it; past it; past it and a word."""
UNCASED, WORDY, WORDS, JUNKED, SOUNDED, SOUND, SOUNDS, SURE = (1 << n for n in range(8))
"""Marks of a path: a letter whose case nobody said; written by an ordinary word; by two of them; ordinary words
stand outside the value; the last piece was only a sound ("for" as 4); a letter was only a sound ("are" as R); two
were; one was more than that."""

DIGITS = frozenset({Kind.LITERAL, Kind.DIGIT, Kind.NUMBER})
SURE_DIGIT = frozenset({Kind.DIGIT, Kind.NUMBER, Kind.LITERAL, Kind.SCALE})
SURE_LETTER = frozenset({Kind.LETTER, Kind.SPELL})
BOTH = frozenset({Kind.LETTER, Kind.DIGIT})
CARRYING = frozenset({Kind.CARRIER, Kind.FILLER, Kind.END, Kind.SPELLED, Kind.JOIN, Kind.CLASSIFIER})
TAKES_BACK = frozenset({Kind.REPAIR})
NEVER_WRITES = frozenset({Kind.CARRIER, Kind.FILLER, Kind.PROSE, Kind.END, Kind.TERM})


class Path(NamedTuple):
    """A beginning: what it wrote, its price, and its pieces (index, first, last); where it stands.

    ``done`` is a value that came whole before this one; ``marks`` are the doubts about it.
    """

    text: str
    cost: int
    trace: tuple[tuple[int, int, int], ...]
    state: str = ""
    phase: int = BEFORE
    done: str | None = None
    marks: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """What the walk ended with.

    ``values``: whole values with their prices, cheapest first. ``partial``: some beginning reached the end of
    the utterance. ``longest``: characters of the longest beginning. ``overran``: a whole value was followed by more.
    ``clash``: a letter and its hint disagreed. ``uncased``: capital or small was not said, and both fit.
    ``two``: two different values were given. ``sounds``: words that only sound like letters made a value.
    """

    values: tuple[Path, ...]
    partial: bool
    longest: int
    overran: bool
    clash: bool
    uncased: bool = False
    two: tuple[str, ...] = ()
    sounds: bool = False


def read(
    utterance: Utterance,
    form: Shape,
    words: Callable[[str], bool] = lambda w: len(w) <= 4,
    *,
    stray: int = 0,
    again: bool = False,
) -> Found:
    """Walk the whole utterance.

    ``words`` says which unknown words may write themselves ("HL", not "hello"); ``stray`` how many digits may
    stand outside the value in one piece; ``again`` whether the value may be given twice.
    """
    return Walk(utterance, form, words, stray, again=again).run()


class Walk:
    """One walk: ``beams[i]`` are the best beginnings at token ``i``."""

    def __init__(
        self, utterance: Utterance, form: Shape, words: Callable[[str], bool], stray: int = 0, *, again: bool = False
    ) -> None:
        self.utterance, self.form, self.words = utterance, form, words
        self.stray, self.again = stray, again
        self.voice = utterance.voice
        self.tokens = utterance.tokens
        self.lattice = edges(utterance)
        self.beams: list[dict[tuple[str, int, str | None, int], Path]] = [{} for _ in range(len(self.tokens) + 1)]
        self.memo: dict[tuple[str, str], tuple[tuple[str, int, bool], ...]] = {}
        self.wholes: dict[str, bool] = {}
        self.letter_words = utterance.lexicon.data.get("letter_words", "ai")
        self.shouts = not any(t.raw.islower() for t in self.tokens)
        self.longest = 0
        self.overran = self.clash = False

    def run(self) -> Found:
        """Fill the beams from the left and collect what reached the end."""
        self.beams[0]["", BEFORE, None, 0] = Path("", 0, ())
        for i in range(len(self.tokens)):
            if repairs.is_restart(self.tokens, i) and i + 1 < len(self.tokens):
                self.beams[i + 1] = {("", BEFORE, None, 0): Path("", 0, ())}
                continue
            if repairs.is_repair(self.tokens, i) or (0 < i < len(self.tokens) - 1 and self.tokens[i].kinds == TAKES_BACK):
                self._repair(i)
            beam = self.beams[i]
            paths = beam.values() if len(beam) <= BEAM else sorted(beam.values(), key=lambda p: p.cost)[:BEAM]
            for path in tuple(paths):
                self._advance(i, path)
        return self._collect()

    def _collect(self) -> Found:
        ended = sorted(self.beams[-1].values(), key=lambda p: p.cost)
        values, two, open_case, partial, sounds = [], [], [], False, False
        for path in ended:
            if not path.text:
                continue
            if not self._whole(path.text):
                partial = partial or self._beginning(path)
            elif path.done is not None and path.done != path.text:
                two.append(path)
            elif path.marks & WORDS or (path.marks & WORDY and path.marks & (JUNKED | SOUND)):
                continue
            elif path.marks & SOUNDS and not path.marks & SURE:
                sounds = True
            elif path.marks & UNCASED:
                cased = self._said_case(path.text)
                if cased is None:
                    open_case.append(path.cost)
                else:
                    values.append(path._replace(text=cased))
            else:
                values.append(path)
        uncased = bool(open_case) and not (values and values[0].cost <= open_case[0])
        if uncased:
            values = []
        pair = (str(two[0].done), two[0].text) if two else ()
        return Found(tuple(values), partial, self.longest, self.overran, self.clash, uncased, pair, sounds)

    def _beginning(self, path: Path) -> bool:
        """Whether an unfinished path is somebody's dictation and not ordinary words."""
        return path.done is None and not path.marks & WORDY and not (path.marks & JUNKED and len(path.text) < 2)

    def _said_case(self, text: str) -> str | None:
        """The text in the case that was said for all of it ("all lower case"), or None."""
        said = {m.out for t in self.tokens for m in t.meanings if m.kind is Kind.CASE and m.out.startswith("all")}
        if len(said) != 1:
            return None
        cased = text.upper() if "all_upper" in said else text.lower()
        return cased if self._whole(cased) else None

    def _whole(self, text: str) -> bool:
        known = self.wholes.get(text)
        if known is None:
            known = self.wholes[text] = self.form.whole(text)
        return known

    def _advance(self, i: int, path: Path) -> None:
        if path.phase in (AFTER, CLEAR):
            self._past(i, path)
            return
        moved = False
        for edge in self.lattice[i]:
            if edge.how == "skip":
                if self._skips(i, edge):
                    phase = BEFORE if path.phase == DIRTY and Kind.CARRIER in self.tokens[i].kinds else path.phase
                    self._put(edge.end, path._replace(cost=path.cost + edge.cost, phase=phase))
            elif path.phase == DIRTY:
                continue
            elif edge.how == "clash":
                self.clash = True
            else:
                moved = self._write(i, path, edge) or moved
        if not path.text:
            self._outside(i, path)
        elif self._whole(path.text):
            before = len(self.beams[i + 1])
            self._past(i, path._replace(phase=AFTER))
            if not moved and len(self.beams[i + 1]) == before:
                self.overran = True

    def _write(self, i: int, path: Path, edge: Edge) -> bool:
        """Every way in which the pattern takes what an edge writes; False when there is none."""
        token = self.tokens[i]
        if not path.text and self._in_another(i):
            return False
        marks = path.marks & ~SOUNDED
        sound = edge.cost >= SOUND_COST and edge.how in ("letter", "digits")
        if edge.how == "word":
            weak = self._weak(i, edge, path.state)
            if weak is None:
                return False
            marks |= (WORDS if marks & WORDY else WORDY) if weak else 0
        elif not path.text and (sound or self._is_word(token)) and self._among_words(i):
            return False
        if sound or self._is_word(token):
            marks |= SOUNDED
        if edge.how == "letter":
            marks |= (SOUNDS | SOUND if marks & SOUND else SOUND) if sound and self.voice else SURE
        cost = path.cost + edge.cost + self._lean(i, edge)
        cased = Kind.CASE in token.kinds and edge.how == "letter"
        moved = False
        for text, price, uncased in self._extended(i, path.text, path.state, edge, cased):
            grown = len(text) > len(path.text)
            moved = moved or grown
            trace = (*path.trace, (len(path.text), i, edge.end)) if grown else path.trace
            noted = marks | UNCASED if uncased else marks
            phase = INSIDE if text else path.phase
            self._put(edge.end, Path(text, cost + price, trace, self.form.state(text), phase, path.done, noted))
        return moved

    def _extended(self, i: int, text: str, state: str, edge: Edge, cased: bool) -> list[tuple[str, int, bool]]:
        """``text`` with the edge's characters written after it, as the pattern wants them."""
        token = self.tokens[i]
        typed = not self.voice and edge.how in ("word", "letter", "digits")
        gap = 1 if token.pause else 2
        grown = [(text, state, 0, False)]
        for at, char in enumerate(edge.out):
            after = []
            for said, stand, price, uncased in grown:
                for piece, more, doubt in self._pieces(stand, char, typed=typed, cased=cased):
                    inserted = gap + 2 * (at > 0) if len(piece) > 1 else 0
                    if inserted and piece[0] == " " and not token.glued and at == 0:
                        inserted -= 1
                    written = stand + self.form.state(piece)
                    after.append((said + piece, written, price + more + inserted, uncased or doubt))
                if char in SEPARATORS and said and not any(a[0].startswith(said) for a in after):
                    after.append((said, stand, price, uncased))
            grown = after[:BEAM]
            if not grown:
                return []
        return [(t, price, uncased) for t, _, price, uncased in grown]

    def _pieces(self, state: str, char: str, *, typed: bool, cased: bool) -> tuple[tuple[str, int, bool], ...]:
        """What a state takes for one character: (text, price, whether its case is open), as said first."""
        mode = "t" if typed else "c" if cased else "v"
        key = (state, char + mode)
        known = self.memo.get(key)
        if known is None:
            found = list(self._fitting(state, "", char, mode))
            if char not in SEPARATORS:
                for literal in self.form.literals:
                    if self.form.starts(state + self.form.state(literal)):
                        found += self._fitting(state, literal, char, mode)
            if not found and mode == "t":
                found = self._lookalike(state, char)
            known = self.memo[key] = tuple(found)
        return known

    def _fitting(self, state: str, literal: str, char: str, mode: str) -> Iterator[tuple[str, int, bool]]:
        """A character after a state in the case that fits; the typed or said case first."""
        form = self.form
        stand = state + form.state(literal)
        variants = [v for v in dict.fromkeys((char, char.upper(), char.lower())) if len(v) == 1]
        fits = [v for v in variants if form.starts(stand + form.state(v))]
        if not fits:
            return
        if form.ignores_case:
            yield literal + char.upper(), 0, False
        elif len(fits) > 1 and mode == "v" and char.upper() != char.lower():
            yield literal + fits[0].lower(), 0, True
        else:
            yield literal + fits[0], 0, False

    def _lookalike(self, state: str, char: str) -> list[tuple[str, int, bool]]:
        """The one character that a typed one may stand for; nothing when two would fit.

        Q is one for 0 only in a place that takes letters but not this one.
        """
        if char.lower() == "q" and not self.form.starts(state + self.form.state("P")):
            return []
        found = [
            (literal + other, LOOKALIKE_COST, False)
            for other in LOOKALIKES.get(char.lower(), "")
            for literal in ("", *self.form.literals)
            if self.form.starts(state + self.form.state(literal + other))
        ]
        return found if len(found) == 1 else []

    def _weak(self, i: int, edge: Edge, state: str) -> bool | None:
        """Whether a word that writes itself is weak evidence of a value; None when it may not write at all."""
        token = self.tokens[i]
        if self._is_forced(edge.out, state):
            return False
        if not edge.out.isalpha() or self._glued(i) or (edge.out.isupper() and self._stands_out(edge.out)):
            return False
        if token.kinds & NEVER_WRITES or (self.voice and not (edge.out.isupper() or self.words(edge.out))):
            return None
        return True

    def _glued(self, i: int) -> bool:
        """Whether a token is written together with the one before or behind it ("HL429", "te-ly")."""
        return self.tokens[i].glued or (i + 1 < len(self.tokens) and self.tokens[i + 1].glued)

    def _stands_out(self, word: str) -> bool:
        """Whether capitals say something: the rest is written small, or the word is too short for a sentence."""
        return not self.shouts or len(word) <= 4

    def _is_forced(self, word: str, state: str) -> bool:
        """Whether the pattern wants exactly this word here ("INV", "ORDER")."""
        for char in word:
            if self.form.forced(state) != char.upper():
                return False
            pieces = self._pieces(state, char, typed=True, cased=False)
            if not pieces:
                return False
            state += self.form.state(pieces[0][0])
        return True

    def _lean(self, i: int, edge: Edge) -> int:
        """What to add to the price of an edge for what stands beside it.

        A sound that is a letter and a digit ("oh", "o") costs nothing as what it usually is where its neighbours
        are of that sort; elsewhere both are as likely. Who types O means O. A word in capitals is no letter's name.
        """
        if edge.how not in ("letter", "digits", "word"):
            return 0
        token = self.tokens[i]
        if len(token.raw) > 1 and Kind.LETTER in token.kinds and token.raw.isupper() and edge.end == i + 1:
            shown = not self.voice or not self.shouts or self._glued(i)
            return 0 if not shown else -edge.cost if edge.how == "word" else SPELLED_COST if edge.how == "letter" else 0
        at = i + 1 if Kind.REPEAT in token.kinds and i + 1 < len(self.tokens) else i
        token = self.tokens[at]
        if not self.voice or edge.end != at + 1 or edge.how == "word" or not token.kinds >= BOTH:
            return 0
        usual = "letter" if min(m.cost for m in token.meanings if m.kind is Kind.LETTER) == 0 else "digits"
        against = SURE_DIGIT if usual == "letter" else SURE_LETTER
        beside = [self.tokens[j].kinds for j in (i - 1, at + 1) if 0 <= j < len(self.tokens)]
        doubted = any(k & against and not k & (SURE_LETTER | SURE_DIGIT) - against for k in beside)
        return (0 if doubted or edge.how == usual else SOUND_COST) - edge.cost

    def _skips(self, i: int, edge: Edge) -> bool:
        """Whether a stretch that writes nothing is one here: "no k" may be an answer, "no dash" is an instruction.

        "capital" is passed over only where no letter follows it.
        """
        if Kind.CASE in self.tokens[i].kinds and any(e.how == "letter" and e.end > i + 1 for e in self.lattice[i]):
            return False
        return edge.end == i + 1 or not any(Kind.LETTER in t.kinds for t in self.tokens[i + 1 : edge.end])

    def _is_word(self, token: Token) -> bool:
        return self.voice and len(token.text) == 1 and token.text in self.letter_words

    def _in_another(self, i: int) -> bool:
        """Whether the token at ``i`` is written together with something before it that is no part of the value."""
        for at in (i, i - 1):
            if at <= 0 or not self.tokens[at].glued or self.tokens[at].pause:
                return False
            before = self.tokens[at - 1]
            if before.raw.isalnum():
                return not before.kinds & CARRYING
            if before.raw not in "-_/.":
                return False
        return False

    def _among_words(self, i: int) -> bool:
        """Whether an ordinary word runs into the token at ``i``, so that a mere sound there starts no value."""
        if i == 0 or self.tokens[i].pause:
            return False
        before = self.tokens[i - 1]
        return not before.kinds & CARRYING and Kind.REPAIR not in before.kinds

    def _outside(self, i: int, path: Path) -> None:
        """Past a token that stands before the value."""
        token = self.tokens[i]
        if self._ordinary(i):
            negates = Kind.NOT in token.kinds and Kind.REPAIR not in token.kinds
            phase = DIRTY if negates else BEFORE
            marks = path.marks | JUNKED if self._counts_as_junk(i) else path.marks
            self._put(i + 1, path._replace(cost=path.cost + JUNK_COST, phase=phase, marks=marks))
        elif self._is_stray(i):
            self._put(i + 1, path._replace(cost=path.cost + STRAY_COST, phase=DIRTY, marks=path.marks | JUNKED))

    def _past(self, i: int, path: Path) -> None:
        """Past a token that stands behind a whole value, or into a second value."""
        token = self.tokens[i]
        clean = path.phase == CLEAR
        for edge in self.lattice[i]:
            if edge.how == "skip" and path.phase == AFTER and self._skips(i, edge):
                self._put(edge.end, path._replace(cost=path.cost + edge.cost))
            elif edge.how == "skip" and clean:
                self._put(edge.end, path)
        if self._runs_on(i, path):
            return
        if self._ordinary(i) and not (path.marks & SOUNDED and not clean and not token.pause and not token.kinds & CARRYING):
            marks = path.marks | JUNKED if self._counts_as_junk(i) else path.marks
            self._put(i + 1, path._replace(cost=path.cost + JUNK_COST, phase=CLEAR, marks=marks & ~SOUNDED))
        elif clean and self._is_stray(i):
            self._put(i + 1, path._replace(cost=path.cost + STRAY_COST, marks=path.marks | JUNKED))
        if self.again and path.done is None and (clean or token.pause or self._apart(i, path)):
            fresh = Path("", path.cost + AGAIN_COST, (), "", BEFORE, path.text, path.marks & (WORDY | WORDS | JUNKED))
            for edge in self.lattice[i]:
                if edge.how not in ("skip", "clash"):
                    self._write(i, fresh, edge)

    def _runs_on(self, i: int, path: Path) -> bool:
        """Whether a token is written together with the value before it ("HL-429168-1", "HL-429168abc")."""
        token = self.tokens[i]
        if path.phase == CLEAR or not token.glued or token.pause:
            return False
        return token.raw.isalnum() or (token.raw in "-_/" and i + 1 < len(self.tokens) and self.tokens[i + 1].glued)

    def _apart(self, i: int, path: Path) -> bool:
        """Whether a second value may begin without a pause: typed with a space, and known by its letters."""
        return not self.voice and not self.tokens[i].glued and any(c.isalpha() for c in path.text)

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

    def _is_stray(self, i: int) -> bool:
        """Whether digits may stand outside the value: few of them, and a word between (see ``DIRTY``)."""
        token = self.tokens[i]
        if not token.kinds & DIGITS:
            return False
        number = token.get(Kind.LITERAL) or token.get(Kind.NUMBER) or token.get(Kind.DIGIT)
        return number is not None and len(number.out) <= self.stray

    def _counts_as_junk(self, i: int) -> bool:
        """Whether a skipped token is a word of some other sentence."""
        return not self.tokens[i].kinds & (CARRYING | {Kind.REPAIR, Kind.SYMBOL})

    def _put(self, i: int, path: Path) -> None:
        if len(path.text) > self.longest:
            self.longest = len(path.text)
        key = (path.text, path.phase, path.done, path.marks)
        old = self.beams[i].get(key)
        if old is None or path.cost < old.cost:
            self.beams[i][key] = path

    def _repair(self, i: int) -> None:
        """Beginnings of every earlier cut go on after the repair words."""
        _, after = repairs.extent(self.tokens, i)
        for cut, price in repairs.cuts(self.tokens, i):
            for path in tuple(self.beams[cut].values()):
                if path.phase in (BEFORE, INSIDE) and (path.text or cut == 0):
                    self._put(after, path._replace(cost=path.cost + price))
