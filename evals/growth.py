"""How a thread grows: bytes a turn and time a turn as one conversation goes on for 10, 100, 1,000 turns.

Three details are captured in the first six turns; after that the user chats on. Bytes are what the store really takes
(pages, indexes and write-ahead log included), since the last mark: so the row of 100 turns tells of turns 11 to 100.
Goal: at most 6 KB a turn, and at most 1.5 times the processor time of turn 10.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import chain, cycle, islice
from pathlib import Path
from typing import Any, Final

from langchain_core.messages import HumanMessage

from langgraph_readback.checkpoints import MemoryStore, PostgresStore, SqliteStore, Store, open_saver
from langgraph_readback.context import CaptureContext
from langgraph_readback.evals.bench import capture_graph

__all__ = ["BYTES_GOAL", "TIME_GOAL", "figures"]

BYTES_GOAL: Final = 6 * 1024
TIME_GOAL: Final = 1.5
"""Times the processor time of turns 2 to 10."""

_CAPTURES: Final = ("kim.lee@example.com", "yes", "+1 312 555 0119", "yes", "HL-204117", "yes")
_CHATTER: Final = ("what time is it?", "thanks a lot", "is it raining where you are?", "fine, let me think about it")
_WINDOW: Final = 8


def figures(*, turns: Sequence[int] = (10, 100), urls: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """A row for each store and mark, as soon as it is measured.

    ``turns``  marks, ascending. ``urls``: stores; memory and a new SQLite file by default. A database should be empty.
    Keys: ``store``, ``turns``, ``bytes_per_turn``, ``turn_ms`` and ``cpu_ms`` (medians of the last turns), ``ratio``
    (of ``cpu_ms`` to that of the first mark), ``ok``.
    """
    with tempfile.TemporaryDirectory(prefix="readback-bench-") as folder:
        for number, url in enumerate(urls or ("memory:", f"sqlite:///{folder}/growth.db")):
            with open_saver(url) as saver:
                yield from _grow(saver, url.partition(":")[0], turns, f"growth-{number}-{time.time_ns()}")


def _grow(saver: Store, name: str, marks: Sequence[int], thread: str) -> Iterator[dict[str, Any]]:
    graph = capture_graph(3, saver)
    config: Any = {"configurable": {"thread_id": thread}}
    context = CaptureContext(locale="en-US", channel="chat")
    graph.invoke({"messages": []}, config, context=context)
    times: list[tuple[float, float]] = []
    done, stored, first = 0, size(saver), 0.0
    for turn in islice(chain(_CAPTURES, cycle(_CHATTER)), max(marks)):
        start, cpu = time.perf_counter(), time.process_time()
        graph.invoke({"messages": [HumanMessage(turn)]}, config, context=context)
        times.append((time.perf_counter() - start, time.process_time() - cpu))
        if len(times) in marks:
            wall, busy = (statistics.median(column) * 1000 for column in zip(*times[-_WINDOW:], strict=True))
            now, first = size(saver), first or busy
            a_turn, ratio = round((now - stored) / (len(times) - done)), round(busy / first, 2)
            yield {
                "store": name, "turns": len(times), "bytes_per_turn": a_turn, "turn_ms": round(wall, 2),
                "cpu_ms": round(busy, 2), "ratio": ratio, "ok": a_turn <= BYTES_GOAL and ratio <= TIME_GOAL,
            }  # fmt: skip
            done, stored = len(times), now


def size(saver: Store) -> int:
    """Bytes that the checkpoints of a store take, everything included."""
    if isinstance(saver, SqliteStore):
        with saver.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            (file,) = (row[2] for row in cursor.execute("PRAGMA database_list").fetchall() if row[1] == "main")
        return Path(file).stat().st_size if file else 0
    if isinstance(saver, PostgresStore):
        names = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
        with saver.pool.connection() as connection:
            found = connection.execute(
                "SELECT sum(pg_total_relation_size(n::regclass)) AS n FROM unnest(%s::text[]) n", (list(names),)
            )
            return int((found.fetchone() or {"n": 0})["n"])
    return _in_memory(saver)


def _in_memory(saver: MemoryStore) -> int:
    """Serialized values and metadata; what Python adds around them is not counted."""
    saved = [entry for spaces in saver.storage.values() for ns in spaces.values() for entry in ns.values()]
    written = [write for writes in saver.writes.values() for write in writes.values()]
    packed = [part[1] for entry in saved for part in entry[:2]] + [write[2][1] for write in written]
    return sum(map(len, packed)) + sum(len(blob[1]) for blob in saver.blobs.values())
