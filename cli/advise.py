"""``readback advise``: which fields cost most, from a builder's own records, and what to do about them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from langgraph_readback.cli.lines import fail, rows, source

if TYPE_CHECKING:
    from langgraph_readback.evals.advise import Findings


def advise(
    file: Annotated[Path | None, typer.Argument(help="JSON lines of captures; stdin by default.")] = None,
    *,
    handoff: Annotated[float, typer.Option(min=0.0, help="Seconds a hand-off costs you.")] = 300.0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")] = False,
) -> None:
    """Rank your fields by what they cost and say what to do: drop, prefill, confirm harder, add a lookup.

    Each line: {"field", "status", "attempts"?, "seconds"?, "call"?, "verified"?, "reason"?, "used"?, "prefillable"?,
    "wrong"?}. Values are not needed and not read.

    Example: readback advise captures.jsonl
    """
    from langgraph_readback.evals.advise import advise as findings_of

    with source(file) as stream:
        given = [row for _, row in rows(stream)]
    if not given:
        fail('no records: give JSON lines such as {"field": "email", "status": "CONFIRMED", "attempts": 1}')
    try:
        found = findings_of(given, handoff_seconds=handoff)
    except ValueError as error:
        fail(str(error))
    if as_json or not sys.stdout.isatty():
        typer.echo(json.dumps(found.plain()))
    else:
        _show(found)


def _show(found: Findings) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(
        "field",
        "captures",
        "confirmed",
        "hand-off",
        "retries",
        "seconds",
        "cost, s",
        "what to do",
        box=None,
        pad_edge=False,
    )
    for a in found.fields:
        numbers = (
            str(a.captures),
            f"{a.confirmed:.0%}",
            f"{a.handoff:.0%}",
            f"{a.retries:.2f}",
            f"{a.seconds:.0f}",
            f"{a.cost:.0f}",
        )
        table.add_row(a.field, *numbers, "\n".join(a.todo) or "leave it as it is")
    console = Console()
    console.print(table)
    for line in found.calls:
        console.print(line)
