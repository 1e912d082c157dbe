"""The calibration check: does the line err as often as published, before any agent is measured?

The reference is not an agent and not ``hear``: a capture counts as right when every piece of the value that the caller
said arrived as said. So later improvements of the loop cannot move the calibration. First captures are said naturally
(the caller's complications apply, but nothing is left out and no wrong slot is given: the published rates exclude
those); a wrong one is asked for again, in half of the calls plainly and in half to be spelled.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from langgraph_readback.evals.caller import Caller
from langgraph_readback.evals.channel import Line as Wire
from langgraph_readback.evals.intent import Line
from langgraph_readback.evals.tasks import VOICE, Task, two_hundred

PUBLISHED: Mapping[str, float] = {
    "all": 0.53,
    "date": 0.09,
    "time": 0.23,
    "phone": 0.39,
    "code": 0.51,
    "property": 0.55,
    "name": 0.62,
    "medication": 0.64,
    "address": 0.71,
    "email": 0.74,
    "company": 0.91,
    "regular": 0.51,
    "noise": 0.60,
    "speech": 0.46,
    "easy": 0.37,
    "hard": 0.68,
}
"""First capture wrong, of 413 public calls (EVALUATION.md; tiers from REPORT.md 2, for information)."""

AGAIN = 0.64
TOLERANCE = {"all": 0.03, "again": 0.08}
TYPE_TOLERANCE = 0.08
SWEEP = (0.5, 1.0, 2.0)
_NOT_COUNTED = {"omission": 0.0, "wrong_slot": 0.0, "pause": 0.0}


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares by group: first capture wrong, and wrong again after a wrong one."""

    first: Mapping[str, float]
    again: float
    spelled: float
    calls: int


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the check. ``allowed`` is None for what is shown for information."""

    name: str
    published: float
    measured: float
    allowed: float | None

    @property
    def ok(self) -> bool:
        """Within the tolerance, or without one."""
        return self.allowed is None or abs(self.measured - self.published) <= self.allowed + 1e-9


def measure(scale: float = 1.0, seeds: Sequence[int] = range(1, 11), tasks: Sequence[Task] | None = None) -> Rates:
    """Draw first and second captures of the two hundred in three conditions."""
    first: dict[str, list[bool]] = defaultdict(list)
    again: list[bool] = []
    spelled: list[bool] = []
    for number, (task, condition, seed) in enumerate(
        (t, c, s) for t in (tasks or two_hundred()) for c in VOICE for s in seeds
    ):
        wrong = [
            _wrong(task, condition, seed, scale, forms)
            for forms in (("natural", ("natural", "spelled")[number % 2]), ("spelled",))
        ]
        for group in (task.type, condition, task.items[0].tier, "all"):
            first[group].append(wrong[0][0])
        again += wrong[0][1:]
        spelled.append(wrong[1][0])
    return Rates({k: _mean(v) for k, v in first.items()}, _mean(again), _mean(spelled), len(first["all"]))


def check(rates: Rates | None = None) -> list[Row]:
    """The check against the published rates."""
    rates = rates or measure()
    rows = [Row(name, value, rates.first[name], _allowed(name)) for name, value in PUBLISHED.items()]
    return [
        *rows,
        Row("wrong again", AGAIN, rates.again, TOLERANCE["again"]),
        Row("spelled at once", 0.55, rates.spelled, None),
    ]


def sweep(seeds: Sequence[int] = range(1, 6)) -> dict[float, Rates]:
    """The same with every rate halved and doubled."""
    return {scale: measure(scale, seeds) for scale in SWEEP}


def _allowed(name: str) -> float | None:
    if name in ("regular", "noise", "speech"):
        return TYPE_TOLERANCE
    if name in ("easy", "hard"):
        return None
    return TOLERANCE.get(name, TYPE_TOLERANCE)


def _wrong(task: Task, condition: str, seed: int, scale: float, forms: Sequence[str]) -> list[bool]:
    """Whether the first capture was wrong, and when it was, the second."""
    item = task.items[0]
    caller = Caller(task, condition, seed, complications=_NOT_COUNTED)
    wire = Wire(task.id, condition, seed, scale=scale)
    out: list[bool] = []
    for form in forms:
        said = caller.answer([Line("", {"act": "ask", "field": item.field, "form": form})])
        out.append(not wire.hear(item, said.toks).exact)
        if not out[-1]:
            break
    return out


def _mean(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 0.0


def seeded(name: str) -> random.Random:
    """A generator of its own for a name."""
    return random.Random(name)
