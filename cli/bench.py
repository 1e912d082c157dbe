"""``readback bench``: a turn beside an empty graph's, how a thread grows, captures a second, what hearing costs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Annotated

import typer

from langgraph_readback.cli.lines import Row, emit, fail
from langgraph_readback.cli.stores import usable

WHAT = ("turn", "growth", "throughput", "hearing")
USUAL = WHAT[:3]
COLUMNS = {
    "turn": ("store", "fields", "turns", "loop_ms", "empty_ms", "ratio"),
    "growth": ("store", "turns", "bytes_per_turn", "turn_ms", "cpu_ms", "ratio"),
    "throughput": ("store", "open", "captures_per_s", "empty_per_s", "lost", "ratio"),
    "hearing": ("of", "field", "locale", "chars", "p50_ms", "wall_p50_ms", "wall_p99_ms", "over_en", "p99_ms"),
}


def bench(
    *,
    what: Annotated[str, typer.Option(help="Some of turn, growth, throughput and hearing, with commas.")] = ",".join(
        USUAL
    ),
    fields: Annotated[str, typer.Option(help="turn: numbers of fields, with commas.")] = "1,3,10",
    turns: Annotated[int, typer.Option(min=2, help="turn: user turns to time for each figure, at least.")] = 120,
    marks: Annotated[str, typer.Option(help="growth: after how many turns of one thread, with commas.")] = "10,100",
    open_: Annotated[str, typer.Option("--open", help="throughput: conversations open at once.")] = "1,10,100",
    types: Annotated[str, typer.Option(help="hearing: field types, with commas; all of them by default.")] = "",
    locales: Annotated[str, typer.Option(help="hearing: locales, with commas; English is the measure.")] = "en-US",
    chars: Annotated[str, typer.Option(help="hearing: lengths of utterances; 0 for a value alone.")] = "0,200,2000",
    utterances: Annotated[int, typer.Option(min=1, help="hearing: utterances for each figure.")] = 60,
    long: Annotated[bool, typer.Option("--long", help="Also 1,000 turns, and 1,000 open conversations.")] = False,
    database: Annotated[
        list[str] | None, typer.Option(help="Checkpoint URL; may be repeated. Default: memory, and a new SQLite file.")
    ] = None,
) -> None:
    """Measure: a user turn against an empty graph's, bytes and time as a thread grows, captures a second, hearing.

    Goals: 1.5 times the empty graph's turn; 6 KB a turn and 1.5 times the time of turn 10; 0.6 of its throughput;
    to hear or to classify 1 ms of CPU for 200 characters and 10 ms for 2,000, and 1.3 times English in any locale.

    Example: readback bench --what growth --marks 10,100 --database sqlite:///bench.db
    """
    chosen = [part.strip() for part in what.split(",")]
    if not set(chosen) <= set(WHAT):
        fail("--what takes some of turn, growth, throughput and hearing, with commas")
    more = (1000,) if long else ()
    counted = {"turn": numbers("fields", fields), "growth": (*numbers("marks", marks), *more)}
    counted["throughput"] = (*numbers("open", open_), *more)
    with usable():
        for part in chosen:
            if part == "hearing":
                measured = _hearing(types, locales, chars, utterances)
            else:
                measured = _MEASURES[part](counted[part], turns, database)
            if sys.stdout.isatty():
                show(measured, part)
            else:
                for row in measured:
                    emit({"what": part, **row})


def numbers(name: str, text: str, *, least: int = 1) -> tuple[int, ...]:
    """Whole numbers from ``least``, in ascending order. Exits with code 2 for anything else."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) >= least for part in parts):
        fail(f"--{name} needs whole numbers from {least}, with commas, e.g. --{name} 1,3,10")
    return tuple(sorted({int(part) for part in parts}))


def _turn(counts: tuple[int, ...], turns: int, urls: list[str] | None) -> Iterator[Row]:
    from langgraph_readback.evals.bench import figures

    return figures(fields=counts, turns=turns, urls=urls)


def _growth(marks: tuple[int, ...], _: int, urls: list[str] | None) -> Iterator[Row]:
    from langgraph_readback.evals.growth import figures

    return figures(turns=marks, urls=urls)


def _throughput(open_: tuple[int, ...], _: int, urls: list[str] | None) -> Iterator[Row]:
    from langgraph_readback.evals.throughput import figures

    return figures(open_=open_, urls=urls)


def _hearing(types: str, locales: str, chars: str, utterances: int) -> Iterator[Row]:
    from langgraph_readback.evals.hearing_cost import SAMPLES, figures

    chosen = [part.strip() for part in types.split(",") if part.strip()]
    if unknown := sorted(set(chosen) - SAMPLES.keys()):
        fail(f"--types: no samples of {', '.join(unknown)}; there are {', '.join(SAMPLES)}")
    lengths = numbers("chars", chars, least=0)
    tags = [part.strip() for part in locales.split(",") if part.strip()]
    rows = figures(locales=tags, types=chosen, chars=lengths, utterances=utterances)
    return ({"of": row.pop("what"), **row} for row in rows)


_MEASURES: dict[str, Callable[[tuple[int, ...], int, list[str] | None], Iterator[Row]]] = {
    "turn": _turn,
    "growth": _growth,
    "throughput": _throughput,
}


def show(measured: Iterator[Row], what: str) -> None:
    """A table for a person, a row as soon as it is measured."""
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table
    from rich.text import Text

    *columns, last = COLUMNS[what]
    table = Table(*(name.replace("_", " ") for name in (*columns, last)), box=None, pad_edge=False, title=what)
    with Live(table, console=Console()):
        for row in measured:
            cells = [str(row[name]) for name in columns]
            table.add_row(*cells, Text(str(row[last]), style="green" if row["ok"] else "yellow"))
