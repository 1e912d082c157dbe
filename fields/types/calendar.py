"""What dates and dates of birth share: the days that a phrase may mean, counted from today.

Slots a rule may keep (all numbers; see ``quantities.toml``):

``day month year yy``       a day of the calendar; ``yy``: two digits of a year
``inmonth inyear``          a month, a year counted from this one
``era reign``               a year counted from the one before an era began (Taiwan: 1911)
``n1 n2 n3``, ``figure``    a date of numbers alone, spoken or typed: which is the day, the order of the region says
``shift``                   days from today
``weekday which``           this (0), next (1), coming (2), last (-1); ``week``: the week counted from this one
``nth`` with ``weekday``    the fourth Monday of a month; 9 is the last; ``lastday``: the last day of a month
``holiday easter nthday``   a holiday as MMDD, as days from Easter Sunday, as month, nth and weekday (1144)
``on``, ``called``          a weekday that the day must have, the holiday (MMDD) that it must be
``hopday hop``              the nearest such weekday after (1) or before (-1) the day
``add unit sign``           so many units (days 1, weeks 7, months 30, years 365) before (-1) or after
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta

from langgraph_readback.fields.hearing.grammar import Slots
from langgraph_readback.fields.types.quantity import Setting

MONTHLY, YEARLY = 30, 365
LAST = 9


class NoSuchDayError(ValueError):
    """The calendar has no such day."""


def whole_year(yy: int, setting: Setting, *, past: bool) -> list[int]:
    """The years that two digits may mean: for the past those that have begun, the latest first; else the nearest."""
    now = setting.today.year
    century = now - now % 100
    years = [century + 100 + yy, century + yy, century - 100 + yy]
    if past:
        return [y for y in years if y <= now]
    return [min(years, key=lambda y: abs(y - now))]


def of_the_era(yy: int, setting: Setting) -> list[int]:
    """The year that two digits mean where years are counted by an era as well (Taiwan: 77 is 1988 or 1977)."""
    era = setting.data.get("dates", {}).get("era")
    return [era + yy] if era else []


def exact(year: int, month: int, day: int) -> date:
    """That day. Raises NoSuchDayError when the month has none such."""
    if not 1 <= month <= 12 or not 1 <= day <= monthrange(year, month)[1]:
        raise NoSuchDayError
    return date(year, month, day)


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar, by the anonymous algorithm (Meeus, Astronomical Algorithms, ch. 8)."""
    golden, (century, rest) = year % 19, divmod(year, 100)
    leaps, moon = century // 4, (century + 8) // 25
    epact = (19 * golden + century - leaps - (century - moon + 1) // 3 + 15) % 30
    to_sunday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (golden + 11 * epact + 22 * to_sunday) // 451
    month, day = divmod(epact + to_sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def coming(month: int, day: int, today: date) -> date:
    """The next time that day of the year comes, today included."""
    for year in range(today.year, today.year + 9):
        if 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1] and date(year, month, day) >= today:
            return date(year, month, day)
    raise NoSuchDayError


def in_month(first: date, months: int) -> tuple[int, int]:
    """Year and month so many months on."""
    index = first.year * 12 + first.month - 1 + months
    return index // 12, index % 12 + 1


def days(slots: Slots, setting: Setting) -> list[date]:
    """The days a phrase may mean; more than one is a doubt. Raises NoSuchDayError when the calendar has none."""
    if "inyear" in slots:
        slots = {**slots, "year": setting.today.year + slots["inyear"]}
    if "era" in slots:
        slots = {**slots, "year": slots["era"] + slots["reign"]}
    found = list(_base(slots, setting))
    if "hopday" in slots:
        found = [_hop(d, slots["hopday"], slots["hop"]) for d in found]
    if "add" in slots:
        found = [d for base in found for d in added(base, slots, setting)]
    if "called" in slots:
        found = [d for d in found if d.month * 100 + d.day == slots["called"]]
    if "on" in slots:
        found = [d for d in found if d.isoweekday() == slots["on"]]
    return list(dict.fromkeys(found))


def _hop(base: date, weekday: int, way: int) -> date:
    """The nearest such weekday after (1) or before (-1) a day."""
    return base + timedelta(way * ((way * (weekday - base.isoweekday()) - 1) % 7 + 1))


def _base(slots: Slots, setting: Setting) -> Iterator[date]:
    today = setting.today
    if "shift" in slots:
        yield today + timedelta(slots["shift"])
    elif "nth" in slots or "lastday" in slots:
        yield from _in_a_month(slots, setting)
    elif "weekday" in slots:
        yield from _weekday(slots, setting)
    elif "holiday" in slots or "easter" in slots or "nthday" in slots:
        yield from _holiday(slots, today)
    elif "figure" in slots or "n1" in slots:
        yield from _numbers(slots, setting)
    elif "day" in slots:
        yield from _calendar(slots, setting)
    elif "add" in slots:
        yield today


def _calendar(slots: Slots, setting: Setting) -> Iterator[date]:
    """A day with its month and year, or with what is left of them."""
    today, day = setting.today, slots["day"]
    if "inmonth" in slots:
        yield exact(*in_month(today, slots["inmonth"]), day)
    elif "month" not in slots:
        later = (in_month(today, k) for k in range(3))
        fitting = [date(y, m, day) for y, m in later if day <= monthrange(y, m)[1] and date(y, m, day) >= today]
        yield from fitting[:1]
    elif "year" in slots:
        yield exact(slots["year"], slots["month"], day)
    elif "yy" in slots:
        for year in (*whole_year(slots["yy"], setting, past=False), *of_the_era(slots["yy"], setting)):
            yield exact(year, slots["month"], day)
    else:
        yield coming(slots["month"], day, today)


def _weekday(slots: Slots, setting: Setting) -> Iterator[date]:
    today, weekday = setting.today, slots["weekday"]
    soon = today + timedelta((weekday - today.isoweekday() - 1) % 7 + 1)
    monday = today - timedelta(today.isoweekday() - 1)
    here = monday + timedelta(weekday - 1)
    if "week" in slots:
        for start in setting.data.get("dates", {}).get("week_starts", "1"):
            first = today - timedelta((today.isoweekday() - int(start)) % 7)
            yield first + timedelta(7 * slots["week"] + (weekday - int(start)) % 7)
        return
    which = slots.get("which")
    if which == 2:
        yield soon
    elif which == 1:
        rule = setting.data.get("dates", {}).get("next_weekday", "doubtful")
        yield from {"next_week": [here + timedelta(7)], "coming": [soon]}.get(rule, [soon, here + timedelta(7)])
    elif which == -1:
        yield from (soon - timedelta(14 if here == today else 7), here - timedelta(7))
    elif here == today:
        yield from (today, soon)
    else:
        yield from (soon, here) if which == 0 else (soon,)


def _in_a_month(slots: Slots, setting: Setting) -> Iterator[date]:
    """The fourth Monday, or the last day, of a month."""
    today = setting.today
    if "inmonth" in slots:
        months = [in_month(today, slots["inmonth"])]
    else:
        year = slots.get("year")
        months = [(y, slots["month"]) for y in ([year] if year else (today.year, today.year + 1))]
    fitting = [_nth(y, m, slots.get("nth", LAST), slots.get("weekday")) for y, m in months]
    if "inmonth" not in slots and "year" not in slots:
        fitting = [d for d in fitting if d >= today]
    yield from fitting[:1]


def _nth(year: int, month: int, nth: int, weekday: int | None) -> date:
    last = date(year, month, monthrange(year, month)[1])
    if weekday is None:
        return last
    if nth == LAST:
        return last - timedelta((last.isoweekday() - weekday) % 7)
    first = date(year, month, 1)
    return exact(year, month, 1 + (weekday - first.isoweekday()) % 7 + 7 * (nth - 1))


def _holiday(slots: Slots, today: date) -> Iterator[date]:
    years = [slots["year"]] if "year" in slots else [today.year, today.year + 1]
    for year in years:
        if "holiday" in slots:
            day = exact(year, *divmod(slots["holiday"], 100))
        elif "easter" in slots:
            day = easter(year) + timedelta(slots["easter"])
        else:
            month, rest = divmod(slots["nthday"], 100)
            day = _nth(year, month, *divmod(rest, 10))
        if "year" in slots or day >= today:
            yield day
            return


def _numbers(slots: Slots, setting: Setting) -> Iterator[date]:
    """Every date that numbers can be in the orders of the region; one that no order allows is no day."""
    found: list[date] = []
    for year, month, day in readings(slots, setting):
        try:
            found.append(exact(year, month, day) if year else coming(month, day, setting.today))
        except NoSuchDayError:
            continue
    if not found:
        raise NoSuchDayError
    yield from found


def readings(slots: Slots, setting: Setting, *, past: bool = False) -> list[tuple[int, int, int]]:
    """(year or 0, month, day) as numbers may be ordered; the region's own order first and, where it is possible, alone.

    Six digits without marks may be in the order of ISO 8601 as well.
    """
    parts = [*slots["figure"]] if "figure" in slots else [slots[n] for n in ("n1", "n2", "n3") if n in slots]
    if parts[0] >= 1000:
        return [(parts[0], parts[1], parts[2])]
    order = setting.data.get("dates", {}).get("order", "")
    orders = [order] if order else ["dmy", "mdy"]
    ways = [w for o in orders for w in _ordered(parts, o, setting, past=past)]
    if not any(_possible(w) for w in ways) and order in ("dmy", "mdy"):
        ways = _ordered(parts, "mdy" if order == "dmy" else "dmy", setting, past=past)
    if "figure" in slots and slots["figure"].unmarked and len(parts) == 3 and parts[2] < 100:
        ways += _ordered(parts, "ymd", setting, past=past)
    return [w for w in dict.fromkeys(ways) if _possible(w)] or ways


def _ordered(parts: list[int], order: str, setting: Setting, *, past: bool) -> list[tuple[int, int, int]]:
    if len(parts) == 2:
        named = dict(zip(order.replace("y", ""), parts, strict=False))
        return [(0, named["m"], named["d"])]
    named = dict(zip(order, parts, strict=False))
    if named["y"] >= 1000:
        return [(named["y"], named["m"], named["d"])]
    if order != "ymd" and parts[2] >= 1000:
        return []
    return [(y, named["m"], named["d"]) for y in whole_year(named["y"], setting, past=past)]


def _possible(way: tuple[int, int, int]) -> bool:
    year, month, day = way
    return 1 <= month <= 12 and 1 <= day <= monthrange(year or 2000, month)[1]


def added(base: date, slots: Slots, setting: Setting) -> Iterator[date]:
    """The day so many units from another."""
    count, unit, sign = slots["add"], slots.get("unit", 1), slots.get("sign", 1)
    if unit in (MONTHLY, YEARLY):
        year, month = in_month(base, sign * count * (12 if unit == YEARLY else 1))
        yield exact(year, month, base.day)
        return
    yield base + timedelta(sign * count * unit)
    weeks = setting.data.get("dates", {}).get("counted_in", {}).get(str(count)) if unit == 1 else None
    if weeks:
        yield base + timedelta(sign * weeks * 7)
