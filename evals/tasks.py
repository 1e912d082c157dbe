"""The tasks: the twenty, the two hundred, the two- and three-field calls, and those reported apart.

A task is one call; its items are the details the caller holds. Values are data (``data/<language>/``); the working and
held-out halves follow from an item's place in its list, so that a new seed never moves a task across.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import yaml

Half = Literal["working", "held-out"]
TYPES = ("date", "phone", "time", "name", "code", "property", "address", "email", "company", "medication")
APART = ("order_id", "postcode")
CHAT = ("typos", "autocorrect", "pasted")
VOICE = ("regular", "noise", "speech")

_ID_TYPES = {"code": "code", "order_id": "order_id"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One detail a caller holds.

    ``field``     the name the agent captures it under; ``spec`` the catalogue entry it is made from.
    ``value``     the canonical value (``/work`` cases README: E.164, ISO dates, ``HH:MM`` ...).
    ``locale``    of the caller; ``pattern`` and ``checksum`` what the builder knows of an ID.
    ``missing``   the value is well-formed, but the world does not know it: the right end is a hand-off.
    """

    type: str
    tier: str
    field: str
    spec: str
    value: str
    locale: str = "en-US"
    pattern: str | None = None
    checksum: str | None = None
    missing: bool = False
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def region(self) -> str:
        """``GB`` of ``en-GB``."""
        return self.locale.split("-")[1]


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One call: who holds what, and what the caller is made to do (``behaviours``)."""

    id: str
    items: tuple[Item, ...]
    half: Half
    set: str
    behaviours: tuple[str, ...] = ()

    @property
    def locale(self) -> str:
        """All items of a call have the caller's locale."""
        return self.items[0].locale

    @property
    def type(self) -> str:
        """The type of a one-field call; ``two`` or ``three`` otherwise."""
        return self.items[0].type if len(self.items) == 1 else {2: "two", 3: "three"}[len(self.items)]


def two_hundred(language: str = "en") -> list[Task]:
    """Ten types x easy, hard x ten values, one field a call."""
    return list(_singles(language, "values.yaml", "two_hundred"))


def apart(language: str = "en") -> list[Task]:
    """Order IDs and postcodes, reported apart."""
    return list(_singles(language, "apart.yaml", "apart"))


def several(language: str = "en") -> list[Task]:
    """60 two-field and 30 three-field calls, drawn once and for all (seed 7) from the values of one half and locale."""
    rng = random.Random(f"several-{language}-7")
    out: list[Task] = []
    for size, count in ((2, 60), (3, 30)):
        for number in range(count):
            half: Half = "working" if number % 2 == 0 else "held-out"
            out.append(_combine(rng, two_hundred(language), half, size, number))
    return out


def twenty() -> list[Task]:
    """The details that break agents first (``twenty.yaml``)."""
    rows = yaml.safe_load(files("langgraph_readback.evals").joinpath("twenty.yaml").read_text(encoding="utf-8"))
    return [
        Task(
            id=f"twenty-{row['id']}",
            items=(_item(row["type"], "hard", row, "en"),),
            half="working",
            set="twenty",
            behaviours=tuple(row.get("behaviours", ())),
        )
        for row in rows
    ]


def own(path: Path) -> list[Task]:
    """A builder's cases: a YAML list of ``{id, locale, fields: {name: value}, half?}``."""
    rows = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(rows, list) or not rows:
        raise ValueError(f"{path}: expected a list of cases, each with id, locale and fields: {{name: value}}")
    tasks = []
    for number, row in enumerate(rows):
        if not isinstance(row, dict) or not isinstance(row.get("fields"), dict):
            raise ValueError(  # noqa: TRY004 - the file is what is wrong
                f"{path}: case {number + 1} needs 'fields: {{name: value}}'"
            )
        half: Half = row.get("half", "working" if number % 2 == 0 else "held-out")
        items = tuple(_own_item(name, entry, row.get("locale", "en-US")) for name, entry in row["fields"].items())
        tasks.append(Task(id=str(row.get("id", number + 1)), items=items, half=half, set="own"))
    return tasks


def split(tasks: Iterable[Task], half: str) -> list[Task]:
    """The tasks of one half; ``all`` keeps them all."""
    return [t for t in tasks if half in ("all", t.half)]


def _own_item(name: str, entry: Any, locale: str) -> Item:
    row = entry if isinstance(entry, dict) else {"value": entry}
    kind = str(row.get("type", name))
    return Item(
        type=kind,
        tier="own",
        field=name,
        spec=name,
        value=str(row["value"]),
        locale=locale,
        pattern=row.get("pattern"),
        missing=bool(row.get("missing", False)),
    )


def _item(kind: str, tier: str, row: Mapping[str, Any], language: str) -> Item:
    name = row.get("field") or _ID_TYPES.get(kind, kind)
    spec = "id" if row.get("pattern") else name
    options = {k: row[k] for k in ("international", "mixed") if k in row}
    return Item(
        type=kind,
        tier=tier,
        field=name,
        spec=spec,
        value=str(row["v"]),
        locale=f"{language}-{row.get('l', 'US')}",
        pattern=row.get("pattern"),
        checksum=row.get("checksum"),
        missing=bool(row.get("missing", False)),
        options=options,
    )


@lru_cache(maxsize=16)
def _table(language: str, name: str) -> dict[str, dict[str, list[dict[str, Any]]]]:
    text = files("langgraph_readback.evals").joinpath("data", language, name).read_text(encoding="utf-8")
    table: dict[str, dict[str, list[dict[str, Any]]]] = yaml.safe_load(text)
    return table


def _singles(language: str, name: str, which: str) -> Iterable[Task]:
    for kind, tiers in _table(language, name).items():
        for tier, rows in tiers.items():
            for place, row in enumerate(rows):
                half: Half = "working" if place % 2 == 0 else "held-out"
                item = _item(kind, tier, row, language)
                yield Task(id=f"{language}-{kind}-{tier}-{place}", items=(item,), half=half, set=which)


def _combine(rng: random.Random, singles: list[Task], half: Half, size: int, number: int) -> Task:
    """One call of ``size`` types, one locale, one half."""
    pool = [t for t in singles if t.half == half]
    first = rng.choice(pool)
    chosen = [first.items[0]]
    while len(chosen) < size:
        taken = {i.type for i in chosen}
        others = [t.items[0] for t in pool if t.items[0].type not in taken and t.locale == first.locale]
        chosen.append(rng.choice(others))
    return Task(id=f"{first.locale[:2]}-{size}-{number}", items=tuple(chosen), half=half, set="several")
