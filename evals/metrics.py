"""The figures: what is counted over calls, with intervals by bootstrap over tasks."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from langgraph_readback.evals.play import CallResult, FieldResult
from langgraph_readback.evals.tasks import CHAT, VOICE

DRAWS = 1000


@dataclass(frozen=True, slots=True)
class Figure:
    """A share (0 to 1) or seconds, with its 95 % interval and how many it was taken over."""

    value: float
    low: float
    high: float
    n: int


def summary(results: Sequence[CallResult], *, draws: int = DRAWS) -> dict[str, Any]:
    """All figures of one arm over one set of calls. Shares are 0 to 1; seconds by the clock."""
    fields = [(r, f) for r in results for f in r.fields]
    wrong = [(r, f) for r, f in fields if not f.first]
    handed = [(r, f) for r, f in fields if f.status == "HANDOFF"]
    agreed = [(r, f) for r, f in fields if f.status == "CONFIRMED"]
    seconds = sorted(r.seconds / len(r.fields) for r in results)
    out: dict[str, Any] = {
        "calls": len(results),
        "pass1": {
            c: figure(_by_task([(r.task, r.passed) for r in results if r.condition == c]), draws)
            for c in conditions(results)
        },
        "pass3": figure(pass3(results), draws),
        "field": figure(_by_task([(r.task, f.passed) for r, f in fields]), draws),
        "first": figure(_by_task([(r.task, f.first) for r, f in fields]), draws),
        "recovery": figure(_by_task([(r.task, f.passed) for r, f in wrong]), draws),
        "wrong_confirmed": figure(_by_task([(r.task, f.wrong_confirmed) for r, f in fields]), draws),
        "wrong_of_confirmed": _share([f.wrong_confirmed for _, f in agreed]),
        "wrong_stored": _share([f.status in ("CONFIRMED", "STORED") and not f.exact for _, f in fields]),
        "handoff": figure(_by_task([(r.task, f.status == "HANDOFF") for r, f in fields]), draws),
        "handoff_justified": _share([f.justified for _, f in handed]),
        "turns": sum(r.turns for r in results) / max(1, len(results)),
        "timeouts": _share([r.ended == "timeout" for r in results]),
        "seconds_p50": quantile(seconds, 0.5),
        "seconds_p90": quantile(seconds, 0.9),
        "types": grouped(results, lambda r: r.type),
        "tiers": grouped(results, lambda r: r.fields[0].tier),
    }
    return {k: asdict(v) if isinstance(v, Figure) else _plain(v) for k, v in out.items()}


def pass3(results: Iterable[CallResult]) -> dict[str, list[float]]:
    """By task: for each seed, whether it passed in all of its conditions."""
    runs: dict[tuple[str, int], list[bool]] = defaultdict(list)
    for result in results:
        runs[result.task, result.seed].append(result.passed)
    out: dict[str, list[float]] = defaultdict(list)
    for (task, _), passed in runs.items():
        out[task].append(float(all(passed)))
    return out


def grouped(results: Sequence[CallResult], key: Callable[[CallResult], str]) -> dict[str, dict[str, float]]:
    """Pass^3, field success, hand-offs and wrong confirmations by group."""
    groups: dict[str, list[CallResult]] = defaultdict(list)
    for result in results:
        groups[key(result)].append(result)
    return {name: _group(rows) for name, rows in groups.items()}


def _group(rows: Sequence[CallResult]) -> dict[str, float]:
    fields: list[FieldResult] = [f for r in rows for f in r.fields]
    by_task = pass3(rows)
    return {
        "pass3": _share([x for xs in by_task.values() for x in xs]),
        "pass1": _share([r.passed for r in rows]),
        "first": _share([f.first for f in fields]),
        "recovery": _share([f.passed for f in fields if not f.first]),
        "wrong_confirmed": _share([f.wrong_confirmed for f in fields]),
        "handoff": _share([f.status == "HANDOFF" for f in fields]),
        "seconds_p50": quantile(sorted(r.seconds / len(r.fields) for r in rows), 0.5),
    }


def added_seconds(arm: Sequence[CallResult], one_shot: Sequence[CallResult]) -> dict[str, float]:
    """Median seconds a capture more than one-shot on the same calls, by tier and over all."""
    base = {(r.task, r.condition, r.seed): r.seconds / len(r.fields) for r in one_shot}
    gaps: dict[str, list[float]] = defaultdict(list)
    for r in arm:
        if (r.task, r.condition, r.seed) in base:
            gap = r.seconds / len(r.fields) - base[r.task, r.condition, r.seed]
            gaps["all"].append(gap)
            gaps[r.fields[0].tier].append(gap)
    return {k: quantile(sorted(v), 0.5) for k, v in gaps.items()}


def figure(by_task: Mapping[str, Sequence[float]], draws: int = DRAWS) -> Figure:
    """The mean over tasks and its 95 % interval; tasks are drawn with replacement, seeds stay with their task."""
    tasks = [(sum(v), len(v)) for v in by_task.values() if v]
    total = sum(n for _, n in tasks)
    if not total:
        return Figure(0.0, 0.0, 0.0, 0)
    value = sum(s for s, _ in tasks) / total
    rng = random.Random(f"bootstrap/{len(tasks)}/{total}")
    means = []
    for _ in range(draws):
        drawn = rng.choices(tasks, k=len(tasks))
        means.append(sum(s for s, _ in drawn) / sum(n for _, n in drawn))
    means.sort()
    return (
        Figure(value, quantile(means, 0.025), quantile(means, 0.975), len(tasks))
        if means
        else Figure(value, value, value, len(tasks))
    )


def conditions(results: Iterable[CallResult]) -> list[str]:
    """The conditions that occur, in the usual order."""
    there = {r.condition for r in results}
    return [c for c in (*VOICE, *CHAT) if c in there]


def quantile(ordered: Sequence[float], share: float) -> float:
    """The quantile of an ordered list; 0 for none."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def _by_task(pairs: Iterable[tuple[str, bool]]) -> dict[str, list[float]]:
    out: dict[str, list[float]] = defaultdict(list)
    for task, value in pairs:
        out[task].append(float(value))
    return out


def _share(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _plain(value: Any) -> Any:
    if isinstance(value, Figure):
        return asdict(value)
    return {k: _plain(v) for k, v in value.items()} if isinstance(value, dict) else value
