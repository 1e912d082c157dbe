"""Ordered: a checkpoint is newer than the one it continues, whatever the clocks of the workers say.

LangGraph makes a checkpoint's id of the time, and a thread's newest checkpoint is the one with the highest id. A worker
whose clock is behind (or was set back) would write turns below those of the others, where nobody finds them: the same
question for ever. So a process that reads a checkpoint makes ids above it from then on.
"""

from __future__ import annotations

import threading
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.base import id as ids

__all__ = ["Ordered"]

_ALONE = threading.Lock()
_VERSION = 6
"""LangGraph's kind of UUID: its first bits are the time."""


class Ordered(BaseCheckpointSaver[Any]):
    """Mix in before a saver that several processes share."""

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """As LangGraph's."""
        found = super().get_tuple(config)
        if found:
            _pass(found.checkpoint["id"])
        return found


def _pass(checkpoint_id: str) -> None:
    """Ids of this process are above this one from now on."""
    try:
        read = ids.UUID(checkpoint_id)
    except ValueError:  # somebody's own: not made of the time
        return
    if read.version == _VERSION:
        with _ALONE:
            last: int | None = ids._last_v6_timestamp  # noqa: SLF001 - LangGraph offers no other way; it is pinned
            ids._last_v6_timestamp = max(last or 0, read.time)  # type: ignore[assignment]  # noqa: SLF001
