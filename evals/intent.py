"""What an agent wants of the caller: act, field, form and part; from its marks, else from its words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph_readback.evals.neutral import ear
from langgraph_readback.evals.tasks import Item

ACTS = ("ask", "echo", "readback", "confirm", "inform")


@dataclass(frozen=True, slots=True)
class Line:
    """One thing an agent said. ``marks`` is ``additional_kwargs["readback"]``; empty for agents without it."""

    text: str
    marks: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Wish:
    """What the caller takes it to mean. ``part`` names a part of the value; ``last`` the characters of a challenge."""

    act: str
    item: Item | None
    form: str
    text: str
    part: str = ""
    challenge: bool = False


def wish(lines: Sequence[Line], items: Sequence[Item], focus: Item) -> Wish | None:
    """The last thing said that wants an answer; None when nothing does. ``focus`` is the field talked of so far."""
    found: Wish | None = None
    for line in lines:
        one = _one(line, items, focus)
        if one.act in ("ask", "echo", "readback"):
            found = one
        if one.item is not None:
            focus = one.item
    return found


def _one(line: Line, items: Sequence[Item], focus: Item) -> Wish:
    language = focus.locale.split("-")[0]
    act = str(line.marks.get("act", "")) or _act(line.text, language)
    name = line.marks.get("field")
    item = next((i for i in items if i.field == name), None) if name else _item(line.text, items, focus, language)
    form = str(line.marks.get("form", "")) or _form(line.text, language)
    challenge = act in ("readback", "confirm") and _match(line.text, ear(language)["intent"]["challenge"])
    if act == "confirm":
        act = "readback" if challenge or line.text.rstrip().endswith("?") else "inform"
    part = _part(line.text, item, language) if item and act in ("ask", "echo") else ""
    return Wish(act, item, form, line.text, part, challenge)


def _act(text: str, language: str) -> str:
    if _match(text, ear(language)["intent"]["readback"]):
        return "readback"
    asks = "?" in text or _match(
        text, [r"\bplease\b", r"\bcould you\b", r"\bgive me\b", r"\btell me\b", r"\bspell\b", r"\benter\b"]
    )
    return "ask" if asks else "inform"


def _form(text: str, language: str) -> str:
    table = ear(language)["intent"]
    return next((form for form in ("words", "groups", "keypad", "spelled") if _match(text, table[form])), "natural")


def _item(text: str, items: Sequence[Item], focus: Item, language: str) -> Item:
    low = text.lower()
    labels = ear(language)["label"]
    places = [
        (low.find(word), number)
        for number, item in enumerate(items)
        for word in (*labels.get(item.field, ()), item.field.replace("_", " "))
        if word in low
    ]
    return items[min(places)[1]] if places else focus


def _part(text: str, item: Item, language: str) -> str:
    table = ear(language).get("part", {}).get(item.type, {})
    for sentence in re.split(r"(?<=[.?!]) ", text.lower()):
        trigger = re.search(r"\b(?:only|just|next|now|then|and)\b", sentence)
        if not trigger:
            continue
        strict = re.search(r"\b(?:only|just)\b", sentence) or re.match(r"(?:and|now|next|then)\b", sentence)
        places = [(sentence.find(p), name) for name, phrases in table.items() for p in phrases if p in sentence]
        if strict and places:
            return str(min(places)[1])
    return ""


def _match(text: str, patterns: Sequence[str]) -> bool:
    return any(re.search(p, text, re.IGNORECASE) for p in patterns)
