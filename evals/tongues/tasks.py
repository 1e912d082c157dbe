"""A language's tasks: ten types x easy/hard x two values, and two- and three-field calls of the same values."""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from typing import Any

import yaml

from langgraph_readback.evals import tasks as english
from langgraph_readback.evals.tasks import Half, Item, Task

SIZES = ((2, 12), (3, 6))
_SPECS = {"code": "id"}


def tasks_of(language: str) -> list[Task]:
    """Fifty-eight calls: forty of one field, twelve of two, six of three. English: the same shape from its own set."""
    if language == "en":
        singles = [t for t in english.two_hundred() if t.id.endswith(("-0", "-1"))]
        return [*singles, *(t for t in english.several() if int(t.id.rsplit("-", 1)[1]) < dict(SIZES)[len(t.items)])]
    singles = list(_singles(language))
    return [*singles, *_several(language, singles)]


def item_of(row: dict[str, Any], kind: str, tier: str, language: str) -> Item:
    """A row of ``values.yaml``. ``|`` shows where words end in a script without spaces; it is no part of the value."""
    marked = str(row["v"])
    options: dict[str, Any] = {"explained": row.get("x", ()), "cuts": _cuts(marked)}
    name = row.get("field") or kind
    return Item(
        type=kind,
        tier=tier,
        field=name,
        spec="id" if row.get("pattern") else name,
        value=marked.replace("|", ""),
        locale=f"{language}-{row['l']}",
        pattern=row.get("pattern"),
        checksum=row.get("checksum"),
        options=options,
    )


def _cuts(marked: str) -> tuple[int, ...]:
    parts = marked.split("|")
    return tuple(sum(len(p) for p in parts[: n + 1]) for n in range(len(parts) - 1))


@lru_cache(maxsize=16)
def _table(language: str) -> dict[str, dict[str, list[dict[str, Any]]]]:
    text = files("langgraph_readback.evals").joinpath("data", language, "values.yaml").read_text(encoding="utf-8")
    table: dict[str, dict[str, list[dict[str, Any]]]] = yaml.safe_load(text)
    return table


def _singles(language: str) -> Iterable[Task]:
    for kind, tiers in _table(language).items():
        for tier, rows in tiers.items():
            for place, row in enumerate(rows):
                half: Half = "working" if place % 2 == 0 else "held-out"
                item = item_of(row, kind, tier, language)
                yield Task(id=f"{language}-{kind}-{tier}-{place}", items=(item,), half=half, set="tongues")


def _several(language: str, singles: list[Task]) -> Iterable[Task]:
    """Drawn once and for all: types of one call differ, all of one locale and one half."""
    rng = random.Random(f"tongues-{language}-7")
    for size, count in SIZES:
        for number in range(count):
            half: Half = "working" if number % 2 == 0 else "held-out"
            pool = [t for t in singles if t.half == half]
            first = rng.choice([t for t in pool if _company(t, pool) >= size])
            chosen = [first.items[0]]
            while len(chosen) < size:
                taken = {i.type for i in chosen}
                chosen.append(
                    rng.choice([t.items[0] for t in pool if t.type not in taken and t.locale == first.locale])
                )
            yield Task(id=f"{language}-{size}-{number}", items=tuple(chosen), half=half, set="tongues")


def _company(task: Task, pool: list[Task]) -> int:
    return len({t.type for t in pool if t.locale == task.locale})
