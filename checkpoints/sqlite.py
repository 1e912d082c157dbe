"""SqliteStore: checkpoints in one SQLite file, for several processes of one machine."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from langgraph.checkpoint.sqlite import SqliteSaver

from langgraph_readback.checkpoints.ordered import Ordered
from langgraph_readback.checkpoints.packed import Allowed, Packed
from langgraph_readback.checkpoints.private import Private
from langgraph_readback.checkpoints.retention import Place, Retention, Row
from langgraph_readback.checkpoints.threaded import Threaded
from langgraph_readback.cipher import Cipher

__all__ = ["SqliteStore"]

_HERE = "thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"
_INTERRUPT_INDEX = -3
"""LangGraph's place for interrupts among the writes of a task."""


class SqliteStore(Threaded, Retention, Ordered, Private, SqliteSaver):
    """Checkpoints in a SQLite file (write-ahead log; survives a killed process)."""

    def __init__(self, conn: sqlite3.Connection, *, cipher: Cipher | None = None, allow: Allowed = ()) -> None:
        """Take a connection that may be used from several threads."""
        self.cipher = Cipher.from_env() if cipher is None else cipher
        super().__init__(conn, serde=Packed(self.cipher, allow=allow))
        self.lock = threading.RLock()  # type: ignore[assignment]  # a change reads while it holds the connection

    def setup(self) -> None:
        """Make the tables. A commit survives a killed process; a power cut may take the last turns with it.

        That is safe: marks, the ledger and tickets are on the disk before a turn goes on (``sql.py``), and a turn that
        is taken again finds them there.
        """
        if not self.is_setup:
            super().setup()
            self.conn.execute("PRAGMA synchronous=NORMAL")

    def get_next_version(self, current: str | None, channel: None) -> str:  # noqa: ARG002 - LangGraph's argument
        """Count up, in LangGraph's form but without its random end.

        That end tells branches apart that share values by channel and version. Here each checkpoint holds its own
        values, and a dozen random numbers in each would be half of what it takes.
        """
        return f"{int(str(current or 0).partition('.')[0]) + 1:032}"

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Cursor]:
        with self.lock:
            self.setup()
            self.conn.execute("BEGIN IMMEDIATE")
            cursor = self.conn.cursor()
            try:
                yield cursor
            except BaseException:
                self.conn.rollback()
                raise
            else:
                self.conn.commit()
            finally:
                cursor.close()

    def _rows(self, db: sqlite3.Cursor, *, thread: str | None = None, runs: Sequence[str] = ()) -> list[Row]:
        columns = "SELECT thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, metadata FROM checkpoints "
        if thread is not None:
            found = db.execute(columns + "WHERE thread_id = ?", (thread,)).fetchall()
        else:
            names = ",".join("?" * len(runs))
            where = f"WHERE json_extract(CAST(metadata AS TEXT), '$.run_id') IN ({names})"
            found = db.execute(columns + where, tuple(runs)).fetchall()
        return [Row(Place(*row[:3]), row[3], json.loads(row[4] or "{}")) for row in found]

    def _delete(self, db: sqlite3.Cursor, places: Sequence[Place]) -> None:
        db.executemany(f"DELETE FROM writes WHERE {_HERE}", places)
        db.executemany(f"DELETE FROM checkpoints WHERE {_HERE}", places)

    def _thin(self, db: sqlite3.Cursor, place: Place, channels: set[str], *, root: bool) -> None:
        if root:
            db.execute(f"UPDATE checkpoints SET parent_checkpoint_id = NULL WHERE {_HERE}", place)
        if not channels:
            return
        kind, data = db.execute(f"SELECT type, checkpoint FROM checkpoints WHERE {_HERE}", place).fetchone()
        checkpoint = self.serde.loads_typed((kind, data))
        for part in ("channel_values", "channel_versions"):
            checkpoint[part] = {k: v for k, v in checkpoint[part].items() if k in channels}
        packed = self.serde.dumps_typed(checkpoint)
        db.execute(f"UPDATE checkpoints SET type = ?, checkpoint = ? WHERE {_HERE}", (*packed, *place))
        names = ",".join("?" * len(channels))
        db.execute(f"DELETE FROM writes WHERE {_HERE} AND channel NOT IN ({names})", (*place, *channels))

    def _unwrite(self, db: sqlite3.Cursor, place: Place, tasks: Sequence[str]) -> None:
        names = ",".join("?" * len(tasks))
        where = f"{_HERE} AND task_id IN ({names}) AND idx <> {_INTERRUPT_INDEX}"
        db.execute(f"DELETE FROM writes WHERE {where}", (*place, *tasks))

    def _sweep(self, db: sqlite3.Cursor, thread: str) -> None:
        """Nothing to do: a checkpoint holds its values itself."""

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes. The copy's seals do not hold: they belong to the first thread."""
        with self._change() as db:
            for table, columns in (
                ("checkpoints", "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata"),
                ("writes", "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value"),
            ):
                db.execute(
                    f"INSERT OR REPLACE INTO {table} (thread_id, {columns}) "
                    f"SELECT ?, {columns} FROM {table} WHERE thread_id = ?",
                    (str(target_thread_id), str(source_thread_id)),
                )

    def scrub(self) -> None:
        """Overwrite what was deleted: rewrite the file and empty the write-ahead log. Waits for other writers."""
        with self.lock:
            self.setup()
            self.conn.commit()
            self.conn.execute("VACUUM")
            self.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
