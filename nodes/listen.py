"""LISTEN: for parents that prefer to block (``turns="interrupt"``). Interrupts for the user's words."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from langchain_core.messages import HumanMessage, convert_to_messages
from langgraph.types import interrupt

from langgraph_readback.nodes.human import told
from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.view import Update, look
from langgraph_readback.state import CaptureState

__all__ = ["listen"]


def listen(kit: Kit) -> Callable[..., Update]:  # noqa: ARG001 - all factories are alike
    """The shared node ``LISTEN``."""

    def node(state: CaptureState) -> Update:
        run = look(state)
        answer = interrupt({"kind": "listen", "field": run.floor, "told": told(run)})
        return {"messages": [spoken(answer)]}

    return node


def spoken(answer: Any) -> HumanMessage:
    """A resume as the user's message: text, a message, or its parts. Anything else is silence; nothing raises."""
    message = answer if isinstance(answer, HumanMessage) else _made(answer)
    if message is None:
        message = HumanMessage("")
    if not message.id:
        message.id = str(uuid.uuid4())
    return message


def _made(answer: Any) -> HumanMessage | None:
    if isinstance(answer, dict) and "type" not in answer and "role" not in answer:
        text = answer.get("text", answer.get("content", ""))
        extra = {key: answer[key] for key in ("readback", "asr") if isinstance(answer.get(key), dict)}
        return HumanMessage(text if isinstance(text, str) else "", additional_kwargs=extra)
    try:
        message = convert_to_messages([answer])[0]
    except Exception:  # noqa: BLE001  # whatever a client resumed with
        return None
    return message if isinstance(message, HumanMessage) else None
