"""A neutral reader: words to symbols, by closed lists, with no grammar of any field.

Used for the caller's ear (what did the agent just read back?) and as the ears of the arms where the product has no
field. Independent of ``fields`` on purpose.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from langgraph_readback.evals.numbers import number_words, ordinal_words
from langgraph_readback.evals.speech import lexicon

SPELLED_TYPES = frozenset({"code", "order_id", "postcode", "phone", "vin", "iban", "plate", "id", "card_last4"})
MIXED_TYPES = frozenset({"address", "property", "company"})
_TOKEN = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+(?:['’][^\W\d_]+)*|[@._+/&,:;?!\n-]")


_WITH_MIXED = re.compile(rf"(?=\w*[^\W\d_])(?=\w*\d)[^\W_]+|{_TOKEN.pattern}")
"""Where "OX4" and "9C" are one thing when they are written so."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text.

    ``kind``   word, letter, digit, number (in words), figure (in numerals), symbol, comma, stop.
    ``frame``  it may be talk around the value.
    """

    kind: str
    text: str
    frame: bool = False
    times: int = 1


@lru_cache(maxsize=4)
def ear(language: str) -> dict[str, Any]:
    """``data/<language>/ear.toml`` with its lists split."""
    text = files("langgraph_readback.evals").joinpath("data", language, "ear.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    data["frame"] = frozenset(data["frame"].split())
    data["note"] = frozenset(data["note"].split())
    return data


@lru_cache(maxsize=4)
def _numbers(language: str) -> dict[str, int]:  # noqa: ARG001 - English so far; the cache is by language
    out = {number_words(n): n for n in range(1, 100) if n > 9 and " " not in number_words(n)}
    out |= {ordinal_words(n): n for n in range(1, 32)}
    out |= {f"{n}{e}": n for n in range(1, 32) for e in ("st", "nd", "rd", "th")}
    return out | {"hundred": 100, "thousand": 1000}


@lru_cache(maxsize=4)
def _ordinals(language: str) -> frozenset[str]:
    return frozenset(w for w in _numbers(language) if w in {ordinal_words(n) for n in range(1, 32)})


@lru_cache(maxsize=4)
def spelling(language: str) -> dict[str, str]:
    """Spelling words, the alphabet's and people's own, to letters."""
    data = lexicon(language)
    return {w: c for alphabet in ("own", "icao") for c, w in data[alphabet].items()} | {
        "alfa": "a",
        "xray": "x",
        "juliett": "j",
    }


def pieces(text: str, kind: str, language: str = "en", *, label: frozenset[str] = frozenset()) -> list[Piece]:
    """The text as pieces. Notes in brackets are dropped, "B as in Bravo" is B, K-I-M is three letters.

    ``label``: further words that are talk around a value; with a leading ``=`` words that are certainly not spelling
    words; ``*``: every spelling word is one.
    """
    text = re.sub(r"\([^)]*\)", " ", text.replace("’", "'"))
    text = re.sub(r"[\"`*“”«»<>]", " ", text)
    text = re.sub(r"\bx-ray\b", "xray", text, flags=re.IGNORECASE)
    text = re.sub(
        r"\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-(?=[a-z])", r"\1 ", text, flags=re.IGNORECASE
    )
    text = re.sub(r"\bhundred and\b", "hundred", text, flags=re.IGNORECASE)
    if kind == "name":
        text = re.sub(
            r"[.,]? ?\b(?:first|last|given|family|middle) name,?(?= \w[, ])|\bsurname,?",
            " space ",
            text,
            flags=re.IGNORECASE,
        )
    text = re.sub(r"\b(?:[^\W_]-){2,}[^\W_]\b", lambda m: m[0].replace("-", " "), text)
    text = re.sub(r"\b([ap])\.? ?m\b\.?", r"\1m", text, flags=re.IGNORECASE) if kind == "time" else text
    text = re.sub(r"(?<=\w)\.\.\.|…", " , ", text)
    text = re.sub(r"\.\.", ". ", text)
    found = (_WITH_MIXED if kind in MIXED_TYPES else _TOKEN).finditer(text)
    raw = [(m[0], m.start(), m.end()) for m in found]
    out: list[Piece] = []
    place = 0
    while place < len(raw):
        taken, made = _piece(raw, place, text, kind, language, label, out)
        out += made
        place += taken
    return out


def _piece(
    raw: list[tuple[str, int, int]],
    place: int,
    text: str,
    kind: str,
    language: str,
    label: frozenset[str],
    before: list[Piece],
) -> tuple[int, list[Piece]]:
    token, start, end = raw[place]
    low = token.lower()
    after = [t[0].lower() for t in raw[place + 1 : place + 4]]
    if not low[0].isalnum():
        return 1, _mark(token, text, start, end)
    if (
        low in ("double", "triple")
        and after
        and (
            (after[0].isalnum() and len(after[0]) == 1)
            or after[0] == "oh"
            or after[0] in _digits(language)
            or after[0] in spelling(language)
        )
    ):
        taken, made = _piece(raw, place + 1, text, kind, language, label, before)
        times = 2 if low == "double" else 3
        return taken + 1, [Piece(made[0].kind, made[0].text, times=times), *made[1:]]
    if kind in MIXED_TYPES and not low.isalpha() and not low.isdigit() and low.isalnum():
        return 1, [Piece("word", low)]
    if low[0].isdigit():
        return 1, [Piece("figure", low)] if "." in low or kind not in SPELLED_TYPES else [
            Piece("digit", c) for c in low
        ]
    if low in ("zed", "zee"):
        low = "z"
    if low in ("letter", "capital", "number", "digit") and after and len(after[0]) == 1 and after[0].isalnum():
        return 1, []
    if len(low) == 1:
        skip = 2 if after[:2] == ["as", "in"] else 1 if after[:1] and after[0] in ("for", "like") else 0
        linked = skip and len(after) > skip and after[skip].startswith(low)
        return (2 + skip if linked else 1), [Piece("letter", low, frame=low in "ia" and not linked)]
    return 1, [_named(low, kind, language, label, before, after)]


def _named(low: str, kind: str, language: str, label: frozenset[str], before: list[Piece], after: list[str]) -> Piece:
    """A word that may name a digit, a number, a symbol or a letter."""
    data = ear(language)
    if low == "oh" or low in _digits(language):
        return Piece("digit", "0" if low == "oh" else str(_digits(language).index(low)))
    if low in _numbers(language) and (kind in ("date", "dob") or low not in _ordinals(language)):
        return Piece("number", str(_numbers(language)[low]))
    if low in data["symbol"]:
        return Piece("symbol", data["symbol"][low], frame=low in ("at", "space"))
    run = (bool(before) and before[-1].kind in ("letter", "digit")) or (
        bool(after) and (after[0] in spelling(language) or (len(after[0]) == 1 and after[0].isalnum()))
    )
    if f"={low}" not in label and low in spelling(language) and (kind in SPELLED_TYPES or run or "*" in label):
        return Piece("letter", spelling(language)[low])
    frame = f"={low}" not in label and (low in data["frame"] or low in label)
    return Piece("word", low, frame=frame)


def _mark(mark: str, text: str, start: int, end: int) -> list[Piece]:
    if mark == ",":
        return [Piece("comma", ",")]
    tight = start > 0 and end < len(text) and not text[start - 1].isspace() and not text[end].isspace()
    if mark in ".:" and tight:
        return [Piece("symbol", mark)]
    if mark in ".:;?!\n":
        return [Piece("stop", mark)]
    if mark == "-" and not tight:
        return [Piece("comma", ",")]
    return [Piece("symbol", mark)]


@lru_cache(maxsize=4)
def _digits(language: str) -> tuple[str, ...]:
    return tuple(lexicon(language)["digits"])


def joined(found: list[Piece], kind: str) -> tuple[str, list[bool]]:
    """Pieces as one string in the manner of the type, and for each character whether it was spelled."""
    out: list[tuple[str, bool]] = []
    last: Piece | None = None
    pause = False
    found = composed(found) if kind not in SPELLED_TYPES else found
    runs = in_runs(found)
    for number, piece in enumerate(found):
        if piece.kind in ("comma", "stop"):
            last = None if piece.kind == "stop" else last
            pause = True
            continue
        if pause and last is not None and kind != "email" and _parted(last, piece, runs, found, number):
            last = None
        pause = False
        glued = last is not None and _glued(last, piece, kind)
        if out and not glued:
            out.append((" ", False))
        spelled = piece.kind in ("letter", "digit")
        out += [(c, spelled) for c in piece.text * piece.times]
        last = piece
    return "".join(c for c, _ in out), [s for _, s in out]


def in_runs(found: list[Piece]) -> list[bool]:
    """For each piece, whether it is a letter with another one right beside it: then a comma beyond it is a boundary."""
    pairs = [a.kind == b.kind == "letter" for a, b in itertools.pairwise(found)]
    return [left or right for left, right in zip([False, *pairs], [*pairs, False], strict=True)]


def _parted(last: Piece, piece: Piece, runs: list[bool], found: list[Piece], number: int) -> bool:
    """Whether a comma between two pieces parts them: "T, H, E" is one word, "T H E, L A R K" are two."""
    if last.kind == "symbol":
        return False
    if piece.kind == "letter" == last.kind:
        return runs[number] or any(runs[max(0, number - 2) : number])
    if piece.kind == "digit" == last.kind:
        return not _one_by_one(found, number)
    return piece.kind != "symbol"


def _one_by_one(found: list[Piece], number: int) -> bool:
    """Whether a digit stands in a chain of three or more with a comma between each: "three, zero, six"."""
    kinds = "".join("d" if p.kind == "digit" else "," if p.kind == "comma" else "." for p in found)
    return any(m.start() <= number < m.end() for m in re.finditer(r"(?<!d)d(?:,d(?!d)){2,}", kinds))


def composed(found: list[Piece]) -> list[Piece]:
    """Number words that belong together as one number: ``2 100 8`` is 208, ``20 5`` is 25."""
    out: list[Piece] = []
    for piece in found:
        last = out[-1] if out else None
        if last and last.kind == "number" and piece.kind in ("number", "digit") and "." not in last.text + piece.text:
            total = _sum(int(last.text), int(piece.text))
            if total is not None:
                out[-1] = Piece("number", str(total))
                continue
        if (
            last
            and last.kind == "digit"
            and last.text != "0"
            and piece.text in ("100", "1000")
            and piece.kind == "number"
        ):
            out[-1] = Piece("number", str(int(last.text) * int(piece.text)))
            continue
        out.append(piece)
    return out


def _sum(high: int, low: int) -> int | None:
    for unit in (1000, 100, 10):
        if high % unit == 0 and 0 < low < unit and high >= 2 * min(unit, 10):
            return high + low
    return high * low if low in (100, 1000) and high < 100 else None


def _glued(last: Piece, piece: Piece, kind: str) -> bool:
    if kind == "email" or kind in SPELLED_TYPES:
        return True
    single = ("letter", "digit")
    if "symbol" in (last.kind, piece.kind):
        return "&" not in (last.text, piece.text)
    if last.kind in single and piece.kind in single:
        return last.kind == piece.kind or kind in ("company", "property")
    return False
