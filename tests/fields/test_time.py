"""Times of day: every minute said in words, halves of the day, and what is read back."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_readback.fields import FieldSpec, check, hear, speak
from langgraph_readback.fields.types import time as module

TIME = FieldSpec(name="time")
MINUTE = st.tuples(st.integers(0, 23), st.integers(0, 59))
ONES = [
    "twelve",
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
TENS = ("", "", "twenty", "thirty", "forty", "fifty")


def words(n: int) -> str:
    """A number from 1 to 59 in words."""
    return ONES[n] if n < 20 else TENS[n // 10] + (f" {ONES[n % 10]}" if n % 10 else "")


def heard(said: str, locale: str = "en-US", channel: str = "voice") -> str | None:
    reading = hear(TIME, said, locale=locale, channel=channel)
    return reading.value or (reading.reason and f"!{reading.reason.code}")


def test_the_examples_of_the_docstring_hold() -> None:
    assert doctest.testmod(module).failed == 0


@given(MINUTE)
def test_a_minute_of_the_day_in_words(moment: tuple[int, int]) -> None:
    hour, minute = moment
    value, half = f"{hour:02d}:{minute:02d}", "p m" if hour > 11 else "a m"
    said = f"{ONES[hour % 12]} {'' if not minute else words(minute) if minute > 9 else 'oh ' + words(minute)}"
    assert heard(f"{said} {half}") == value
    assert heard(said) == "!ambiguous_am_pm"
    if minute:
        assert heard(f"{words(minute)} minutes past {ONES[hour % 12]} {half}") == value
        later = ONES[(hour + 1) % 12]
        if hour % 12 != 11:
            assert heard(f"{words(60 - minute)} minutes to {later} {half}") == value


@given(MINUTE)
def test_typed_times_of_the_24_hour_day(moment: tuple[int, int]) -> None:
    value = f"{moment[0]:02d}:{moment[1]:02d}"
    assert heard(value, channel="chat") == value
    assert heard(f"um {value}", channel="voice") == (
        value if moment[0] in (0, *range(1, 10), *range(13, 24)) else "!ambiguous_am_pm"
    )


@pytest.mark.parametrize(
    ("said", "locale", "value"),
    [
        ("half eight in the morning", "en-GB", "08:30"),
        ("halb acht morgens", "de-DE", "07:30"),
        ("viertel acht abends", "de-DE", "19:15"),
        ("fünf vor halb acht abends", "de-DE", "19:25"),
        ("twelve at night", "en-US", "00:00"),
        ("twelve in the evening", "en-US", "!ambiguous_am_pm"),
        ("fourteen in the morning", "en-US", "!ambiguous_am_pm"),
        ("two thirty p m, no, two forty", "en-US", "14:40"),
        ("two thirty a m, no, p m", "en-US", "14:30"),
        ("two thirty p m, no, three", "en-US", "!ambiguous"),
        ("two to three p m", "en-US", "!not_understood"),
        ("four or four thirty in the afternoon, either is fine", "en-US", "!two_values"),
        ("the afternoon one", "en-US", "!not_understood"),
        ("in the afternoon", "en-US", "!incomplete"),
    ],
)
def test_phrases(said: str, locale: str, value: str) -> None:
    got = heard(said, locale)
    assert got == value or (
        value.startswith("!") and got is not None and got.startswith("!") and value == "!not_understood"
    )


def test_a_doubt_names_both_halves() -> None:
    assert hear(TIME, "two thirty").candidates == ("02:30", "14:30")


@pytest.mark.parametrize(
    ("value", "locale", "said"),
    [
        ("14:05", "en-US", "2:05 p.m."),
        ("14:15", "en-US", "2:15 p.m., one five"),
        ("12:00", "en-GB", "12 noon"),
        ("00:00", "en-GB", "12 midnight"),
        ("08:20", "de-DE", "8:20 Uhr morgens"),
        ("20:15", "de-DE", "20:15 Uhr, eins fünf"),
    ],
)
def test_what_is_read_back(value: str, locale: str, said: str) -> None:
    assert speak(TIME, value, locale=locale) == said


@pytest.mark.parametrize(("value", "ok"), [("00:00", True), ("23:59", True), ("24:00", False), ("9:00", False)])
def test_check(value: str, ok: bool) -> None:
    assert check(TIME, value).ok is ok
