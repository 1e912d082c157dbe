"""What a trace may show of a run: names, statuses, codes and counts. Never a captured value, never what was said.

Everything here is an allow-list. What is not known by name, or does not have the form of a code, is counted and left
out, so that a new channel, a new library or a client's forgery shows less, not more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, get_args

from langchain_core.messages import BaseMessage
from langgraph.types import Overwrite

from langgraph_readback.state import MARK, Status, Verified

__all__ = ["STEPS", "error", "known", "metadata", "payload", "tags"]

STEPS = ("ASK", "VALIDATE", "READBACK", "RETRY", "CONFIRMED", "HANDOFF")
"""The six nodes of a field."""

_SHARED = ("converse", "act", "HUMAN", "LISTEN", "wait", "done", "__start__", "__end__")
_FORMS = frozenset({"natural", "typed", "spelled", "words", "groups", "keypad"})
_ACTS = frozenset({"ask", "echo", "readback", "confirm", "inform", "converse", "tool"})
_KINDS = {kind: kind for kind in ("human", "ai", "tool", "system", "remove")} | {"user": "human", "assistant": "ai"}
_MOST = 10_000
"""A larger number is no count: digits can be a value."""

_CODE = re.compile(r"[a-z][a-z_]{0,39}(\+[a-z][a-z_]{0,39}){0,7}", re.ASCII)
_THROWN = re.compile(r"\w{0,60}(Error|Exception|Interrupt|Exit|Timeout)(?=\()", re.ASCII)
_TAG = re.compile(r"(seq|graph):step:\d{1,4}|langsmith:[a-z]{1,20}|map:key:[a-z_]{1,30}", re.ASCII)

_names: set[str] = set()
"""The fields of the graphs of this process. A record under another name was put there by a client."""


def known(names: Iterable[str]) -> None:
    """Fields that may be named in traces. They come from the builder, never from a run."""
    _names.update(names)


def _code(value: Any) -> bool:
    return isinstance(value, str) and _CODE.fullmatch(value) is not None


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value < _MOST


def _seconds(value: Any) -> bool:
    return isinstance(value, float)


def _one_of(*words: str) -> Callable[[Any], bool]:
    allowed = frozenset(words)
    return lambda value: isinstance(value, str) and value in allowed


def _field(value: Any) -> bool:
    return isinstance(value, str) and value in _names


def _node(value: Any) -> bool:
    """A node of ours: ``email.ASK``, ``converse``."""
    if not isinstance(value, str):
        return False
    name, _, step = value.rpartition(".")
    return value in _SHARED or (name in _names and step in STEPS)


def _outcome(value: Any) -> bool:
    return value in get_args(Status) or _code(value)


# -- payloads

_RECORD: dict[str, Callable[[Any], bool]] = {
    "status": _one_of(*get_args(Status)),
    "attempts": _count,
    "reason": _code,
    "form": _one_of(*_FORMS),
    "revision": _count,
    "verified": _one_of(*get_args(Verified)),
}
_HEARD = ("parts", "rejected", "history", "candidates")


def payload(data: Any) -> dict[str, Any]:
    """The shape of a run's inputs or outputs: captures by field, messages by kind, where a route leads, and counts."""
    if not isinstance(data, Mapping):
        return {"hidden": 1} if data is not None else {}
    out: dict[str, Any] = {}
    hidden = 0
    for key, value in data.items():
        if key == "captures":
            _merge(out, _records(value))
        elif key == "heard":
            _merge(out, _heard(value))
        elif key == "messages":
            out |= _messages(value)
        elif key == "session" and isinstance(value, Mapping):
            out |= {"floor": value["floor"]} if _field(value.get("floor")) else {}
        elif key in ("input", "output") and isinstance(value, Mapping):
            out |= payload(value)
        elif key == "output" and _node(value):
            out["goes_to"] = value
        elif key == "generations":
            out["generations"] = len(value) if isinstance(value, list) else 0
        else:
            hidden += value is not None
    return out | ({"hidden": hidden} if hidden else {})


def _merge(out: dict[str, Any], more: Mapping[str, dict[str, Any]]) -> None:
    captures = out.setdefault("captures", {})
    for name, facts in more.items():
        captures[name] = captures.get(name, {}) | facts


def _unwrapped(value: Any) -> Any:
    return value.value if isinstance(value, Overwrite) else value


def _records(value: Any) -> dict[str, dict[str, Any]]:
    value = _unwrapped(value)
    return {
        name: {key: record[key] for key, fits in _RECORD.items() if key in record and fits(record[key])}
        for name, record in (value.items() if isinstance(value, Mapping) else ())
        if _field(name) and isinstance(record, Mapping)
    }


def _heard(value: Any) -> dict[str, dict[str, Any]]:
    value = _unwrapped(value)
    return {
        name: {key: len(heard[key]) for key in _HEARD if isinstance(heard.get(key), list) and heard[key]}
        for name, heard in (value.items() if isinstance(value, Mapping) else ())
        if _field(name) and isinstance(heard, Mapping)
    }


def _messages(value: Any) -> dict[str, Any]:
    """How many of each kind, and what the loop's last line was for."""
    flat = list(_flat(_unwrapped(value)))
    out: dict[str, Any] = {"messages": dict(Counter(_kind(one) for one in flat))}
    marks = [mark for one in flat if isinstance(mark := _mark(one), Mapping)]
    if marks and marks[-1].get("act") in _ACTS:
        fits = {"act": _one_of(*_ACTS), "field": _field, "form": _one_of(*_FORMS), "code": _code}
        out["last"] = {key: marks[-1][key] for key, fit in fits.items() if fit(marks[-1].get(key))}
    return out


def _flat(value: Any) -> Iterable[Any]:
    if isinstance(value, list | tuple):
        for one in value:
            yield from _flat(one)
    elif value is not None:
        yield value


def _kind(message: Any) -> str:
    if isinstance(message, BaseMessage):
        kind: Any = message.type
    elif isinstance(message, Mapping):
        inner = message.get("kwargs")
        kind = (inner if isinstance(inner, Mapping) else message).get("type") or message.get("role")
    else:
        kind = None
    return _KINDS.get(kind, "other") if isinstance(kind, str) else "other"


def _mark(message: Any) -> Any:
    return message.additional_kwargs.get(MARK) if isinstance(message, BaseMessage) else None


# -- what lies around payloads

_OURS: dict[str, Callable[[Any], bool]] = {
    "field": _field,
    "node": _node,
    "outcome": _outcome,
    "attempts": _count,
    "reason": _code,
    "form": _one_of(*_FORMS),
    "seconds": _seconds,
}
_THEIRS = frozenset({
    "thread_id", "run_id", "run_attempt", "graph_id", "assistant_id", "revision_id", "checkpoint_ns", "created_by",
    "langgraph_step", "langgraph_node", "langgraph_triggers", "langgraph_path", "langgraph_checkpoint_ns",
    "langgraph_version", "langgraph_api_version", "langgraph_plan", "langgraph_host", "langgraph_request_id",
    "ls_provider", "ls_model_name", "ls_model_type", "ls_temperature", "ls_max_tokens", "ls_integration",
    "ls_agent_type", "ls_run_depth", "ls_method", "lc_versions", "lc_agent_name",
})  # fmt: skip
"""What LangGraph and LangSmith themselves write. ``thread_id`` is the caller's: never make one of a detail."""


def metadata(given: Any, keep: Iterable[str] = ()) -> dict[str, Any]:
    """What stays of a run's metadata: ours, LangGraph's, and the keys a builder keeps on purpose."""
    allowed = _THEIRS | frozenset(keep)
    out: dict[str, Any] = {}
    for key, value in given.items() if isinstance(given, Mapping) else ():
        if key == "usage_metadata":
            out[key] = _tokens(value)
        elif key in allowed or (key in _OURS and _OURS[key](value)):
            out[key] = value
    return out


def _tokens(usage: Any) -> dict[str, Any]:
    return {
        key: _tokens(value) if isinstance(value, Mapping) else value
        for key, value in (usage.items() if isinstance(usage, Mapping) else ())
        if _code(key) and isinstance(value, int | float | Mapping)
    }


def tags(given: Any, keep: Iterable[str] = ()) -> list[str]:
    """LangGraph's own tags, and those a builder keeps on purpose."""
    allowed = frozenset(keep)
    return [tag for tag in given or () if isinstance(tag, str) and (tag in allowed or _TAG.fullmatch(tag))]


def error(text: Any) -> str | None:
    """The class of an exception. Its words and its traceback may quote a value: they are for the log of the process."""
    if text is None:
        return None
    found = _THROWN.match(text) if isinstance(text, str) else None
    return found[0] if found else "Error"
