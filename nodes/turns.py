"""What converse and act share: how the model's side of the conversation is written down, and believed later.

A model's message carries a seal over its tool calls and over where the captures stood when it decided. A client can
put a message with tool calls into a thread, or write state; ``act`` carries out only calls that ``converse`` sealed, in
this thread, with the captures as they are.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.types import Overwrite

from langgraph_readback.fields import FieldSpec
from langgraph_readback.nodes.view import Look, Update
from langgraph_readback.seal import Sealer
from langgraph_readback.state import MARK
from langgraph_readback.tools import blind, paired

__all__ = ["calls_of", "model_line", "paired", "snapshot", "tool_line", "transcript", "write"]

_CALLS = "calls:"
"""Prefix of what a seal over tool calls is for. No field's name has a colon."""


def model_line(sealer: Sealer, run: Look, text: str, calls: Sequence[Mapping[str, Any]]) -> AIMessage:
    """A message of the model (or planner), with its calls sealed."""
    id_ = str(uuid.uuid4())
    plain = _plain(calls)
    mark: dict[str, Any] = {"act": "converse"}
    if plain:
        mark["seal"] = sealer.seal(**_facts(run, id_, plain), by="model", at=time.time())
    return AIMessage(text, id=id_, tool_calls=plain, additional_kwargs={MARK: mark})


def calls_of(sealer: Sealer, run: Look) -> list[dict[str, Any]]:
    """The tool calls to carry out now: those of the last message, if the model made them in this thread."""
    last = run.messages[-1] if run.messages else None
    if not isinstance(last, AIMessage) or not last.tool_calls:
        return []
    mark = last.additional_kwargs.get(MARK)
    seal = mark.get("seal") if isinstance(mark, Mapping) else None
    plain = _plain(last.tool_calls)
    verdict = sealer.verify(seal, **_facts(run, str(last.id), plain))
    return plain if verdict.ok else []


def _plain(calls: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"name": call["name"], "args": call["args"], "id": call["id"], "type": "tool_call"} for call in calls]


def _facts(run: Look, id_: str, calls: list[dict[str, Any]]) -> dict[str, Any]:
    """What a seal over tool calls holds for: this message, these calls, these captures."""
    value = {"calls": calls, "known": snapshot(run)}
    return {"thread": run.thread, "field": _CALLS + id_, "value": value, "revision": 0}


def tool_line(call: Mapping[str, Any], text: str, code: str | None = None) -> ToolMessage:
    """The answer to a tool call. ``code``: what came of an action."""
    mark = {"act": "tool", "code": code}
    name, call_id = str(call["name"]), str(call["id"])
    return ToolMessage(text, id=str(uuid.uuid4()), tool_call_id=call_id, name=name, additional_kwargs={MARK: mark})


def transcript(run: Look, specs: Mapping[str, FieldSpec]) -> list[BaseMessage]:
    """The conversation as a model may see it, without what a client slipped in, each tool call with its answer."""
    strays = {m.id for m in run.fresh if not isinstance(m, HumanMessage)}
    known = [m for m in run.messages if m.id not in strays]
    return paired(blind(known, run.records, specs.values(), ask=run.ask))


def snapshot(run: Look) -> dict[str, list[Any]]:
    """Where the captures stand, to notice later that something has changed."""
    return {name: [record.get("revision"), str(record.get("status"))] for name, record in run.records.items()}


def write(run: Look, lines: Sequence[BaseMessage], session: Mapping[str, Any]) -> Update:
    """Append lines: the messages before them count as seen, and those of the user as said before any question."""
    users = [m.id for m in run.pending]
    new: dict[str, Any] = dict(run.context)
    if lines:
        new["seen"] = lines[-1].id
        new |= run.delivery.noted(run.session, run.pending)
    if users:
        early = run.session.get("early")
        new["early"] = [*(early if isinstance(early, list) else []), *users][-10:]
    strays = {m.id for m in run.fresh if not isinstance(m, HumanMessage)}
    if strays:
        messages: Any = Overwrite([*(m for m in run.messages if m.id not in strays), *lines])
    else:
        messages = list(lines)
    return {"messages": messages, "session": {**new, **session}}
