"""The scripted arms: how a detail can be captured without the loop, and a deliberately bad agent as a control.

They listen with ``reader.read``, not with ``hear``: they are the baselines, and stay where they are when the product
gets better.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rapidfuzz import fuzz

from langgraph_readback.evals.intent import Line
from langgraph_readback.evals.neutral import SPELLED_TYPES
from langgraph_readback.evals.play import Session, Stored, Turn
from langgraph_readback.evals.reader import read
from langgraph_readback.evals.tasks import Item, Task

_NAMES = {
    "@": "at",
    ".": "dot",
    "-": "hyphen",
    "_": "underscore",
    "+": "plus",
    "/": "slash",
    "'": "apostrophe",
    "&": "and",
}
NO = re.compile(r"^\W*(?:no\b|nope\b|that's (?:not|wrong)|wrong\b)", re.IGNORECASE)
ATTEMPTS = 3


def shown(item: Item, value: str, *, spelled: bool) -> str:
    """A plain read-back: the words, or every character by name, with a pause between words."""
    if not spelled or item.type in ("date", "dob", "time"):
        return value
    if item.type == "email" or item.type in SPELLED_TYPES:
        main, _, extension = value.partition(";ext=")
        chars = ", ".join(_NAMES.get(c, c.upper()) for c in main)
        return f"{chars}, extension, {', '.join(extension)}" if extension else chars
    parts = value.replace(",", " ").split()
    return ", ".join(" ".join(_NAMES.get(c, c.upper()) for c in p) if _lettered(p) else p for p in parts)


def _lettered(part: str) -> bool:
    """Whether a part of a value is spelled: a word, but not a unit or anything with digits."""
    return not any(c.isdigit() for c in part) and part not in ("mg", "mcg")


def unfinished(item: Item, value: str | None) -> bool:
    """Whether an agent would wait for more: nothing yet, an email without its end, a phone that is too short."""
    if value is None:
        return True
    if item.type == "email":
        return "." not in value.rpartition("@")[2] or "@" not in value
    return item.type == "phone" and sum(c.isdigit() for c in value) < 9


@dataclass(slots=True)
class Scripted:
    """A scripted session over the fields of a task, one after the other."""

    task: Task
    channel: str = "voice"
    place: int = 0
    values: dict[str, Stored] = field(default_factory=dict)
    value: str | None = None
    parts: list[str] = field(default_factory=list)
    waits: int = 0
    tries: int = 0
    step: str = "ask"

    form = "natural"
    spelled = False

    def open(self) -> Turn:
        """Ask for the first field."""
        return self.ask()

    @property
    def item(self) -> Item:
        """The field in hand."""
        return self.task.items[self.place]

    def ask(self, text: str = "") -> Turn:
        """Ask for the field in hand."""
        self.step = "ask"
        label = self.item.field.replace("_", " ")
        how = (
            f"Please spell your {label}, one character at a time."
            if self.form == "spelled"
            else f"What is your {label}?"
        )
        return self.turn(text or how, "ask", self.form)

    def turn(self, text: str, act: str, form: str = "natural", tools: int = 0) -> Turn:
        """One line, marked like the loop's."""
        return Turn((Line(text, {"act": act, "field": self.item.field, "form": form}),), tools=tools)

    def listen(self, text: str) -> Turn | None:
        """Take an utterance; a turn when the caller is to go on."""
        self.parts.append(text)
        self.value = read(self.item, ", ".join(self.parts))
        if unfinished(self.item, self.value) and self.waits < 2:
            self.waits += 1
            return self.turn("Go on.", "ask", self.form)
        self.parts, self.waits = [], 0
        return None

    def store(self, status: str) -> Turn:
        """Store the value and go on to the next field."""
        self.values[self.item.field] = Stored(status, self.value)
        self.value, self.tries = None, 0
        if self.place + 1 == len(self.task.items):
            return Turn((Line("Thank you.", {"act": "inform"}),), done=True, tools=1)
        self.place += 1
        return self.ask()

    def readback(self) -> Turn:
        """Read the value back."""
        self.step = "readback"
        text = f"I have {shown(self.item, self.value or '', spelled=self.spelled)}. Is that right?"
        return self.turn(text, "readback", "spelled" if self.spelled else "natural")

    def send(self, text: str, marks: Mapping[str, Any]) -> Turn:  # noqa: ARG002
        """One turn of the caller."""
        return self.listen(text) or self.store("STORED")

    def stored(self) -> Mapping[str, Stored]:
        """What is stored."""
        return self.values


class OneShot(Scripted):
    """Asks, takes what it hears, goes on."""


class ReadbackPatch(Scripted):
    """Reads back once; a correction is patched into the value and stored with no further read-back."""

    def send(self, text: str, marks: Mapping[str, Any]) -> Turn:
        """One turn of the caller."""
        _ = marks
        if self.step == "ask":
            if waiting := self.listen(text):
                return waiting
            return self.readback() if not self.tries else self.store("CONFIRMED")
        if not text.strip():
            return self.readback()
        if not NO.match(text):
            return self.store("CONFIRMED")
        self.tries += 1
        patched = patch(self.item, self.value or "", text)
        if patched is None:
            return self.ask("Sorry. What should it be?")
        self.value = patched
        return self.store("CONFIRMED")


class SpellReadback(Scripted):
    """Has it spelled, reads it back spelled, asks again up to twice, then stores what it has. No validation."""

    form = "spelled"
    spelled = True

    def send(self, text: str, marks: Mapping[str, Any]) -> Turn:
        """One turn of the caller."""
        _ = marks
        if self.step == "ask":
            return self.listen(text) or self.readback()
        if not text.strip():
            return self.readback()
        if not NO.match(text):
            return self.store("CONFIRMED")
        self.tries += 1
        return self.ask() if self.tries < ATTEMPTS else self.store("STORED")


class Gullible(Scripted):
    """The control: whatever the caller says to the read-back is a yes."""

    def send(self, text: str, marks: Mapping[str, Any]) -> Turn:
        """One turn of the caller."""
        _ = marks
        if self.step == "ask":
            return self.listen(text) or self.readback()
        return self.store("CONFIRMED")


def patch(item: Item, value: str, text: str) -> str | None:
    """A correction patched into the value, as agents do: "not P" replaced, a longer piece laid over the most alike."""
    rest = NO.sub("", text).strip(" ,.")
    rest = re.sub(r"^(?:it's|it is|it should be|that part is|the wrong bit is)\s*", "", rest)
    if not rest or re.fullmatch(r"(?:that's|it isn't|it's|that isn't|not|wrong|right|\W)+", rest, re.IGNORECASE):
        return None
    head, _, instead = rest.partition("not ")
    right = (read(item, head) or "").replace(" ", "")
    wrong = (read(item, instead) or "").replace(" ", "")
    if wrong and wrong in value.lower():
        place = value.lower().index(wrong)
        return value[:place] + right + value[place + len(wrong) :]
    whole = read(item, rest)
    if whole and fuzz.ratio(whole, value) > 40 and len(whole) > 0.6 * len(value):
        return whole
    if not right:
        return None
    size = len(right)
    place = max(range(max(1, len(value) - size + 1)), key=lambda i: fuzz.ratio(value[i : i + size].lower(), right))
    return value[:place] + right + value[place + size :]


Make = Callable[[Task, str], Session]


@dataclass(frozen=True, slots=True)
class Arm:
    """One way of capturing. ``make(task, channel)`` opens a conversation."""

    name: str
    title: str
    make: Make


SCRIPTED: Sequence[Arm] = (
    Arm("one-shot", "One-shot", OneShot),
    Arm("readback-patch", "Read-back, then patch", ReadbackPatch),
    Arm("spell-readback", "Spell + read-back, no validation", SpellReadback),
)
CONTROL = Arm("gullible", "Control: anything is a yes", Gullible)
