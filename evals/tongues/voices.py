"""A language's data, ``data/<xx>/voice.toml``: how its callers speak, its listeners hear, what sounds like what."""

from __future__ import annotations

import random
import tomllib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from rapidfuzz import fuzz

LANGUAGES = ("es", "pt", "hi", "zh", "ko", "fr", "de", "it")
POOLED = ("en", "es", "pt", "hi", "zh", "ko")
"""The six languages of the public benchmark; English is played by its own yardstick."""

_SOFT = str.maketrans("bdgvznj", "ptkfsmi")
"""Consonants that a telephone band makes alike: voiced and unvoiced, m and n."""


@lru_cache(maxsize=16)
def voice(language: str) -> dict[str, Any]:
    """``data/<language>/voice.toml`` with its lists split. Raises ValueError for a language without one."""
    if language not in LANGUAGES:
        raise ValueError(f"no evaluation in {language!r}: choose from en, {', '.join(LANGUAGES)}")
    path = files("langgraph_readback.evals").joinpath("data", language, "voice.toml")
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    data["known"] = frozenset(data["known"].split())
    data["ear"]["frame"] = frozenset(data["ear"]["frame"].split("|" if data["glued"] else None))
    return data


@dataclass(frozen=True, slots=True)
class Habits:
    """One caller's ways: other names for digits, "double", letters by name, phone digits in pairs, which link word."""

    digits: dict[str, str]
    double: bool = False
    named: bool = False
    pairs: bool = False
    word_first: bool = False
    link: str = ""


def habits(rng: random.Random, language: str, rate: float) -> Habits:
    """Draw a caller's habits; ``rate`` is the share with a marked style (EVALUATION.md: .15)."""
    data = voice(language)
    marked = rng.random() < rate
    return Habits(
        digits=dict(rng.choice(data["digit_habits"])) if marked and data["digit_habits"] else {},
        double=bool(data["double"]) and rng.random() < data["shares"]["double"],
        named=rng.random() < data["shares"]["named"],
        pairs=rng.random() < data["shares"]["pairs"],
        word_first=rng.random() < data["shares"]["word_first"],
        link=str(rng.choice(data["links"])),
    )


@lru_cache(maxsize=4096)
def likeness(one: str, two: str) -> float:
    """0 to 1: how alike two names sound, by their letters, with consonants that a phone line blurs taken as one."""
    plain = fuzz.ratio(one, two)
    soft = fuzz.ratio(one.translate(_SOFT), two.translate(_SOFT))
    return float(plain + 2 * soft) / 300


@lru_cache(maxsize=16)
def sounds(language: str) -> dict[str, str]:
    """Letters and digits to how they sound, in plain Latin letters."""
    table = voice(language)["sounds"]
    return {**table["letters"], **{str(n): s for n, s in enumerate(table["digits"])}}


@lru_cache(maxsize=16)
def crowded(language: str) -> frozenset[str]:
    """Letters with four or more neighbours that sound much like them: they err at the rate of the English E-set."""
    names = {k: v for k, v in sounds(language).items() if k.isalpha()}
    return frozenset(a for a, x in names.items() if sum(likeness(x, y) >= 0.5 for b, y in names.items() if b != a) >= 4)


@lru_cache(maxsize=1024)
def _weighted(language: str, symbol: str, only: str) -> tuple[Sequence[str], Sequence[float]]:
    table = sounds(language)
    mine = table.get(symbol) or table.get(plain(symbol), "")
    others = [k for k in table if k != symbol and (only == "any" or k.isdigit() == (only == "digit"))]
    return others, [max(0.0, likeness(mine, table[k]) - 0.3) ** 2 + 0.003 for k in others]


def confused(rng: random.Random, language: str, symbol: str, *, mixed: bool) -> str:
    """What a letter or digit is taken for. ``mixed``: letters and digits may be taken for each other."""
    only = "any" if mixed else "digit" if symbol.isdigit() else "letter"
    return str(rng.choices(*_weighted(language, symbol.lower(), only))[0])


def plain(text: str) -> str:
    """The text without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def alike(text: str, language: str) -> str:
    """The text with everything that sounds alike in the language written one way: equal keys sound alike."""
    out = unicodedata.normalize("NFD" if language == "ko" else "NFC", text.casefold())
    for group in voice(language)["alike"]:
        for other in group[1:]:
            out = out.replace(other, group[0])
    return out if language == "ko" else plain(out)
