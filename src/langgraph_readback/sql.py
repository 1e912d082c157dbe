"""SQLAlchemy for our own tables (tickets, ledger): engines, and columns that are unreadable without the keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.pool import StaticPool

from langgraph_readback.cipher import Cipher
from langgraph_readback.database import is_memory
from langgraph_readback.errors import DatabaseUrlError

__all__ = ["Encrypted", "engine"]

_PATIENCE = 30.0
"""Seconds to wait for another writer."""


class Encrypted(sa.types.TypeDecorator[Any]):
    """A column for captured values and what is told about them: text, or JSON data with ``json=True``.

        sa.Column("content", Encrypted("readback_tickets.content", json=True), nullable=False)
        sa.Column("value", Encrypted("readback_answers.value"))

    ``purpose`` names table and column, and must never change: what was written for one purpose opens for no other. In
    the database it is a TEXT column, ``rb1:...`` when ``READBACK_ENCRYPTION_KEYS`` is set, else in clear; rows in clear
    stay readable after keys are set. Reading without the right key raises EncryptionKeyError, which says what to do.
    NULL stays NULL. The database cannot search, compare or index it: keep what is looked up (ids, status, times,
    thread) in columns of its own. Python gets and gives plain values; JSON comes back as fresh data.
    """

    impl = sa.Text
    cache_ok = True

    def __init__(self, purpose: str, *, json: bool = False) -> None:
        """See the class."""
        super().__init__()
        self.purpose, self.json = purpose, json

    def __repr__(self) -> str:
        """As it is written in a table, or a migration."""
        return f"Encrypted({self.purpose!r}, json={self.json})"

    def process_bind_param(self, value: Any, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        """Python to database."""
        if value is None:
            return None
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":")) if self.json else str(value)
        return Cipher.from_env().encrypt_text(text, self.purpose)

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> Any:  # noqa: ARG002
        """Database to Python."""
        if value is None:
            return None
        if not isinstance(value, str):  # a JSON column of before
            return value
        text = Cipher.from_env().decrypt_text(value, self.purpose)
        return json.loads(text) if self.json else text


def engine(url: str) -> sa.Engine:
    """An engine for ``memory:``, ``sqlite:///file.db`` or ``postgresql://...``. Raises DatabaseUrlError otherwise."""
    if url.startswith(("postgresql:", "postgresql+psycopg:", "postgres:")):
        return sa.create_engine("postgresql+psycopg:" + url.partition(":")[2], pool_pre_ping=True, hide_parameters=True)
    options: dict[str, Any] = {
        "hide_parameters": True,
        "connect_args": {"timeout": _PATIENCE, "check_same_thread": False},
    }
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
