"""MemoryStore: checkpoints in this process. Nothing is at rest, so nothing is encrypted."""

# ruff: noqa: ARG002 - a store in memory has no connection to be told

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from langgraph_readback.checkpoints.packed import Allowed, Packed
from langgraph_readback.checkpoints.retention import Place, Retention, Row
from langgraph_readback.cipher import Cipher

__all__ = ["MemoryStore"]

_INTERRUPT_INDEX = -3
_BIG = 4096
"""Bytes from which compressing pays in memory: whole copies of a conversation."""


class MemoryStore(Retention, InMemorySaver):
    """LangGraph's saver in memory, strict about types, with retention."""

    def __init__(self, *, allow: Allowed = ()) -> None:
        """``allow``: types of a builder's own that a state may hold."""
        super().__init__(serde=Packed(Cipher(), allow=allow, small=_BIG))
        self._changing = threading.RLock()

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """As ``prune``."""
        self.prune(thread_ids, strategy=strategy)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """As ``delete_for_runs``."""
        self.delete_for_runs(run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """As ``copy_thread``."""
        self.copy_thread(source_thread_id, target_thread_id)

    @contextmanager
    def _change(self) -> Iterator[None]:
        with self._changing:
            yield

    def _rows(self, db: Any, *, thread: str | None = None, runs: Sequence[str] = ()) -> list[Row]:
        threads = list(self.storage) if thread is None else [thread] if thread in self.storage else []
        rows = [
            Row(Place(one, ns, id_), parent, self.serde.loads_typed(metadata))
            for one in threads
            for ns, saved in list(self.storage[one].items())
            for id_, (_, metadata, parent) in list(saved.items())
        ]
        return rows if thread is not None else [row for row in rows if row.metadata.get("run_id") in runs]

    def _delete(self, db: Any, places: Sequence[Place]) -> None:
        for place in places:
            self.storage[place.thread][place.ns].pop(place.id, None)
            self.writes.pop(place, None)

    def _thin(self, db: Any, place: Place, channels: set[str], *, root: bool) -> None:
        packed, metadata, parent = self.storage[place.thread][place.ns][place.id]
        if channels:
            checkpoint = self.serde.loads_typed(packed)
            versions = checkpoint["channel_versions"]
            checkpoint["channel_versions"] = {k: v for k, v in versions.items() if k in channels}
            packed = self.serde.dumps_typed(checkpoint)
            written = self.writes.get(place, {})
            for key in [key for key, write in written.items() if write[1] not in channels]:
                del written[key]
        self.storage[place.thread][place.ns][place.id] = (packed, metadata, None if root else parent)

    def _unwrite(self, db: Any, place: Place, tasks: Sequence[str]) -> None:
        written = self.writes.get(place, {})
        for key in [key for key in written if key[0] in tasks and key[1] != _INTERRUPT_INDEX]:
            del written[key]

    def _sweep(self, db: Any, thread: str) -> None:
        used = {
            (thread, ns, channel, version)
            for ns, saved in self.storage.get(thread, {}).items()
            for packed, _, _ in saved.values()
            for channel, version in self.serde.loads_typed(packed)["channel_versions"].items()
        }
        for key in [key for key in list(self.blobs) if key[0] == thread and key not in used]:
            del self.blobs[key]

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes. The copy's seals do not hold: they belong to the first thread."""
        source, target = str(source_thread_id), str(target_thread_id)
        with self._changing:
            for ns, saved in list(self.storage.get(source, {}).items()):
                self.storage[target][ns].update(saved)
            for place, written in [(k, v) for k, v in list(self.writes.items()) if k[0] == source]:
                self.writes[target, place[1], place[2]] = dict(written)
            for key, blob in [(k, v) for k, v in list(self.blobs.items()) if k[0] == source]:
                self.blobs[(target, *key[1:])] = blob

    def scrub(self) -> None:
        """Nothing to do: what is deleted is gone."""
