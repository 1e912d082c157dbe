"""Numerals of everyday quantities: the terminals of the phrase grammars that read digits and number words.

Each takes a parser and a position and yields (end, value, cost): a day of the month, a year said in pairs
("nineteen oh six"), an hour with a leading zero, an amount with a decimal point. A cost above 0 is a number word
cut from the number it stands in. What was said may be said again digit by digit ("fifteen, one five"): that is an
echo of the number and no second one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

from langgraph_readback.fields.hearing.figures import Clock, Parts, clock_parts, date_parts, money
from langgraph_readback.fields.hearing.grammar import NUMERIC, Parser
from langgraph_readback.fields.hearing.numbers import cardinals
from langgraph_readback.fields.hearing.tokens import Kind, Token

Found = Iterable[tuple[int, int, int]]
CUT = 2
"""The price of a number word cut from its number."""
YEARS = range(1880, 2200)
LEAD = 100
"""Added to an hour that was said or written with a leading zero: it is of the 24-hour day."""
LONGEST_RUN = 15
STARTS = frozenset({Kind.NUMBER, Kind.SCALE})
"""What a cardinal begins with."""


class Pair(int):
    """A year said in two pairs ("nineteen thirty"), which may as well be a time of day."""


def digit(token: Token) -> int | None:
    """The single digit that a word says, or None. A typed digit is none: it may be part of a figure.

    The terms ``zero`` and ``figure`` are digits only here, among digits said one by one ("o", Portuguese "meia").
    """
    for meaning in token.meanings:
        if meaning.kind is Kind.NUMBER and Kind.LITERAL not in token.kinds:
            return meaning.number if meaning.number < 10 else None
        if meaning.kind is Kind.TERM and meaning.out == "zero":
            return 0
        if meaning.kind is Kind.TERM and meaning.out == "figure":
            return meaning.number
    return None


def run(parser: Parser, i: int, most: int = LONGEST_RUN) -> str:
    """The digits said one by one from ``i``, at most ``most`` of them."""
    key = ("run", i)
    if key not in parser.memo:
        at, out = i, ""
        while at < len(parser.tokens) and len(out) < LONGEST_RUN and (d := digit(parser.tokens[at])) is not None:
            out += str(d)
            at += 1
        parser.memo[key] = out
    said: str = parser.memo[key]
    return said[:most]


def literal(parser: Parser, i: int) -> str:
    """The typed digits at ``i``; empty for a word or for a figure with marks inside."""
    token = parser.tokens[i] if i < len(parser.tokens) else None
    return token.text if token is not None and Kind.LITERAL in token.kinds and token.text.isdigit() else ""


def counted(parser: Parser, i: int) -> list[tuple[int, int, int]]:
    """The cardinals from ``i``, the longest first and free, the others cut."""
    key = ("counted", i)
    found: list[tuple[int, int, int]] | None = parser.memo.get(key)
    if found is None:
        none = parser.tokens[i].kinds.isdisjoint(STARTS) or _pronoun(parser, i)
        ends = () if none else tuple(cardinals(parser.tokens, i, parser.data.get("numbers", {})))
        found = parser.memo[key] = [(end, n, 0 if k == len(ends) - 1 else CUT) for k, (end, n) in enumerate(ends)]
    return found


def _pronoun(parser: Parser, i: int) -> bool:
    """Whether a number word only stands for something ("the cheap one"): talk before it, nothing counted after."""
    if "pronoun" not in parser.terms[i] or i == 0 or parser.tokens[i].pause or parser.classes[i - 1]:
        return False
    before = parser.tokens[i - 1].kinds
    return before.isdisjoint({Kind.PROSE, Kind.CARRIER}) and (i + 1 == len(parser.tokens) or not parser.classes[i + 1])


def echoed(parser: Parser, end: int, text: str) -> int:
    """Past the digits of ``text`` said again one by one, or ``end``."""
    after = end + len(text)
    if len(text) < 2 or run(parser, end, len(text)) != text:
        return end
    beyond = parser.tokens[after] if after < len(parser.tokens) else None
    return end if beyond is not None and digit(beyond) is not None and not beyond.pause else after


def _with_echo(parser: Parser, found: Found) -> Iterator[tuple[int, int, int]]:
    for end, value, cost in found:
        yield end, value, cost
        if (after := echoed(parser, end, str(value % LEAD))) != end:
            yield after, value, cost


def _small(parser: Parser, i: int, low: int, high: int) -> Iterator[tuple[int, int, int]]:
    """A number of one or two digits however it is said: "twenty five", "two five", "oh three", "03"."""
    text = literal(parser, i)
    if text and len(text) <= 2 and low <= int(text) <= high:
        yield i + 1, int(text), 0
    said = run(parser, i, 2)
    for end, n, cost in counted(parser, i):
        if low <= n <= high and not (n == 0 and len(said) == 2):
            yield end, n, cost
    if len(said) == 2 and low <= int(said) <= high:
        yield i + 2, int(said), 0


def day(parser: Parser, i: int) -> Found:
    """A day of the month: an ordinal or a number from 1 to 31."""
    yield from _with_echo(parser, ordinal(parser, i))
    yield from _with_echo(parser, _small(parser, i, 1, 31))


def ordinal(parser: Parser, i: int) -> Found:
    """An ordinal as a word or figure ("fourth", "twenty first", "4th")."""
    terms = parser.terms[i]
    if "ordinal" in terms:
        yield i + 1, terms["ordinal"], 0
    elif i + 1 < len(parser.tokens) and not parser.tokens[i + 1].pause:
        ten, unit = parser.tokens[i].get(Kind.NUMBER), parser.terms[i + 1].get("ordinal", 99)
        if ten is not None and ten.number in (20, 30) and unit < 10:
            yield i + 2, ten.number + unit, 0


def spoken_day(parser: Parser, i: int) -> Found:
    """An ordinal with its echo, for days without a month; "the first available" and "a second" are no days."""
    if i and "article" in parser.terms[i - 1]:
        return
    for end, n, cost in _with_echo(parser, ordinal(parser, i)):
        if end == len(parser.tokens) or parser.tokens[end].pause or not _goes_on(parser, end):
            yield end, n, cost


def _goes_on(parser: Parser, i: int) -> bool:
    """Whether the token at ``i`` may be what an ordinal counts: an ordinary word or a number."""
    kinds = parser.tokens[i].kinds
    return NUMERIC in parser.classes[i] or (not parser.classes[i] and kinds.isdisjoint({Kind.PROSE, Kind.CARRIER}))


def small(parser: Parser, i: int) -> Found:
    """A day or a month in a date of numbers: 1 to 31."""
    yield from _small(parser, i, 1, 31)


def leading(parser: Parser, i: int) -> Found:
    """A day or a month said with a leading zero ("oh three")."""
    said = run(parser, i, 2)
    if len(said) == 2 and said[0] == "0" and said != "00":
        yield i + 2, int(said), 0


def year(parser: Parser, i: int) -> Found:
    """A whole year: "nineteen oh six", "two thousand and six", "one nine eight eight", 1988."""
    text = literal(parser, i)
    if len(text) == 4 and int(text) in YEARS:
        yield i + 1, int(text), 0
    for end, n, cost in counted(parser, i):
        if n in YEARS:
            yield end, n, cost
        elif 18 <= n <= 21 and end < len(parser.tokens) and not parser.tokens[end].pause:
            yield from ((after, Pair(n * 100 + rest), cost + price) for after, rest, price in _rest(parser, end))
    if text and 18 <= int(text) <= 21 and len(next_text := literal(parser, i + 1)) == 2:
        yield i + 2, int(text + next_text), 0
    said = run(parser, i, 4)
    if len(said) == 4 and int(said) in YEARS:
        yield i + 4, int(said), 0


def _rest(parser: Parser, i: int) -> Found:
    """The second half of a year said in pairs: "eighty eight", "oh six", "one five"."""
    for end, n, cost in counted(parser, i):
        if 10 <= n <= 99:
            yield end, n, cost
    said = run(parser, i, 2)
    if len(said) == 2:
        yield i + 2, int(said), 0


def two_digit_year(parser: Parser, i: int) -> Found:
    """The last two digits of a year: "eighty eight", "oh six", 88."""
    text = literal(parser, i)
    if len(text) == 2:
        yield i + 1, int(text), 0
    yield from _rest(parser, i)


def hour(parser: Parser, i: int) -> Found:
    """An hour from 0 to 24; ``LEAD`` is added to one with a leading zero."""
    text = literal(parser, i)
    if text and len(text) <= 2 and int(text) <= 24:
        yield i + 1, int(text) + (LEAD if text[0] == "0" else 0), 0
    said = run(parser, i, 2)
    if len(said) == 2 and said[0] == "0":
        yield i + 2, int(said) + LEAD, 0
    for end, n, cost in counted(parser, i):
        if n <= 24 and not (n == 0 and len(said) == 2):
            yield end, n + (LEAD if n == 0 else 0), cost


def minute(parser: Parser, i: int) -> Found:
    """Minutes after an hour, always two digits: "thirty", "oh five", "one five", 05."""
    yield from _with_echo(parser, ((e, n, c) for e, n, c in two_digit_year(parser, i) if n < 60))


def count(parser: Parser, i: int) -> Found:
    """How many: 1 to 999."""
    text = literal(parser, i)
    if text and 0 < int(text) < 1000:
        yield i + 1, int(text), 0
    yield from _with_echo(parser, ((e, n, c) for e, n, c in counted(parser, i) if 0 < n < 1000))


def date_figure(parser: Parser, i: int) -> Iterable[tuple[int, Parts, int]]:
    """A typed date: "03/04/1988", "2026-12-04", "03041988"."""
    token = parser.tokens[i]
    year_first = parser.data.get("dates", {}).get("order") == "ymd"
    if Kind.LITERAL in token.kinds and (parts := date_parts(token.text, year_first=year_first)) is not None:
        yield i + 1, parts, 0


def clock_figure(parser: Parser, i: int) -> Iterable[tuple[int, Clock, int]]:
    """A typed time: "14:30", "2.30", "1430"."""
    token = parser.tokens[i]
    if Kind.LITERAL in token.kinds and (clock := clock_parts(token.text)) is not None:
        yield i + 1, clock, 0


def sixty(parser: Parser, i: int) -> Found:
    """Minutes after a word for the hour, where one digit is enough ("acht Uhr fünf")."""
    yield from minute(parser, i)
    yield from ((end, n, cost) for end, n, cost in count(parser, i) if n < 60)


def fives(parser: Parser, i: int) -> Found:
    """Minutes before or after an hour without the word "minutes": only whole fives ("two to three" is no 2:58)."""
    yield from ((end, n, cost) for end, n, cost in count(parser, i) if n % 5 == 0 and n < 60)


def units(parser: Parser, i: int) -> Found:
    """A number below a hundred without its scale, which a half may go with ("two and a half", Hindi "sadhe char")."""
    yield from ((end, n, 0) for end, n, _ in count(parser, i) if n < 100)


def ones(parser: Parser, i: int) -> Found:
    """A number from 1 to 9: after a currency it may be as many hundredths, or tenths."""
    yield from ((end, n, cost) for end, n, cost in count(parser, i) if n < 10 and not cost)


def scale(parser: Parser, i: int) -> Found:
    """A word or letter that multiplies: "million", "lakh", "k"."""
    word = parser.tokens[i].get(Kind.SCALE)
    if word is not None:
        yield i + 1, word.number, 0
    elif "mult" in parser.terms[i]:
        yield i + 1, parser.terms[i]["mult"], 0


def number(parser: Parser, i: int) -> Iterable[tuple[int, Decimal, int]]:
    """An amount before scales and currencies: words, digits one by one, figures, with a decimal point or without.

    Said again digit by digit behind it ("15, one five") it is still one amount.
    """
    for end, value, cost in (*_once(parser, i), *_digits(parser, i)):
        yield end, value, cost
        echoes = (after for after, again in _dictated(parser, end) if again == value and after > end + 1)
        yield from ((after, value, cost) for after in echoes)


def factor(parser: Parser, i: int) -> Iterable[tuple[int, Decimal, int]]:
    """A number that a scale multiplies ("2.5 million"): no digits said one by one ("two, three hundred")."""
    yield from _once(parser, i)


def _once(parser: Parser, i: int) -> Iterator[tuple[int, Decimal, int]]:
    for end, value, cost in _whole(parser, i):
        yield end, value, cost
        if value == value.to_integral_value() and _is_point(parser, end):
            yield from ((after, value + part, cost) for after, part in _decimals(parser, end + 1))
    if _is_point(parser, i):
        yield from ((after, part, 0) for after, part in _decimals(parser, i + 1))


def _digits(parser: Parser, i: int) -> Iterator[tuple[int, Decimal, int]]:
    """Digits said one by one; "one oh five" may be 105 and 1.05, "eight, eight" 88 and 8."""
    said = run(parser, i)
    if len(said) < 2:
        return
    end = i + len(said)
    yield end, Decimal(said), 0
    if len(said) == 2 and said[0] == said[1] and parser.tokens[i + 1].pause:
        yield end, Decimal(said[0]), 0
    paired = parser.data.get("amounts", {}).get("oh_pairs", True)
    if paired and len(said) == 3 and said[1] == "0" and said[0] != "0" and said[2] != "0":
        yield end, Decimal(said) / 100, 0
    if _is_point(parser, end):
        yield from ((after, Decimal(said) + part, 0) for after, part in _decimals(parser, end + 1))


def _is_point(parser: Parser, i: int) -> bool:
    return i < len(parser.tokens) and "point" in parser.terms[i]


def _whole(parser: Parser, i: int) -> list[tuple[int, Decimal, int]]:
    """A typed amount, or the cardinals from ``i``."""
    key = ("whole", i)
    if key not in parser.memo:
        parser.memo[key] = list(_amounts(parser, i))
    found: list[tuple[int, Decimal, int]] = parser.memo[key]
    return found


def _amounts(parser: Parser, i: int) -> Iterator[tuple[int, Decimal, int]]:
    token = parser.tokens[i]
    if Kind.LITERAL in token.kinds:
        value = money(token.text, parser.data.get("amounts", {}))
        if value is not None:
            yield i + 1, value, 0
        return
    elliptic = parser.data.get("amounts", {}).get("elliptic", False)
    for end, n, cost in counted(parser, i):
        yield end, Decimal(_elliptic(parser, end, n) if elliptic else n), cost


def _dictated(parser: Parser, i: int) -> Iterator[tuple[int, Decimal]]:
    """Digits said one by one from ``i``, with a point and what follows it where there is one."""
    said = run(parser, i)
    if not said:
        return
    end = i + len(said)
    yield end, Decimal(said)
    if _is_point(parser, end) and (part := run(parser, end + 1)):
        yield end + 1 + len(part), Decimal(f"{said}.{part}")


def _elliptic(parser: Parser, end: int, n: int) -> int:
    """Chinese leaves the last scale unsaid: three thousand, five is 3500 (a zero word would make it 3005)."""
    if end < 2:
        return n
    last, before = parser.tokens[end - 1].get(Kind.NUMBER), parser.tokens[end - 2].get(Kind.SCALE)
    if last is None or before is None or before.number < 100 or not 0 < last.number < 10:
        return n
    return n - last.number + last.number * before.number // 10


def _decimals(parser: Parser, i: int) -> Iterator[tuple[int, Decimal]]:
    """What follows the point: digits one by one, a number of two digits, typed digits."""
    if i >= len(parser.tokens):
        return
    said = run(parser, i)
    if said:
        yield i + len(said), Decimal(f"0.{said}")
    if text := literal(parser, i):
        yield i + 1, Decimal(f"0.{text}")
    else:
        yield from ((end, Decimal(n) / 100) for end, n, cost in counted(parser, i) if 10 <= n <= 99 and not cost)


def spread(parser: Parser, i: int) -> Found:
    """Two neighbouring digits before one scale: about that many ("two, three thousand", where nobody says 23)."""
    said = run(parser, i, 2)
    scale_at = i + 2
    if len(said) < 2 or said[0] == "0" or int(said[1]) <= int(said[0]) or scale_at >= len(parser.tokens):
        return
    if parser.tokens[scale_at].get(Kind.SCALE) is not None:
        yield from ((end, int(said), 0) for end, _, cost in counted(parser, i + 1) if end > scale_at and not cost)


def clipped(parser: Parser, i: int) -> Found:
    """A number with a unit after its last scale that may be short for more of it ("tremila e cinque", 3005 or 3500).

    ``[amounts.clipped]`` says for each scale up to which number.
    """
    limits = parser.data.get("amounts", {}).get("clipped", {})
    for end, n, cost in counted(parser, i) if limits else ():
        scale = next((s for s in sorted(map(int, limits), reverse=True) if n >= s), 0)
        tail = n % scale if scale else 0
        if not cost and 0 < tail <= limits[str(scale)] and _stands_alone(parser, i, end, tail):
            yield end, n, 0


def _stands_alone(parser: Parser, start: int, end: int, tail: int) -> bool:
    """Whether the end of a number was said as words of its own, and no word glued to the scale."""
    return any(n == tail and after == end for at in range(start + 1, end) for after, n, _ in counted(parser, at))


def cents(parser: Parser, i: int) -> Found:
    """Hundredths after a currency, always two digits: "sixty", "oh five", 05. "four zero" rather is an echo."""
    for end, n, cost in two_digit_year(parser, i):
        if n < 10 or run(parser, i, 2) != str(n):
            yield end, n, cost
