"""Capitals, spaces and signs of names: from pieces to the text as it is written. Not a field type."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import regex

from langgraph_readback.fields.hearing.accents import fold
from langgraph_readback.fields.locales import section

GLUED = frozenset("-'._/@:")
"""Symbols without spaces around them."""
SUFFIXED = frozenset("+!*%")
LEGAL = "legal forms by name"
"""What ``texts`` adds to the data of the file."""
ACRONYM = 4
"""Letters; a longer spelling is a word."""
LETTERS = regex.compile(r"[^\W\d_]+")
PARTS = regex.compile(r"([-'/.&])")
VOWELS = frozenset("aeiouyäöü")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the value. ``joined``: no space before it. ``exact``: its capitals are meant as they stand.

    ``kind``: word, spelled, digits, symbol. ``start``: where its first token starts in the text.
    """

    text: str
    kind: str
    start: int
    pause: bool = False
    joined: bool = False
    exact: bool = False
    told: bool = False


@lru_cache(maxsize=64)
def texts(locale: str) -> dict[str, Any]:
    """The locale's ``texts.toml``, lists as frozen sets of folded words."""
    found = {k: _frozen(v) for k, v in section(locale, "texts").items()}
    return {**found, LEGAL: {phrase: form for form, phrases in found.get("legal", {}).items() for phrase in phrases}}


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):  # bool, int and str stay as they are
        return {k: _frozen(v) for k, v in value.items()}
    return frozenset(map(fold, value)) if isinstance(value, list) else value


def lettered(piece: Piece | None) -> bool:
    """Whether a piece is letters said one by one, and no word."""
    return piece is not None and (
        (piece.kind == "spelled" and not piece.told) or (piece.kind == "word" and len(piece.text) == 1)
    )


def compose(pieces: list[Piece], data: dict[str, Any]) -> str:
    """The pieces as text: spaces, symbols attached, capitals as usual."""
    groups: list[list[Piece]] = []
    tight = True
    for n, piece in enumerate(pieces):
        if piece.kind == "symbol" and piece.text == " ":
            tight = False
            groups.append([])
            continue
        if piece.kind == "symbol":
            close = piece.text in GLUED or piece.text in SUFFIXED or _between_letters(pieces, n)
            _put(groups, piece, close=close)
            tight = piece.text in GLUED or (close and piece.text not in SUFFIXED)
            continue
        _put(groups, piece, close=(tight and n > 0) or piece.joined)
        tight = False
    shown = [g for g in groups if g]
    parts = [cased(g, first=n == 0, last=n == len(shown) - 1, data=data) for n, g in enumerate(shown)]
    return " ".join(unicodedata.normalize("NFC", " ".join(p for p in parts if p)).split())


def _put(groups: list[list[Piece]], piece: Piece, *, close: bool) -> None:
    if close and groups and groups[-1]:
        groups[-1].append(piece)
    else:
        groups.append([piece])


def _between_letters(pieces: list[Piece], n: int) -> bool:
    """Whether a symbol stands between letters said one by one: H&M."""
    before, after = (pieces[n - 1] if n else None), (pieces[n + 1] if n + 1 < len(pieces) else None)
    short = all(p is not None and len(p.text) <= 2 for p in (before, after))
    return short and lettered(before) and lettered(after)


def cased(group: list[Piece], *, first: bool, last: bool, data: dict[str, Any]) -> str:
    """A word with its capitals."""
    text = "".join(p.text for p in group)
    if any(p.exact for p in group):
        return text if len(group) == 1 else "".join(p.text if p.exact else capital(p.text) for p in group)
    low = text.casefold()
    form = legal(data).get(low)
    if form and not first and last:
        return form
    if is_domain(group, data):
        return low
    if not first and not last and len(group) == 1 and group[0].kind == "word" and low in data.get("initials", ()):
        return low
    letters = [p for p in group if p.kind != "digits"]
    if all(p.kind == "symbol" or lettered(p) for p in letters) and _acronym(low, len(group)):
        return text.upper()
    if " " in text:
        return " ".join(capital(w) for w in text.split(" "))
    if not first and fold(low) in data.get("small", ()):
        return low
    return elided(text, data, first=first)


def is_domain(group: list[Piece], data: dict[str, Any]) -> bool:
    """Whether a group is a domain: "orbis.io"."""
    return any(p.kind == "symbol" and p.text == "." for p in group) and fold(group[-1].text) in data.get("domains", ())


def legal(data: dict[str, Any]) -> dict[str, str]:
    """Legal forms by their folded names."""
    forms: dict[str, str] = data.get(LEGAL, {})
    return forms


def _acronym(text: str, pieces: int) -> bool:
    """Whether letters said one by one are shown as capitals: BMW, B3W; "nuvio" is a word."""
    letters = max((len(w) for w in LETTERS.findall(text)), default=0)
    return (pieces > 1 and letters <= 3) or len(text) <= 3 or (len(text) <= ACRONYM and not VOWELS & set(text))


def capital(word: str) -> str:
    """``sea`` -> ``Sea``, ``smith-jones`` -> ``Smith-Jones``, ``o'neill`` -> ``O'Neill``, ``joe's`` -> ``Joe's``."""
    parts = PARTS.split(word.lower())
    out = []
    for n, part in enumerate(parts):
        small = n > 1 and parts[n - 1] == "'" and (len(part) == 1 or len(parts[n - 2]) > 2)
        out.append(part if small else part[:1].upper() + part[1:])
    return "".join(out)


def elided(word: str, data: dict[str, Any], *, first: bool) -> str:
    """A word with its capital, an elided article before it in small letters (``dell'Orso``) but at the start."""
    head, _, tail = word.partition("'")
    if not tail or fold(head) not in data.get("elisions", ()):
        return capital(word)
    return f"{capital(head) if first else head.lower()}'{capital(tail)}"


def title(text: str, data: dict[str, Any]) -> str:
    """Usual capitals for a text typed all in lower case."""
    parts = text.split(" ")
    shown = [
        p
        if "." in p[1:-1] and fold(p.rpartition(".")[2]) in data.get("domains", ())
        else p.lower()
        if n and fold(p) in data.get("small", ())
        else legal(data).get(p.casefold(), capital(p))
        if n == len(parts) - 1 and n
        else elided(p, data, first=n == 0)
        for n, p in enumerate(parts)
    ]
    return " ".join(shown)
