"""Retention: prune a thread to what it needs, take back runs, copy and delete threads, on every store alike.

``prune`` keeps the newest checkpoint of each namespace, and of its ancestors what a DeltaChannel (``messages``) is
rebuilt from: its last whole copy and the writes since. Savers of LangGraph refuse such threads, or lose the messages.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple
from uuid import UUID, uuid5

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.types import INTERRUPT

__all__ = ["Place", "Retention", "Row"]

_INPUT = "__input__"
_NOBODY = "00000000-0000-0000-0000-000000000000"
"""LangGraph's names for a run's input, and for the task of what no task wrote."""
_COUNTERS = "counters_since_delta_snapshot"


class Place(NamedTuple):
    """One checkpoint of one thread."""

    thread: str
    ns: str
    id: str


class Row(NamedTuple):
    """What the index of a store says of a checkpoint. ``metadata`` as it is stored."""

    place: Place
    parent: str | None
    metadata: dict[str, Any]


class Retention(BaseCheckpointSaver[Any], ABC):
    """Mix in before a saver; the store says how it finds, deletes and thins. Each change is one transaction."""

    # -- what a store brings

    @abstractmethod
    def _change(self) -> AbstractContextManager[Any]:
        """A transaction; what it gives is passed to the others as ``db``."""

    @abstractmethod
    def _rows(self, db: Any, *, thread: str | None = None, runs: Sequence[str] = ()) -> list[Row]:
        """The checkpoints of a thread, or of runs."""

    @abstractmethod
    def _delete(self, db: Any, places: Sequence[Place]) -> None:
        """Checkpoints and the writes on them."""

    @abstractmethod
    def _thin(self, db: Any, place: Place, channels: set[str], *, root: bool) -> None:
        """Leave of a checkpoint only these channels; ``root``: it has no parent any more."""

    @abstractmethod
    def _unwrite(self, db: Any, place: Place, tasks: Sequence[str]) -> None:
        """Writes of these tasks on a checkpoint, except interrupts."""

    @abstractmethod
    def _sweep(self, db: Any, thread: str) -> None:
        """Values that no checkpoint of the thread uses any more."""

    # -- what it offers

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Make threads small (``keep_latest``) or delete them (``delete``). Unknown threads are passed over.

        A run that appends to a thread meanwhile is safe; a fork or replay from an older checkpoint is not.
        Raises ValueError for another strategy, TypeError for a bare string.
        """
        if isinstance(thread_ids, str):
            raise TypeError("thread_ids is a list of thread ids, not one text")
        if strategy not in ("keep_latest", "delete", "delete_all"):
            raise ValueError(f"unknown strategy {strategy!r}: use 'keep_latest' or 'delete'")
        for thread in map(str, thread_ids):
            if strategy == "keep_latest":
                self._keep_latest(thread)
            else:
                self.delete_thread(thread)

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Take runs back: their checkpoints, what is written on those, and what they wrote on the one they began at."""
        if not run_ids:
            return
        with self._change() as db:
            gone = self._rows(db, runs=[str(run) for run in run_ids])
            places = {row.place for row in gone}
            for thread in sorted({place.thread for place in places}):
                rows = self._rows(db, thread=thread)
                outlived = {(row.place.ns, row.parent) for row in rows if row.place not in places}
                for row in gone:
                    if row.place.thread != thread or row.parent is None or (row.place.ns, row.parent) in outlived:
                        continue
                    start = Place(thread, row.place.ns, row.parent)
                    if start not in places:
                        self._unwrite(db, start, self._of_the_run(start))
            self._delete(db, sorted(places))
            for thread in sorted({place.thread for place in places}):
                self._sweep(db, thread)

    def forget(self, thread_id: str) -> int:
        """Delete a thread. Gives how many checkpoints it had."""
        with self._change() as db:
            had = len(self._rows(db, thread=str(thread_id)))
        self.delete_thread(str(thread_id))
        return had

    # -- how

    def _keep_latest(self, thread: str) -> None:
        with self._change() as db:
            rows = self._rows(db, thread=thread)
        heads: dict[str, Row] = {}
        for row in rows:
            if row.place.ns not in heads or heads[row.place.ns].place.id < row.place.id:
                heads[row.place.ns] = row
        known = {row.place.id for row in rows if row.place.ns == ""}
        root = heads[""].place.id if "" in heads else None
        kept: dict[Place, set[str]] = {}
        for ns, head in heads.items():
            began = (head.metadata.get("parents") or {}).get("")
            if ":" in ns and began in known and began != root:
                continue  # a call of a sub-graph goes with the checkpoint it was made from
            kept[head.place] = set()
            kept |= self._ancestors(head, {row.place: row for row in rows})
        with self._change() as db:
            self._delete(db, [row.place for row in rows if row.place not in kept])
            for place, channels in kept.items():
                parent = next(row.parent for row in rows if row.place == place)
                orphan = parent is None or Place(thread, place.ns, parent) not in kept
                if channels or orphan:
                    self._thin(db, place, channels, root=orphan)
            self._sweep(db, thread)

    def _ancestors(self, head: Row, rows: dict[Place, Row]) -> dict[Place, set[str]]:
        """The ancestors that the head's delta channels are rebuilt from, and which channels each is kept for."""
        wanted = set(head.metadata.get(_COUNTERS) or ())
        needed: dict[Place, set[str]] = {}
        row: Row | None = head
        while wanted and row is not None and row.parent is not None:
            place = Place(head.place.thread, head.place.ns, row.parent)
            found = self.get_tuple({"configurable": dict(zip(_ADDRESS, place, strict=True))})
            row = rows.get(place)
            if found is None or place in needed:
                break
            needed[place] = set(wanted)
            wanted -= set(found.checkpoint["channel_values"])
        return needed

    def _of_the_run(self, start: Place) -> list[str]:
        """The tasks whose writes on this checkpoint came with the run that began here: its input, and its resumes."""
        found = self.get_tuple({"configurable": dict(zip(_ADDRESS, start, strict=True))})
        asked = [task for task, channel, _ in (found and found.pending_writes) or [] if channel == INTERRUPT]
        return [_NOBODY, *_inputs([start.id]), *asked]


_ADDRESS = ("thread_id", "checkpoint_ns", "checkpoint_id")


def _inputs(ids: Iterable[str]) -> list[str]:
    """The task ids under which LangGraph keeps what a run that begins at a checkpoint was given."""
    out = []
    for one in ids:
        try:
            out.append(str(uuid5(UUID(one), _INPUT)))
        except ValueError:
            continue
    return out
