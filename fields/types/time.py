"""Times of day, HH:MM of the 24-hour day; midnight is 00:00, noon 12:00.

An hour from 1 to 12 without its half of the day is a doubt. Hours from 13, a leading zero ("oh eight") and
"hundred" are of the 24-hour day (ISO 8601), and so is a typed HH:MM, the form our own chat shows.

>>> from langgraph_readback.fields import FieldSpec, hear
>>> def heard(said, locale="en-US"):
...     reading = hear(FieldSpec(name="time"), said, locale=locale)
...     return reading.value or reading.reason.code
>>> heard("half past two in the afternoon")
'14:30'
>>> heard("two thirty")
'ambiguous_am_pm'
>>> heard("four p m or five p m")
'two_values'
>>> heard("around four p m")
'approximate'
"""

from __future__ import annotations

import regex

from langgraph_readback.fields.hearing.figures import Clock
from langgraph_readback.fields.hearing.grammar import Slots
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.numerals import LEAD
from langgraph_readback.fields.readback import Chunk
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import quantity
from langgraph_readback.fields.types.quantity import Manner, Outcome, Setting
from langgraph_readback.outcome import Reading, Reason, Verdict

ASKS = ("natural", "groups")
SUBJECT = quantity.SUBJECT
DAY, HALF = 24 * 60, 12 * 60
CLOCK = frozenset({"hour", "minute", "past", "to", "less", "figure", "at", "whole"})
SHIFTS = frozenset({"minute", "past", "to", "less", "echo"})
"""What stands beside an hour."""
TEENS = range(13, 20)


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """A minute of the day, or why it cannot be told."""
    return quantity.hear(utterance, ask, MANNER)


def settle(slots: Slots, setting: Setting) -> Outcome:
    """The minutes of the day a phrase means: one, two halves of the day, or none."""
    if not slots.keys() & {"hour", "figure", "at"}:
        return Outcome(begun=True)
    minutes, certain = _minutes(slots, setting)
    if minutes < 0 or slots.get("echo", minutes % 60) != minutes % 60:
        return Outcome(code="not_understood")
    ways = [minutes % DAY] if certain else [minutes % HALF, minutes % HALF + HALF]
    if parts := [slots[k] for k in ("daypart", "early") if k in slots]:
        spans = [divmod(part, 100) for part in parts]
        ways = [w for w in ways if all(_within(w // 60, first, last) for first, last in spans)]
        if len(ways) > 1:
            return Outcome(values=_written(ways), code="ambiguous_am_pm")
        return Outcome(values=_written(ways)) if ways else Outcome(code="ambiguous_am_pm")
    return Outcome(values=_written(ways), code="" if certain else "ambiguous_am_pm")


def _written(ways: list[int]) -> tuple[str, ...]:
    return tuple(f"{w // 60:02d}:{w % 60:02d}" for w in ways)


def _within(hour: int, first: int, last: int) -> bool:
    return first <= hour <= last if first <= last else hour >= first or hour <= last


def _minutes(slots: Slots, setting: Setting) -> tuple[int, bool]:
    """Minutes of the day, and whether its half is certain; -1 for no time."""
    if "figure" in slots:
        return _figure(slots["figure"], setting)
    certain = "whole" in slots
    if "at" in slots:
        base, certain = slots["at"], True
    else:
        hour, lead = slots["hour"] % LEAD, slots["hour"] >= LEAD
        certain = certain or lead or hour > 12
        base = hour * 60
    shift = slots.get("minute", 0) + slots.get("past", 0) - slots.get("to", 0) - slots.get("less", 0)
    if base == DAY and shift > 0:
        return -1, certain
    total = base + shift
    return total + (DAY if total < 0 else 0), certain


def _figure(clock: Clock, setting: Setting) -> tuple[int, bool]:
    """A typed time: HH:MM is the form our own chat shows, so it is of the 24-hour day there."""
    if clock.hour == 24 and clock.minute:
        return -1, False
    certain = clock.lead or clock.hour > 12 or (clock.colon and not setting.voice)
    return clock.hour * 60 + clock.minute, certain


def amend(before: Slots, after: Slots, setting: Setting) -> list[Slots]:
    """What a repair leaves: a new clock time keeps the half of the day, a new half keeps the clock time."""
    if not after.keys() & CLOCK:
        return [{**before, **after}] if before.keys() & CLOCK else [after]
    if before.keys() & {"hour", "at"} and not after.keys() & {"hour", "figure", "at"}:
        return [{k: v for k, v in before.items() if k not in SHIFTS} | after]
    if "daypart" in after or "daypart" not in before or "at" in after:
        return [after]
    amended = {**after, "daypart": before["daypart"]}
    short = after.keys() == {"hour"} and before.keys() & {"minute", "past", "to", "less"}
    return [amended, {**before, **after}] if short else [amended]


def alone(slots: Slots) -> bool:
    """Whether a phrase is a time by itself, and no part of one that a repair may change."""
    return bool(slots.keys() & CLOCK)


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """HH:MM of the 24-hour day."""
    match = regex.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", value)
    return Verdict() if match else Verdict(reason=Reason(code="bad_pattern", params={"expected": "HH:MM"}))


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """The time as the locale says it, with the digits of minutes that sound like others (fifteen, fifty)."""
    words = quantity.data_for(ask)["say"]
    hour, minute = int(value[:2]), int(value[3:])
    if f"{hour:02d}:{minute:02d}" in words.get("times", {}):
        return (Chunk("said", str(words["times"][value])),)
    halves = words["halves"]
    half = halves[hour * len(halves) // 24]
    form = words.get("hours", words["time"]) if minute == 0 else words["time"]
    text = str(form).format(hour=(hour - 1) % 12 + 1, hour24=hour, minute=f"{minute:02d}", half=half)
    chunk = Chunk("said", text.strip())
    alike = words.get("echo_minutes", True) and (minute in TEENS or minute in (30, 40, 50))
    return (chunk, Chunk("digits", value[3:])) if alike else (chunk,)


MANNER = Manner(root="times", beside=("datebeside",), settle=settle, amend=amend, alone=alone)
