"""What hearing costs: CPU time of ``hear`` and ``classify_reply`` by type, locale and length of the utterance.

An utterance is a value as the product reads it back, alone (``chars`` 0) or glued to others of its type until it has
the length asked for: dense dictation, harder than talk of that length. Goal: p99 of 1 ms at 200 characters and 10 ms at
2,000. CPU time and the least of three runs, since a busy machine says nothing about the code; the garbage collector
rests meanwhile.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from langgraph_readback.fields import FieldSpec, classify_reply, hear, speak

__all__ = ["GOALS", "SAMPLES", "figures"]

GOALS: Final = {200: 1.0, 2000: 10.0}
"""Milliseconds of CPU at the 99th percentile, by characters."""
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


def figures(
    *, locale: str = "en-US", types: Sequence[str] = (), utterances: int = 60, seed: int = 7
) -> Iterator[dict[str, Any]]:
    """A row for each type and length. Raises KeyError for a type without samples.

    Keys: ``what`` (hear, reply), ``field``, ``locale``, ``chars``, ``p50_ms``, ``p99_ms``, ``goal_ms``, ``ok``.
    """
    rng = random.Random(seed)
    for name in types or SAMPLES:
        spec = FieldSpec(name=name, pattern=PATTERN if name == "id" else None)
        spoken = [speak(spec, value, locale=locale) for value in SAMPLES[name]]
        runs: dict[str, Callable[[str], object]] = {"hear": partial(hear, spec, locale=locale)}
        runs["reply"] = partial(classify_reply, spec=spec, value=SAMPLES[name][0], locale=locale)
        for chars in (0, *GOALS):
            texts = [_glued(spoken, chars, rng) for _ in range(utterances)]
            for what, run in runs.items():
                yield {"what": what, "field": name, "locale": locale, "chars": chars, **_timed(run, texts, chars)}


def _glued(spoken: Sequence[str], chars: int, rng: random.Random) -> str:
    text = rng.choice(spoken)
    while len(text) < chars:
        text = f"{text}, {rng.choice(spoken)}"
    return text[:chars] if chars else text


def _timed(run: Callable[[str], object], texts: Sequence[str], chars: int) -> dict[str, Any]:
    for text in texts[:2]:
        run(text)
    gc.collect()
    gc.disable()
    try:
        times = sorted(min(_once(run, text) for _ in range(RUNS)) for text in texts)
    finally:
        gc.enable()
    p50, p99 = times[len(times) // 2], times[min(len(times) - 1, int(len(times) * 0.99))]
    goal = GOALS.get(chars)
    return {"p50_ms": round(p50, 2), "p99_ms": round(p99, 2), "goal_ms": goal, "ok": goal is None or p99 <= goal}


def _once(run: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    run(text)
    return (time.process_time() - start) * 1000
