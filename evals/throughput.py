"""How many captures a second, with so many conversations open at once, beside an empty graph on the same saver.

Each conversation is opened, given its own email address, and confirms it: three runs and one capture. The empty graph
takes three runs of one node. Up to ten runs are in flight at a time, as in one worker of LangGraph server; the others
wait, open. Every capture is checked: a value that is lost or somebody else's ends the measurement with an error.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import uuid4

from langchain_core.messages import HumanMessage

from langgraph_readback.checkpoints import Store, open_saver
from langgraph_readback.context import CaptureContext
from langgraph_readback.evals.bench import Graph, capture_graph, empty_graph

__all__ = ["GOAL", "figures"]

GOAL: Final = 0.6
"""Of the empty graph's throughput."""

_IN_FLIGHT: Final = 10
_ROUNDS: Final = 60
"""Conversations that are measured at least; with fewer open, one after the other takes its place."""


def figures(*, open_: Sequence[int] = (1, 10, 100), urls: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """A row for each store and number of open conversations, as soon as it is measured.

    ``urls``: stores; memory and a new SQLite file by default. Keys: ``store``, ``open``, ``captures_per_s``,
    ``empty_per_s`` (conversations), ``ratio``, ``lost``, ``ok``.
    """
    with tempfile.TemporaryDirectory(prefix="readback-bench-") as folder:
        for url in urls or ("memory:", f"sqlite:///{folder}/throughput.db"):
            with open_saver(url) as saver:
                for count in open_:
                    yield asyncio.run(_figure(saver, url.partition(":")[0], count))


async def _figure(saver: Store, name: str, count: int) -> dict[str, Any]:
    loop, empty = capture_graph(1, saver), empty_graph(saver)
    for graph in (loop, empty):
        await _rounds(graph, 1, 2)  # warm: imports, pattern caches, connections
    rounds = max(count, _ROUNDS)
    seconds, lost = [0.0, 0.0], 0
    for part in (rounds // 2, rounds - rounds // 2) if count < rounds else (rounds,):
        for at, graph in enumerate((loop, empty)):
            start = time.perf_counter()
            results = await _rounds(graph, min(count, part), part)
            seconds[at] += time.perf_counter() - start
            lost += sum(not held for held in results) if at == 0 else 0
    rates = [rounds / spent for spent in seconds]
    ratio = round(rates[0] / rates[1], 2)
    return {
        "store": name, "open": count, "captures_per_s": round(rates[0], 1), "empty_per_s": round(rates[1], 1),
        "ratio": ratio, "lost": lost, "ok": ratio >= GOAL and not lost,
    }  # fmt: skip


async def _rounds(graph: Graph, open_: int, conversations: int) -> list[bool]:
    """So many conversations, ``open_`` of them at once. Gives whether each holds its own value at the end."""
    held: list[bool] = []
    turn = asyncio.Semaphore(_IN_FLIGHT)
    for first in range(0, conversations, open_):
        group = [uuid4().hex for _ in range(min(open_, conversations - first))]
        results: list[Any] = []
        for words in ("", "{}@example.com", "yes"):  # everybody's first turn, then everybody's second
            results = await asyncio.gather(*(_run(graph, thread, words.format(thread[:12]), turn) for thread in group))
        held += [_value(result) == f"{thread[:12]}@example.com" for thread, result in zip(group, results, strict=True)]
    return held


async def _run(graph: Graph, thread: str, words: str, turn: asyncio.Semaphore) -> Any:
    given = {"messages": [HumanMessage(words)] if words else []}
    context = CaptureContext(locale="en-US", channel="chat")
    async with turn:
        return await graph.ainvoke(given, {"configurable": {"thread_id": thread}}, context=context)


def _value(result: Any) -> str | None:
    records = list(result.get("captures", {}).values())
    return records[0].get("value") if records else None
