"""PostgresStore: checkpoints in PostgreSQL, for many workers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.postgres import PostgresSaver
from psycopg import Connection, Cursor
from psycopg.rows import DictRow
from psycopg_pool import ConnectionPool

from langgraph_readback.checkpoints.ordered import Ordered
from langgraph_readback.checkpoints.packed import Allowed, Packed
from langgraph_readback.checkpoints.private import Private
from langgraph_readback.checkpoints.retention import Place, Retention, Row
from langgraph_readback.checkpoints.threaded import Threaded
from langgraph_readback.cipher import Cipher

__all__ = ["PostgresStore"]

_HERE = "thread_id = %s AND checkpoint_ns = %s AND checkpoint_id = %s"
_PURPOSE = "channel"
_INTERRUPT_INDEX = -3
_COPIED = {
    "checkpoints": "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata",
    "checkpoint_blobs": "checkpoint_ns, channel, version, type, blob",
    "checkpoint_writes": "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob",
}


class PostgresStore(Threaded, Retention, Ordered, Private, PostgresSaver):
    """Checkpoints in PostgreSQL, over a pool of connections."""

    def __init__(
        self, conn: ConnectionPool[Connection[DictRow]], *, cipher: Cipher | None = None, allow: Allowed = ()
    ) -> None:
        """Take a pool of connections in autocommit mode."""
        self.cipher = Cipher.from_env() if cipher is None else cipher
        super().__init__(conn, serde=Packed(self.cipher, allow=allow))
        self.pool = conn
        self.lock = nullcontext()  # type: ignore[assignment]  # each thread has a connection of the pool to itself

    # -- bare strings and numbers, which PostgresSaver keeps in the checkpoint's own JSON

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """As LangGraph's, with everything personal encrypted."""
        values = {name: self._hidden(value) for name, value in checkpoint["channel_values"].items()}
        return super().put(config, {**checkpoint, "channel_values": values}, metadata, new_versions)

    def _hidden(self, value: Any) -> Any:
        if self.cipher and isinstance(value, str | int | float) and not isinstance(value, bool):
            return self.cipher.encrypt_text(json.dumps(value), _PURPOSE)
        return Cipher().encrypt_text(value, _PURPOSE) if isinstance(value, str) else value

    def _shown(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        clear = self.cipher.decrypt_text(value, _PURPOSE)
        return json.loads(clear) if value.startswith("rb1:") else clear

    def _load_checkpoint_tuple(self, value: DictRow) -> CheckpointTuple:
        checkpoint = value["checkpoint"]
        inline = {name: self._shown(one) for name, one in (checkpoint.get("channel_values") or {}).items()}
        return super()._load_checkpoint_tuple({**value, "checkpoint": {**checkpoint, "channel_values": inline}})

    def _build_delta_channels_writes_history(
        self, *, seed_inline_by_ch: Mapping[str, Any], **rest: Any
    ) -> dict[str, DeltaChannelHistory]:
        shown = {name: self._shown(value) for name, value in seed_inline_by_ch.items()}
        return super()._build_delta_channels_writes_history(seed_inline_by_ch=shown, **rest)

    # -- retention

    @contextmanager
    def _change(self) -> Iterator[Cursor[DictRow]]:
        with self._cursor() as cursor, cursor.connection.transaction():
            yield cursor

    def _rows(self, db: Cursor[DictRow], *, thread: str | None = None, runs: Sequence[str] = ()) -> list[Row]:
        columns = "SELECT thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, metadata FROM checkpoints "
        if thread is not None:
            found = db.execute(columns + "WHERE thread_id = %s", (thread,)).fetchall()
        else:
            found = db.execute(columns + "WHERE metadata ->> 'run_id' = ANY(%s)", (list(runs),)).fetchall()
        return [
            Row(
                Place(row["thread_id"], row["checkpoint_ns"], row["checkpoint_id"]),
                cast("str | None", row["parent_checkpoint_id"]),
                row["metadata"],
            )
            for row in found
        ]

    def _delete(self, db: Cursor[DictRow], places: Sequence[Place]) -> None:
        for (thread, ns), ids in _by_namespace(places).items():
            for table in ("checkpoint_writes", "checkpoints"):
                db.execute(
                    f"DELETE FROM {table} WHERE thread_id = %s AND checkpoint_ns = %s AND checkpoint_id = ANY(%s)",
                    (thread, ns, ids),
                )

    def _thin(self, db: Cursor[DictRow], place: Place, channels: set[str], *, root: bool) -> None:
        if root:
            db.execute(f"UPDATE checkpoints SET parent_checkpoint_id = NULL WHERE {_HERE}", place)
        if not channels:
            return
        for part in ("channel_values", "channel_versions"):
            db.execute(
                "UPDATE checkpoints SET checkpoint = jsonb_set(checkpoint, ARRAY[%s], COALESCE((SELECT "
                "jsonb_object_agg(key, value) FROM jsonb_each(checkpoint -> %s) WHERE key = ANY(%s)), '{}'::jsonb)) "
                f"WHERE {_HERE}",
                (part, part, sorted(channels), *place),
            )
        db.execute(f"DELETE FROM checkpoint_writes WHERE {_HERE} AND channel <> ALL(%s)", (*place, sorted(channels)))

    def _unwrite(self, db: Cursor[DictRow], place: Place, tasks: Sequence[str]) -> None:
        where = f"{_HERE} AND task_id = ANY(%s) AND idx <> {_INTERRUPT_INDEX}"
        db.execute(f"DELETE FROM checkpoint_writes WHERE {where}", (*place, list(tasks)))

    def _sweep(self, db: Cursor[DictRow], thread: str) -> None:
        db.execute(
            "DELETE FROM checkpoint_blobs AS b WHERE b.thread_id = %s AND NOT EXISTS (SELECT 1 FROM checkpoints AS c "
            "WHERE c.thread_id = b.thread_id AND c.checkpoint_ns = b.checkpoint_ns "
            "AND c.checkpoint -> 'channel_versions' ->> b.channel = b.version)",
            (thread,),
        )

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes. The copy's seals do not hold: they belong to the first thread."""
        with self._change() as db:
            for table, columns in _COPIED.items():
                db.execute(
                    f"INSERT INTO {table} (thread_id, {columns}) SELECT %s, {columns} FROM {table} "
                    "WHERE thread_id = %s ON CONFLICT DO NOTHING",
                    (str(target_thread_id), str(source_thread_id)),
                )

    def scrub(self) -> None:
        """Let the database reuse what was deleted (``VACUUM``). Its logs and backups are its operator's to keep."""
        with self._cursor() as cursor:
            for table in _COPIED:
                cursor.execute(f"VACUUM {table}")


def _by_namespace(places: Sequence[Place]) -> dict[tuple[str, str], list[str]]:
    grouped: dict[tuple[str, str], list[str]] = {}
    for place in places:
        grouped.setdefault((place.thread, place.ns), []).append(place.id)
    return grouped
