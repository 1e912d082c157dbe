"""Runs of many calls: arms by name, over both cores, in an order that does not matter to the figures."""

from __future__ import annotations

import logging
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from langsmith import tracing_context

from langgraph_readback.evals.agents import Loop, agent_of, can_play
from langgraph_readback.evals.arms import CONTROL, SCRIPTED, Arm
from langgraph_readback.evals.own import own_specs
from langgraph_readback.evals.play import CallResult, FieldResult, Setting, calls, play
from langgraph_readback.evals.selfchosen import SelfChosen
from langgraph_readback.evals.specs import use
from langgraph_readback.evals.tasks import CHAT, Task
from langgraph_readback.evals.world import everything, world_of

LOOPS = ("loop-format", "loop-lookups")
UNSUPPORTED = "unsupported"
_CHUNK = 12

Call = tuple[Task, str, int]
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run. ``agent``: a builder's (``module:graph`` or a URL), run as the arm ``agent``.

    ``specs``: a builder's file of FieldSpecs; ``opening``: the caller's first words to a builder's agent.
    """

    arms: tuple[str, ...]
    tasks: tuple[Task, ...]
    conditions: tuple[str, ...]
    seeds: tuple[int, ...] = (1,)
    setting: Setting = field(default_factory=Setting)
    agent: str = ""
    opening: str = "Hello."
    specs: str = ""

    @property
    def size(self) -> int:
        """How many calls."""
        return len(self.arms) * len(self.tasks) * len(self.conditions) * len(self.seeds)


def arm_names(*, model: bool | None = None) -> tuple[str, ...]:
    """The arms of a full run; the model left to itself only when one is configured (``OPENAI_BASE_URL``)."""
    with_model = bool(os.environ.get("OPENAI_BASE_URL")) if model is None else model
    own = ("self-chosen",) if with_model else ()
    return (*(a.name for a in SCRIPTED), *own, *LOOPS)


def title(name: str) -> str:
    """An arm in words."""
    return _TITLES.get(name, name)


def run(plan: Plan, *, jobs: int | None = None, progress: Progress | None = None) -> list[CallResult]:
    """Play every call of a plan. ``progress`` is told how many are done since it was last told."""
    work = list(_chunks(plan))
    jobs = min(jobs or os.cpu_count() or 1, len(work))
    tell = progress or (lambda _: None)
    if jobs <= 1:
        _loaded(plan.specs)
        return _sorted(r for chunk in work for r in _told(_play(chunk, plan), tell))
    context = multiprocessing.get_context("spawn")
    out: list[CallResult] = []
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_loaded, initargs=(plan.specs,)) as pool:
        waiting: set[Future[list[CallResult]]] = {pool.submit(_play, chunk, plan) for chunk in work}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                out += _told(future.result(), tell)
    return _sorted(out)


def _told(results: list[CallResult], tell: Progress) -> list[CallResult]:
    tell(len(results))
    return results


def _sorted(results: Iterable[CallResult]) -> list[CallResult]:
    return sorted(results, key=lambda r: (r.arm, r.set, r.task, r.condition, r.seed))


def _chunks(plan: Plan) -> Iterator[tuple[str, list[Call]]]:
    """Slices of the work. Calls with the same fields stay together, so that their graph is compiled once."""
    every = sorted(calls(plan.tasks, plan.conditions, plan.seeds), key=lambda c: (c[0].set, c[0].type, c[0].id))
    for name in reversed(plan.arms):
        for start in range(0, len(every), _CHUNK):
            yield name, every[start : start + _CHUNK]


def _play(work: tuple[str, Sequence[Call]], plan: Plan) -> list[CallResult]:
    name, these = work
    with _quiet():
        arm = _arm(name, plan)
        return [_result(name, arm, call, plan) for call in these]


def _result(name: str, arm: Arm, call: Call, plan: Plan) -> CallResult:
    task, condition, seed = call
    if name in LOOPS and not can_play(task):
        return _unsupported(task, condition, seed, name)
    channel = "chat" if condition in CHAT else "voice"
    return play(task, condition, seed, arm.make(task, channel), name, plan.setting)


@contextmanager
def _quiet() -> Iterator[None]:
    """Simulated calls are neither traced nor warned about; afterwards the process is as it was."""
    ours = logging.getLogger("langgraph_readback")
    before = ours.level
    ours.setLevel(logging.ERROR)
    try:
        with tracing_context(enabled=False):
            yield
    finally:
        ours.setLevel(before)


def _loaded(specs: str) -> None:
    """The builder's own specs, in this process."""
    if specs:
        use(own_specs(Path(specs)))


_ARMS: dict[tuple[str, ...], Arm] = {}


def _arm(name: str, plan: Plan) -> Arm:
    """The arm of that name, made once a process: its graphs are compiled in it."""
    key = (name, plan.agent, plan.opening, plan.specs, *(t.id for t in plan.tasks if plan.specs))
    if key not in _ARMS:
        _ARMS[key] = _made(name, plan.agent, plan.opening, plan.tasks if plan.specs else ())
    return _ARMS[key]


def _made(name: str, agent: str, opening: str, own: tuple[Task, ...]) -> Arm:
    scripted = {a.name: a for a in (*SCRIPTED, CONTROL)}
    if name in scripted:
        return scripted[name]
    if name == "loop-format":
        return Arm(name, title(name), Loop())
    if name == "loop-lookups":
        return Arm(name, title(name), Loop(world_of(own) if own else everything()))
    if name == "self-chosen":
        return Arm(name, title(name), SelfChosen())
    if name == "agent" and agent:
        return Arm(name, title(name), agent_of(agent, opening))
    raise ValueError(f"no arm {name!r}: choose from {', '.join((*arm_names(model=True), CONTROL.name))}")


def _unsupported(task: Task, condition: str, seed: int, arm: str) -> CallResult:
    """A call that the product cannot take: it has no such type."""
    fields = tuple(
        FieldResult(i.field, i.type, i.tier, "", exact=False, first=False, arrived=False) for i in task.items
    )
    return CallResult(task.id, task.set, task.type, task.half, arm, condition, seed, fields, 0.0, 0, UNSUPPORTED)


_TITLES = {
    **{a.name: a.title for a in (*SCRIPTED, CONTROL)},
    "loop-format": "Full loop, format only",
    "loop-lookups": "Full loop with lookups",
    "self-chosen": "Model left to itself",
    "agent": "Your agent",
}
