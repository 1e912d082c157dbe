"""The postcode inside an address: where it is among the tokens, and where it stands in the value. Not a field type."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import regex

from langgraph_readback.fields.hearing import pattern
from langgraph_readback.fields.hearing.accents import fold
from langgraph_readback.fields.hearing.lattice import part
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.lexicon import SYLLABIC
from langgraph_readback.fields.hearing.tokens import Kind, Token
from langgraph_readback.fields.spec import Ask
from langgraph_readback.fields.types import coded, wording
from langgraph_readback.fields.types.casing import texts

CODEISH = frozenset(
    {Kind.LETTER, Kind.SPELL, Kind.DIGIT, Kind.NUMBER, Kind.LITERAL, Kind.REPEAT, Kind.HINT, Kind.CASE, Kind.SCALE}
)
COUNTED = frozenset({Kind.DIGIT, Kind.NUMBER, Kind.LITERAL, Kind.SCALE})
CERTAIN = COUNTED | {Kind.REPEAT, Kind.HINT, Kind.CASE}
"""Kinds of a word that surely may stand in a code, however long it is."""
MOST = 4
"""Stretches looked at, from the end."""
WORD = regex.compile(r"\p{L}{2}")
LAST = regex.compile(r"(\p{L}+)\.? *$")
TOWN = regex.compile(r" *\p{L}")
GAP = regex.compile(r"(?<!\[)(?<!\\)[ ](?![^\[]*\])")
LONGEST = 24
"""Tokens; no postcode is said with more."""
FIRST = frozenset(
    [
        "NL",
        "DE",
        "AT",
        "CH",
        "LI",
        "BE",
        "LU",
        "FR",
        "ES",
        "IT",
        "PT",
        "SE",
        "NO",
        "DK",
        "FI",
        "PL",
        "CZ",
        "SK",
        "HU",
        "GR",
        "BR",
        "MX",
        "AR",
    ]
)
"""Countries that write the postcode before the town (UPU), so that a house number may stand before it."""


@dataclass(frozen=True, slots=True)
class Code:
    """A postcode in its layout and its tokens (``last`` exclusive); ``value`` None: there is none.

    ``glued_after``: the town follows it without a comma.
    """

    value: str | None
    first: int
    last: int
    doubt: str | None = None
    glued_after: bool = True
    params: Mapping[str, Any] = field(default_factory=dict)


def region(ask: Ask) -> str:
    """The country of the address."""
    return coded.region(ask)


def _row(ask: Ask) -> dict[str, Any] | None:
    return coded.table("postcodes").get(region(ask))


def closes(value: str, ask: Ask) -> bool:
    """Whether an address ends with its postcode, so that nothing is to follow. "Level 3, 2000" may go on."""
    row = _row(ask)
    if row is None or region(ask) in FIRST:
        return False
    words = value.replace(",", " ").split()
    codes = [" ".join(words[-n:]) for n in (1, 2) if len(words) > n]
    named = not {w.casefold() for w in words}.isdisjoint(texts(ask.locale).get("address", {}).get("streets", ()))
    return any(pattern.shape(row["pattern"]).whole(code) and (named or not code.isdigit()) for code in codes)


def leads(digits: str, ask: Ask) -> bool:
    """Whether digits are a postcode of a country that writes it before the town."""
    row = _row(ask)
    return row is not None and region(ask) in FIRST and len(digits) in _lengths(pattern.shape(row["pattern"]).regex)


def lettered(ask: Ask) -> bool:
    """Whether a postcode of the country may begin with a letter."""
    row = _row(ask)
    return row is None or _openers(pattern.shape(row["pattern"]).regex)[1]


def abbreviated(utterance: Utterance, ask: Ask, address: dict[str, Any]) -> Utterance:
    """The letters of a state as one word: "new york, n y" spells neither "new" nor "york"."""
    states = address.get("states", {}).get(region(ask), ())
    tokens = utterance.of(
        t.meaning(()) if _state(utterance.tokens, i, states) else t for i, t in enumerate(utterance.tokens)
    )
    return wording.abbreviated(tokens, states)


def _state(tokens: tuple[Token, ...], i: int, states: Collection[str]) -> bool:
    """Whether a word is a state as recognisers print it: "Portland, OR 97201"."""
    token = tokens[i]
    return i > 0 and token.raw.isupper() and token.text in states and not tokens[i - 1].raw.isupper()


def find(utterance: Utterance, ask: Ask, address: dict[str, Any]) -> tuple[Utterance, Code]:
    """The postcode among the tokens: the last stretch of letters and digits that is one.

    Said twice, it is taken out once; two different ones are a doubt. Returns the utterance that the code's tokens
    belong to.
    """
    row = _row(ask)
    tokens = utterance.tokens
    code = none = Code(None, len(tokens), len(tokens))
    if row is None:
        return utterance, none
    form = pattern.shape(row["pattern"])
    again: list[tuple[int, int]] = []
    for start, end in _stretches(tokens, address)[: -MOST - 1 : -1]:
        marked = _marked(tokens, start)
        found = _within(utterance, form, start, end, ahead=region(ask) in FIRST)
        if found is None and marked:
            found = _first_of(utterance, form, start, end)
        if found is None or not (marked or _fits(tokens, found, ask, address)):
            if marked and code.value is None:
                return utterance, replace(none, doubt="not_a_postcode", params={"expected": row["example"]})
            continue
        first = _lead(tokens, start) if marked and found.first == start else found.first
        if code.value is None:
            paused = found.last < len(tokens) and tokens[found.last].pause
            code = replace(found, first=first, glued_after=region(ask) in FIRST or not paused)
        elif found.value == code.value:
            again.append((first, found.last))
        elif not (found.value or "").isdigit():
            return utterance, replace(code, doubt="two_values")
    for first, last in again:
        tokens = tokens[:first] + tokens[last:]
        code = replace(code, first=code.first - (last - first), last=code.last - (last - first))
    return (utterance.of(tokens) if again else utterance), code


def _first_of(utterance: Utterance, form: pattern.Shape, start: int, end: int) -> Code | None:
    """An announced code that more follows behind a pause: "postcode l a nine four a b, fourteen high street"."""
    for last in range(start + 1, end):
        if utterance.tokens[last].pause and (found := _within(utterance, form, start, last, ahead=False)) is not None:
            return found if found.first == start else None
    return None


def _lead(tokens: tuple[Token, ...], start: int) -> int:
    """Where the words that announce a code start: "and the | postcode"."""
    first = start - 1
    while (
        first
        and not tokens[first].pause
        and not tokens[first - 1].kinds & CODEISH
        and len(tokens[first - 1].text) <= 3
        and not SYLLABIC.match(tokens[first - 1].text)
    ):
        first -= 1
    return first


def _stretches(tokens: tuple[Token, ...], address: dict[str, Any]) -> list[tuple[int, int]]:
    """The stretches of tokens that may be characters of a code and hold a digit."""
    found, start = [], None
    for i, token in enumerate([*tokens, None]):
        inside = token is not None and _codeish(tokens, i, address) and not _is_mark(token)
        if inside and start is None:
            start = i
        elif not inside and start is not None:
            if any(t.kinds & COUNTED for t in tokens[start:i]):
                found.append((start, i))
            start = None
    return found


def _codeish(tokens: tuple[Token, ...], i: int, address: dict[str, Any]) -> bool:
    token = tokens[i]
    if _printed(tokens, i) or (Kind.REPAIR in token.kinds and _repaired(tokens, i)):
        return True
    hinted = i > 0 and Kind.HINT in tokens[i - 1].kinds
    if hinted or token.kinds & {Kind.FILLER, Kind.CLASSIFIER}:
        return True
    if Kind.SYMBOL in token.kinds:
        return any(m.out in " -" for m in token.meanings if m.kind is Kind.SYMBOL)
    spelled = Kind.SPELL in token.kinds and _among_letters(tokens, i)
    sure = len(token.text) == 1 or spelled or not token.kinds.isdisjoint(CERTAIN)
    name = token.get(Kind.LETTER)
    return (
        bool(token.kinds & CODEISH)
        and (sure or (name is not None and (len(token.text) <= 4 or " " in token.text)))
        and token.text not in address.get("units", ())
    )


def _repaired(tokens: tuple[Token, ...], i: int) -> bool:
    """Whether a repair stands between characters: "six three q t, no, q p"."""
    beside = (tokens[i - 1], tokens[i + 1]) if 0 < i < len(tokens) - 1 else ()
    return tokens[i].pause and bool(beside) and all(len(t.text) == 1 or bool(t.kinds & COUNTED) for t in beside)


def _among_letters(tokens: tuple[Token, ...], i: int) -> bool:
    """Whether a spelling word stands among letters; a town by itself ("Berlin") spells nothing."""
    before, after = tokens[i - 1] if i else None, tokens[i + 1] if i + 1 < len(tokens) else None
    letters = [
        t
        for t in (before, after)
        if t is not None and (Kind.SPELL in t.kinds or (len(t.text) == 1 and t.text.isalpha()))
    ]
    return any(not (tokens[i].pause if t is before else t.pause) for t in letters)


def _printed(tokens: tuple[Token, ...], i: int) -> bool:
    """Whether a short word is part of a code as recognisers print it: the letters of "LA9 4AB", "1016 HD"."""
    token = tokens[i]
    if not token.raw.isalpha() or len(token.raw) > 3:
        return False
    before, after = tokens[i - 1] if i else None, tokens[i + 1] if i + 1 < len(tokens) else None
    if after is not None and after.glued and Kind.LITERAL in after.kinds:
        return True
    counted = before is not None and Kind.LITERAL in before.kinds
    return counted and (token.glued or (token.raw.isupper() and len(token.raw) == 2))


def _is_mark(token: Token) -> bool:
    term = token.get(Kind.TERM)
    return term is not None and term.out == "postcode"


def _marked(tokens: tuple[Token, ...], start: int) -> bool:
    """Whether the word "postcode" stands before the stretch."""
    return start > 0 and _is_mark(tokens[start - 1])


def _within(utterance: Utterance, form: pattern.Shape, start: int, end: int, *, ahead: bool) -> Code | None:
    """The code that ends a stretch. Two starts that both fit are a doubt unless a pause settles it."""
    fits: list[Code] = []
    tokens = utterance.tokens
    for first in range(max(start, end - LONGEST), end):
        if first > start and (Kind.HINT in tokens[first].kinds or not _opens(form, tokens[first])):
            continue
        if (count := _digits(tokens[first:end])) is not None and count not in _lengths(form.regex):
            continue
        found = pattern.read(part(utterance, first, end), form)
        clean = [p for p in found.values if not p.marks & pattern.JUNKED and p.trace and p.trace[0][1] == 0]
        best = list(dict.fromkeys(p.text for p in clean if p.cost == clean[0].cost))
        if not best:
            continue
        code = Code(best[0], first, end, "ambiguous" if len(best) > 1 else None)
        if first == start:
            return code
        fits.append(code)
    torn = [c for c in fits if c.first > start and not tokens[c.first].pause and tokens[c.first - 1].kinds & COUNTED]
    if torn and len(torn) == len(fits) and not ahead:
        return replace(torn[0], doubt="not_a_postcode")
    paused = [c for c in fits if tokens[c.first].pause and not tokens[min(c.first + 1, end - 1)].pause]
    if paused:
        return paused[0]
    if len(fits) > 1:
        return replace(fits[0], doubt="ambiguous")
    return fits[0] if fits else None


@lru_cache(maxsize=128)
def _openers(layout: regex.Pattern[str]) -> tuple[bool, bool]:
    """Whether a code may begin with a digit, with a letter."""
    begins = [layout.fullmatch(c, partial=True) is not None for c in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
    return any(begins[:10]), any(begins[10:])


@lru_cache(maxsize=128)
def _lengths(layout: regex.Pattern[str]) -> frozenset[int]:
    """How many digits a code of digits alone may have."""
    found = set()
    for count in range(3, 11):
        shown = ["2" * count, *("2" * at + mark + "2" * (count - at) for at in range(1, count) for mark in " -")]
        if any(layout.fullmatch(text) for text in shown):
            found.add(count)
    return frozenset(found)


def _digits(tokens: tuple[Token, ...]) -> int | None:
    """How many digits tokens write that are digits one by one; None when that cannot be told so simply."""
    count = 0
    for token in tokens:
        number = token.get(Kind.LITERAL) or token.get(Kind.DIGIT)
        if number is None or token.kinds & {Kind.LETTER, Kind.SCALE, Kind.REPEAT}:
            if Kind.SYMBOL in token.kinds and Kind.LETTER not in token.kinds:
                continue
            return None
        count += len(number.out)
    return count


def _opens(form: pattern.Shape, token: Token) -> bool:
    """Whether a code may begin with a token, as far as its kind tells."""
    digit, letter = _openers(form.regex)
    counted = bool(token.kinds & COUNTED)
    lettered = bool(token.kinds & {Kind.LETTER, Kind.SPELL, Kind.CASE, Kind.REPEAT}) or not counted
    return (digit and (counted or Kind.REPEAT in token.kinds)) or (letter and lettered)


def _fits(tokens: tuple[Token, ...], code: Code, ask: Ask, address: dict[str, Any]) -> bool:
    """Whether a code stands where one may: behind a street or a town, not where a house number stands."""
    before, after = tokens[: code.first], tokens[code.last :]
    words = [t for t in before if len(t.text) > 1 and not t.kinds & {*COUNTED, Kind.FILLER}]
    if not words:
        return False
    streets = address.get("streets", ())
    follows = [t.text for t in after[:4] if not t.pause]
    if any(c.isalpha() for c in code.value or ""):
        return True
    if words[-1] is before[-1] and words[-1].text in address.get("units", ()):
        return False
    if not all(c.isdigit() for c in code.value or ""):
        return True
    if region(ask) in FIRST:
        return bool(after) or not tokens[code.first - 1].pause
    return not any(t in streets for t in follows)


def cut_off(utterance: Utterance, ask: Ask, address: dict[str, Any]) -> bool:
    """Whether the utterance ends in letters and digits that go on no house or unit: the start of a postcode."""
    tokens = utterance.tokens
    stretches = _stretches(tokens, address)
    if _row(ask) is None or not stretches or stretches[-1][1] != len(tokens):
        return False
    start, _ = stretches[-1]
    if start == 0 or tokens[start - 1].text in address.get("units", ()) or region(ask) in FIRST:
        return False
    return len(tokens) - start > 1 or bool(tokens[start].pause)


def placed(before: list[str], code: Code, after: list[str]) -> str:
    """The parts of the value with the postcode where it was said."""
    left, right = ", ".join(p for p in before if p), ", ".join(p for p in after if p)
    if code.value is None:
        return ", ".join(p for p in (left, right) if p)
    if not right or not left:
        return f"{left or right} {code.value}".strip()
    return f"{left}, {code.value} {right}" if code.glued_after else f"{left} {code.value}, {right}"


@lru_cache(maxsize=128)
def _typed(layout: str) -> regex.Pattern[str]:
    loose = GAP.sub("[ ]?", layout)
    return regex.compile(rf"(?<![\w/-])(?:{loose})(?![\w/-])", regex.IGNORECASE)


def split(text: str, ask: Ask) -> tuple[str, str | None, str]:
    """A typed address as (before, postcode in its layout, after)."""
    row = _row(ask)
    if row is None:
        return text, None, ""
    matches = [m for m in _typed(row["pattern"]).finditer(text) if m.start() > 0 and WORD.search(text[: m.start()])]
    if not matches:
        return text, None, ""
    match = matches[-1]
    before, after = text[: match.start()], text[match.end() :]
    unit = LAST.search(before)
    counted = not any(c.isalpha() for c in match[0])
    if counted and unit is not None and fold(unit[1]) in texts(ask.locale).get("address", {}).get("units", ()):
        return text, None, ""
    if region(ask) in FIRST and not TOWN.match(after) and match[0].isdigit() and len(match[0]) < 5:
        return text, None, ""
    return before, _laid_out(match[0].upper(), pattern.shape(row["pattern"])), after


def _laid_out(code: str, form: pattern.Shape) -> str:
    """A code with the separator its layout wants."""
    if form.whole(code):
        return code
    for at in range(1, len(code)):
        for mark in (" ", "-"):
            if form.whole(code[:at] + mark + code[at:]):
                return code[:at] + mark + code[at:]
    return code
