"""Characters that a caller explains: "张敏，立早章，敏捷的敏", "연꽃 할 때 연".

In scripts with many characters a sound, people say a name and then which characters it has: by its parts
(``parts``), by a word it stands in (``of``, ``when``), or against another one (``against``). A letter is explained
in the same way by a word it begins ("M是Monday的M", ``of_word``). Where a recogniser's
characters and the explanation differ, the explanation wins. The words for it are the locale's ``[explained]``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import regex

from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.tokens import Kind, Token

BREAK = regex.compile(r"[，,。、；;！!？?\n]+")
CHARACTER = regex.compile(r"[\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}]")
LATIN = regex.compile(r"[A-Za-z]")
LONGEST_WORD = 8
"""Syllables."""
LEAST = 2
"""Characters of a word that explains a letter."""
LEADING = frozenset({Kind.CARRIER, Kind.FILLER, Kind.CLASSIFIER, Kind.REPAIR})


@dataclass(frozen=True, slots=True)
class Explained:
    """The characters after the explanations, and a doubt when an explanation has no place."""

    text: str
    doubt: str | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """One explanation: the character meant, and the one it is not (or empty). ``parts``: told by its parts."""

    char: str
    against: str = ""
    parts: bool = False


def read(utterance: Utterance) -> Explained | None:
    """The explained value; None when the locale explains nothing or the utterance holds no such characters."""
    habits = utterance.lexicon.data.get("explained")
    if not habits or not CHARACTER.search(utterance.text) or LATIN.search(utterance.text):
        return None
    endings = utterance.lexicon.data.get("endings", ())
    said, claims = "", list[Claim]()
    for whole, segment in _segments(utterance):
        found = claimed(whole, habits, endings)
        if found:
            claims += found
        elif not claims or len(segment) <= 2:
            said += _without_ending(segment, endings)
        else:
            said, claims = _without_ending(segment, endings), []
    return settled(said, claims)


def _segments(utterance: Utterance) -> list[tuple[str, str]]:
    """Stretches between pauses: whole, and without the words that lead to them and end them."""
    found: list[tuple[str, str]] = []
    for match in regex.finditer(r"[^，,。、；;！!？?\n]+", utterance.text):
        tokens = [t for t in utterance.tokens if match.start() <= t.start < match.end()]
        while len(tokens) > 1 and tokens[0].kinds & LEADING and not _in_a_name(tokens[0], tokens[1]):
            tokens.pop(0)
        while len(tokens) > 1 and tokens[-1].kinds & {Kind.FILLER, Kind.END} and not _in_a_name(tokens[-1], tokens[-1]):
            tokens.pop()
        if tokens:
            found.append((match[0].strip(), utterance.text[tokens[0].start : tokens[-1].end].strip()))
    return found


def _in_a_name(token: Token, second: Token) -> bool:
    """Whether a syllable that fills pauses may as well belong to a name: ``second`` is glued to what is before it."""
    return Kind.FILLER in token.kinds and " " not in token.text and second.glued and not second.pause


def claimed(segment: str, habits: dict[str, Any], endings: list[str]) -> list[Claim]:
    """The explanations in a stretch; none when it is a value."""
    compact = segment.replace(" ", "")
    for char, phrases in habits.get("parts", {}).items():
        if any(compact.endswith(p) for p in phrases):
            return [Claim(char, parts=True)]
    for word in habits.get("of", ()):
        before, _, char = compact.rpartition(word)
        if len(char) == 1 and char in before:
            return [Claim(char)]
    for word in habits.get("when", ()):
        before, _, after = segment.rpartition(word)
        char = _without_ending(after.strip(), endings)
        if len(char) == 1 and char in before:
            return [Claim(char)]
    for word in habits.get("against", ()):
        before, found, after = segment.partition(word)
        last = _without_ending(after.strip(), endings)
        if found and before.strip() and last:
            return [Claim(last[-1], before.strip()[-1])]
    return []


def _without_ending(text: str, endings: list[str]) -> str:
    """A word without the sentence ending glued to it ("김민재요")."""
    compact = text.replace(" ", "")
    for ending in sorted((e.replace(" ", "") for e in endings), key=len, reverse=True):
        if compact.endswith(ending) and len(compact) > len(ending):
            return compact[: -len(ending)]
    return compact


def settled(said: str, claims: list[Claim]) -> Explained:
    """The value with each explained character in its place."""
    chars = list(said)
    place = 0
    for n, claim in enumerate(claims):
        if claim.char in chars[place:]:
            place = chars.index(claim.char, place) + 1
        elif claim.against and claim.against in chars:
            chars[chars.index(claim.against)] = claim.char
        elif claim.parts and chars:
            chars[0] = claim.char
            place = 1
        elif len(claims) == len(chars) and n < len(chars):
            chars[n] = claim.char
            place = n + 1
        elif not chars or len(claims) > len(chars):
            chars.append(claim.char)
            place = len(chars)
        else:
            return Explained("".join(chars), "ambiguous")
    return Explained("".join(chars))


def of_word(tokens: tuple[Token, ...], i: int) -> list[tuple[int, str, int, str]]:
    """Edges (end, letter, price, how) of a letter that a word explains: "Monday的M", "M是Monday的M", "M, Monday의 M".

    A word that begins with another letter is a clash; of a word in syllables that cannot be told.
    """
    behind = _word_of(tokens, i)
    found = [behind] if behind is not None else []
    letter = tokens[i].get(Kind.LETTER)
    if letter is None or i + 1 >= len(tokens):
        return found
    links = tokens[i + 1].get(Kind.OF)
    said = links is not None and links.out == "is" and not tokens[i + 1].pause
    again = _word_of(tokens, i + 2) if said else _word_of(tokens, i + 1) if tokens[i + 1].pause else None
    if again is None or (not said and again[1] != letter.out):
        return found
    how = again[3] if again[1] == letter.out else "clash"
    return [*found, (again[0], letter.out, -1, how)]


def _word_of(tokens: tuple[Token, ...], i: int) -> tuple[int, str, int, str] | None:
    """The letter behind a word and "of", or None."""
    if i >= len(tokens) or not tokens[i].text[:1].isalpha():
        return None
    k = i + 1
    syllables = CHARACTER.match(tokens[i].text) is not None
    while syllables and k < len(tokens) and k - i < LONGEST_WORD and _goes_on(tokens[k]):
        k += 1
    if k + 1 >= len(tokens) or tokens[k].pause or tokens[k + 1].pause or (k == i + 1 and len(tokens[i].text) < LEAST):
        return None
    link, letter = tokens[k].get(Kind.OF), tokens[k + 1].get(Kind.LETTER)
    if link is None or link.out != "of" or letter is None or letter.cost or not letter.out.isascii():
        return None
    agrees = syllables or tokens[i].text.startswith(letter.out)
    return k + 2, letter.out, -1, "letter" if agrees else "clash"


def _goes_on(token: Token) -> bool:
    """Whether a token is one more syllable of a word, written together with the last one."""
    return token.glued and Kind.OF not in token.kinds and not token.pause and CHARACTER.match(token.text) is not None
