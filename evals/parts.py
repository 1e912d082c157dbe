"""The parts of a value that a caller can give alone: local part, street, surname, strength ..."""

from __future__ import annotations

import re

from langgraph_readback.evals.speech import Tok
from langgraph_readback.evals.tasks import Item


def span(item: Item, part: str) -> tuple[int, int]:
    """Where a part stands in the value; the whole value when the part is not known."""
    value = item.value
    whole = (0, len(value))
    cut = _CUTS.get((item.type, part))
    if cut is None:
        return whole
    found = re.search(cut, value)
    return found.span(1) if found else whole


def within(toks: list[Tok], place: tuple[int, int]) -> list[Tok]:
    """The tokens of a part, without pauses at its ends. The half of the day goes with the hour."""
    low, high = place
    kept = [t for t in toks if t.kind == "pause" or low <= t.at < high]
    while kept and kept[0].kind == "pause":
        kept.pop(0)
    while kept and kept[-1].kind == "pause":
        kept.pop()
    return kept or toks


_CUTS = {
    ("email", "local"): r"^([^@]+)@",
    ("email", "domain"): r"(@.+)$",
    ("address", "street"): r"^(.+),",
    ("address", "town"): r", ([^\d,]+?) \S*\d",
    ("address", "code"): r" ((?:[A-Z]{1,2}\d\w? )?\w*\d\w*)$",
    ("name", "first"): r"^(\S+)",
    ("name", "last"): r" (\S+)$",
    ("date", "day"): r"^\d{4}-(\d\d-\d\d)",
    ("date", "year"): r"^(\d{4})",
    ("dob", "day"): r"^\d{4}-(\d\d-\d\d)",
    ("dob", "year"): r"^(\d{4})",
    ("time", "hour"): r"^(\d\d)",
    ("time", "minute"): r":(\d\d)",
    ("medication", "name"): r"^(\S+) ",
    ("medication", "strength"): r"^\S+ (.+)$",
    ("postcode", "first"): r"^(\S+) ",
    ("postcode", "last"): r" (\S+)$",
    ("phone", "main"): r"^([^;]+)",
    ("phone", "extension"): r"(;.+)$",
}
