"""``readback eval``: exactness and time of the loop, of scripted baselines, and of a builder's own agent."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from langgraph_readback.cli.lines import fail

if TYPE_CHECKING:
    from langgraph_readback.evals.run import Plan
    from langgraph_readback.evals.tasks import Task

SETS = ("two_hundred", "several", "apart", "twenty")


def eval_command(
    *,
    which: Annotated[str, typer.Option("--set", help="two_hundred, several, apart or twenty.")] = "two_hundred",
    arms: Annotated[str, typer.Option(help="Names with commas; all by default.")] = "",
    split: Annotated[str, typer.Option(help="working, held-out or all; a look at held-out is logged.")] = "working",
    seeds: Annotated[int, typer.Option(min=1, help="How many line seeds.")] = 1,
    channel: Annotated[str, typer.Option(help="voice or chat.")] = "voice",
    scale: Annotated[
        float, typer.Option(min=0.0, help="Multiplies every error rate of the line; 0 switches it off.")
    ] = 1.0,
    false_yes: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of wrong read-backs that get a yes.")
    ] = 0.02,
    locale: Annotated[
        str, typer.Option(help="A language other than English (es pt hi zh ko fr de it), several with commas, or all.")
    ] = "",
    agent: Annotated[str, typer.Option(help="Your agent: module:graph, or http://host:port#assistant.")] = "",
    opening: Annotated[
        str, typer.Option(help="The caller's first words to your agent; empty: a run without a message.")
    ] = "Hello.",
    fields: Annotated[Path | None, typer.Option(help="A Python file with your FieldSpecs.")] = None,
    cases: Annotated[Path | None, typer.Option(help="A YAML file with your cases: id, locale, fields.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the figures here as JSON.")] = None,
    report: Annotated[
        Path | None, typer.Option(help="Run everything and write evaluation.md and its plots into this folder.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; one a core by default.")] = None,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Check the line against the published error rates.")
    ] = False,
    freeze: Annotated[
        bool, typer.Option("--freeze", help="Freeze the yardstick under the newest version of its changelog.")
    ] = False,
    langsmith: Annotated[
        str, typer.Option(help="Upload tasks and scores as this data set (needs LANGSMITH_API_KEY).")
    ] = "",
) -> None:
    """Play scripted callers over a simulated line and score what is stored. Offline, seeded, on both cores.

    Example: readback eval --agent my_agent:graph --split all
    """
    if locale:
        _locales(locale, arms, split, seeds, channel, scale, false_yes, out, report, jobs, freeze=freeze)
    elif freeze:
        _freeze()
    elif calibrate:
        _calibrate()
    elif report is not None:
        _report(report, 5 if seeds == 1 else seeds, split, jobs)
    else:
        plan = _plan(which, arms, split, seeds, channel, agent, opening, fields, cases)
        _set(plan, scale, false_yes)
        _run(plan, split, jobs, out, langsmith)


def _locales(  # noqa: PLR0917 - one parameter an option
    locale: str,
    arms: str,
    split: str,
    seeds: int,
    channel: str,
    scale: float,
    false_yes: float,
    out: Path | None,
    report: Path | None,
    jobs: int | None,
    *,
    freeze: bool,
) -> None:
    from langgraph_readback.cli.tongues import run_locales

    names = tuple(n.strip() for n in arms.split(",") if n.strip())
    run_locales(locale, names, split, seeds, channel, (scale, false_yes), out, report, jobs, freeze=freeze)


def _plan(  # noqa: PLR0917 - one parameter an option
    which: str,
    arms: str,
    split: str,
    seeds: int,
    channel: str,
    agent: str,
    opening: str,
    fields: Path | None,
    cases: Path | None,
) -> Plan:
    from langgraph_readback.evals.run import Plan, arm_names
    from langgraph_readback.evals.tasks import CHAT, VOICE

    if split not in ("working", "held-out", "all"):
        fail("--split must be working, held-out or all")
    if channel not in ("voice", "chat"):
        fail("--channel must be voice or chat")
    names = tuple(n.strip() for n in arms.split(",") if n.strip()) or arm_names()
    if agent and "agent" not in names:
        names = ("agent", *(names if arms else ("one-shot", "loop-format", "loop-lookups")))
    try:
        tasks = _tasks(which, split, cases)
    except (OSError, ValueError) as error:
        fail(str(error))
    known = {*arm_names(model=True), "gullible", "agent"}
    if stray := [n for n in names if n not in known]:
        fail(f"--arms: no arm {', '.join(stray)}; choose from {', '.join(sorted(known))}")
    specs = str(fields) if fields else ""
    conditions = VOICE if channel == "voice" else CHAT
    return Plan(names, tasks, conditions, tuple(range(1, seeds + 1)), agent=agent, opening=opening, specs=specs)


def _tasks(which: str, half: str, cases: Path | None) -> tuple[Task, ...]:
    from langgraph_readback.evals import tasks

    if cases is not None:
        found = tasks.own(cases)
    elif which in SETS:
        found = getattr(tasks, which)()
    else:
        raise ValueError(f"--set must be one of {', '.join(SETS)}")
    return tuple(tasks.split(found, "all" if which == "twenty" and cases is None else half))


def _set(plan: Plan, scale: float, false_yes: float) -> None:
    plan.setting.scale, plan.setting.false_yes = scale, false_yes


def _run(plan: Plan, split: str, jobs: int | None, out: Path | None, langsmith: str) -> None:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from langgraph_readback.evals import looks
    from langgraph_readback.evals.report import about, figures
    from langgraph_readback.evals.run import run

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    try:
        with Progress(*columns, console=_stderr(), transient=True) as bar:
            job = bar.add_task("calls", total=plan.size)
            results = run(plan, jobs=jobs, progress=lambda n: bar.advance(job, n))
    except ValueError as error:
        fail(str(error))
    found = {"about": about(len(plan.seeds), split), **figures(results)}
    if split != "working" and any(t.half == "held-out" for t in plan.tasks):
        seen = {name: round(arm["all"]["pass3"]["value"], 4) for name, arm in found["arms"].items()}
        path = looks.log("readback eval", {"set": plan.tasks[0].set, "pass3": seen})
        typer.echo(f"This look at the held-out half is logged in {path}.", err=True)
    if out is not None:
        out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if langsmith:
        _upload(langsmith, plan, results)
    _show(found)


def _show(found: dict[str, Any]) -> None:
    if not sys.stdout.isatty():
        typer.echo(json.dumps(found))
        return
    from rich.console import Console
    from rich.table import Table

    from langgraph_readback.evals.markdown import table

    shown = Table(box=None, pad_edge=False)
    for head in ("arm", "Pass^3", "regular noise speech", "recovery", "wrong CONFIRMED", "hand-off", "seconds"):
        shown.add_column(head)
    for row in table(found, list(found["arms"])):
        shown.add_row(*row)
    console = Console()
    console.print(shown)
    if found["unsupported_types"]:
        lost = ", ".join(found["unsupported_types"])
        console.print(
            f"Over supported types; not supported yet: {lost} ({found['unsupported_tasks']} of {found['tasks']} tasks)."
        )


def _report(folder: Path, seeds: int, split: str, jobs: int | None) -> None:
    from rich.progress import Progress

    from langgraph_readback.evals import looks
    from langgraph_readback.evals.report import full, write

    half = "all" if split == "working" else split
    with Progress(console=_stderr(), transient=True) as bar:
        jobs_by: dict[str, Any] = {}

        def tell(name: str, count: int, size: int) -> None:
            if name not in jobs_by:
                jobs_by[name] = bar.add_task(name, total=size)
            bar.advance(jobs_by[name], count)

        found = full(seeds, half, jobs=jobs, progress=tell)
    made = write(found, folder)
    main = found["sections"]["two_hundred"]["arms"]
    looks.log("readback eval --report", {"pass3": {n: round(a["all"]["pass3"]["value"], 4) for n, a in main.items()}})
    for path in made:
        typer.echo(str(path))


def _calibrate() -> None:
    from rich.console import Console
    from rich.table import Table

    from langgraph_readback.evals.report import calibration

    found = calibration()
    shown = Table("first capture wrong", "published", "simulated", "allowed", "ok", box=None, pad_edge=False)
    for row in found["rows"]:
        allowed = f"+-{row['allowed']:.2f}" if row["allowed"] is not None else "shown only"
        shown.add_row(
            row["name"], f"{row['published']:.2f}", f"{row['measured']:.3f}", allowed, "yes" if row["ok"] else "NO"
        )
    console = Console()
    console.print(shown)
    for scale, figures in found["sweep"].items():
        console.print(f"x {scale}: first wrong {figures['first_wrong']:.3f}, wrong again {figures['wrong_again']:.3f}")
    if not all(row["ok"] for row in found["rows"]):
        raise typer.Exit(1)


def _freeze() -> None:
    from langgraph_readback.evals.freeze import refreeze

    try:
        typer.echo(f"frozen: version {refreeze()}")
    except ValueError as error:
        fail(str(error))


def _upload(name: str, plan: Plan, results: list[Any]) -> None:
    from langgraph_readback.evals.smith import upload

    try:
        typer.echo(f"LangSmith: {upload(name, plan.tasks, results)}", err=True)
    except RuntimeError as error:
        fail(str(error))


def _stderr() -> Any:
    from rich.console import Console

    return Console(stderr=True)
