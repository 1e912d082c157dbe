"""Closed vocabularies: which known phrases an utterance is made of, and what is left over.

A locale's ``reply.toml`` holds phrases by label (``yes``, ``no``, ``hedge``, ``filler`` ...) in the notation of
``fields/notation.py``; ``<alias>`` stands for any word for a detail (``prompts.toml``).

Utterances are cut into words; Han and Hangul into single characters, so that spacing does not matter there. Cutting
and folding (case, accents, apostrophes, drawn-out letters) are the same for phrases and utterances. Of all ways to
cover an utterance with phrases the one with fewest words left over counts, then the one with fewest (longest) phrases.
English words are understood in every locale; only its fillers, cues and the like stay at home (``[abroad]``).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, cast

import regex

from langgraph_readback.fields.hearing.tokens import made
from langgraph_readback.fields.locales import FALLBACK, language, section
from langgraph_readback.fields.notation import Entry, Matcher, Parser
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
_PLAIN = {  # the same for ASCII alone, which is most of English and much faster
    split: re.compile(
        r"[^\s<>()]+@[^\s<>(),;!?]*[^\s<>(),;!?.]|https?://\S+|(?:[A-Za-z0-9]" + ("" if split else "['`]?") + r")+|\?"
    )
    for split in (False, True)
}
_DRAWN_PLAIN = re.compile(r"([a-z])\1\1+")
_DRAWN = regex.compile(r"(\p{L})\1{2,}")
_LATIN_MARK = regex.compile(r"(?<=\p{Latin})\p{Mn}+")
_QUOTES = regex.compile(r"['’ʼ`´]")

PRIORITY = (
    "handoff", "decline", "no", "not", "hedge", "but", "repeat", "question", "restart", "wait", "silence",
    "part", "detail", "yes", "instead", "cue", "opener", "link", "filler",
)  # fmt: skip
"""The labels. Where two fit the same words the earlier one counts, which is the more cautious one."""
LONG = 4
"""Words, of twice as many characters or more, that make a phrase a sentence of its own."""
FORCES = ("phrases", "strong", "whole")


class Token(NamedTuple):
    """One word (or character) of an utterance: as folded for comparing, and where it stands in the cleaned text."""

    text: str
    start: int
    end: int


class Segment(NamedTuple):
    """``tokens[first:last]`` carry ``label``, or are left over (label ``""``).

    ``force``: ``strong`` phrases count beside anything, ``whole`` ones only with nothing left over, others in between.
    """

    label: str
    force: str
    first: int
    last: int


@dataclass(frozen=True)
class Labelled:
    """An utterance, cleaned (NFKC, nothing invisible), cut and labelled. ``asks``: it has a question mark.

    What is derived is worked out once: rules ask for it again and again.
    """

    text: str
    tokens: tuple[Token, ...]
    segments: tuple[Segment, ...]
    asks: bool

    @cached_property
    def leftover(self) -> tuple[Segment, ...]:
        """The pieces that no phrase covers."""
        return tuple(s for s in self.segments if not s.label)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The labels that occur."""
        return frozenset(s.label for s in self.segments if s.label)

    def has(self, label: str, *, strong: bool = False) -> bool:
        """Whether the label occurs; with ``strong`` only by a phrase that counts beside anything."""
        if label not in self.labels:
            return False
        return not strong or any(s.label == label and self._outweighs(s) for s in self.segments)

    def _outweighs(self, segment: Segment) -> bool:
        """Whether a phrase counts beside what is left over: it is strong, or long and more than all that is left."""
        length = self.tokens[segment.last - 1].end - self.tokens[segment.first].start
        words = segment.last - segment.first
        return segment.force == "strong" or (words >= LONG and length >= 2 * LONG and words > len(self.spare))

    def words(self, first: int, last: int) -> str:
        """The text from token ``first`` up to, not including, token ``last``, with the punctuation in between."""
        return self.text[self.tokens[first].start : self.tokens[last - 1].end] if first < last else ""

    @cached_property
    def spare(self) -> tuple[str, ...]:
        """The left-over words, folded."""
        return tuple([t.text for s in self.leftover for t in self.tokens[s.first : s.last]])


def clean(utterance: str) -> str:
    """NFKC, without invisible characters, skin tones and presentation selectors."""
    if utterance.isascii():
        return utterance.strip()
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

    def __call__(self, word: str) -> str:
        """The word as compared."""
        if word.isascii():
            return _DRAWN_PLAIN.sub(r"\1", word.lower().replace("'", "").replace("`", ""))
        text = _DRAWN.sub(r"\1", _QUOTES.sub("", word.casefold()))
        if text not in self.keep:
            text = unicodedata.normalize("NFC", _LATIN_MARK.sub("", unicodedata.normalize("NFD", text)))
        return text.translate(self.letters) or text

    def tokens(self, text: str) -> Iterator[re.Match[str]]:
        """The words of a cleaned text, where they stand."""
        if text.isascii():
            return _PLAIN[self.elides].finditer(text)
        return cast("Iterator[re.Match[str]]", _TOKENS[self.elides].finditer(text))

    def words(self, text: str) -> list[str]:
        """The words of a piece of a phrase; none when it ends in an apostrophe that would be lost."""
        if text[-1:] in "'’" and not self.elides:
            return []
        return [self(m.group()) for m in self.tokens(clean(text))]


@dataclass(frozen=True)
class Lexicon:
    """The phrases of one locale. ``pieces``: words that look like part of a value (digits, letters, symbols)."""

    fold: Folding
    pieces: frozenset[str]
    matcher: Matcher = field(repr=False)

    def cut(self, text: str) -> tuple[Token, ...]:
        """The words of a cleaned text, folded."""
        if text.isascii() and _DRAWN_PLAIN.search(text.lower()) is None:  # nothing drawn out: far the most
            plain = _PLAIN[self.fold.elides].finditer(text.lower())
            if "'" not in text and "`" not in text:
                return tuple([made(Token, (m[0], *m.span())) for m in plain])
            return tuple([made(Token, (m[0].replace("'", "").replace("`", ""), *m.span())) for m in plain])
        return tuple(Token(self.fold(m.group()), m.start(), m.end()) for m in self.fold.tokens(text))

    def read(self, utterance: str) -> Labelled:
        """Cut and label an utterance."""
        text = clean(utterance)
        words, asks = self.cut(text), "?" in text
        if asks:
            words = tuple([t for t in words if t.text != "?"])
        return Labelled(text, words, self._cover(tuple([t.text for t in words])), asks)

    def dictated(self, words: Iterable[str]) -> int:
        """How many of the words look like part of a value."""
        return sum(1 for w in words if w in self.pieces or "@" in w or any(c.isdigit() for c in w))

    def _cover(self, words: tuple[str, ...]) -> tuple[Segment, ...]:
        """The cheapest cover, from the end backwards: fewest words left over, fewest phrases, most cautious labels."""
        end = len(words)
        costs: list[tuple[int, int, int]] = [(0, 0, 0)] * (end + 1)
        chosen: list[Segment | None] = [None] * end
        for at in range(end - 1, -1, -1):
            spare, used, ranks = costs[at + 1]
            best = (spare + 1, used, ranks)
            if words[at] not in self.matcher.firsts:
                costs[at] = best
                continue
            for stop, state in self.matcher.walk(words, at):
                entry = state.ends
                if at == 0 and stop == end and state.ends_whole is not None:
                    whole = state.ends_whole
                    entry = whole if entry is None or whole.rank < entry.rank else entry
                if entry is None:
                    continue
                spare, used, ranks = costs[stop]
                cost = (spare, used + 1, ranks + entry.rank)
                if cost < best:
                    best = cost
                    chosen[at] = Segment(entry.label, entry.force, at, stop)
            costs[at] = best
        return tuple(_joined(chosen))


def _joined(chosen: list[Segment | None]) -> Iterator[Segment]:
    """The segments in order, neighbouring left-over words joined."""
    at, pending = 0, -1
    while at < len(chosen):
        segment = chosen[at]
        if segment is None:
            pending = at if pending < 0 else pending
            at += 1
            continue
        if pending >= 0:
            yield Segment("", "", pending, at)
            pending = -1
        yield segment
        at = segment.last
    if pending >= 0:
        yield Segment("", "", pending, at)


@lru_cache(maxsize=64)
def lexicon(locale: str) -> Lexicon:
    """The phrases of a locale with the English ones that are understood everywhere."""
    own = section(locale, "reply")
    accents = own.get("accents", {})
    letters = {ord(k): v for k, v in own.get("fold", {}).items()}
    fold = Folding(letters, frozenset(accents.get("keep", ())), bool(accents.get("elides")))
    names = [name for group in aliases(locale).values() for name in group]
    abroad = section(FALLBACK, "reply") if language(locale) != FALLBACK else {}
    entries: list[Entry] = []
    for data, labels, away in ((own, PRIORITY, 0), (abroad, abroad.get("abroad", {}).get("labels", ()), len(PRIORITY))):
        parser = Parser({**data.get("classes", {}), "alias": names}, fold.words)
        entries += _entries(data, labels, parser, away)
    pieces = frozenset(w for text in own.get("piece", {}).get("words", ()) for w in fold.words(text))
    return Lexicon(fold, pieces, Matcher(entries))


def _entries(data: Mapping[str, Any], labels: Iterable[str], parser: Parser, away: int) -> Iterator[Entry]:
    """The phrases under the labels; ``away`` is added to their rank, so that a language's own reading comes first."""
    for label in labels:
        for force in FORCES:
            for text in data.get(label, {}).get(force, ()):
                yield Entry(parser.phrase(text), label, force, PRIORITY.index(label) + away)
