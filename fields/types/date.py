"""Dates, ISO 8601 (YYYY-MM-DD), counted from the day the conversation takes place.

A date without a year is the next one to come. Numbers alone are ordered as the region orders them (Unicode CLDR,
date formats); where a region uses both orders they are a doubt. Holidays: the countries' own lists of public holidays.

>>> from datetime import date
>>> from langgraph_readback.fields import FieldSpec, hear
>>> def heard(said, locale="en-US"):
...     reading = hear(FieldSpec(name="date"), said, locale=locale, today=date(2026, 11, 30))
...     return reading.value or reading.reason.code
>>> heard("the fourth monday of next month")
'2026-12-28'
>>> heard("the thirty first of april")
'no_such_day'
>>> heard("three slash four", locale="en-CA")
'ambiguous_day_month'
>>> heard("next friday")
'ambiguous'
>>> heard("in march")
'incomplete'
"""

from __future__ import annotations

from datetime import date
from typing import Any

from langgraph_readback.fields.hearing.grammar import Slots
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.numerals import Pair
from langgraph_readback.fields.readback import Chunk
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import quantity
from langgraph_readback.fields.types.calendar import NoSuchDayError, days
from langgraph_readback.fields.types.quantity import Manner, Outcome, Setting
from langgraph_readback.outcome import Reading, Reason, Verdict

ASKS = ("natural", "groups")
SUBJECT = quantity.SUBJECT
TEENS = range(13, 20)
PARTS = frozenset({"day", "month", "year", "yy", "inmonth", "inyear", "era", "reign", "ordinal"})
YEARS = frozenset({"year", "yy", "inyear", "era", "reign"})
SURE_YEARS = 10
"""A year said in two pairs, or by its last two digits, is taken for one only when it is so near."""


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """A day of the calendar, or why it cannot be told."""
    return quantity.hear(utterance, ask, MANNER)


def settle(slots: Slots, setting: Setting) -> Outcome:
    """The days a phrase means: one is the value, several are a doubt, none is no day."""
    if whole(slots) is False:
        return Outcome(begun=True)
    try:
        found = days(slots, setting)
        if _says_the_day_twice(slots) and found and found[0] < setting.today:
            found = days({k: v for k, v in slots.items() if k != "yy"}, setting)
    except (NoSuchDayError, OverflowError):
        return Outcome(code="no_such_day")
    if not found or _may_be_a_time(slots, found[0], setting):
        return Outcome(code="ambiguous")
    code = "ambiguous_day_month" if numeric(slots) and len(found) > 1 else ""
    return Outcome(values=tuple(d.isoformat() for d in found), code=code)


def _says_the_day_twice(slots: Slots) -> bool:
    """Whether a year of two digits may be the day once more ("the 19th, december 19")."""
    return "day" in slots and slots.get("yy") == slots["day"]


def _may_be_a_time(slots: Slots, day: date, setting: Setting) -> bool:
    """Whether the year may as well be a time beside the date ("march fourth nineteen thirty")."""
    said = isinstance(slots.get("year"), Pair) or "yy" in slots
    return said and abs(day.year - setting.today.year) > SURE_YEARS


def whole(slots: Slots) -> bool:
    """Whether a phrase names a day, and not only a month or a year."""
    if slots.keys() & {"shift", "weekday", "nth", "lastday", "holiday", "easter", "nthday", "figure", "n1", "add"}:
        return True
    return "day" in slots and bool(slots.keys() & {"month", "inmonth", "ordinal"})


def numeric(slots: Slots) -> bool:
    """Whether a phrase is a date of numbers alone."""
    return "figure" in slots or "n1" in slots


def amend(before: Slots, after: Slots, setting: Setting) -> list[Slots]:
    """What a repair leaves: a new day, month or year changes that part of a calendar date, anything else replaces it.

    Where it may do either ("monday week, no, tuesday") both are kept, and are a doubt when they differ.
    """
    if after.keys() == {"weekday"} and before.keys() & {"add", "week", "which", "hop"} and "weekday" in before:
        return [after, {**before, **after}]
    if after.keys() == {"weekday"} and before.keys() & PARTS:
        return []
    if not after.keys() <= PARTS:
        return [after]
    if "nth" in before:
        return [after, {**before, "nth": after["day"]}] if "day" in after else [after]
    if numeric(before) or not before.keys() & PARTS:
        return [after, *_within(before, after, setting)]
    dropped = YEARS if after.keys() & YEARS else frozenset()
    dropped |= {"month", "inmonth"} if after.keys() & {"month", "inmonth"} else set()
    kept = {k: v for k, v in before.items() if k in PARTS - dropped}
    return [{**kept, **after}]


def alone(slots: Slots) -> bool:
    """Whether a phrase is a date by itself, and no part of one that a repair may change."""
    return not slots.keys() <= PARTS or bool(slots.keys() & {"month", "inmonth"})


def _within(before: Slots, after: Slots, setting: Setting) -> list[Slots]:
    """A new day in the month of a date that was no date of the calendar ("christmas day, no, the twenty sixth")."""
    if "month" in after or "inmonth" in after:
        return []
    try:
        found = days(before, setting)
    except NoSuchDayError:
        return []
    return [{"month": d.month, "year": d.year, **after} for d in found]


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """An ISO date of the calendar."""
    try:
        if date.fromisoformat(value).isoformat() == value:
            return Verdict()
    except ValueError:
        pass
    return Verdict(reason=Reason(code="no_such_day"))


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """Weekday, day, month and year; a day that sounds like another one (thirteenth, thirtieth) digit by digit too."""
    return spoken(date.fromisoformat(value), ask, "date")


def spoken(day: date, ask: Ask, form: str) -> tuple[Chunk, ...]:
    """A date in the words of the locale, cut behind the day where its digits are said as well."""
    words: dict[str, Any] = quantity.data_for(ask)["say"]
    named = {
        "weekday": words["weekdays"][day.isoweekday() - 1],
        "month": words["months"][day.month - 1],
        "day": words["days"][day.day - 1] if "days" in words else str(day.day),
        "year": str(day.year),
    }
    text = str(words[form]).format(**named)
    head, mark, tail = text.partition("|")
    if not mark:
        return (Chunk("said", text),)
    if day.day in TEENS or day.day == 30:
        return Chunk("said", head.strip(" ,")), Chunk("digits", str(day.day)), Chunk("said", tail.strip(" ,"))
    return (Chunk("said", head + tail),)


MANNER = Manner(root="dates", beside=("time", "daypart"), settle=settle, amend=amend, alone=alone)
