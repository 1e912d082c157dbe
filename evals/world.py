"""The world the lookups ask: registers that hold the true values among near misses, and nothing else.

A register holds every value of the set and, for each, one value that differs by a likely mishearing, so that a wrong
value can be found too. Which types have one: codes and order IDs, addresses, properties, companies, medications,
postcodes; of emails only the domains are known. Phones, names, dates and times are checked for format only.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from langgraph_readback.evals.rates import pick
from langgraph_readback.evals.score import fold
from langgraph_readback.evals.tasks import Task, apart, several, twenty, two_hundred
from langgraph_readback.fields import LookupOutcome

REGISTERED = frozenset({"code", "order_id", "address", "property", "company", "medication", "postcode"})
Lookup = Callable[[str, Mapping[str, Any]], Awaitable[LookupOutcome]]


@dataclass(slots=True)
class Counter:
    """How often the world was asked in one call (half a second each by the clock)."""

    asked: int = 0


@dataclass(frozen=True, slots=True)
class World:
    """Registers by type, folded."""

    registers: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def knows(self, kind: str, value: str) -> LookupOutcome:
        """FOUND or NOT_FOUND; UNAVAILABLE for a type without a register."""
        register = self.registers.get(kind)
        if register is None:
            return LookupOutcome.UNAVAILABLE
        key = value.rpartition("@")[2].lower() if kind == "email" else fold(value, kind)
        return LookupOutcome.FOUND if key in register else LookupOutcome.NOT_FOUND

    def lookup(self, kind: str, counter: Counter) -> Lookup:
        """The lookup of a type, in the shape a builder passes in."""

        async def ask(value: str, _: Mapping[str, Any]) -> LookupOutcome:
            counter.asked += 1
            return self.knows(kind, value)

        return ask


def registered(kind: str) -> bool:
    """Whether the world can be asked about a type."""
    return kind in REGISTERED or kind == "email"


def world_of(tasks: Iterable[Task]) -> World:
    """The world in which the values of these tasks exist (but for those that are missing)."""
    registers: dict[str, set[str]] = {}
    for item in (i for t in tasks for i in t.items if not i.missing):
        if item.type == "email":
            registers.setdefault("email", set()).add(item.value.rpartition("@")[2])
        elif item.type in REGISTERED:
            values = registers.setdefault(item.type, set())
            values.add(fold(item.value, item.type))
            values.add(_near(fold(item.value, item.type)))
    return World({k: frozenset(v) for k, v in registers.items()})


@lru_cache(maxsize=4)
def everything(language: str = "en") -> World:
    """The world of all sets of a language."""
    return world_of([*two_hundred(language), *apart(language), *several(language), *twenty()])


def _near(value: str) -> str:
    """The value with one symbol taken for another."""
    rng = random.Random(f"near/{value}")
    places: Sequence[int] = [i for i, c in enumerate(value) if c.isalnum()]
    place = rng.choice(places)
    other = pick(rng, value[place].lower(), "spelled")
    return value[:place] + (other.upper() if value[place].isupper() else other) + value[place + 1 :]
