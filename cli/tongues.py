"""``readback eval --locale``: the yardstick in other languages, by language and pooled."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from langgraph_readback.cli.lines import fail


def run_locales(  # noqa: PLR0917 - one parameter an option
    locale: str,
    arms: tuple[str, ...],
    split: str,
    seeds: int,
    channel: str,
    setting: tuple[float, float],
    out: Path | None,
    report: Path | None,
    jobs: int | None,
    *,
    freeze: bool,
) -> None:
    """Play the languages of ``locale``; print the page, or write it into ``report`` and the rows into ``out``."""
    from rich.console import Console
    from rich.progress import Progress

    from langgraph_readback.evals import looks
    from langgraph_readback.evals.play import Setting
    from langgraph_readback.evals.run import LOOPS
    from langgraph_readback.evals.tongues import freeze as freezing
    from langgraph_readback.evals.tongues import page, run
    from langgraph_readback.evals.tongues.voices import LANGUAGES

    if freeze:
        typer.echo(f"frozen: version {freezing.refreeze()}")
        return
    known = ("en", *LANGUAGES)
    chosen = known if locale == "all" else tuple(c.strip() for c in locale.split(","))
    if stray := [c for c in chosen if c not in known]:
        fail(f"--locale: no evaluation in {', '.join(stray)}; choose from {', '.join(known)}, or all")
    if stray := [a for a in arms if a not in LOOPS]:
        fail(f"--arms: with --locale the arms are {', '.join(LOOPS)}; there is no {', '.join(stray)}")
    if split not in ("working", "held-out", "all") or channel not in ("voice", "chat"):
        fail("--split must be working, held-out or all, --channel voice or chat")
    plan = run.plan_of(
        chosen,
        channel,
        arms=arms or LOOPS,
        half=split,
        seeds=tuple(range(1, seeds + 1)),
        setting=Setting(scale=setting[0], false_yes=setting[1]),
    )
    with Progress(console=Console(stderr=True), transient=True) as bar:
        job = bar.add_task("calls", total=plan.size)
        results = run.run(plan, jobs=jobs, progress=lambda n: bar.advance(job, n))
    found = page.report(results, half=split, seeds=seeds, channel=channel)
    if split != "working":
        seen = {a: f["pooled"]["all"]["pass3"]["value"] for a, f in found["arms"].items()}
        typer.echo(
            f"This look at the held-out half is logged in {looks.log('readback eval --locale', seen)}.", err=True
        )
    if out is not None:
        out.write_text(json.dumps(page.to_rows(results)) + "\n", encoding="utf-8")
    for path in page.save(found, report) if report else ():
        typer.echo(str(path))
    if report is None:
        typer.echo(page.markdown(found))
