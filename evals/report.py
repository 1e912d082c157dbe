"""The report: every section of the evaluation run, as JSON and as Markdown with plots."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from langgraph_readback.evals import calibrate, freeze, looks
from langgraph_readback.evals.metrics import added_seconds, summary
from langgraph_readback.evals.play import CallResult, Setting
from langgraph_readback.evals.run import LOOPS, UNSUPPORTED, Plan, arm_names, run
from langgraph_readback.evals.tasks import CHAT, VOICE, Task, apart, several, split, twenty, two_hundred

CONTROL = "gullible"
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the report: a plan with a name."""

    name: str
    plan: Plan


def sections(seeds: int = 5, half: str = "all") -> list[Section]:
    """The parts of the full report. ``seeds``: line seeds of the main part; the others take one."""
    arms = arm_names()
    main = Plan((*arms, CONTROL), _half(two_hundred(), half), VOICE, tuple(range(1, seeds + 1)))
    once = replace(main, arms=arms, seeds=main.seeds[:1])
    few = replace(once, arms=("one-shot", "spell-readback", *LOOPS))
    return [
        Section("two_hundred", main),
        Section("several", replace(once, tasks=_half(several(), half))),
        Section("apart", replace(once, tasks=_half(apart(), half))),
        Section("twenty", replace(once, tasks=tuple(twenty()))),
        Section("twenty_chat", replace(once, tasks=tuple(twenty()), conditions=CHAT)),
        Section("false_yes_0", replace(few, arms=few.arms[1:], setting=Setting(false_yes=0.0))),
        Section("false_yes_5", replace(few, arms=few.arms[1:], setting=Setting(false_yes=0.05))),
        Section("errors_half", replace(few, setting=Setting(scale=0.5))),
        Section("errors_double", replace(few, setting=Setting(scale=2.0))),
        Section("errors_off", replace(main, seeds=(1,), conditions=VOICE[:1], setting=off())),
    ]


def off() -> Setting:
    """The line without errors and a caller without complications: what is lost then, the agent lost."""
    return Setting(scale=0.0, false_yes=0.0, plain=True)


def full(
    seeds: int = 5, half: str = "all", *, jobs: int | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Run every section. The result holds figures only, no values."""
    tell = progress or (lambda *_: None)
    out: dict[str, Any] = {"about": about(seeds, half), "calibration": calibration(), "sections": {}}
    for section in sections(seeds, half):
        tell(section.name, 0, section.plan.size)
        results = run(section.plan, jobs=jobs, progress=partial(_tell, tell, section))
        out["sections"][section.name] = figures(results)
    return out


def _tell(tell: Progress, section: Section, count: int) -> None:
    tell(section.name, count, section.plan.size)


def about(seeds: int, half: str) -> dict[str, Any]:
    """When, at which commit and version, over what."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {
        "at": now,
        "commit": looks.commit(),
        "yardstick": freeze.frozen()["version"],
        "seeds": seeds,
        "half": half,
        "language": "en",
    }


def calibration() -> dict[str, Any]:
    """The check against the published rates, and the sweep."""
    rows = [
        {"name": r.name, "published": r.published, "measured": r.measured, "allowed": r.allowed, "ok": r.ok}
        for r in calibrate.check()
    ]
    sweep = {str(k): {"first_wrong": v.first["all"], "wrong_again": v.again} for k, v in calibrate.sweep().items()}
    return {"rows": rows, "sweep": sweep}


def figures(results: Sequence[CallResult]) -> dict[str, Any]:
    """Figures by arm: over all tasks (a type the product lacks counts as failed) and over the supported ones."""
    missing = {r.task for r in results if r.ended == UNSUPPORTED}
    lost = sorted({r.type for r in results if r.task in missing})
    arms: dict[str, Any] = {}
    there = {r.arm for r in results}
    for name in (a for a in ("agent", *arm_names(model=True), CONTROL) if a in there):
        mine = [r for r in results if r.arm == name]
        played = [r for r in mine if r.task not in missing]
        arms[name] = {"all": summary(mine), "supported": summary(played)}
        base = [r for r in results if r.arm == "one-shot"]
        arms[name]["added_seconds"] = added_seconds(played, base)
    return {
        "arms": arms,
        "unsupported_types": lost,
        "tasks": len({r.task for r in results}),
        "unsupported_tasks": len(missing),
    }


def losses(results: Iterable[CallResult]) -> list[CallResult]:
    """Calls that failed with the line off, though the product has the type and the world knows the value."""
    return [r for r in results if r.ended != UNSUPPORTED and not r.passed and not any(f.missing for f in r.fields)]


def write(report: Mapping[str, Any], folder: Path, *, plots: bool = True) -> list[Path]:
    """``evaluation.md`` in the folder; the JSON and the plots in ``evaluation/`` beside it."""
    from langgraph_readback.evals.markdown import markdown  # noqa: PLC0415 - the plots need matplotlib

    beside = folder / "evaluation"
    beside.mkdir(parents=True, exist_ok=True)
    made = [folder / "evaluation.md", beside / "evaluation.json"]
    made[1].write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if plots:
        from langgraph_readback.evals.plots import draw  # noqa: PLC0415

        made += draw(report, beside)
    made[0].write_text(markdown(report), encoding="utf-8")
    return made


def _half(tasks: Sequence[Task], half: str) -> tuple[Task, ...]:
    return tuple(split(tasks, half))
