"""Private: what a checkpoint says outside its serialized values is encrypted too.

Stock savers keep in clear: run metadata and ``configurable`` entries (both are folded into a checkpoint's metadata),
and, in PostgreSQL, channels that hold a bare string or number. In clear stay thread, namespace and checkpoint ids, the
names of channels and tasks, times, and the entries of the metadata that LangGraph itself reads (``_OPEN``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_serializable_checkpoint_metadata,
)

from langgraph_readback.cipher import Cipher

__all__ = ["Private"]

_OPEN = frozenset({"source", "step", "parents", "run_id", "counters_since_delta_snapshot"})
_HIDDEN = "rb1"
_ADDRESS = ("thread_id", "checkpoint_ns", "checkpoint_id")


class Private(BaseCheckpointSaver[Any]):
    """Mix in before a saver that keeps metadata as JSON."""

    cipher: Cipher = Cipher()

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """As LangGraph's, with everything personal encrypted."""
        if not self.cipher:
            return super().put(config, checkpoint, metadata, new_versions)
        whole = get_serializable_checkpoint_metadata(config, metadata)
        bare: Any = {"configurable": {k: v for k, v in config["configurable"].items() if k in _ADDRESS}}
        return super().put(bare, checkpoint, self._fold(whole), new_versions)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """As LangGraph's."""
        found = super().get_tuple(config)
        return found and self._opened(found)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """As LangGraph's; entries of the metadata that are encrypted are compared here, not by the database."""
        hidden = {k: v for k, v in (filter or {}).items() if k not in _OPEN} if self.cipher else {}
        shown = {k: v for k, v in (filter or {}).items() if k not in hidden}
        found = super().list(config, filter=shown or None, before=before, limit=None if hidden else limit)
        left = limit
        for one in map(self._opened, found):
            if any(one.metadata.get(key) != value for key, value in hidden.items()):
                continue
            if left is not None and hidden:
                if left <= 0:
                    return
                left -= 1
            yield one

    def _fold(self, metadata: CheckpointMetadata) -> CheckpointMetadata:
        """LangGraph's own entries as they are, the rest as one encrypted text."""
        shown = {k: v for k, v in metadata.items() if k in _OPEN}
        rest = {k: v for k, v in metadata.items() if k not in _OPEN}
        if rest:
            text = json.dumps(rest, ensure_ascii=False, default=str)
            shown[_HIDDEN] = self.cipher.encrypt_text(text, "metadata")
        return cast("CheckpointMetadata", shown)

    def _opened(self, found: CheckpointTuple) -> CheckpointTuple:
        return found._replace(metadata=self._unfold(found.metadata))

    def _unfold(self, metadata: Mapping[str, Any]) -> CheckpointMetadata:
        shown = dict(metadata)
        text = shown.pop(_HIDDEN, None)
        if isinstance(text, str):
            shown |= json.loads(self.cipher.decrypt_text(text, "metadata"))
        return cast("CheckpointMetadata", shown)
