"""LangSmith: the tasks as a data set, the calls as an experiment, the scores as evaluators.

Only when asked for and when ``LANGSMITH_API_KEY`` is set. What is uploaded are the yardstick's invented values (or a
builder's own cases, when they run those) and how each call ended, never a value that an agent stored.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langgraph_readback.evals.play import CallResult
from langgraph_readback.evals.tasks import Task

KEY = "LANGSMITH_API_KEY"


def upload(name: str, tasks: Sequence[Task], results: Sequence[CallResult], *, client: Any = None) -> str:
    """Upload a run: one data set, one experiment an arm. Returns what was made.

    Raises RuntimeError when there is no key, or LangSmith does not take it.
    """
    if client is None and not os.environ.get(KEY):
        raise RuntimeError(f"set {KEY} to upload (and LANGSMITH_ENDPOINT for your own LangSmith); nothing was sent")
    from langsmith import Client  # noqa: PLC0415 - only when something is uploaded
    from langsmith.utils import LangSmithError  # noqa: PLC0415

    client = client or Client()
    try:
        with contextlib.redirect_stdout(sys.stderr):  # the client prints addresses; stdout is for figures
            return _upload(client, name, tasks, results)
    except LangSmithError as error:
        raise RuntimeError(f"LangSmith did not take the upload: {type(error).__name__}: {error}") from error


def _upload(client: Any, name: str, tasks: Sequence[Task], results: Sequence[CallResult]) -> str:
    _dataset(client, name, tasks)
    arms = list(dict.fromkeys(r.arm for r in results))
    for arm in arms:
        by_task: dict[str, list[CallResult]] = defaultdict(list)
        for result in results:
            if result.arm == arm:
                by_task[result.task].append(result)
        client.evaluate(
            _target(by_task),
            data=name,
            evaluators=list(EVALUATORS),
            experiment_prefix=f"{name}-{arm}",
            max_concurrency=0,
            metadata={"arm": arm},
        )
    return f"data set {name!r} with {len(tasks)} tasks, {len(arms)} experiments"


def _dataset(client: Any, name: str, tasks: Sequence[Task]) -> None:
    """The tasks as examples; a data set of that name that is there already is used as it is."""
    if client.has_dataset(dataset_name=name):
        return
    made = client.create_dataset(name, description="readback eval: details to capture exactly")
    client.create_examples(
        dataset_id=made.id,
        examples=[
            {
                "inputs": {"task": t.id, "locale": t.locale, "fields": [i.field for i in t.items]},
                "reference_outputs": {i.field: i.value for i in t.items},
                "metadata": {"set": t.set, "half": t.half, "tier": t.items[0].tier, "type": t.type},
            }
            for t in tasks
        ],
    )


def _target(by_task: Mapping[str, Sequence[CallResult]]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """What happened in a task's calls, as the experiment's outputs."""

    def target(inputs: dict[str, Any]) -> dict[str, Any]:
        these = by_task.get(inputs["task"], ())
        return {
            "calls": [
                {
                    "condition": r.condition,
                    "seed": r.seed,
                    "passed": r.passed,
                    "seconds": r.seconds,
                    "turns": r.turns,
                    "statuses": [f.status for f in r.fields],
                    "wrong_confirmed": any(f.wrong_confirmed for f in r.fields),
                }
                for r in these
            ]
        }

    return target


def pass_all(outputs: dict[str, Any]) -> dict[str, Any]:
    """Pass^3: right in every condition, as a share of the seeds."""
    by_seed: dict[int, list[bool]] = defaultdict(list)
    for call in outputs["calls"]:
        by_seed[call["seed"]].append(call["passed"])
    return {"key": "pass3", "score": _mean([float(all(v)) for v in by_seed.values()])}


def pass_one(outputs: dict[str, Any]) -> dict[str, Any]:
    """Pass@1: right, as a share of the calls."""
    return {"key": "pass1", "score": _mean([float(c["passed"]) for c in outputs["calls"]])}


def wrong_confirmed(outputs: dict[str, Any]) -> dict[str, Any]:
    """Wrong but CONFIRMED, as a share of the calls."""
    return {"key": "wrong_confirmed", "score": _mean([float(c["wrong_confirmed"]) for c in outputs["calls"]])}


def handed_off(outputs: dict[str, Any]) -> dict[str, Any]:
    """Handed to a person, as a share of the calls."""
    return {"key": "handoff", "score": _mean([float("HANDOFF" in c["statuses"]) for c in outputs["calls"]])}


def seconds(outputs: dict[str, Any]) -> dict[str, Any]:
    """Seconds a call."""
    return {"key": "seconds", "score": _mean([c["seconds"] for c in outputs["calls"]])}


EVALUATORS = (pass_all, pass_one, wrong_confirmed, handed_off, seconds)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
