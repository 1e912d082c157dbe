"""What a turn of the loop costs beside a turn of an empty one-node graph on the same saver.

A turn is one ``invoke`` with one message. The two graphs take turns, conversation by conversation, each on new threads,
so that a busy machine slows both. Goal: at most 1.5 times, and flat in the number of fields.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle, islice
from typing import Any, Final
from uuid import uuid4

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph

from langgraph_readback.checkpoints import open_saver
from langgraph_readback.context import CaptureContext
from langgraph_readback.fields import FieldSpec, catalogue
from langgraph_readback.graph import build_capture_graph
from langgraph_readback.ports import MemoryHighWater
from langgraph_readback.seal import Sealer

__all__ = ["GOAL", "Graph", "capture_graph", "empty_graph", "figures", "run"]

GOAL: Final = 1.5
"""Times the empty graph's turn."""

_ANSWERS: Final = {
    "email": "kim.lee@example.com",
    "phone": "+1 312 555 0119",
    "id": "HL-204117",
    "name": "Kim Lee",
}
"""A typed answer for each type; each is followed by a yes."""

Graph = CompiledStateGraph[Any, Any, Any, Any]


def run(
    *, fields: Sequence[int] = (1, 3, 10), turns: int = 120, urls: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """All figures: see ``figures``."""
    return list(figures(fields=fields, turns=turns, urls=urls))


def figures(
    *, fields: Sequence[int] = (1, 3, 10), turns: int = 120, urls: Sequence[str] | None = None
) -> Iterator[dict[str, Any]]:
    """A row for each store and number of fields, as soon as it is measured.

    ``turns``  user turns to time for each figure, at least. ``urls``: stores; memory and a new SQLite file by default.
    Keys: ``store``, ``fields``, ``turns``, ``loop_ms`` and ``empty_ms`` (medians), ``ratio``, ``goal``, ``ok``.
    """
    with tempfile.TemporaryDirectory(prefix="readback-bench-") as folder:
        for url in urls or ("memory:", f"sqlite:///{folder}/bench.db"):
            for count in fields:
                yield _figure(url, count, turns)


def _figure(url: str, count: int, turns: int) -> dict[str, Any]:
    loop: list[float] = []
    empty: list[float] = []
    with open_saver(url) as saver:
        both = ((capture_graph(count, saver), loop), (empty_graph(saver), empty))
        for graph, _ in both:
            _talk(graph, count, [])  # warm: imports, pattern caches, prepared statements
        while len(loop) < turns:
            for graph, times in both:
                _talk(graph, count, times)
    ms = [statistics.median(times) * 1000 for times in (loop, empty)]
    ratio = round(ms[0] / ms[1], 2)
    return {
        "store": url.partition(":")[0], "fields": count, "turns": len(loop), "loop_ms": round(ms[0], 2),
        "empty_ms": round(ms[1], 2), "ratio": ratio, "goal": GOAL, "ok": ratio <= GOAL,
    }  # fmt: skip


def _talk(graph: Graph, count: int, times: list[float]) -> None:
    """One conversation on a new thread; adds the seconds of each user turn to ``times``."""
    config: Any = {"configurable": {"thread_id": uuid4().hex}}
    context = CaptureContext(locale="en-US", channel="chat")
    graph.invoke({"messages": []}, config, context=context)
    for value in islice(cycle(_ANSWERS.values()), count):
        for text in (value, "yes"):
            start = time.perf_counter()
            graph.invoke({"messages": [HumanMessage(text)]}, config, context=context)
            times.append(time.perf_counter() - start)


def capture_graph(count: int, saver: BaseCheckpointSaver[Any]) -> Graph:
    """The loop over so many fields, of the four types in turn; nobody is looked up, marks are kept in memory."""
    specs = [_spec(kind, number) for number, kind in enumerate(islice(cycle(_ANSWERS), count))]
    sealer = Sealer(["bench-" * 6])
    return build_capture_graph(specs, checkpointer=saver, sealer=sealer, highwater=MemoryHighWater())


def _spec(kind: str, number: int) -> FieldSpec:
    pattern = r"HL-\d{6}" if kind == "id" else None
    return replace(catalogue[kind], name=f"{kind}_{number}", pattern=pattern, lookup=None)


def empty_graph(saver: BaseCheckpointSaver[Any]) -> Graph:
    """One node that says one line: what LangGraph and the saver cost by themselves."""

    def say(_: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage("Thank you. And the next one, please?")]}

    builder: StateGraph[Any, Any, Any, Any] = StateGraph(MessagesState, context_schema=CaptureContext)
    builder.add_node("say", say)  # type: ignore[arg-type]  # LangGraph cannot infer a MessagesState here
    builder.add_edge(START, "say")
    return builder.compile(checkpointer=saver)
