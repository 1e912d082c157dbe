"""Dates: every day said in words, weekdays counted from any day, and what is read back."""

from __future__ import annotations

import doctest
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_readback.fields import FieldSpec, check, hear, speak
from langgraph_readback.fields.types import calendar
from langgraph_readback.fields.types import date as module

DATE = FieldSpec(name="date")
MONDAY = date(2026, 11, 30)
DAYS = st.dates(date(2020, 1, 1), date(2035, 12, 31))
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def heard(said: str, locale: str = "en-US", today: date = MONDAY) -> str | None:
    reading = hear(DATE, said, locale=locale, today=today)
    return reading.value or (reading.reason and f"!{reading.reason.code}")


def test_the_examples_of_the_docstring_hold() -> None:
    assert doctest.testmod(module).failed == 0


@given(DAYS, st.integers(0, 364))
def test_a_day_without_a_year_is_the_next_one_to_come(today: date, ahead: int) -> None:
    day = today + timedelta(ahead)
    if (day.month, day.day) != (2, 29):
        assert heard(f"{day:%B} {day.day}", today=today) == day.isoformat()


@given(DAYS, st.sampled_from(WEEKDAYS))
def test_a_bare_weekday_is_within_a_week_and_today_is_a_doubt(today: date, name: str) -> None:
    said = heard(name, today=today)
    if today.weekday() == WEEKDAYS.index(name):
        assert said == "!ambiguous"
    else:
        assert said is not None
        ahead = (date.fromisoformat(said) - today).days
        assert 0 < ahead < 7
        assert date.fromisoformat(said).weekday() == WEEKDAYS.index(name)


@given(DAYS, st.sampled_from(WEEKDAYS))
def test_next_weekday_is_a_value_only_where_both_readings_agree(today: date, name: str) -> None:
    said = heard(f"next {name}", today=today)
    index = WEEKDAYS.index(name)
    if index <= today.weekday():
        assert said == (today + timedelta(7 - today.weekday() + index)).isoformat()
    else:
        assert said == "!ambiguous"


@given(DAYS, st.sampled_from(WEEKDAYS), st.integers(1, 5))
def test_weeks_from_a_weekday(today: date, name: str, weeks: int) -> None:
    bare, later = heard(name, today=today), heard(f"{weeks} weeks from {name}", today=today)
    if bare == "!ambiguous":
        assert later == "!ambiguous"
    else:
        assert bare is not None
        assert later == (date.fromisoformat(bare) + timedelta(7 * weeks)).isoformat()


@pytest.mark.parametrize(
    ("year", "sunday"),
    [
        (1961, "04-02"),
        (1981, "04-19"),
        (2000, "04-23"),
        (2024, "03-31"),
        (2026, "04-05"),
        (2027, "03-28"),
        (2038, "04-25"),
    ],
)
def test_easter(year: int, sunday: str) -> None:
    """Published dates, the latest and the earliest of the rule among them."""
    assert calendar.easter(year).isoformat() == f"{year}-{sunday}"


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("christmas day, no, boxing day", "2026-12-26"),
        ("march fourth, no, fifth", "2027-03-05"),
        ("march fourth, i mean april", "2027-04-04"),
        ("friday, sorry, saturday", "2026-12-05"),
        ("friday december fourth, no, the fifth", "2026-12-05"),
        ("a week from friday, no, saturday", "!ambiguous"),
        ("first monday of march, no, second", "!ambiguous"),
        ("around the fourth, no, the fifth", "!not_understood"),
        ("march fourth, no", "!incomplete"),
        ("march fourth, let me start again, april fifth", "2027-04-05"),
    ],
)
def test_repairs(said: str, value: str) -> None:
    assert heard(said, "en-GB") == value


@pytest.mark.parametrize(
    ("order", "locale", "region"),
    [
        ("2027-03-04", "en-US", None),
        ("2027-04-03", "en-GB", None),
        ("2027-04-03", "en-US", "GB"),
        (None, "en-CA", None),
    ],
)
def test_the_region_orders_numbers(order: str | None, locale: str, region: str | None) -> None:
    reading = hear(DATE, "03/04/2027", locale=locale, region=region, channel="chat", today=MONDAY)
    assert reading.value == order
    if order is None:
        assert reading.reason is not None
        assert reading.reason.code == "ambiguous_day_month"
        assert reading.candidates == ("2027-04-03", "2027-03-04")


def test_spans_cover_what_was_said() -> None:
    said = "well, march fourth please"
    (span,) = hear(DATE, said, today=MONDAY).spans
    assert said[span.start : span.end] == "march fourth"


@pytest.mark.parametrize(
    ("value", "locale", "said"),
    [
        ("2026-12-04", "en-US", "Friday, December 4th, 2026"),
        ("2026-12-13", "en-US", "Sunday, December 13th, one three, 2026"),
        ("2026-12-30", "en-GB", "Wednesday the 30th, three zero, of December 2026"),
        ("2026-12-04", "de-DE", "Freitag, der 4. Dezember 2026"),
    ],
)
def test_what_is_read_back(value: str, locale: str, said: str) -> None:
    assert speak(DATE, value, locale=locale) == said


@pytest.mark.parametrize(
    ("value", "ok"), [("2026-12-04", True), ("2026-02-29", False), ("20261204", False), ("4/12/2026", False)]
)
def test_check(value: str, ok: bool) -> None:
    assert check(DATE, value).ok is ok
