"""Closed vocabularies: which known phrases an utterance is made of, and what is left over.

A locale's ``reply.toml`` holds phrases by label (``yes``, ``no``, ``hedge``, ``filler`` ...), in a small notation:

* ``that (is|was) right``  one of several; ``[so]`` optional; ``(yes)+`` once or more;
* ``<good>``               any phrase of the class of that name; ``<alias>`` any word for a detail (``prompts.toml``).

Utterances are cut into words; Han and Hangul into single characters, so that spacing does not matter there. Cutting
and folding (case, accents, apostrophes, drawn-out letters) are the same for phrases and utterances. Of all ways to
cover an utterance with phrases the one with fewest words left over counts, then the one with fewest (longest) phrases.
English words are understood in every locale; only its fillers, cues and the like stay at home (``[abroad]``).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import regex

from langgraph_readback.fields.locales import FALLBACK, language, section
from langgraph_readback.fields.prompts import aliases

_INVISIBLE = regex.compile(
    r"[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\U0001f3fb-\U0001f3ff]"
)
_CJK = r"\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}"
_TOKENS = {
    split: regex.compile(
        rf"""[^\s<>()]+@[^\s<>(),;!?]*[^\s<>(),;!?.]   # an address as typed stays one token
        | https?://\S+
        | [{_CJK}]                                     # scripts without (dependable) spaces: by character
        | (?:(?![{_CJK}])[\p{{L}}\p{{M}}\p{{N}}]{"" if split else "['’ʼ`´]?"})+
        | \p{{Extended_Pictographic}}
        | \?""",
        regex.VERBOSE,
    )
    for split in (False, True)
}
_DRAWN = regex.compile(r"(\p{L})\1{2,}")
_LATIN_MARK = regex.compile(r"(?<=\p{Latin})\p{Mn}+")
_QUOTES = regex.compile(r"['’ʼ`´]")
_NOTATION = regex.compile(r"<\w+>|[()\[\]|]|\+|[^\s<>()\[\]|+]+")

PRIORITY = (
    "handoff", "decline", "no", "not", "hedge", "but", "repeat", "question", "restart", "wait", "silence",
    "part", "detail", "yes", "instead", "cue", "opener", "link", "filler",
)  # fmt: skip
"""The labels. Where two fit the same words the earlier one counts, which is the more cautious one."""


@dataclass(frozen=True, slots=True)
class Token:
    """One word (or character) of an utterance: as folded for comparing, and where it stands in the cleaned text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Segment:
    """``tokens[first:last]`` carry ``label``, or are left over (label ``""``).

    ``force``: ``strong`` phrases count beside anything, ``whole`` ones only with nothing left over, others in between.
    """

    label: str
    force: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Labelled:
    """An utterance, cleaned (NFKC, nothing invisible), cut and labelled."""

    text: str
    tokens: tuple[Token, ...]
    segments: tuple[Segment, ...]
    asks: bool

    @property
    def leftover(self) -> tuple[Segment, ...]:
        """The pieces that no phrase covers."""
        return tuple(s for s in self.segments if not s.label)

    @property
    def labels(self) -> frozenset[str]:
        """The labels that occur."""
        return frozenset(s.label for s in self.segments if s.label)

    def has(self, label: str, *, strong: bool = False) -> bool:
        """Whether the label occurs; with ``strong`` only by a phrase that counts beside anything."""
        return any(s.label == label and (not strong or s.force == "strong") for s in self.segments)

    def words(self, first: int, last: int) -> str:
        """The text from token ``first`` up to, not including, token ``last``, with the punctuation in between."""
        return self.text[self.tokens[first].start : self.tokens[last - 1].end] if first < last else ""


def clean(utterance: str) -> str:
    """NFKC, without invisible characters, skin tones and presentation selectors."""
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", _INVISIBLE.sub("", utterance))).strip()


@dataclass(frozen=True, slots=True)
class Folding:
    """What does not count in comparing words: case, accents of Latin letters, apostrophes, drawn-out letters.

    ``keep``: words whose accent counts after all. ``letters``: the locale's own replacements, by code point.
    ``elides``: whether an apostrophe parts two words ("l'adresse") rather than belonging to one ("it's").
    """

    letters: Mapping[int, str]
    keep: frozenset[str]
    elides: bool

    def tokens(self, text: str) -> Iterator[regex.Match[str]]:
        """The words of a cleaned text, where they stand."""
        return _TOKENS[self.elides].finditer(text)

    def __call__(self, word: str) -> str:
        """The word as compared."""
        text = _DRAWN.sub(r"\1", _QUOTES.sub("", word.casefold()))
        if text not in self.keep:
            text = unicodedata.normalize("NFC", _LATIN_MARK.sub("", unicodedata.normalize("NFD", text)))
        return text.translate(self.letters) or text


@dataclass(frozen=True, slots=True)
class Entry:
    """One phrase with its label and force. Of two that fit the same words the lower ``rank`` counts."""

    node: Node
    label: str
    force: str
    rank: int


@dataclass(frozen=True)
class Lexicon:
    """The phrases of one locale, by first word."""

    fold: Folding
    pieces: frozenset[str]
    index: Mapping[str, tuple[Entry, ...]] = field(repr=False)

    def cut(self, text: str) -> tuple[Token, ...]:
        """The words of a cleaned text, folded."""
        return tuple(Token(self.fold(m.group()), m.start(), m.end()) for m in self.fold.tokens(text))

    def read(self, utterance: str) -> Labelled:
        """Cut and label an utterance."""
        text = clean(utterance)
        tokens = self.cut(text)
        words = tuple(t for t in tokens if t.text != "?")
        return Labelled(text, words, self._cover(tuple(t.text for t in words)), "?" in text)

    def _cover(self, words: tuple[str, ...]) -> tuple[Segment, ...]:
        """The cheapest cover, from the end backwards: fewest words left over, fewest phrases, most cautious labels."""
        end = len(words)
        best: list[tuple[tuple[int, int, int], Segment | None]] = [((0, 0, 0), None)] * (end + 1)
        for at in range(end - 1, -1, -1):
            spare, count, rank = best[at + 1][0]
            choice = ((spare + 1, count, rank), Segment("", "", at, at + 1))
            for entry in self.index.get(words[at], ()):
                for stop in _ends(entry.node, words, at):
                    if stop > at and (entry.force != "whole" or (at == 0 and stop == end)):
                        left, used, ranks = best[stop][0]
                        cost = (left, used + 1, ranks + entry.rank)
                        if cost < choice[0]:
                            choice = (cost, Segment(entry.label, entry.force, at, stop))
            best[at] = choice
        return tuple(_joined(best))


def _joined(best: list[tuple[tuple[int, int, int], Segment | None]]) -> Iterator[Segment]:
    """The segments in order, neighbouring left-over words joined."""
    at, pending = 0, None
    while at < len(best) - 1:
        segment = best[at][1]
        if segment is None:
            break
        if segment.label:
            if pending is not None:
                yield Segment("", "", pending, at)
                pending = None
            yield segment
        elif pending is None:
            pending = at
        at = segment.last
    if pending is not None:
        yield Segment("", "", pending, at)


class Node:
    """One element of a phrase: ``word``, ``seq``, ``any`` (of), ``opt`` or ``more`` (one or more).

    ``empty``: whether it may match nothing. ``firsts``: the words a match may begin with, each with the parts that can.
    """

    __slots__ = ("empty", "firsts", "kind", "parts", "word")

    def __init__(self, kind: str, word: str = "", parts: tuple[Node, ...] = ()) -> None:
        self.kind = kind
        self.word = word
        self.parts = parts
        self.firsts: dict[str, list[Node]] = {}
        self.empty: bool = kind == "opt"
        if kind == "word":
            self.firsts[word] = []
        for part in parts:
            for first in part.firsts:
                self.firsts.setdefault(first, []).append(part)
            if kind == "seq" and not part.empty:
                break
        if kind in ("seq", "any", "more"):
            empties = [part.empty for part in parts]
            self.empty = all(empties) if kind == "seq" else any(empties)


def _ends(node: Node, words: tuple[str, ...], at: int) -> set[int]:
    """Where a match of ``node`` that starts at ``at`` may end."""
    nothing = {at} if node.empty else set()
    if at >= len(words) or words[at] not in node.firsts:
        return nothing
    if node.kind == "word":
        return {at + 1}
    if node.kind == "seq":
        return _sequence(node.parts, words, at)
    ends = nothing.union(*(_ends(part, words, at) for part in node.firsts[words[at]]))
    if node.kind == "more":
        fresh = ends - {at}
        while fresh:
            fresh = {stop for start in fresh for part in node.parts for stop in _ends(part, words, start)} - ends
            ends |= fresh
    return ends


def _sequence(parts: tuple[Node, ...], words: tuple[str, ...], at: int) -> set[int]:
    ends = {at}
    for part in parts:
        if len(ends) == 1:
            ends = _ends(part, words, next(iter(ends)))
        else:
            ends = {stop for start in ends for stop in _ends(part, words, start)}
        if not ends:
            break
    return ends


class _Parser:
    """Reads the phrase notation. Raises ValueError naming the phrase that is not well-formed."""

    def __init__(self, classes: Mapping[str, Iterable[str]], fold: Folding) -> None:
        self.classes = classes
        self.fold = fold
        self.known: dict[str, Node] = {}

    def phrase(self, text: str) -> Node:
        """The node of one phrase."""
        signs = _NOTATION.findall(unicodedata.normalize("NFKC", text))
        node, at = self._choice(signs, 0, text)
        if at != len(signs):
            raise ValueError(f"phrase {text!r}: unbalanced at {signs[at]!r}")
        return node

    def _choice(self, signs: list[str], at: int, text: str) -> tuple[Node, int]:
        options: list[Node] = []
        parts: list[Node] = []
        while at < len(signs) and signs[at] not in (")", "]"):
            sign = signs[at]
            at += 1
            if sign == "|":
                options.append(Node("seq", parts=tuple(parts)))
                parts = []
            elif sign in ("(", "["):
                inner, at = self._choice(signs, at, text)
                if at >= len(signs) or signs[at] != {"(": ")", "[": "]"}[sign]:
                    raise ValueError(f"phrase {text!r}: {sign!r} is not closed")
                at += 1
                parts.append(inner if sign == "(" else Node("opt", parts=(inner,)))
            elif sign == "+" and parts:
                parts[-1] = Node("more", parts=(parts[-1],))
            elif sign.startswith("<") and sign.endswith(">"):
                parts.append(self._class(sign[1:-1], text))
            else:
                words = _words(sign, self.fold)
                if not words or "?" in words or (sign[-1] in "'’" and not self.fold.elides):
                    raise ValueError(f"phrase {text!r}: {sign!r} is no word")
                parts += (Node("word", word=w) for w in words)
        options.append(Node("seq", parts=tuple(parts)))
        return (options[0] if len(options) == 1 else Node("any", parts=tuple(options))), at

    def _class(self, name: str, text: str) -> Node:
        if name not in self.known:
            if name not in self.classes:
                raise ValueError(f"phrase {text!r}: no class <{name}>")
            self.known[name] = Node("any", parts=tuple(self.phrase(p) for p in self.classes[name]))
        return self.known[name]


def _words(text: str, fold: Folding) -> list[str]:
    return [fold(m.group()) for m in fold.tokens(clean(text))]


@lru_cache(maxsize=64)
def lexicon(locale: str) -> Lexicon:
    """The phrases of a locale with the English ones that are understood everywhere."""
    own = section(locale, "reply")
    letters = {ord(k): v for k, v in own.get("fold", {}).items()}
    accents = own.get("accents", {})
    fold = Folding(letters, frozenset(accents.get("keep", ())), bool(accents.get("elides")))
    abroad = section(FALLBACK, "reply") if language(locale) != FALLBACK else {}
    names = [name for group in aliases(locale).values() for name in group]
    index: dict[str, list[Entry]] = {}
    for data, labels, away in ((own, PRIORITY, 0), (abroad, abroad.get("abroad", {}).get("labels", ()), len(PRIORITY))):
        parser = _Parser({**data.get("classes", {}), "alias": names}, fold)
        for entry in _entries(data, labels, parser, away):
            for word in entry.node.firsts:
                index.setdefault(word, []).append(entry)
    pieces = frozenset(w for text in own.get("piece", {}).get("words", ()) for w in _words(text, fold))
    return Lexicon(fold, pieces, {word: tuple(entries) for word, entries in index.items()})


def _entries(data: Mapping[str, Any], labels: Iterable[str], parser: _Parser, away: int) -> Iterator[Entry]:
    """The phrases under the labels; ``away`` is added to their rank, so that a language's own reading comes first."""
    for label in labels:
        for force in ("phrases", "strong", "whole"):
            for text in data.get(label, {}).get(force, ()):
                yield Entry(parser.phrase(text), label, force, PRIORITY.index(label) + away)
