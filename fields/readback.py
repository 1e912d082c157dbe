"""Reading back: a value in words that expose what the ear cannot tell apart. Plain text and SSML from one renderer.

A type cuts its value into chunks (``say``); this module puts the words of the locale's ``readback.toml`` to them.
What it says, ``hear`` understands: that is the round-trip law.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

import regex

from langgraph_readback.fields.locales import FALLBACK, section
from langgraph_readback.fields.spec import Ask
from langgraph_readback.outcome import Spoken

UNNAMED = regex.compile(r"[\p{L}--\p{Latin}]", regex.V1)
"""Letters of a script that this module has no names for."""
SYLLABLES = regex.compile(r"\p{Han}+")
"""Characters that may be said one by one: a Hangul syllable by itself ("아", "음") may be only a sound."""
BREAK = '<break time="300ms"/>'


@dataclass(frozen=True, slots=True)
class Chunk:
    """What is said in one breath.

    ``kind``: ``chars`` (character by character), ``exact`` (the same, capitals named), ``digits`` (a group of
    digits), ``plain`` (the same where no letter can stand, as in telephone numbers), ``word`` (as a word),
    ``syllables`` (as a word, in the explicit form one syllable at a time), ``said`` (already words of the locale).
    """

    kind: str
    text: str


def spellable(word: str) -> bool:
    """Whether a word can be said letter by letter: its letters are Latin, which every locale here has names for."""
    return UNNAMED.search(word) is None


def voice_words(locale: str) -> dict[str, Any]:
    """The locale's words for reading back; English where a language has none yet."""
    return section(locale, "readback") or section(FALLBACK, "readback")


def render(chunks: tuple[Chunk, ...], ask: Ask, *, explicit: bool = False, worded: bool = False) -> Spoken:
    """The chunks as text and SSML. ``explicit``: a spelling word for every letter; ``worded``: for none."""
    words = voice_words(ask.locale)
    doubtful = frozenset[str]() if worded else _confusable(chunks, words, explicit=explicit)
    told = frozenset[str]() if explicit else frozenset(c.text.casefold() for c in chunks if c.kind == "word")
    groups = [
        said
        for chunk in chunks
        if (said := _say(_apart(chunk, words) if explicit else chunk, words, _doubted(chunk, doubtful, told)))
    ]
    text = words.get("pause", ", ").join(groups)
    ssml = "<speak>" + BREAK.join(escape(g) for g in groups) + "</speak>"
    return Spoken(text=text, ssml=ssml, form=_form(chunks, explicit=explicit))


def _confusable(chunks: tuple[Chunk, ...], words: dict[str, Any], *, explicit: bool) -> frozenset[str]:
    """Letters that get a spelling word: those the ear confuses, and beside digits those that sound like one."""
    if explicit and "explicit" not in words:
        return frozenset(words.get("spelling", {}))
    digits = any(c.isdigit() for chunk in chunks if chunk.kind != "said" for c in chunk.text)
    named = words.get("explicit" if explicit else "confusable", "")
    return frozenset(named + (words.get("confusable_with_digits", "o") if digits else ""))


def _doubted(chunk: Chunk, doubtful: frozenset[str], told: frozenset[str]) -> frozenset[str]:
    """The letters of a chunk that need a spelling word: none where the word they spell has just been said."""
    return frozenset() if chunk.kind in ("chars", "exact") and chunk.text.casefold() in told else doubtful


def _form(chunks: tuple[Chunk, ...], *, explicit: bool) -> str:
    if explicit:
        return "words"
    kinds = {c.kind for c in chunks}
    return "spelled" if kinds & {"chars", "exact"} else "groups" if kinds & {"digits", "plain"} else "natural"


def _apart(chunk: Chunk, words: dict[str, Any]) -> Chunk:
    """Syllables one by one, where a syllable is a character."""
    if chunk.kind != "syllables" or not SYLLABLES.fullmatch(chunk.text):
        return chunk
    return Chunk("word", str(words.get("pause", ", ")).join(chunk.text))


def _say(chunk: Chunk, words: dict[str, Any], doubtful: frozenset[str]) -> str:
    if chunk.kind in ("word", "syllables", "said"):
        return chunk.text
    if chunk.kind == "plain" and "plain_digits" in words:
        words = {**words, "digits": words["plain_digits"]}
    inner = words.get("between", " ") if chunk.kind in ("digits", "plain") else words.get("pause", ", ")
    exact = str(words.get("capital", "{letter}")) if chunk.kind == "exact" else "{letter}"
    return str(inner).join(
        exact.format(letter=_character(c, words, doubtful)) if c.isupper() else _character(c, words, doubtful)
        for c in chunk.text
    )


def _character(char: str, words: dict[str, Any], doubtful: frozenset[str]) -> str:
    """One character by name: a digit or symbol as its word, a letter with a spelling word where the ear may err."""
    if char.isdigit():
        return str(words["digits"][int(char)])
    if (name := words["symbols"].get(char)) is not None:
        return str(name)
    spelling = words.get("spelling", {}).get(char.lower())
    shown = letter(char, words)
    if spelling and char.lower() in doubtful:
        return str(words["as_in"]).format(letter=shown, word=spelling)
    return shown


def letter(char: str, words: dict[str, Any]) -> str:
    """A letter as it is written in a read-back: its capital, or its name where the locale spells letters out."""
    named = words.get("letters", {}).get(char.lower())
    if named:
        return str(named)
    base, mark = unicodedata.normalize("NFD", char)[:1], unicodedata.normalize("NFD", char)[1:]
    if mark and (said := words.get("accents", {}).get(mark)):
        return f"{base.upper()} {said}"
    upper = char.upper()
    return upper if upper.lower() == char.lower() else char  # no capital of its own: "ß", "ı"


def note(value: str, ask: Ask) -> str:
    """For chat: the value, and in brackets which of its characters could be mistaken; nothing where none can."""
    notes = voice_words(ask.locale).get("notes", {})
    told = [str(notes[c]) for c in dict.fromkeys(value) if c in notes and _doubtful(c, value)]
    return f"{value} ({', '.join(told)})" if told else value


def _doubtful(char: str, value: str) -> bool:
    """Whether a character may be taken for another one in this value: it mixes letters and digits."""
    mixed = any(c.isalpha() and spellable(c) for c in value) and any(c.isdigit() for c in value)
    return mixed or char in "lI"
