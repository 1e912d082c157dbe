"""Defaults of the builders: seals and marks are kept where the checkpoints are."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from langgraph_readback.database import database_url, is_memory
from langgraph_readback.ports import HighWater, MemoryHighWater
from langgraph_readback.tools.ledger import Ledger

__all__ = ["default_ledger", "default_marks", "place"]


def place(checkpointer: Any) -> str | None:
    """The database of a saver: None for one in memory, its own URL when it knows it, else the default."""
    if isinstance(checkpointer, InMemorySaver):
        return None
    url = getattr(checkpointer, "url", "") or database_url()
    return None if is_memory(url) else url


@lru_cache(maxsize=8)
def _ledger(url: str) -> Ledger:
    return Ledger.from_url(url)


def default_ledger(url: str | None) -> Ledger:
    """The ledger of a database, one for all graphs of this process; without a database, a new one in memory."""
    return Ledger.from_url() if url is None else _ledger(url)


def default_marks(url: str | None) -> HighWater:
    """The high-water marks of a database; without one, of this process."""
    return MemoryHighWater() if url is None else _ledger(url)
