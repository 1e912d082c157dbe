"""What ``checkpointer.path`` of langgraph.json names: the saver of ``READBACK_DATABASE_URL`` for LangGraph server.

The server enters it once for each of its event loops and closes it when it stops.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from langgraph_readback.checkpoints import open_saver

__all__ = ["checkpointer"]


@asynccontextmanager
async def checkpointer() -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """The saver, opened and closed off the event loop."""
    opened = open_saver()
    saver = await asyncio.to_thread(opened.__enter__)
    try:
        yield saver
    finally:
        await asyncio.to_thread(opened.__exit__, None, None, None)
