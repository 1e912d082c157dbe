"""Messages out of a checkpoint, quickly: the conversation is loaded at every turn, and grows.

LangGraph runs each stored message through its constructor, 35 microseconds each: in a thread of 300 turns that is
half of what a turn costs. What is stored came out of a valid message, so ordinary ones are put together the way
``pickle`` and ``copy`` do it (``__setstate__``), in a quarter of that. Whatever looks different in any way takes
LangGraph's road.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ormsgpack
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.serde.types import _DeltaSnapshot

__all__ = ["quick"]

Hook = Callable[[int, bytes], Any]

_PYDANTIC, _WHOLE = 5, 7
"""LangGraph's numbers for a pydantic object (module, name, fields, how it was made), and for a DeltaChannel's copy."""
_NONE = type(None)
_SHAPES: dict[str, tuple[type, ...]] = {
    "content": (str, list), "additional_kwargs": (dict,), "response_metadata": (dict,), "tool_calls": (list,),
    "invalid_tool_calls": (list,), "usage_metadata": (dict, _NONE), "name": (str, _NONE), "id": (str, _NONE),
    "type": (str,),
}  # fmt: skip
_KINDS: dict[tuple[str, str], tuple[type[Any], str, tuple[tuple[str, tuple[type, ...]], ...]]] = {
    (kind.__module__, kind.__name__): (
        kind,
        str(kind.model_fields["type"].default),
        tuple((name, _SHAPES.get(name, ())) for name in kind.model_fields),
    )
    for kind in (HumanMessage, AIMessage)
}
"""The class, its ``type``, and its fields with the types they have in an ordinary message."""


def quick(slow: Hook) -> Hook:
    """LangGraph's hook for what plain msgpack does not know, with a short cut for messages."""

    def hook(code: int, data: bytes) -> Any:
        if code == _PYDANTIC:
            stored = ormsgpack.unpackb(data, ext_hook=hook, option=ormsgpack.OPT_NON_STR_KEYS)
            if isinstance(stored, list) and (message := _message(stored)) is not None:
                return message
        elif code == _WHOLE:  # a whole copy of a channel, whose messages are inside
            return _DeltaSnapshot(ormsgpack.unpackb(data, ext_hook=hook, option=ormsgpack.OPT_NON_STR_KEYS))
        return slow(code, data)

    return hook


def _message(stored: list[Any]) -> Any:
    """The message, or None when it is not quite ordinary."""
    try:
        kind, label, shapes = _KINDS[stored[0], stored[1]]
        fields = stored[2]
        if len(fields) != len(shapes) or fields["type"] != label:
            return None
        for name, shape in shapes:
            if type(fields[name]) not in shape:
                return None
    except (AttributeError, IndexError, KeyError, TypeError):
        return None
    message: Any = object.__new__(kind)
    state = {"__dict__": fields, "__pydantic_fields_set__": set(fields)}
    message.__setstate__({**state, "__pydantic_extra__": {}, "__pydantic_private__": None})
    return message
