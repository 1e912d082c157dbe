"""Dates of birth: every day of a century as people say it, two-digit years, and what no date of birth can be."""

from __future__ import annotations

import doctest
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_readback.fields import FieldSpec, check, hear, speak
from langgraph_readback.fields.types import dob as module

DOB = FieldSpec(name="dob")
TODAY = date(2026, 11, 30)
BORN = st.dates(date(1927, 1, 1), date(2024, 12, 31))
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
ODD = {1: "first", 2: "second", 3: "third", 5: "fifth", 8: "eighth", 9: "ninth", 12: "twelfth"}


def cardinal(n: int) -> str:
    """A number below a hundred in words."""
    return ONES[n] if n < 20 else TENS[n // 10] + (f" {ONES[n % 10]}" if n % 10 else "")


def ordinal(n: int) -> str:
    """A day of the month in words."""
    if n % 10 and n > 20:
        return f"{TENS[n // 10]} {ordinal(n % 10)}"
    return ODD.get(n) or (cardinal(n)[:-1] + "ieth" if n >= 20 else cardinal(n) + "th")


def pair(n: int) -> str:
    """Two digits of a year in words."""
    return cardinal(n) if n > 9 else f"oh {ONES[n]}"


def year(n: int) -> str:
    """A year in words."""
    if 2000 <= n < 2010:
        return "two thousand" + (f" and {ONES[n - 2000]}" if n > 2000 else "")
    return f"{cardinal(n // 100)} {pair(n % 100)}" if n % 100 else f"{cardinal(n // 100)} hundred"


def heard(said: str, locale: str = "en-US") -> str | None:
    reading = hear(DOB, said, locale=locale, today=TODAY)
    return reading.value or (reading.reason and f"!{reading.reason.code}")


def test_the_examples_of_the_docstring_hold() -> None:
    assert doctest.testmod(module).failed == 0


@given(BORN)
def test_a_day_in_words_is_that_day(born: date) -> None:
    month, day, whole = f"{born:%B}", born.day, year(born.year)
    for said in (f"{month} {ordinal(day)} {whole}", f"{month} {cardinal(day)} {whole}"):
        assert heard(said) == born.isoformat(), said
    for said in (f"the {ordinal(day)} of {month} {whole}", f"{cardinal(day)} {month} {whole}"):
        assert heard(said, "en-GB") == born.isoformat(), said
    assert heard(f"{month} {ordinal(day)} {pair(born.year % 100)}") == born.isoformat()


@given(BORN)
def test_a_day_in_digits_is_never_another_day(born: date) -> None:
    digits = " ".join(ONES[int(c)] for c in f"{born:%m%d%Y}")
    assert heard(digits) == born.isoformat(), digits
    numbers = f"{cardinal(born.month)} {cardinal(born.day)} {year(born.year)}"
    assert heard(numbers) in (born.isoformat(), "!ambiguous"), numbers


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("march fourth", "!incomplete"),
        ("nineteen eighty eight", "!incomplete"),
        ("christmas day", "!incomplete"),
        ("today", "!incomplete"),
        ("march fourth twenty thirty", "!in_the_future"),
        ("december twenty fifth twenty six", "1926-12-25"),
        ("october twenty fifth twenty six", "2026-10-25"),
        ("february twenty ninth two thousand", "2000-02-29"),
        ("february twenty ninth nineteen hundred", "!no_such_day"),
        ("june nineteen ninety six", "!ambiguous"),
        ("fourteen, no fifteen june nineteen ninety six", "1996-06-15"),
        ("june fourteenth, no, fifteenth, nineteen ninety six", "1996-06-15"),
        ("june fourteenth nineteen ninety six, no, ninety seven", "1997-06-14"),
        ("i can't remember", "!unsure"),
    ],
)
def test_phrases(said: str, value: str) -> None:
    assert heard(said) == value


def test_a_beginning_is_no_failed_attempt() -> None:
    """The rest may come in the next utterance."""
    first = hear(DOB, "march fourth", today=TODAY)
    assert first.complete is False
    assert heard("march fourth, nineteen eighty eight") == "1988-03-04"


@pytest.mark.parametrize(
    ("value", "locale", "said"),
    [
        ("1988-03-04", "en-US", "March 4th, 1988"),
        ("1988-03-14", "en-GB", "the 14th, one four, of March 1988"),
        ("1988-03-04", "de-DE", "der 4. März 1988"),
    ],
)
def test_what_is_read_back(value: str, locale: str, said: str) -> None:
    assert speak(DOB, value, locale=locale) == said


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("1988-03-04", None),
        ("2026-12-01", "in_the_future"),
        ("1850-01-01", "no_such_day"),
        ("1988-02-30", "no_such_day"),
    ],
)
def test_check(value: str, code: str | None) -> None:
    reason = check(DOB, value, today=TODAY).reason
    assert (reason.code if reason else None) == code
