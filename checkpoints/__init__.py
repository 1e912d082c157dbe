"""Checkpoints: savers by URL, usable from plain and asynchronous code; ``server.py`` is what langgraph.json names."""

from langgraph_readback.checkpoints.memory import MemoryStore
from langgraph_readback.checkpoints.postgres import PostgresStore
from langgraph_readback.checkpoints.savers import Store, open_saver
from langgraph_readback.checkpoints.sqlite import SqliteStore

__all__ = ["MemoryStore", "PostgresStore", "SqliteStore", "Store", "open_saver"]
