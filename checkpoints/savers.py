"""Savers by URL, each usable from plain and from asynchronous code.

| URL | store |
|---|---|
| none | ``READBACK_DATABASE_URL``, else SQLite in the user's data folder |
| ``memory:`` | this process |
| ``sqlite:///relative.db``, ``sqlite:////absolute.db`` | one file, several processes of one machine |
| ``postgresql://user@host/db`` | many workers |
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from psycopg import Connection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import ConnectionPool

from langgraph_readback.checkpoints.memory import MemoryStore
from langgraph_readback.checkpoints.packed import Allowed
from langgraph_readback.checkpoints.postgres import PostgresStore
from langgraph_readback.checkpoints.sqlite import SqliteStore
from langgraph_readback.database import database_url, is_memory
from langgraph_readback.errors import DatabaseUrlError

__all__ = ["Store", "open_saver"]

Store = MemoryStore | SqliteStore | PostgresStore

_PATIENCE = 30.0
"""Seconds to wait for another process that writes, or for a free connection."""
_CONNECTIONS = 10


@contextmanager
def open_saver(url: str | None = None, *, allow: Allowed = ()) -> Iterator[Store]:
    """Open the saver of a URL, with its tables made; close it afterwards.

    What it keeps is encrypted when ``READBACK_ENCRYPTION_KEYS`` is set (see ``cipher.py``). ``allow`` names classes of
    your own that a state may hold; other objects come back as plain data. Raises DatabaseUrlError for a strange URL.
    """
    place = database_url(url)
    if place.startswith("memory:"):
        yield MemoryStore(allow=allow)
    elif place.startswith("sqlite:"):
        with closing(_connect(place)) as connection:
            sqlite = SqliteStore(connection, allow=allow)
            sqlite.url = place
            sqlite.setup()
            yield sqlite
    elif place.startswith(("postgresql:", "postgres:", "postgresql+psycopg:")):
        with _pool("postgresql:" + place.partition(":")[2]) as pool:
            postgres = PostgresStore(pool, allow=allow)
            postgres.url = place
            postgres.setup()
            yield postgres
    else:
        raise DatabaseUrlError(
            "the database URL must be memory:, sqlite:///file.db or postgresql://user@host/db "
            f"(got one that begins with {place.partition(':')[0]!r})"
        )


def _pool(url: str) -> ConnectionPool[Connection[DictRow]]:
    """Connections that are looked at before use: a database that was started again has closed what it had."""

    def alive(connection: Connection[DictRow]) -> None:
        try:
            pool.check_connection(connection)
        except Exception:
            pool.check()  # the others are as old: met one by one, each would cost twice the wait of the one before
            raise

    kwargs: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    pool = ConnectionPool[Connection[DictRow]](
        url, kwargs=kwargs, min_size=1, max_size=_CONNECTIONS, timeout=_PATIENCE, check=alive, open=False
    )
    return pool


def _connect(url: str) -> sqlite3.Connection:
    name = url.removeprefix("sqlite:").removeprefix("//").removeprefix("/")
    if is_memory(url):
        name = ":memory:"
    elif not name:
        raise DatabaseUrlError("a SQLite URL needs a file: sqlite:///readback.db")
    else:
        Path(name).absolute().parent.mkdir(parents=True, exist_ok=True)
    try:
        return sqlite3.connect(name, check_same_thread=False, timeout=_PATIENCE)
    except sqlite3.OperationalError as error:
        raise DatabaseUrlError(f"cannot open {name!r}: {error}. Is the folder writable?") from None
