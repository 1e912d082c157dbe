"""The lexicon: a locale's ``hearing.toml`` as phrases with meanings, built once and looked up per atom.

A phrase is a sequence of atoms (see ``lexer.atoms``). The table maps its first atom to the rest, longest
first, so that a look-up is one dictionary access for the many atoms that start nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import regex

from langgraph_readback.fields.hearing.text import INDICATORS
from langgraph_readback.fields.hearing.tokens import Kind, Meaning
from langgraph_readback.fields.locales import language, merge, section

ATOM = regex.compile(
    r"[\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}]"
    r"|(?:(?![\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}])[\p{L}\p{M}])+"
    r"(?:'(?:(?![\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}])[\p{L}\p{M}])+)*|\d+|[^\s]"
)
SYLLABIC = regex.compile(r"[\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}]")
"""Scripts without spaces between words or with a character a syllable: one character is no letter of a spelling."""
HOMOPHONE_COST = 2
"""A word taken as the letter or digit it sounds like."""
AFTER = 1
"""The number of a case word that stands behind its letter ("a mayúscula"): ``case_after`` of the file."""
SPACE = " "
"""Before an atom of a phrase that may stand apart from the one before it, in scripts where others must not."""
SPELL_COST = 1
"""A spelling word taken as its letter without a hint."""

Heard = tuple[tuple[Meaning, ...], frozenset[Kind]]
"""What a stretch may mean, and the kinds of that."""
NOTHING: Heard = ((), frozenset())
LITERAL = frozenset({Kind.LITERAL})
LETTER = frozenset({Kind.LETTER})
Phrase = tuple[tuple[str, ...], Heard]
"""The rest of a phrase after its first atom, and what it may mean."""
WORDS: dict[str, Kind] = {
    "hints": Kind.HINT,
    "repairs": Kind.REPAIR,
    "restarts": Kind.RESTART,
    "fillers": Kind.FILLER,
    "carriers": Kind.CARRIER,
    "spelled": Kind.SPELLED,
    "classifiers": Kind.CLASSIFIER,
    "joins": Kind.JOIN,
    "not": Kind.NOT,
    "with": Kind.WITH,
    "or": Kind.OR,
    "ends": Kind.END,
    "prose": Kind.PROSE,
    "unsure": Kind.UNSURE,
}
"""Lists of phrases in ``hearing.toml`` and the kind each one is."""


def syllabic(text: str) -> bool:
    """Whether a text begins in a script that is ``SYLLABIC``."""
    return not text.isascii() and SYLLABIC.match(text) is not None


def in_one(phrase: str) -> str:
    """A phrase of tokens as the data files write it: in scripts without spaces its characters stand together."""
    return phrase.replace(" ", "") if syllabic(phrase) else phrase


@dataclass(frozen=True)
class Lexicon:
    """The phrases of one locale. ``table[first atom]`` lists (rest of the phrase, meanings), longest first."""

    locale: str
    table: dict[str, tuple[Phrase, ...]]
    data: dict[str, Any]

    @property
    def numbers(self) -> dict[str, Any]:
        """How number words combine (``[numbers]`` of the file)."""
        habits: dict[str, Any] = self.data.get("numbers", {})
        return habits

    def alone(self, atom: str) -> tuple[Meaning, ...]:
        """The meanings of one atom by itself."""
        return next((meanings for rest, (meanings, _) in self.table.get(atom, ()) if not rest), ())

    @cached_property
    def single(self) -> dict[str, Heard]:
        """What the atoms mean that begin no longer phrase."""
        return {first: rows[0][1] for first, rows in self.table.items() if not rows[0][0]}

    @cached_property
    def seconds(self) -> dict[str, frozenset[str]]:
        """The second atoms of the phrases by their first ones; ``SPACE`` for those that stand behind a space."""
        return {
            first: frozenset(SPACE if rest[0][0] == SPACE else rest[0] for rest, _ in rows if rest)
            for first, rows in self.table.items()
        }

    @cached_property
    def elided(self) -> frozenset[str]:
        """Words that stand elided before others and are words of their own ("l'otto"), where a subject says so."""
        return frozenset(self.data.get("elided", ()))

    @cached_property
    def hesitations(self) -> frozenset[str]:
        """Sounds that a speaker makes and that never mean anything: "um". They are no tokens."""
        return frozenset(self.data.get("hesitations", ()))

    @cached_property
    def glued(self) -> regex.Pattern[str] | None:
        """For languages that write numbers as one word: a pattern whose captures are the parts."""
        if not self.numbers.get("glued"):
            return None
        parts = sorted(self.number_parts, key=len, reverse=True)
        return regex.compile("(?:(" + "|".join(map(regex.escape, parts)) + "))+")

    @cached_property
    def number_parts(self) -> dict[str, Meaning]:
        """Single-atom number words, scales and the joining word, for glued numbers."""
        kinds = (Kind.NUMBER, Kind.SCALE, Kind.AND)
        parts = {}
        for first, phrases in self.table.items():
            for rest, (meanings, _) in phrases:
                found = next((m for m in meanings if m.kind in kinds), None)
                if not rest and found and len(first) > 1:
                    parts[first] = found
        for word, number in self.numbers.get("parts", {}).items():
            parts[word] = Meaning(Kind.NUMBER, str(number), 0, number)
        return parts


def split_phrase(phrase: str) -> tuple[str, ...]:
    """A phrase of the data file as atoms, hyphens inside words dropped as the lexer drops them.

    An atom after a space keeps that space: in scripts without spaces between words, others must stand together.
    """
    folded = phrase.casefold()
    found = [(m[0], folded[m.start() - 1 : m.start()] == " ") for m in ATOM.finditer(folded) if m[0] != "-"]
    return tuple(" " + a if spaced and SYLLABIC.match(a) else a for a, spaced in found) or (phrase,)


def spelled_alike(phrase: str, tables: Sequence[Mapping[int, str]]) -> set[str]:
    """A phrase in all the ways of writing it that differ by rule (``alike`` of the hearing file).

    Traditional characters for simplified ones, Devanagari without its dots: each table is applied to the whole
    phrase or not at all.
    """
    found = {phrase}
    for table in tables:
        found |= {spelling.translate(table) for spelling in found}
    return found


@lru_cache(maxsize=128)
def lexicon(tag: str, subject: str = "") -> Lexicon:
    """The lexicon of a locale tag; English spelling words and letters are understood everywhere.

    ``subject`` is a file with words that only some types read, in place of ``terms`` and ``texts``. Its ``uses``
    names the tables of ``hearing.toml`` it builds on: where nothing is spelled, "and a" is no remark on a spelling
    and "to" is no digit. Its ``without`` names words of those tables that mean nothing here (Portuguese "meia", six
    of a telephone number, half of an hour); its ``sounds`` letter names that are ordinary words there ("de", "elle"),
    and letters only among letters.
    """
    own, general = section(tag, subject) if subject else {}, section(tag, "hearing")
    uses = own.get("uses")
    if subject:
        data = merge({k: v for k, v in general.items() if uses is None or k in uses}, own)
    else:
        data = merge(merge(general, section(tag, "terms")), section(tag, "texts"))
    found: dict[tuple[str, ...], dict[tuple[Kind, str, int], Meaning]] = defaultdict(dict)
    alike = [str.maketrans(table) for table in general.get("alike", ())]
    without, sounds = frozenset(own.get("without", ())), frozenset(own.get("sounds", ()))
    for phrase, meaning in _meanings(data):
        if phrase in without and meaning.kind is not Kind.TERM:
            continue
        heard = meaning
        if phrase in sounds and meaning.kind is Kind.LETTER:
            heard = meaning._replace(cost=HOMOPHONE_COST)
        for spelling in spelled_alike(phrase, alike):
            found[split_phrase(spelling)].setdefault((meaning.kind, meaning.out, meaning.number), heard)
    if language(tag) != "en" and uses is None:
        for phrase, meaning in _borrowed(section("en", "hearing")):
            key = split_phrase(phrase)
            if key not in found:
                found[key][(meaning.kind, meaning.out, meaning.number)] = meaning
    table: dict[str, list[Phrase]] = defaultdict(list)
    for key, by_kind in found.items():
        meanings = tuple(sorted(by_kind.values(), key=lambda m: m.cost))
        meanings = merged(by_itself(key[0]), meanings) if len(key) == 1 else meanings
        table[key[0]].append((key[1:], (meanings, frozenset(m.kind for m in meanings))))
    ordered = {first: tuple(sorted(rows, key=lambda r: -len(r[0]))) for first, rows in table.items()}
    return Lexicon(tag, ordered, data)


def by_itself(text: str) -> tuple[Meaning, ...]:
    """What an atom means by itself: digits as written, a single letter."""
    if text.isdigit():
        return (Meaning(Kind.LITERAL, text, 0, int(text) if len(text) < 16 else -1),)
    if len(text) == 1 and text.isalpha() and text not in INDICATORS and not SYLLABIC.match(text):
        return (Meaning(Kind.LETTER, text, 0),)
    return ()


def alone(text: str) -> Heard:
    """``by_itself`` with its kinds; what a single ASCII character means is worked out once."""
    return ASCII.get(text) or _alone(text)


def _alone(text: str) -> Heard:
    found = by_itself(text)
    return (found, LITERAL if found[0].kind is Kind.LITERAL else LETTER) if found else NOTHING


ASCII = {char: _alone(char) for char in map(chr, range(128))}


def merged(first: tuple[Meaning, ...], more: tuple[Meaning, ...]) -> tuple[Meaning, ...]:
    """What an atom means by itself and by the lexicon, which knows better what a letter of another script is."""
    if first and not first[0].out.isascii() and any(m.kind is Kind.LETTER and not m.cost for m in more):
        first = ()
    seen = {(m.kind, m.out) for m in first}
    return first + tuple(m for m in more if (m.kind, m.out) not in seen)


def _meanings(data: dict[str, Any]) -> Iterator[tuple[str, Meaning]]:
    """Every phrase of a hearing file with one meaning."""
    yield from _characters(data)
    yield from _latin(data)
    yield from _counted(data)
    for name, kind in WORDS.items():
        for phrase in data.get(name, ()):
            yield phrase, Meaning(kind)
    for name in ("letter", "digit", "family", "given"):
        for phrase in data.get(f"{name}_classifiers", ()):
            yield phrase, Meaning(Kind.CLASSIFIER, name)
    for phrase, place in _pairs(data.get("letter_of", {})):
        yield phrase, Meaning(Kind.OF, place)
    for phrase, effect in _pairs(data.get("cases", {})):
        yield phrase, Meaning(Kind.CASE, effect, 0, AFTER if data.get("case_after") else -1)
    yield from _terms(data.get("terms", {}))
    for phrase, mark in _pairs(data.get("accents", {})):
        yield phrase, Meaning(Kind.ACCENT, mark)


def _terms(table: dict[str, Any]) -> Iterator[tuple[str, Meaning]]:
    """Words of a type: a list of phrases, or a table from numbers to phrases (``month``: ``3 = ["march"]``)."""
    for term, phrases in table.items():
        if isinstance(phrases, dict):
            for phrase, number in _pairs(phrases):
                yield phrase, Meaning(Kind.TERM, term, 0, int(number))
        else:
            for phrase in phrases:
                yield phrase, Meaning(Kind.TERM, term)


def _latin(data: dict[str, Any]) -> Iterator[tuple[str, Meaning]]:
    for phrase, latin in _pairs(data.get("latin", {})):
        yield phrase, Meaning(Kind.LATIN, latin)


def _characters(data: dict[str, Any]) -> Iterator[tuple[str, Meaning]]:
    """Letters, spelling words, digits and symbols."""
    for phrase, letter in _pairs(data.get("letters", {})):
        yield phrase, Meaning(Kind.LETTER, letter, 0)
    for phrase, letter in _pairs(data.get("letter_homophones", {})):
        yield phrase, Meaning(Kind.LETTER, letter, HOMOPHONE_COST)
    for phrase, letter in _pairs(data.get("spelling", {})):
        yield phrase, Meaning(Kind.SPELL, letter, SPELL_COST)
    for phrase, digit in _pairs(data.get("digits", {})):
        yield phrase, Meaning(Kind.DIGIT, digit, 0, int(digit))
    for phrase, digit in _pairs(data.get("digit_homophones", {})):
        yield phrase, Meaning(Kind.DIGIT, digit, HOMOPHONE_COST, int(digit))
    for phrase, symbol in _pairs(data.get("symbols", {})):
        yield phrase, Meaning(Kind.SYMBOL, symbol, 0)
    for phrase, symbol in _pairs(data.get("symbol_homophones", {})):
        yield phrase, Meaning(Kind.SYMBOL, symbol, HOMOPHONE_COST)


def _counted(data: dict[str, Any]) -> Iterator[tuple[str, Meaning]]:
    """Number words, scales, the word between them, and repeats."""
    for phrase, digit in _pairs(data.get("digits", {})):
        yield phrase, Meaning(Kind.NUMBER, digit, 0, int(digit))
    numbers = data.get("numbers", {})
    for number, phrases in numbers.get("words", {}).items():
        for phrase in phrases:
            yield phrase, Meaning(Kind.NUMBER, str(number), 0, int(number))
    for number, phrases in numbers.get("scales", {}).items():
        for phrase in phrases:
            yield phrase, Meaning(Kind.SCALE, str(number), 0, int(number))
    for phrase in numbers.get("and", ()):
        yield phrase, Meaning(Kind.AND)
    for times, phrases in data.get("repeats", {}).items():
        for phrase in phrases:
            yield phrase, Meaning(Kind.REPEAT, "", 0, int(times))


def _borrowed(english: dict[str, Any]) -> Iterator[tuple[str, Meaning]]:
    """What people of every language borrow from English: ICAO words, letter W and digits of e-mail providers."""
    for phrase, letter in _pairs(english.get("spelling", {})):
        yield phrase, Meaning(Kind.SPELL, letter, SPELL_COST)
    for phrase, symbol in _pairs(english.get("borrowed_symbols", {})):
        yield phrase, Meaning(Kind.SYMBOL, symbol, 0)
    for phrase, term in _pairs(english.get("borrowed_terms", {})):
        yield phrase, Meaning(Kind.TERM, term)


def _pairs(table: dict[str, Iterable[str]]) -> Iterator[tuple[str, str]]:
    for out, phrases in table.items():
        for phrase in phrases:
            yield phrase, out
