"""Dates and times in a text: what the caller's ear makes of a read-back, and the scripted arms of an answer."""

from __future__ import annotations

import re
from typing import Literal

from langgraph_readback.evals.neutral import Piece, ear, pieces
from langgraph_readback.evals.speech import lexicon
from langgraph_readback.evals.tasks import Item

Verdict = Literal["right", "wrong", "absent"]


def judge_date(text: str, item: Item) -> tuple[Verdict, str]:
    """Whether a text says the date of an item, and which one it says."""
    year, month, day = (int(p) for p in item.value.split("-"))
    got = dates(text, item)
    if not got:
        return "absent", ""
    nearest = next(iter(sorted(got)))
    return "right" if got == {(year, month, day)} else "wrong", "-".join(str(p) for p in nearest)


def dates(text: str, item: Item) -> set[tuple[int, int, int]]:
    """The dates in a text: ISO, numeric in the order of the locale, or with the month in words."""
    out = {(int(a), int(b), int(c)) for a, b, c in re.findall(r"\b(\d{4})-(\d\d?)-(\d\d?)\b", text)}
    if out:
        return out
    for a, b, c in re.findall(r"\b(\d\d?)[/.](\d\d?)[/.](\d{4})\b", text):
        out.add((int(c), int(a), int(b)) if item.region == "US" else (int(c), int(b), int(a)))
    low = text.lower()
    names = lexicon(item.locale.split("-")[0])["months"]
    months = [i + 1 for i, m in enumerate(names) if re.search(rf"\b(?:{m}|{m[:3]})\b", low)]
    if not months or out:
        return out
    numbers = _figures(low)
    years = {n for n in numbers if n > 999}
    days = [n for n in numbers if 0 < n < 32]
    return {(y, months[0], d) for y in years for d in days[:1]}


def _figures(low: str) -> list[int]:
    """Numbers in a text, digits or words; two halves of a year are joined."""
    found = pieces(re.sub(r"\bthe\b|\bof\b|\band\b", " ", low), "date")
    raw: list[int] = []
    loose: list[int] = []
    for piece in [*found, Piece("stop", ".")]:
        if piece.kind in ("digit", "number", "figure") and piece.text.isdigit():
            loose.append(int(piece.text))
            continue
        raw += _years(loose)
        loose = []
    return raw


def _years(values: list[int]) -> list[int]:
    """``20 20 6`` -> 2026, ``19 80 7`` -> 1987, ``2 1000 9`` -> 2009, ``20 5`` -> 25, ``14 20 26`` -> 14, 2026."""
    out: list[int] = []
    place = 0
    while place < len(values):
        value, rest = values[place], values[place + 1 :]
        if rest[:1] == [1000]:
            low, used = _tens(rest[1:])
            out.append(value * 1000 + low)
            place += 2 + used
        elif value in (19, 20) and rest and (rest[0] == 0 or 10 <= rest[0] < 100):
            low, used = (rest[1], 2) if rest[0] == 0 and len(rest) > 1 else _tens(rest)
            out.append(value * 100 + low)
            place += 1 + used
        else:
            low, used = _tens(values[place:])
            out.append(low if used else value)
            place += used or 1
    return out


def _tens(values: list[int]) -> tuple[int, int]:
    """The first number below 100 of a list, and how many entries it took."""
    if not values or values[0] >= 100:
        return 0, 0
    if values[0] >= 20 and len(values) > 1 and 0 < values[1] < 10:
        return values[0] + values[1], 2
    return values[0], 1


def judge_time(text: str, item: Item) -> tuple[Verdict, str]:
    """Whether a text says the time of an item, and which one it says."""
    got = times(text)
    if not got:
        return "absent", ""
    return "right" if got == {item.value} else "wrong", min(got)


def times(text: str) -> set[str]:
    """The times in a text: 24-hour, or 12-hour with the half of the day."""
    low = re.sub(r"\b([ap])\.? ?m\b\.?", r"\1m", text.lower())
    halves = ear("en")["half"]
    half = next((halves[w] for w in re.findall(r"[a-z]+", low) if w in halves), "")
    if re.search(r"\bmidnight\b", low) and not re.search(r"\d|past", low):
        return {"00:00"}
    if re.search(r"\b(noon|midday)\b", low) and not re.search(r"\d|past", low):
        return {"12:00"}
    clock = re.search(r"\b(\d\d?):(\d\d)\b", low) or re.search(r"\b(\d\d?)()(?= ?[ap]m)", low)
    if clock:
        return {_clock(int(clock[1]), int(clock[2] or 0), half, "night" in low)}
    numbers = _small(low)
    past = re.search(r"\b(half|quarter|[a-z -]+?) (past|to)\b", low)
    if past and numbers:
        minute = {"half": 30, "quarter": 15}.get(past[1].split()[-1])
        minute = numbers[0] if minute is None else minute
        hour = numbers[-1] - (past[2] == "to")
        return {_clock(hour, 60 - minute if past[2] == "to" else minute, half, "night" in low)}
    if not numbers:
        return set()
    return {_clock(numbers[0], numbers[1] if len(numbers) > 1 else 0, half, "night" in low)}


def _small(low: str) -> list[int]:
    """Hours and minutes in words."""
    found = [int(p.text) for p in pieces(low, "time") if p.kind in ("digit", "number", "figure") and p.text.isdigit()]
    out: list[int] = []
    place = 0
    while place < len(found):
        value = found[place]
        if value in (20, 30, 40, 50) and place + 1 < len(found) and 0 < found[place + 1] < 10:
            value += found[place + 1]
            place += 1
        elif value == 0 and place + 1 < len(found):
            value = found[place + 1]
            place += 1
        out.append(value)
        place += 1
    return [n for n in out if n < 60]


def _clock(hour: int, minute: int, half: str, night: bool) -> str:  # noqa: FBT001
    if half == "pm" and hour < 12 and not (night and hour < 5):
        hour += 12
    elif (half == "am" and hour == 12) or (night and hour == 12 and half != "am"):
        hour = 0
    return f"{hour:02d}:{minute:02d}"
