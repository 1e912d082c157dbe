"""``readback bench``: what a turn of the loop costs beside a turn of an empty graph on the same saver."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from langgraph_readback.cli.lines import Row, emit, fail
from langgraph_readback.cli.stores import usable


def bench(
    *,
    fields: Annotated[str, typer.Option(help="Numbers of fields, with commas.")] = "1,3,10",
    turns: Annotated[int, typer.Option(min=2, help="User turns to time for each figure, at least.")] = 120,
    database: Annotated[
        list[str] | None, typer.Option(help="Checkpoint URL; may be repeated. Default: memory, and a new SQLite file.")
    ] = None,
) -> None:
    """Time a user turn of the loop against an empty one-node graph on the same saver (goal: 1.5 times at most).

    Example: readback bench --fields 1,3,10 --turns 120
    """
    try:
        counts = [int(text) for text in fields.split(",")]
    except ValueError:
        counts = []
    if not counts or min(counts) < 1:
        fail("--fields needs whole numbers from 1, with commas, e.g. --fields 1,3,10")
    from langgraph_readback.evals.bench import figures

    measured = figures(fields=counts, turns=turns, urls=database)
    with usable():
        if sys.stdout.isatty():
            show(measured)
        else:
            for row in measured:
                emit(row)


def show(measured: Iterator[Row]) -> None:
    """A table for a person, a row as soon as it is measured."""
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table
    from rich.text import Text

    table = Table("store", "fields", "turns", "loop ms", "empty ms", "ratio", box=None, pad_edge=False)
    with Live(table, console=Console()):
        for row in measured:
            cells = (str(row[key]) for key in ("store", "fields", "turns", "loop_ms", "empty_ms"))
            table.add_row(*cells, Text(str(row["ratio"]), style="green" if row["ok"] else "yellow"))
