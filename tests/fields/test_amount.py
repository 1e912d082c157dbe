"""Amounts: numbers said and typed in every shape, and the doubts that words and separators leave."""

from __future__ import annotations

import doctest
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_readback.fields import FieldSpec, check, hear, speak
from langgraph_readback.fields.hearing.figures import clock_parts, date_parts, money
from langgraph_readback.fields.types import amount as module

AMOUNT = FieldSpec(name="amount")
ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
EN, DE = {"decimal": ".", "group": ","}, {"decimal": ",", "group": ".'"}


def words(n: int, link: str = " and ") -> str:
    """A number below a billion in words."""
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10] + (f" {ONES[n % 10]}" if n % 10 else "")
    if n < 1000:
        return f"{ONES[n // 100]} hundred" + (link + words(n % 100) if n % 100 else "")
    scale, name = (10**6, "million") if n >= 10**6 else (1000, "thousand")
    rest = n % scale
    return f"{words(n // scale, link)} {name}" + ((link if rest < 100 else " ") + words(rest, link) if rest else "")


def heard(said: str, locale: str = "en-US", channel: str = "voice") -> str | None:
    reading = hear(AMOUNT, said, locale=locale, channel=channel)
    return reading.value or (reading.reason and f"!{reading.reason.code}")


def test_the_examples_of_the_docstring_hold() -> None:
    assert doctest.testmod(module).failed == 0


@given(st.integers(0, 10**9 - 1), st.integers(0, 99), st.sampled_from([" and ", " "]))
def test_an_amount_in_words(whole: int, cents: int, link: str) -> None:
    said = words(whole, link)
    assert heard(said) == str(whole)
    assert heard(f"{said} dollars and {words(cents)} cents") == f"{whole}.{cents:02d}"
    if cents > 9:
        assert heard(f"{said} pounds {words(cents)}", "en-GB") == f"{whole}.{cents:02d}"
    digits = " ".join(ONES[int(c)] for c in str(whole))
    if whole > 9:
        assert heard(f"{said}, {digits}") == str(whole)


@given(st.integers(1, 99), st.integers(10, 99))
def test_two_numbers_side_by_side_are_a_doubt(first: int, second: int) -> None:
    reading = hear(AMOUNT, f"{words(first)} {words(second)}")
    if first % 10 == 0 and second < 10:
        return
    assert reading.value is None
    assert reading.reason is not None
    assert reading.reason.code in ("ambiguous_amount", "ambiguous")


@pytest.mark.parametrize(
    ("figure", "habits", "value"),
    [
        ("1,234.56", EN, "1234.56"),
        ("1.234,56", EN, "1234.56"),
        ("1.234,56", DE, "1234.56"),
        ("1,234.56", DE, "1234.56"),
        ("1,234", EN, "1234"),
        ("1.234", EN, None),
        ("1.234", DE, "1234"),
        ("1,234", DE, None),
        ("12,50", EN, None),
        ("12,50", DE, "12.50"),
        ("12.5", EN, "12.50"),
        ("1,00,000", EN, None),
        ("1,00,000", {**EN, "indian": True}, "100000"),
        ("1,2345", EN, None),
        ("1.234.567", EN, "1234567"),
        ("1,234.567", EN, None),
        (".99", EN, "0.99"),
        ("10:15", EN, None),
    ],
)
def test_figures(figure: str, habits: dict[str, object], value: str | None) -> None:
    got = money(figure, habits)
    assert (None if got is None else str(got)) == value


@pytest.mark.parametrize(
    ("figure", "parts"),
    [
        ("03/04/1988", (3, 4, 1988)),
        ("3.4.88", (3, 4, 88)),
        ("1988-03-04", (1988, 3, 4)),
        ("19880304", (1988, 3, 4)),
        ("03041988", (3, 4, 1988)),
        ("12/25", (12, 25)),
        ("1/2/3/4", None),
        ("03/04-1988", None),
        ("123/4/88", None),
        ("10:15", None),
    ],
)
def test_date_figures(figure: str, parts: tuple[int, ...] | None) -> None:
    assert date_parts(figure) == parts


@pytest.mark.parametrize(
    ("figure", "time"),
    [
        ("14:30", (14, 30)),
        ("2.30", (2, 30)),
        ("0830", (8, 30)),
        ("14:30:00", (14, 30)),
        ("25:00", None),
        ("12:60", None),
    ],
)
def test_clock_figures(figure: str, time: tuple[int, int] | None) -> None:
    got = clock_parts(figure)
    assert (None if got is None else got[:2]) == time


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("fifty dollars, no, fifteen, one five", "15"),
        ("two hundred and fifty, no, sixty", "!ambiguous"),
        ("a hundred, no, ninety", "90"),
        ("about fifty, no, exactly fifty dollars", "50"),
        ("about fifty, no, fifty", "!ambiguous_amount"),
        ("fifteen not fifty", "15"),
        ("not fifty, fifteen", "15"),
        ("a hundred and", "!incomplete"),
    ],
)
def test_repairs(said: str, value: str) -> None:
    assert heard(said) == value


@pytest.mark.parametrize(
    ("value", "locale", "said"),
    [
        ("15", "en-US", "15, one five"),
        ("5", "en-US", "5"),
        ("1234.50", "en-US", "1,234.50, one, two three four, point, five zero"),
        ("123456", "en-IN", "1,23,456, one, two three, four five six"),
        ("1234.56", "de-DE", "1.234,56, eins, zwei drei vier, Komma, fünf sechs"),
    ],
)
def test_what_is_read_back(value: str, locale: str, said: str) -> None:
    assert speak(AMOUNT, value, locale=locale) == said


@pytest.mark.parametrize(
    ("value", "ok"), [("15", True), ("0.99", True), ("15.0", False), ("1,234", False), ("-5", False), ("015", False)]
)
def test_check(value: str, ok: bool) -> None:
    assert check(AMOUNT, value).ok is ok
    if ok:
        assert Decimal(value) >= 0
