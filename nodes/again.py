"""AGAIN: passes over words that a server delivered a second time. What they had begun goes on without them."""

from __future__ import annotations

from collections.abc import Callable

from langchain_core.messages import HumanMessage
from langgraph.types import Overwrite

from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.view import Update, look
from langgraph_readback.state import CaptureState

__all__ = ["again"]

_MOST = 12
"""Repeated messages a thread remembers."""


def again(kit: Kit) -> Callable[..., Update]:  # noqa: ARG001 - all factories are alike
    """The shared node ``AGAIN``: the words stay in the conversation, and count as seen."""

    def node(state: CaptureState) -> Update:
        run = look(state)
        ids = [m.id for m in run.pending]
        update: Update = {"session": {"seen": ids[-1], "repeats": [*run.repeats, *ids][-_MOST:]}} if ids else {}
        strays = {m.id for m in run.fresh if not isinstance(m, HumanMessage)}
        return update | ({"messages": Overwrite([m for m in run.messages if m.id not in strays])} if strays else {})

    return node
