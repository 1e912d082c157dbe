"""The first stage: characters that nobody meant to say are cleaned off, and every offset is kept.

Only what cannot carry meaning is folded: invisible characters, compatibility forms (full-width digits),
digits of other scripts, smart quotes and the many hyphens. Letters are never mapped to look-alikes.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import regex

HYPHENS = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-")
QUOTES = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201b\u02bc\u02b9\u00b4\u2032\uff07"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201f\u2033\u00ab\u00bb\uff02"), '"'),
}
FOLDED = {**HYPHENS, **QUOTES}
ODD = regex.compile(rf"[^\P{{Nd}}0-9]|[{''.join(map(chr, FOLDED))}\ufe00-\ufe0f]")
"""What is printed and normal and folded all the same."""
MARK = regex.compile(r"\p{M}")
INDICATORS = frozenset("ºª")
"""The ordinal indicators of Spanish, Portuguese and Italian: "3º" is no 3 with an o."""


@dataclass(frozen=True, slots=True)
class Text:
    """A cleaned text. ``offsets[i]`` is where ``text[i]`` stood in the original."""

    text: str
    original: str
    offsets: tuple[int, ...] | range

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the original behind ``text[start:end]``."""
        if start >= end:
            return (self.offsets[start] if start < len(self.offsets) else len(self.original),) * 2
        return self.offsets[start], self.offsets[end - 1] + 1


def clean(original: str) -> Text:
    """Fold compatibility forms and drop invisible characters; total for any string."""
    if original.isascii() and original.isprintable():
        return Text(original, original, range(len(original)))
    if original.isprintable() and ODD.search(original) is None and unicodedata.is_normalized("NFKC", original):
        return Text(original, original, _bases(original))
    out: list[str] = []
    offsets: list[int] = []
    for start, cluster in _clusters(original):
        for char in _fold(cluster):
            out.append(char)
            offsets.append(start)
    return Text("".join(out), original, tuple(offsets))


def _bases(text: str) -> tuple[int, ...] | range:
    """Where the base of each character stands: its own place, but for combining marks."""
    if MARK.search(text) is None:
        return range(len(text))
    found: list[int] = []
    for index, char in enumerate(text):
        found.append(found[-1] if found and unicodedata.combining(char) else index)
    return tuple(found)


def _clusters(text: str) -> list[tuple[int, str]]:
    """Base characters with the combining marks that follow them, and where they start."""
    found: list[tuple[int, str]] = []
    for index, char in enumerate(text):
        if found and unicodedata.combining(char):
            found[-1] = (found[-1][0], found[-1][1] + char)
        else:
            found.append((index, char))
    return found


@lru_cache(maxsize=4096)
def _fold(cluster: str) -> str:
    """One cluster in its plain form; empty for an invisible character."""
    if cluster.isascii():
        return cluster if cluster.isprintable() else " " if cluster.isspace() else ""
    if cluster in INDICATORS:
        return cluster
    folded = unicodedata.normalize("NFKC", cluster.translate(FOLDED)).translate(FOLDED)
    return "".join(_plain(char) for char in folded)


def _plain(char: str) -> str:
    """A digit of any script as ASCII, any white space as a space, nothing for a control or format character."""
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.digit(char))
    if char.isspace():
        return " "
    if category in ("Cf", "Cc", "Cs", "Co", "Cn") or "\ufe00" <= char <= "\ufe0f":
        return ""
    return char
