"""What hearing costs: CPU and wall time of ``hear`` and ``classify_reply`` by type, locale and length of the utterance.

An utterance is a value as the product reads it back, alone (``chars`` 0) or glued to others of its type until it has
the length asked for: dense dictation, harder than talk of that length. Goals: p99 of 1 ms at 200 characters and 10 ms
at 2,000, and in no locale more than 1.3 times English. Goals are for CPU time and the least of three runs, since a busy
machine says nothing about the code; locales take turns, run by run, and the garbage collector rests meanwhile.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from langgraph_readback.fields import FieldSpec, classify_reply, hear, speak

__all__ = ["ENGLISH", "GOALS", "OVER_ENGLISH", "SAMPLES", "figures"]

GOALS: Final = {200: 1.0, 2000: 10.0}
"""Milliseconds of CPU at the 99th percentile, by characters."""
OVER_ENGLISH: Final = 1.3
"""Times the CPU time of English that a locale may take."""
ENGLISH: Final = "en-US"
SAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "email": ("kim.lee42@example.com", "a-b_c@mail.example.org"),
    "phone": ("+13125550119", "+442079460018"),
    "name": ("Siobhan O'Neill", "Jo Smith-Jones"),
    "id": ("HL-204117", "HL-990031"),
    "date": ("2026-12-01", "1999-02-28"),
    "time": ("14:30", "08:05"),
    "postcode": ("10019", "62701"),
    "address": ("250 West 51st Street, Apartment 9C, New York 10019", "14 Kendal Lane, Springfield 62701"),
    "amount": ("1249.50", "80"),
    "iban": ("DE89370400440532013000", "GB29NWBK60161331926819"),
    "vin": ("1M8GDM9AXKP042788", "1HGCM82633A004352"),
    "plate": ("7ABC123", "KLM4821"),
    "username": ("kim_lee42", "red.fox"),
    "url": ("example.com/a1", "https://example.org/help"),
    "company": ("Nuvio Labs", "Quorvath & Sons Ltd"),
    "medication": ("Metformin 500 mg", "Amoxicillin 250 mg/5 mL"),
}
PATTERN: Final = r"HL-\d{6}"
RUNS: Final = 3
Run = Callable[[str], object]


def figures(
    *,
    locales: Sequence[str] = (ENGLISH,),
    types: Sequence[str] = (),
    chars: Sequence[int] = (0, *GOALS),
    utterances: int = 60,
    seed: int = 7,
) -> Iterator[dict[str, Any]]:
    """A row for each type, length and locale, and one of all types together. Raises KeyError for an unknown type.

    Keys: ``what`` (hear, reply), ``field`` (``all`` in the last rows), ``locale``, ``chars``, ``p50_ms``, ``p99_ms``,
    ``wall_p50_ms``, ``wall_p99_ms``, ``goal_ms``, ``over_en`` (times the CPU time of English; None without it), ``ok``.
    """
    total: dict[tuple[str, str, int], list[Cost]] = {}
    for name in types or SAMPLES:
        spec = FieldSpec(name=name, pattern=PATTERN if name == "id" else None)
        for length in chars:
            tasks = {tag: _texts(spec, tag, length, utterances, random.Random(seed)) for tag in locales}
            for what in ("hear", "reply"):
                runs = {tag: _run(what, spec, tag) for tag in locales}
                costs = _timed(runs, tasks)
                for tag, cost in costs.items():
                    total.setdefault((what, tag, length), []).append(cost)
                    yield _row(what, name, tag, length, cost, costs.get(ENGLISH))
    for (what, tag, length), of_types in total.items():
        english = total.get((what, ENGLISH, length))
        yield _row(what, "all", tag, length, _mean(of_types), _mean(english) if english else None)


class Cost(NamedTuple):
    """Milliseconds of CPU and of wall time, at the median and at the 99th percentile, and the mean of CPU."""

    p50: float
    p99: float
    wall_p50: float
    wall_p99: float
    mean: float


def _mean(costs: Sequence[Cost]) -> Cost:
    return Cost(*(sum(column) / len(costs) for column in zip(*costs, strict=True)))


def _row(what: str, name: str, tag: str, chars: int, cost: Cost, english: Cost | None) -> dict[str, Any]:
    goal = GOALS.get(chars)
    over = round(cost.mean / english.mean, 2) if english else None
    return {
        "what": what, "field": name, "locale": tag, "chars": chars, "p50_ms": round(cost.p50, 2),
        "p99_ms": round(cost.p99, 2), "wall_p50_ms": round(cost.wall_p50, 2), "wall_p99_ms": round(cost.wall_p99, 2),
        "goal_ms": goal, "over_en": over,
        "ok": (goal is None or cost.p99 <= goal) and (over is None or over <= OVER_ENGLISH),
    }  # fmt: skip


def _run(what: str, spec: FieldSpec, tag: str) -> Run:
    if what == "hear":
        return partial(hear, spec, locale=tag)
    return partial(classify_reply, spec=spec, value=SAMPLES[spec.name][0], locale=tag)


def _texts(spec: FieldSpec, tag: str, chars: int, count: int, rng: random.Random) -> list[str]:
    spoken = [speak(spec, value, locale=tag) for value in SAMPLES[spec.name]]
    return [_glued(spoken, chars, rng) for _ in range(count)]


def _glued(spoken: Sequence[str], chars: int, rng: random.Random) -> str:
    text = rng.choice(spoken)
    while len(text) < chars:
        text = f"{text}, {rng.choice(spoken)}"
    return text[:chars] if chars else text


def _timed(runs: dict[str, Run], tasks: dict[str, list[str]]) -> dict[str, Cost]:
    """The cost of each locale's run over its texts."""
    for tag, run in runs.items():
        for text in tasks[tag][:2]:
            run(text)
    cpu: dict[str, list[float]] = {tag: [] for tag in runs}
    wall: dict[str, list[float]] = {tag: [] for tag in runs}
    gc.collect()
    gc.disable()
    try:
        for n in range(len(next(iter(tasks.values())))):
            taken = [{tag: _once(run, tasks[tag][n]) for tag, run in runs.items()} for _ in range(RUNS)]
            for tag in runs:
                cpu[tag].append(min(once[tag][0] for once in taken))
                wall[tag].append(min(once[tag][1] for once in taken))
    finally:
        gc.enable()
    return {tag: _cost(sorted(cpu[tag]), sorted(wall[tag])) for tag in runs}


def _cost(cpu: list[float], wall: list[float]) -> Cost:
    middle, late = len(cpu) // 2, min(len(cpu) - 1, int(len(cpu) * 0.99))
    return Cost(cpu[middle], cpu[late], wall[middle], wall[late], sum(cpu) / len(cpu))


def _once(run: Run, text: str) -> tuple[float, float]:
    start, began = time.process_time(), time.perf_counter()
    run(text)
    return (time.process_time() - start) * 1000, (time.perf_counter() - began) * 1000
