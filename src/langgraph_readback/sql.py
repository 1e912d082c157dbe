"""SQLAlchemy engines for our own tables (tickets): SQLite that several processes may write, or PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.pool import StaticPool

from langgraph_readback.database import is_memory
from langgraph_readback.errors import DatabaseUrlError

__all__ = ["engine"]

_PATIENCE = 30.0
"""Seconds to wait for another writer."""


def engine(url: str) -> sa.Engine:
    """An engine for ``memory:``, ``sqlite:///file.db`` or ``postgresql://...``. Raises DatabaseUrlError otherwise."""
    if url.startswith(("postgresql:", "postgresql+psycopg:", "postgres:")):
        return sa.create_engine("postgresql+psycopg:" + url.partition(":")[2], pool_pre_ping=True)
    options: dict[str, Any] = {"connect_args": {"timeout": _PATIENCE, "check_same_thread": False}}
    if is_memory(url):
        made = sa.create_engine("sqlite://", poolclass=StaticPool, **options)
    elif url.startswith("sqlite:"):
        file = sa.make_url(url).database
        if not file:
            raise DatabaseUrlError("a SQLite URL needs a file: sqlite:///readback.db")
        Path(file).absolute().parent.mkdir(parents=True, exist_ok=True)
        made = sa.create_engine(url, **options)
    else:
        raise DatabaseUrlError("the database URL must be memory:, sqlite:///file.db or postgresql://user@host/db")
    sa.event.listen(made, "connect", _connected)
    sa.event.listen(made, "begin", _begun)
    return made


def _connected(connection: Any, _: Any) -> None:
    """Transactions are ours to begin; readers do not wait for a writer; a commit survives a power cut."""
    connection.isolation_level = None
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")


def _begun(connection: sa.Connection) -> None:
    """Take the write lock first: a transaction that has read cannot always become a writer."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")
