"""The reader for fields whose characters a pattern rules: order numbers, postcodes, plates, phone digits.

It walks the lattice with a small beam of beginnings, each a proper beginning of the pattern. The pattern so
settles what a sound means: in a digit place "oh" is 0, "for" is 4, and a typed O is 0 only where no letter fits.
Where the pattern leaves two choices and the voice does not settle them, both stay, and that is an ambiguity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

from langgraph_readback.fields.hearing import repairs
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.places import (
    JUNKED,
    PASSED,
    SOUND,
    SOUNDED,
    SOUNDS,
    SURE,
    UNCASED,
    WORDS,
    WORDY,
    Move,
    Place,
    Places,
)
from langgraph_readback.fields.hearing.shape import LOOKALIKES, SEPARATORS, Node, Shape, shape
from langgraph_readback.fields.hearing.tokens import Kind, made

__all__ = ["JUNKED", "Found", "Path", "Shape", "read", "shape"]

BEAM = 12
"""Beginnings kept at a token; half of them in an utterance of more than a hundred tokens."""
LOOKALIKE_COST = 4
JUNK_COST = 6
"""A word outside the value that is no known carrier."""
STRAY_COST = 8
"""Digits outside the value ("two shirts, order HL-429168")."""
AGAIN_COST = 5
"""A second value after the first."""

BEFORE, DIRTY, INSIDE, AFTER, CLEAR = range(5)
"""Phases of a path: before the value; before it, just past stray digits; in it; past it; past it and a word."""
TAKES_BACK = frozenset({Kind.REPAIR})

Piece = tuple[str, Node, int, bool]
"""What a node takes for a character: text, the node after it, price, whether its case is open."""
_cost = itemgetter(1)


class Path(NamedTuple):
    """A beginning: what it wrote, its price, and its pieces (index, first, last); where it stands.

    ``done`` is a value that came whole before this one; ``marks`` are the doubts about it.
    """

    text: str
    cost: int
    trace: tuple[tuple[int, int, int], ...]
    node: Node
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
    return Walk(utterance, form, Places(utterance, words, stray), again=again).run()


class Walk:
    """One walk: ``beams[i]`` are the best beginnings at token ``i``."""

    def __init__(self, utterance: Utterance, form: Shape, places: Places, *, again: bool) -> None:
        self.form, self.places, self.again = form, places, again
        self.voice, self.tokens = utterance.voice, utterance.tokens
        self.root = form.root()
        self.beam = BEAM if len(self.tokens) <= 100 else BEAM // 2
        self.beams: list[dict[tuple[str, int, str | None, int], Path]] = [{} for _ in range(len(self.tokens) + 1)]
        self.longest = 0
        self.overran = self.clash = self.sounds = False

    def run(self) -> Found:
        """Fill the beams from the left and collect what reached the end."""
        tokens, last = self.tokens, len(self.tokens) - 1
        begin = Path("", 0, (), self.root)
        self._put(0, begin)
        for i, token in enumerate(tokens):
            if Kind.RESTART in token.kinds and i < last:
                self.beams[i + 1] = {}
                self._put(i + 1, begin)
                continue
            if Kind.REPAIR in token.kinds and (
                repairs.is_repair(tokens, i) or (0 < i < last and token.kinds == TAKES_BACK)
            ):
                self._repair(i)
            if self.beams[i]:
                self._from(i)
        return self._collect()

    def _from(self, i: int) -> None:
        """Every path at a token goes on: those in the value, the best of those past it, and one into a second value."""
        paths = list(self.beams[i].values())
        phases = {path.phase for path in paths}
        writes = self._fits if INSIDE in phases else self._opens if phases != {DIRTY} else None
        place = self.places.at(i, writes)
        self.clash = self.clash or place.clash
        ahead = paths if max(phases) < AFTER else [p for p in paths if p.phase < AFTER]
        if len(ahead) > self.beam:
            ahead = sorted(ahead, key=_cost)[: self.beam]
        ended = [self._advance(i, place, path) for path in ahead]
        finished = [p for p in ended if p is not None]
        if max(phases) >= AFTER:
            for path in _best_past(paths):
                self._past(i, place, path)
                finished.append(path)
        if self.again and place.moves and finished:
            self._second(i, place, min(finished, key=_cost))

    def _opens(self, text: str) -> bool:
        """Whether a value may begin with a text's first character, however it was said."""
        key = text[0] + "t"
        pieces = self.root.taken.get(key)
        if pieces is None:
            pieces = self.root.taken[key] = tuple(_pieces(self.form, self.root, key))
        return bool(pieces)

    def _fits(self, text: str) -> bool:
        """Whether every character of a text may stand somewhere in a value, however it was said."""
        return all(map(self.form.holds, text))

    def _advance(self, i: int, place: Place, path: Path) -> Path | None:
        """One path before or in its value goes on; itself, as one past its value, when that may end here."""
        text, cost, trace, node, phase, done, marks = path
        onward = BEFORE if phase == DIRTY and place.introduces else phase
        noted = marks | PASSED if text else marks
        for end, price in place.skips:
            self._put(end, made(Path, (text, cost + price, trace, node, onward, done, noted)))
        moved = False
        if phase != DIRTY:
            for move in place.moves:
                moved = self._write(i, place, path, move) or moved
        if not text:
            if place.ordinary:
                onward = DIRTY if place.negates else BEFORE
                self._put(i + 1, Path(text, cost + JUNK_COST, trace, node, onward, done, marks | place.junk))
            elif place.stray:
                self._put(i + 1, Path(text, cost + STRAY_COST, trace, node, DIRTY, done, marks | JUNKED))
            return None
        if not node.whole:
            return None
        over = made(Path, (text, cost, trace, node, AFTER, done, marks))
        if not self._past(i, place, over) and not moved:
            self.overran = True
        return over

    def _write(self, i: int, place: Place, path: Path, move: Move) -> bool:
        """Every way in which the pattern takes what a move writes; False when there is none."""
        text, cost, trace, node, _, done, marks = path
        if not text and not move.starts:
            return False
        if move.word and move.weak is not False and not self._is_forced(move.word, node):
            if move.weak is None:
                return False
            marks |= WORDS if marks & WORDY else WORDY
        if move.marks & marks & SOUND:
            marks |= SOUNDS
        marks = (marks & ~SOUNDED) | move.marks
        if (marks & WORDS and self.voice) or (marks & WORDY and marks & (JUNKED | SOUND)):
            return False
        moved = False
        for written, onward, price, uncased in self._extended(text, node, place, move.keys):
            pieces = trace
            if len(written) > len(text):
                moved, pieces = True, (*trace, (len(text), i, move.end))
            noted = marks | UNCASED if uncased else marks
            self._put(move.end, made(Path, (written, cost + move.cost + price, pieces, onward, INSIDE, done, noted)))
        return moved

    def _extended(self, text: str, node: Node, place: Place, keys: tuple[str, ...]) -> list[Piece]:
        """A text with more characters written after it, as the pattern wants them."""
        grown: list[Piece] = [(text, node, 0, False)]
        for at, key in enumerate(keys):
            after: list[Piece] = []
            for said, stand, price, uncased in grown:
                pieces = stand.taken.get(key)
                if pieces is None:
                    pieces = stand.taken[key] = tuple(_pieces(self.form, stand, key))
                for piece, onward, more, doubt in pieces:
                    gap = _inserted(piece, place, first=at == 0) if len(piece) > 1 else 0
                    after.append((said + piece, onward, price + more + gap, uncased or doubt))
                if not pieces and said and key[0] in SEPARATORS:
                    after.append((said, stand, price, uncased))
            if not after:
                return after
            grown = after[:BEAM]
        return grown

    def _is_forced(self, word: str, node: Node) -> bool:
        """Whether the pattern wants exactly this word here ("INV", "ORDER")."""
        for char in word:
            if node.forced != char.upper():
                return False
            pieces = _pieces(self.form, node, char + "t")
            if not pieces:
                return False
            node = pieces[0][1]
        return True

    def _past(self, i: int, place: Place, path: Path) -> bool:
        """Past a token that stands behind a whole value; False when it may not stand there."""
        text, cost, trace, node, phase, done, marks = path
        for end, price in place.skips:
            self._put(end, Path(text, cost + price, trace, node, phase, done, marks))
        clean = phase == CLEAR
        if place.runs_on and not clean:
            return bool(place.skips)
        if place.ordinary and (clean or place.pause or place.carries or not marks & SOUNDED):
            left = (marks | place.junk) & ~SOUNDED
            self._put(i + 1, made(Path, (text, cost + JUNK_COST, trace, node, CLEAR, done, left)))
        elif clean and place.stray:
            self._put(i + 1, Path(text, cost + STRAY_COST, trace, node, CLEAR, done, marks | JUNKED))
        else:
            return bool(place.skips)
        return True

    def _second(self, i: int, place: Place, path: Path) -> None:
        """A second value begins: after a word, after a pause, or typed with a space and known by its letters."""
        apart = not self.voice and not place.glued and any(c.isalpha() for c in path.text)
        if path.done is not None or not (path.phase == CLEAR or place.opens or apart):
            return
        kept = path.marks & (WORDY | WORDS | JUNKED)
        fresh = Path("", path.cost + AGAIN_COST, (), self.root, BEFORE, path.text, kept)
        for move in place.moves:
            self._write(i, place, fresh, move)

    def _put(self, i: int, path: Path) -> None:
        text, cost, _, _, phase, done, marks = path
        if marks & WORDY and marks & JUNKED:
            return
        if phase == CLEAR and _only_sounds(text, marks):
            self.sounds = True
            return
        self.longest = max(self.longest, len(text))
        key, beam = (text, phase, done, marks), self.beams[i]
        if key not in beam or cost < beam[key].cost:
            beam[key] = path

    def _repair(self, i: int) -> None:
        """Beginnings of every earlier cut go on after the repair words."""
        _, after = repairs.extent(self.tokens, i)
        for cut, price in repairs.cuts(self.tokens, i):
            for path in tuple(self.beams[cut].values()):
                if path.phase in (BEFORE, INSIDE) and (path.text or cut == 0):
                    self._put(after, path._replace(cost=path.cost + price))

    def _collect(self) -> Found:
        """Values, and the signs of why there may be none."""
        values: list[Path] = []
        two: list[Path] = []
        open_case: list[int] = []
        partial, sounds = False, self.sounds
        for path in sorted(self.beams[-1].values(), key=_cost):
            if not path.text:
                continue
            if not path.node.whole:
                partial = partial or _is_dictation(path)
            elif path.done is not None and path.done != path.text:
                two.append(path)
            elif path.marks & WORDS and path.text.isalpha():
                continue
            elif _only_sounds(path.text, path.marks):
                sounds = True
            elif path.marks & UNCASED and (cased := self._said_case(path.text)) is None:
                open_case.append(path.cost)
            else:
                values.append(path._replace(text=cased) if path.marks & UNCASED and cased else path)
        uncased = bool(open_case) and not (values and values[0].cost <= open_case[0])
        pair = (str(two[0].done), two[0].text) if two else ()
        found = () if uncased else tuple(values)
        return Found(found, partial, self.longest, self.overran, self.clash, uncased, pair, sounds)

    def _said_case(self, text: str) -> str | None:
        """The text in the case that was said for all of it ("all lower case"), or None."""
        said = {m.out for t in self.tokens for m in t.meanings if m.kind is Kind.CASE and m.out.startswith("all")}
        if len(said) != 1:
            return None
        cased = text.upper() if "all_upper" in said else text.lower()
        return cased if self.form.whole(cased) else None


def _best_past(paths: list[Path]) -> list[Path]:
    """The cheapest of the paths past their value, of each phase and of each answer to whether it was said twice."""
    groups: dict[tuple[int, bool | None], list[Path]] = {}
    for path in paths:
        if path.phase >= AFTER:
            same = None if path.done is None else path.done == path.text
            groups.setdefault((path.phase, same), []).append(path)
    least = {key: min(map(_cost, group)) for key, group in groups.items()}
    return [p for key, group in groups.items() for p in group if p.cost == least[key]]


def _only_sounds(text: str, marks: int) -> bool:
    """Whether a value is made of words that sound like letters, and nothing else speaks for it ("are you there").

    With digits, and nothing said besides, it is believed: "you are one two three four".
    """
    if not marks & SOUNDS or marks & SURE:
        return False
    return bool(marks & (JUNKED | PASSED)) or not any(c.isdigit() for c in text)


def _is_dictation(path: Path) -> bool:
    """Whether an unfinished path is somebody's dictation and not ordinary words."""
    return path.done is None and not path.marks & WORDY and not (path.marks & JUNKED and len(path.text) < 2)


def _inserted(piece: str, place: Place, *, first: bool) -> int:
    """What a separator costs that the pattern wants and nobody said: least at a pause, most inside a piece."""
    cost = (1 if place.pause else 2) + (0 if first else 2)
    return cost - 1 if piece[0] == " " and first and not place.glued else cost


def _pieces(form: Shape, node: Node, key: str) -> list[Piece]:
    """What a node takes for one character, with or without a separator before it, as said first."""
    char, mode = key[0], key[-1]
    found = _fitting(form, node, "", char, mode)
    if char not in SEPARATORS:
        for literal in form.literals:
            onward = node.step(literal)
            if onward is not None:
                found += _fitting(form, onward, literal, char, mode)
    return found if found or mode != "t" else _lookalike(form, node, char)


def _fitting(form: Shape, node: Node, literal: str, char: str, mode: str) -> list[Piece]:
    """A character after a node in the case that fits; the typed or said case first."""
    variants = [v for v in dict.fromkeys((char, char.upper(), char.lower())) if len(v) == 1]
    fits = [(v, onward) for v in variants if (onward := node.step(v)) is not None]
    if not fits:
        return []
    chosen, doubt = fits[0], False
    if len(fits) > 1 and char.upper() != char.lower():
        doubt = mode == "v" and not form.ignores_case
        wanted = char.upper() if form.ignores_case else char.lower() if doubt else chosen[0]
        chosen = next((f for f in fits if f[0] == wanted), chosen)
    return [(literal + chosen[0], chosen[1], 0, doubt)]


def _lookalike(form: Shape, node: Node, char: str) -> list[Piece]:
    """The one character that a typed one may stand for; nothing when two would fit.

    Q is one for 0 only in a place that takes letters but not this one.
    """
    if char.lower() == "q" and node.step("P") is None:
        return []
    found = [
        (literal + other, onward, LOOKALIKE_COST, False)
        for other in LOOKALIKES.get(char.lower(), "")
        for literal in ("", *form.literals)
        if (onward := node.walk(literal + other)) is not None
    ]
    return found if len(found) == 1 else []
