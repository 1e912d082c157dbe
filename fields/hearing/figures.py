"""Figures as people type them: digits with marks inside that are one thing.

Amounts: the Unicode CLDR lists each locale's decimal and group separators; people also type those of others, so a
figure is read by its shape, and where the shape allows two readings the locale's own decides or nothing does.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

import regex

FIGURE = regex.compile(r"\d+(?:[.,:/'\-]\d+)+|(?<![^\s\p{Sc}])\.\d{1,2}(?!\d)")
SPACED = regex.compile(r"\d{1,3}(?: \d{3})+(?:[.,]\d{1,2}(?!\d))?(?![\d:/'\-]|[.,]\d)")
"""Thousands set apart by spaces, where the locale does so."""
MONEY = regex.compile(r"\d+(?:[.,' ]\d+)*")


CLOCK = regex.compile(r"(\d{1,2})[:.h](\d{2})(?::00)?")


def money(text: str, habits: Mapping[str, Any]) -> Decimal | None:
    """The amount a figure stands for; None when its shape allows two, or none.

    ``habits``: ``decimal``, the marks that may stand before decimals here; ``indian``, groups of two digits.
    """
    text = f"0{text}" if text.startswith(".") else text
    if MONEY.fullmatch(text) is None:
        return None
    parts = regex.split(r"([.,' ])", text)
    digits, marks = parts[0::2], parts[1::2]
    if not marks:
        return Decimal(text)
    last, tail = marks[-1], digits[-1]
    alone = marks.count(last) == 1
    if alone and len(tail) <= 2 and last in ".,":
        if len(marks) == 1 and last == "," and "," not in habits.get("decimal", "."):
            return None
        return _joined(digits[:-1], marks[:-1], tail, habits)
    if alone and len(marks) == 1 and last in habits.get("decimal", ".") and last not in habits.get("group", ","):
        return None
    return _joined(digits, marks, "", habits)


def _joined(digits: list[str], marks: list[str], decimals: str, habits: Mapping[str, Any]) -> Decimal | None:
    """Groups put together when they are groups: one mark throughout, three digits each (two in India)."""
    sizes = [len(d) for d in digits[1:]]
    western = all(s == 3 for s in sizes)
    indian = habits.get("indian", False) and sizes[-1:] == [3] and all(s == 2 for s in sizes[:-1])
    if len(set(marks)) > 1 or (sizes and len(digits[0]) > 3) or not (western or indian):
        return None
    whole = "".join(digits)
    return Decimal(f"{whole}.{decimals.ljust(2, '0')}" if decimals else whole)


class Parts(tuple[int, ...]):
    """The numbers of a typed date. ``unmarked``: they were cut from one run of digits."""

    __slots__ = ()
    unmarked = False


class Cut(Parts):
    """The numbers of a typed date without marks."""

    __slots__ = ()
    unmarked = True


def date_parts(text: str, *, year_first: bool = False) -> Parts | None:
    """The numbers of a typed date, None for no date; without marks cut two, two and four (or four, two and two).

    ``year_first``: two digits of a year may come first ("88.3.4").
    """
    marks = {c for c in text if not c.isdigit()}
    if not marks:
        return _cut(text)
    if len(marks) > 1 or not marks <= set("./-"):
        return None
    parts = text.split(marks.pop())
    sizes = [len(p) for p in parts]
    if sizes[0] == 4 and len(parts) == 3 and sizes[1] <= 2 and sizes[2] <= 2:
        return Parts(map(int, parts))
    if year_first and len(parts) == 3 and sizes[0] == 2 and max(sizes[1:]) <= 2:
        return Parts(map(int, parts))
    if len(parts) not in (2, 3) or max(sizes[:2]) > 2 or (len(parts) == 3 and sizes[2] not in (2, 4)):
        return None
    return Parts(map(int, parts))


def _cut(text: str) -> Parts | None:
    if len(text) == 8:
        year_first = 1880 <= int(text[:4]) < 2200 and int(text[4:6]) <= 12
        a, b = (4, 6) if year_first else (2, 4)
        return Cut(map(int, (text[:a], text[a:b], text[b:])))
    return Cut(map(int, (text[:2], text[2:4], text[4:]))) if len(text) == 6 else None


class Clock(NamedTuple):
    """A typed time. ``lead``: its hour has a leading zero; ``colon``: it is of the form HH:MM."""

    hour: int
    minute: int
    lead: bool
    colon: bool


def clock_parts(text: str) -> Clock | None:
    """Hour and minute of a typed time ("14:30", "2.30", "1430"), None for no time. Seconds of zero are dropped."""
    match = CLOCK.fullmatch(text)
    if match is not None:
        hours, minutes = match.groups()
    elif text.isdigit() and len(text) in (3, 4):
        hours, minutes = text[:-2], text[-2:]
    else:
        return None
    if int(hours) > 24 or int(minutes) > 59:
        return None
    return Clock(int(hours), int(minutes), hours[0] == "0", len(hours) == 2 and ":" in text)
