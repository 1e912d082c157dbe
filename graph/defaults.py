"""Defaults of the builders: the database that seals, marks and checkpoints share when nobody names another."""

from __future__ import annotations

import os
from functools import lru_cache

from platformdirs import user_data_path

from langgraph_readback.ports import HighWater, MemoryHighWater
from langgraph_readback.tools.ledger import Ledger

__all__ = ["DATABASE_VARIABLE", "database_url", "default_marks"]

DATABASE_VARIABLE = "READBACK_DATABASE_URL"


def database_url() -> str:
    """``READBACK_DATABASE_URL``, else a SQLite file in the user's data folder (which is made)."""
    if url := os.environ.get(DATABASE_VARIABLE):
        return url
    return f"sqlite:///{user_data_path('langgraph-readback', ensure_exists=True) / 'readback.db'}"


@lru_cache(maxsize=8)
def _ledger(url: str) -> Ledger:
    return Ledger.from_url(url)


def default_marks(url: str | None) -> HighWater:
    """The high-water marks of a database; without one, of this process."""
    return MemoryHighWater() if url is None else _ledger(url)
