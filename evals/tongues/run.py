"""Runs of calls in other languages, over both cores, and their figures by language and pooled."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, replace

from langgraph_readback.evals import play as english
from langgraph_readback.evals.agents import Loop, can_play
from langgraph_readback.evals.play import CallResult, Setting, calls
from langgraph_readback.evals.run import LOOPS, UNSUPPORTED, _quiet, _unsupported
from langgraph_readback.evals.tasks import CHAT, VOICE, Task, split
from langgraph_readback.evals.tongues.play import play
from langgraph_readback.evals.tongues.tasks import tasks_of
from langgraph_readback.evals.world import world_of

__all__ = ["LOOPS", "UNSUPPORTED", "Plan", "plan_of", "run"]

_CHUNK = 12
Call = tuple[Task, str, int]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: languages, arms (``loop-format``, ``loop-lookups``), conditions, line seeds, half."""

    languages: tuple[str, ...]
    arms: tuple[str, ...] = LOOPS
    conditions: tuple[str, ...] = VOICE
    seeds: tuple[int, ...] = (1,)
    half: str = "all"
    setting: Setting = field(default_factory=Setting)

    @property
    def size(self) -> int:
        """How many calls."""
        return sum(len(these) for _, _, these in _chunks(self))


def plan_of(languages: Sequence[str], channel: str = "voice", **more: object) -> Plan:
    """A plan for a channel (voice or chat)."""
    return replace(Plan(tuple(languages), conditions=VOICE if channel == "voice" else CHAT), **more)  # type: ignore[arg-type]


def run(plan: Plan, *, jobs: int | None = None, progress: Callable[[int], None] | None = None) -> list[CallResult]:
    """Play every call of a plan. ``progress`` is told how many are done since it was last told."""
    work = list(_chunks(plan))
    jobs = min(jobs or os.cpu_count() or 1, len(work))
    tell = progress or (lambda _: None)
    out: list[CallResult] = []
    if jobs <= 1:
        for chunk in work:
            out += _play(chunk, plan.setting)
            tell(len(chunk[2]))
        return _sorted(out)
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        for done in as_completed([pool.submit(_play, chunk, plan.setting) for chunk in work]):
            found = done.result()
            out += found
            tell(len(found))
    return _sorted(out)


def _sorted(results: list[CallResult]) -> list[CallResult]:
    return sorted(results, key=lambda r: (r.arm, r.task, r.condition, r.seed))


def _chunks(plan: Plan) -> Iterator[tuple[str, str, list[Call]]]:
    """Slices of the work by arm and language, calls with the same fields together."""
    for arm in plan.arms:
        for language in plan.languages:
            tasks = split(tasks_of(language), plan.half)
            every = sorted(calls(tasks, plan.conditions, plan.seeds), key=lambda c: (c[0].type, c[0].id))
            for start in range(0, len(every), _CHUNK):
                yield arm, language, every[start : start + _CHUNK]


def _play(work: tuple[str, str, Sequence[Call]], setting: Setting) -> list[CallResult]:
    arm, language, these = work
    with _quiet():
        loop = _loop(arm, language)
        return [_result(arm, language, loop, call, setting) for call in these]


def _result(arm: str, language: str, loop: Loop, call: Call, setting: Setting) -> CallResult:
    task, condition, seed = call
    if not can_play(task):
        return _unsupported(task, condition, seed, arm)
    session = loop(task, "chat" if condition in CHAT else "voice")
    how = english.play if language == "en" else play
    return how(task, condition, seed, session, arm, setting)


_LOOPS: dict[tuple[str, str], Loop] = {}


def _loop(arm: str, language: str) -> Loop:
    """The loop of an arm, made once a process: its graphs are compiled in it."""
    key = (arm, language if arm != "loop-format" else "")
    if key not in _LOOPS:
        _LOOPS[key] = Loop() if arm == "loop-format" else Loop(world_of(tasks_of(language)))
    return _LOOPS[key]
