"""``readback bench``: what a turn of the loop costs beside a turn of an empty graph on the same saver."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from langgraph_readback.cli.lines import Row, emit, fail

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

    Graph = CompiledStateGraph[Any, Any, Any, Any]

ANSWERS = {
    "email": "kim.lee@example.com",
    "phone": "+1 312 555 0119",
    "id": "HL-204117",
    "name": "Kim Lee",
}
"""A typed answer for each type; every one is followed by a yes."""

GOAL = 1.5


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
        fail(f"--fields needs whole numbers from 1, with commas, got {fields!r}")
    with tempfile.TemporaryDirectory(prefix="readback-bench-") as folder:
        urls = database or ["memory:", f"sqlite:///{folder}/bench.db"]
        figures = (figure(url, count, turns) for url in urls for count in counts)
        if sys.stdout.isatty():
            show(figures)
        else:
            for row in figures:
                emit(row)


def figure(url: str, count: int, turns: int) -> Row:
    """Median milliseconds of a turn of both graphs, measured in turn on one saver."""
    from langgraph_readback.checkpoints import open_saver

    loop: list[float] = []
    empty: list[float] = []
    with open_saver(url) as saver:
        both = ((capture_graph(count, saver), loop), (empty_graph(saver), empty))
        for graph, _ in both:
            talk(graph, count, [])  # warm: imports, pattern caches, prepared statements
        while len(loop) < turns:
            for graph, times in both:
                talk(graph, count, times)
    ms = [statistics.median(times) * 1000 for times in (loop, empty)]
    store = url.partition(":")[0]
    return {
        "store": store,
        "fields": count,
        "turns": len(loop),
        "loop_ms": round(ms[0], 2),
        "empty_ms": round(ms[1], 2),
        "ratio": round(ms[0] / ms[1], 2),
    }


def script(count: int) -> Iterator[str]:
    """What the user types: each value, and a yes to its read-back."""
    kinds = list(ANSWERS.values())
    for number in range(count):
        yield kinds[number % len(kinds)]
        yield "yes"


def talk(graph: Graph, count: int, times: list[float]) -> None:
    """One conversation on a new thread; adds the seconds of each user turn to ``times``."""
    from uuid import uuid4

    from langchain_core.messages import HumanMessage

    from langgraph_readback.graph import CaptureContext

    config: Any = {"configurable": {"thread_id": uuid4().hex}}
    context = CaptureContext(locale="en-US", channel="chat")
    graph.invoke({"messages": []}, config, context=context)
    for text in script(count):
        start = time.perf_counter()
        graph.invoke({"messages": [HumanMessage(text)]}, config, context=context)
        times.append(time.perf_counter() - start)


def capture_graph(count: int, saver: BaseCheckpointSaver[Any]) -> Graph:
    """The loop with so many fields, of the four types in turn, asking no lookup."""
    from dataclasses import replace

    from langgraph_readback.fields import catalogue
    from langgraph_readback.graph import build_capture_graph

    kinds = list(ANSWERS)
    specs = []
    for number in range(count):
        kind = kinds[number % len(kinds)]
        pattern = r"HL-\d{6}" if kind == "id" else None
        specs.append(replace(catalogue[kind], name=f"{kind}_{number}", pattern=pattern, lookup=None))
    return build_capture_graph(specs, checkpointer=saver)


def empty_graph(saver: BaseCheckpointSaver[Any]) -> Graph:
    """One node that says one line: what LangGraph and the saver cost by themselves."""
    from langchain_core.messages import AIMessage
    from langgraph.graph import START, MessagesState, StateGraph

    from langgraph_readback.graph import CaptureContext

    line: Callable[[MessagesState], Any] = lambda _: {"messages": [AIMessage("Thank you. And the next one, please?")]}  # noqa: E731
    builder = StateGraph(MessagesState, context_schema=CaptureContext)
    builder.add_node("say", line)
    builder.add_edge(START, "say")
    return builder.compile(checkpointer=saver)


def show(figures: Iterator[Row]) -> None:
    """A table for a person, a row as soon as it is measured."""
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table
    from rich.text import Text

    table = Table("store", "fields", "turns", "loop ms", "empty ms", "ratio", box=None, pad_edge=False)
    with Live(table, console=Console()):
        for row in figures:
            style = "green" if row["ratio"] <= GOAL else "yellow"
            table.add_row(*(str(row[key]) for key in list(row)[:-1]), Text(str(row["ratio"]), style=style))
