"""Checkpoints: savers by URL, usable from plain and asynchronous code; ``server.py`` is what langgraph.json names."""

from langgraph_readback.checkpoints.savers import PostgresStore, SqliteStore, open_saver

__all__ = ["PostgresStore", "SqliteStore", "open_saver"]
