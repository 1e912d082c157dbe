"""The second stage: cleaned text to tokens, by the longest phrase of the locale's lexicon."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import regex

from langgraph_readback.fields.hearing.lexicon import (
    ATOM,
    NOTHING,
    SPACE,
    SYLLABIC,
    Heard,
    Lexicon,
    Phrase,
    alone,
    lexicon,
)
from langgraph_readback.fields.hearing.numbers import whole
from langgraph_readback.fields.hearing.text import Text, clean
from langgraph_readback.fields.hearing.tokens import Kind, Meaning, Token, made

PAUSES = frozenset(',;.:!?\u3002\uff0c\u3001\uff1b\uff1a\uff01\uff1f\u0964\u2026\u00a1\u00bf"()[]{}<>')
"""Punctuation that only separates, unless it stands glued between characters. ("(" and ")" as well.)"""
INNER = frozenset("@._-+/#&'%~=$*:")
"""Punctuation that may be part of a value."""
BINDING = frozenset("@._-+&'")
"""Marks that bind the words on both sides into one value."""
WRITES = frozenset({Kind.LETTER, Kind.SPELL, Kind.DIGIT, Kind.NUMBER, Kind.SCALE, Kind.SYMBOL, Kind.LITERAL, Kind.TERM})
"""What a word can still be when it is written into a value."""
ALWAYS = frozenset("@+#&_%")
"""Punctuation that is a symbol wherever it stands."""
PARTING = PAUSES - INNER - ALWAYS
"""Punctuation that separates wherever it stands, unless a lexicon has it."""
NOTE = regex.compile(r"\([^()]*(?:[\p{L}\p{M}]{2}|[\p{Han}\p{Hangul}][^()]*[\p{Han}\p{Hangul}])[^()]*\)")
"""A remark in brackets, such as our own "(0 is zero)"; "(312)" is none."""
SYMBOL = frozenset({Kind.SYMBOL})
NUMBER = frozenset({Kind.NUMBER})
PLAIN = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)*|[0-9]+|[^\s]")
"""``ATOM`` for ASCII alone, several times faster."""
SPACED = regex.compile(r"[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)*|\d+|[^\s]")
"""``ATOM`` for writing that sets words apart."""
MERE = "\0"
"""Before a word that no phrase may hold; it stands in no cleaned text."""


class Atom(NamedTuple):
    """One word, run of digits or mark, with its place in the cleaned text."""

    raw: str
    text: str
    start: int
    end: int
    glued: bool


@dataclass(frozen=True, slots=True)
class Utterance:
    """What the later stages see: tokens, and the text they came from."""

    source: Text
    tokens: tuple[Token, ...]
    lexicon: Lexicon
    voice: bool
    memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """Where later stages keep what they derived from these tokens (the lattice)."""

    @property
    def text(self) -> str:
        """The cleaned text."""
        return self.source.text

    def of(self, tokens: Iterable[Token]) -> Utterance:
        """The same utterance with other tokens: some left out, some read otherwise."""
        return Utterance(self.source, tuple(tokens), self.lexicon, self.voice)

    def origin(self, first: int, last: int) -> tuple[int, int]:
        """The stretch of the original utterance behind tokens ``first`` to ``last`` (exclusive)."""
        return self.source.origin(self.tokens[first].start, self.tokens[last - 1].end)


def lex(original: str, locale: str, channel: str, subject: str = "") -> Utterance:
    """Tokens of an utterance. Linear in its length; total for any string. ``subject``: see ``lexicon``."""
    source = clean(original)
    words = lexicon(locale, subject)
    text = _without_notes(source.text)
    voice = channel == "voice"
    return Utterance(source, tuple(_tokens(_atoms(text, words), words, voice=voice)), words, voice)


def plainly(utterance: Utterance, starts: Collection[int]) -> Utterance:
    """The same utterance with the words at these offsets as mere words, with no other meaning and in no phrase."""
    words = utterance.lexicon
    atoms = [
        atom._replace(text=MERE + atom.text) if atom.start in starts else atom
        for atom in _atoms(_without_notes(utterance.text), words)
    ]
    return utterance.of(_tokens(atoms, words, voice=utterance.voice))


def _without_notes(text: str) -> str:
    """Remarks in brackets blanked, so that offsets stay; a text that is nothing but brackets is no remark."""
    if "(" not in text:
        return text
    rest = NOTE.sub(lambda m: " " * len(m[0]), text)
    return text if rest.isspace() else rest


def _atoms(text: str, words: Lexicon) -> list[Atom]:
    found: list[Atom] = []
    end = -1
    pattern = PLAIN if text.isascii() else ATOM if SYLLABIC.search(text) else SPACED
    for match in pattern.finditer(text):
        raw = match[0]
        start, stop = match.span()
        folded = raw.casefold() if stop - start > 1 else raw.lower()  # "ß" alone is a letter
        found.append(made(Atom, (raw, folded, start, stop, start == end)))
        end = stop
    if words.elided and "'" in text:
        return [part for atom in found for part in _unelided(atom, words)]
    return found


def _unelided(atom: Atom, words: Lexicon) -> list[Atom]:
    """A word with an elided one before it as two ("l'otto"); one that the lexicon knows, or no other, stays."""
    head, _, tail = atom.text.partition("'")
    if head not in words.elided or not tail or atom.text in words.table:
        return [atom]
    cut = len(head)
    first = Atom(atom.raw[:cut], head, atom.start, atom.start + cut, atom.glued)
    return [first, Atom(atom.raw[cut + 1 :], tail, atom.start + cut + 1, atom.end, glued=False)]


def _tokens(atoms: list[Atom], words: Lexicon, *, voice: bool) -> list[Token]:
    """Longest match from the left; a mark becomes the pause of the token after it."""
    tokens: list[Token] = []
    index, pause, count = 0, True, len(atoms)
    table, single = words.table, words.single
    hesitations, parting = words.hesitations if voice else (), PARTING - table.keys()
    while index < count:
        raw, text, start, stop, glued = atoms[index]
        if text in parting:
            pause = True
            index += 1
            continue
        end = index + 1
        if (heard := single.get(text)) is not None:
            meanings, kinds = heard
        elif (phrases := table.get(text)) is not None:
            end, (meanings, kinds) = _match(atoms, index, phrases, words)
        else:
            meanings, kinds = _alone(text, words)
        if end == index + 1 and text in hesitations and not _bound(atoms, index):
            index += 1
            continue
        if not meanings and len(text) == 1 and not text.isalnum():
            symbol = _mark(atoms, index, voice=voice)
            if symbol is None:
                pause = pause or text not in "-/"
                index += 1
                continue
            meanings, kinds = (symbol,), SYMBOL
        if end > index + 1:
            raw, stop = " ".join([a.raw for a in atoms[index:end]]), atoms[end - 1].end
        bound = glued or (end < count and atoms[end].text in BINDING)
        if bound and meanings and text.isalpha() and _written_into(atoms, index, end):
            meanings = tuple([m for m in meanings if m.kind in WRITES])
            kinds = frozenset([m.kind for m in meanings])
        tokens.append(Token(raw, raw.casefold(), start, stop, pause, glued, meanings, kinds))
        pause, index = False, end
    return tokens


def _bound(atoms: list[Atom], index: int) -> bool:
    """Whether an atom is written together with its neighbours."""
    after = atoms[index + 1] if index + 1 < len(atoms) else None
    return atoms[index].glued or (after is not None and after.glued and after.text not in PAUSES)


def _written_into(atoms: list[Atom], index: int, end: int) -> bool:
    """Whether a word is written together with a symbol ("then-aa", "no.one@"): it is part of what is written."""
    before = index > 0 and atoms[index].glued and atoms[index - 1].text in BINDING
    after = end + 1 < len(atoms) and atoms[end].glued and atoms[end].text in BINDING and atoms[end + 1].glued
    return before or after


def _match(atoms: list[Atom], index: int, phrases: tuple[Phrase, ...], words: Lexicon) -> tuple[int, Heard]:
    """Where the longest of the phrases from ``index`` ends, what it (or the bare atom) may mean, and the kinds."""
    text, after = atoms[index].text, atoms[index + 1].text if index + 1 < len(atoms) else ""
    if after == "-" or not words.seconds[text].isdisjoint((after, SPACE)):
        for rest, heard in phrases:
            fits = rest and (rest[0] == after or after == "-" or rest[0][0] == SPACE)
            end = _follow(atoms, index + 1, rest) if fits else 0
            if end:
                return end, heard
    rest, heard = phrases[-1]
    return index + 1, _alone(text, words) if rest else heard


def _follow(atoms: list[Atom], index: int, rest: tuple[str, ...]) -> int:
    """The end of a phrase whose remaining atoms are ``rest``, or 0. A glued hyphen inside it is passed over."""
    for expected in rest:
        if index + 1 < len(atoms) and atoms[index].text == "-" and atoms[index].glued and atoms[index + 1].glued:
            index += 1
        if index >= len(atoms) or atoms[index].text != expected.lstrip(" "):
            return 0
        if expected[0] != " " and not atoms[index].glued and SYLLABIC.match(expected):
            return 0
        index += 1
    return index


def _alone(text: str, words: Lexicon) -> Heard:
    """What an atom means that no phrase holds: itself, or a number written as one word ("neununddreißig")."""
    found = alone(text)
    if found[0] or words.glued is None or len(text) < 4 or not (match := words.glued.fullmatch(text)):
        return found
    number = whole([words.number_parts[part] for part in match.captures(1)], words.numbers)
    return NOTHING if number is None else ((Meaning(Kind.NUMBER, str(number), 0, number),), NUMBER)


def _mark(atoms: list[Atom], index: int, *, voice: bool) -> Meaning | None:
    """The symbol a punctuation mark writes, or None when it only separates."""
    atom = atoms[index]
    if atom.text in ALWAYS:
        return Meaning(Kind.SYMBOL, atom.text, 0)
    if atom.text not in INNER:
        return None
    before = atoms[index - 1] if index and atom.glued else None
    after = atoms[index + 1] if index + 1 < len(atoms) and atoms[index + 1].glued else None
    if before is None or after is None:
        return None
    if voice and _spelled_out(atoms, index):
        return None
    return Meaning(Kind.SYMBOL, atom.text, 0)


def _spelled_out(atoms: list[Atom], index: int) -> bool:
    """Whether the mark is how a recogniser writes spelled letters: "k.i.m.", "K-I-M"."""
    mark = atoms[index].text
    if mark not in ".-":
        return False
    letters = [atoms[j] for j in (index - 1, index + 1)]
    if not all(len(a.text) == 1 and a.text.isalpha() for a in letters):
        return False
    beyond = [j for j in (index - 2, index + 2) if 0 <= j < len(atoms)]
    return any(atoms[j].text == mark and atoms[j].glued for j in beyond)
