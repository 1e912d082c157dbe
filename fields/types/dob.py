"""Dates of birth, ISO 8601. Like dates, but never counted from today, and always with a year.

Two digits of a year mean the latest such year in which the day is not to come ("88" is 1988). The oldest person
whose age was ever proved lived 122 years (Gerontology Research Group), so nobody was born more than 125 years ago.

>>> from datetime import date
>>> from langgraph_readback.fields import FieldSpec, hear
>>> def heard(said, locale="en-US"):
...     reading = hear(FieldSpec(name="dob"), said, locale=locale, today=date(2026, 11, 30))
...     return reading.value or reading.reason.code
>>> heard("oh three twenty five eighty eight")
'1988-03-25'
>>> heard("march fourth")
'incomplete'
>>> heard("march fourth twenty thirty")
'in_the_future'
>>> heard("february thirtieth nineteen ninety")
'no_such_day'
>>> heard("03/04/1988", locale="en-CA")
'ambiguous_day_month'
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from langgraph_readback.fields.hearing.grammar import Slots
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.readback import Chunk
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import date as dates
from langgraph_readback.fields.types import quantity
from langgraph_readback.fields.types.calendar import NoSuchDayError, days, exact, of_the_era, readings, whole_year
from langgraph_readback.fields.types.quantity import Outcome, Setting
from langgraph_readback.outcome import Reading, Reason, Verdict

ASKS = ("natural", "groups")
SUBJECT = quantity.SUBJECT
OLDEST = 125
"""Years."""


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """A day in the past with its year, or why it cannot be told."""
    return quantity.hear(utterance, ask, MANNER)


def settle(slots: Slots, setting: Setting) -> Outcome:
    """The days a phrase means that are not to come."""
    numbers = dates.numeric(slots)
    dated = bool(slots.keys() & dates.YEARS) or (numbers and _three(slots))
    if not dated or not dates.whole(slots):
        return Outcome(begun=True)
    try:
        found = list(dict.fromkeys(_born(slots, setting)))
    except NoSuchDayError:
        return Outcome(code="no_such_day")
    past = [d for d in found if setting.today.year - OLDEST <= d.year and d <= setting.today]
    if not past:
        future = any(d > setting.today for d in found)
        return Outcome(code="in_the_future" if future else "no_such_day" if found else "ambiguous")
    code = "ambiguous_day_month" if numbers and len(past) > 1 else ""
    return Outcome(values=tuple(d.isoformat() for d in past), code=code)


def _three(slots: Slots) -> bool:
    return "n3" in slots or len(slots.get("figure", ())) == 3


def _born(slots: Slots, setting: Setting) -> Iterator[date]:
    if dates.numeric(slots):
        yield from _numbers(slots, setting)
    elif "yy" in slots:
        ways = (whole_year(slots["yy"], setting, past=True), of_the_era(slots["yy"], setting))
        born = [day for years in ways for day in _latest(((y, slots) for y in years), setting)]
        if not born:
            raise NoSuchDayError
        yield from born
    else:
        yield from days(slots, setting)


def _latest(years: Iterator[tuple[int, Slots]], setting: Setting) -> Iterator[date]:
    """The latest year in which the day exists and is not to come."""
    for year, slots in years:
        try:
            day = next(iter(days({k: v for k, v in slots.items() if k != "yy"} | {"year": year}, setting)), None)
        except NoSuchDayError:
            continue
        if day is not None and day <= setting.today:
            yield day
            return


def _numbers(slots: Slots, setting: Setting) -> Iterator[date]:
    """For each order of day and month the latest year that fits."""
    done: set[tuple[int, int, int]] = set()
    ways = readings(slots, setting, past=True)
    possible = False
    for year, month, day in ways:
        try:
            found = exact(year, month, day)
        except NoSuchDayError:
            continue
        possible = True
        key = (month, day, year % 100)
        if key in done or (found > setting.today and len(ways) > 1):
            continue
        done.add(key)
        yield found
    if not possible:
        raise NoSuchDayError


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """An ISO date that is not to come and not longer ago than a life."""
    verdict = dates.check(value, spec, ask)
    if verdict.reason is not None:
        return verdict
    day, today = date.fromisoformat(value), ask.today or date.today()  # noqa: DTZ011 - the day where the service runs
    if day > today:
        return Verdict(reason=Reason(code="in_the_future"))
    return Verdict(reason=Reason(code="no_such_day")) if day.year < today.year - OLDEST else Verdict()


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """Day, month and year, without the weekday that few know."""
    return dates.spoken(date.fromisoformat(value), ask, "dob")


MANNER = replace(dates.MANNER, settle=settle, beside=())
