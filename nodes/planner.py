"""The planner that needs no model: which action is wanted, which details it still needs, and when to run it.

It plans and nothing else. It asks for no detail itself (``capture_details`` does), sees no value, and stands in for a
model that is down. What it remembers is ``session["plan"]``: the action, the words it was asked for in, its arguments.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage

from langgraph_readback.fields import sentence
from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.lines import label
from langgraph_readback.nodes.view import Look
from langgraph_readback.state import MARK
from langgraph_readback.tools import CAPTURE, GatedAction

__all__ = ["Plan", "plan"]

_WORD = re.compile(r"[^\W\d_]+")
_PLACEHOLDER = re.compile(r"<[^<>]*>")
"""What stands for a detail in what was said: ``<email offered>`` is no wish for anything with an email."""
_STEM = 5
"""Letters of a word that must agree: "refund" and "refunded", "booking" and "book"."""
_SHORTEST = 4
_BY_NAME = 100
"""How much more a word of an action's name counts than one of its description."""


@dataclass(frozen=True)
class Plan:
    """What to say, which tools to call, and what to remember (None: the plan is over).

    ``idle``: nothing is to be done, so a model that can only talk may say something else.
    """

    text: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)
    memory: dict[str, Any] | None = None
    idle: bool = False


def plan(run: Look, kit: Kit, actions: Mapping[str, GatedAction], seen: Sequence[BaseMessage]) -> Plan:
    """The next step. ``seen`` is the transcript as a model may see it; ``run`` tells where the captures stand."""
    memory = run.session.get("plan")
    memory = dict(memory) if isinstance(memory, Mapping) and memory.get("action") in actions else {}
    said = seen[-1].text if seen and isinstance(seen[-1], HumanMessage) else None
    if not actions:
        return _capture_all(run, kit)
    if seen and isinstance(seen[-1], ToolMessage) and (told := _told(run, seen)) is not None:
        return told
    if said is not None:
        memory = _heard(memory, said, actions)
    if not memory:
        return Plan(_which(run, actions, greet=len(seen) <= 1), idle=True)
    return _step(run, kit, actions[memory["action"]], memory)


def _capture_all(run: Look, kit: Kit) -> Plan:
    open_ = [name for name in kit.specs if not kit.settled(name, run.records.get(name), run.thread)]
    if open_:
        return Plan(calls=[_call(CAPTURE, {"fields": open_})])
    return Plan(_say(run, "anything"), idle=True)


def _step(run: Look, kit: Kit, action: GatedAction, memory: dict[str, Any]) -> Plan:
    """Details first, then the action's own arguments, then the action."""
    status = {name: run.records.get(name, {}).get("status") for name in action.fields}
    open_ = [name for name in action.fields if not kit.settled(name, run.records.get(name), run.thread)]
    if open_:
        return Plan(calls=[_call(CAPTURE, {"fields": open_})], memory=memory)
    if away := [name for name in action.fields if status[name] == "HANDOFF"]:
        return Plan(_say(run, "waiting", label=label(kit.specs[away[0]], run)), memory=memory)
    lacking = [n for n in action.fields if status[n] == "DECLINED" and not kit.specs[n].optional]
    if lacking:
        return Plan(_say(run, "cannot", label=label(kit.specs[lacking[0]], run)))
    args = memory.setdefault("args", {})
    for name, (_, default) in action.arguments.items():
        if default is ... and name not in args:
            if not _is_free(action, name):
                return Plan(_say(run, "ask", what=_what(action, name)), memory={**memory, "asked": name})
            args[name] = memory.get("words", "")
    return Plan(calls=[_call(action.name, args)], memory=memory)


def _told(run: Look, seen: Sequence[BaseMessage]) -> Plan | None:
    """What to say after an action was tried; None when only captures were asked for."""
    mark = run.messages[-1].additional_kwargs.get(MARK)
    code = mark.get("code") if isinstance(mark, Mapping) else None
    if code is None:
        return None
    key = {"done": "done", "repeated": "repeated", "unknown": "unknown"}.get(code, "refused")
    words = seen[-1].text.partition(": ")[2]  # after "done" or "refused"
    return Plan(_say(run, key, text=words.partition(" was not done: ")[2] or words))


def _heard(memory: dict[str, Any], said: str, actions: Mapping[str, GatedAction]) -> dict[str, Any]:
    """The memory after the user's words: an argument that was asked for, or another wish."""
    if (asked := memory.get("asked")) is not None:
        action = actions[memory["action"]]
        args = {**memory.get("args", {}), asked: _chosen(action, asked, said)}
        return {"action": memory["action"], "words": memory.get("words", ""), "args": args}
    wanted = _wanted(said, actions)
    if wanted is None or wanted == memory.get("action"):
        return memory
    return {"action": wanted, "words": said, "args": {}}


def _wanted(said: str, actions: Mapping[str, GatedAction]) -> str | None:
    """The action whose name or description shares most words with what was said; the only one there is."""
    words = _stems(_PLACEHOLDER.sub(" ", said))
    scores = {
        name: _BY_NAME * len(words & _stems(name)) + len(words & _stems(action.function.__doc__ or ""))
        for name, action in actions.items()
    }
    best = max(scores.values())
    if best and list(scores.values()).count(best) == 1:
        return max(scores, key=lambda name: scores[name])
    return next(iter(actions)) if len(actions) == 1 else None


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in _WORD.findall(text.replace("_", " ").casefold()) if len(word) >= _SHORTEST}


def _schema(action: GatedAction, name: str) -> dict[str, Any]:
    found: dict[str, Any] = action.schema.model_json_schema()["properties"].get(name, {})
    return found


def _is_free(action: GatedAction, name: str) -> bool:
    """Whether any words will do, such as a reason: then those of the request are taken."""
    schema = _schema(action, name)
    return schema.get("type") == "string" and not {"enum", "const", "format", "pattern"} & schema.keys()


def _what(action: GatedAction, name: str) -> str:
    schema = _schema(action, name)
    choices = ", ".join(str(choice) for choice in schema.get("enum", []))
    words = str(schema.get("description") or name.replace("_", " "))
    return f"{words} ({choices})" if choices else words


def _chosen(action: GatedAction, name: str, said: str) -> Any:
    """An answer as the argument's type: one of the choices, a number, or the words themselves."""
    schema, text = _schema(action, name), said.strip().rstrip(".!").casefold()
    for choice in schema.get("enum", []):
        if str(choice).casefold() in text:
            return choice
    number = re.search(r"-?\d+", text)
    if schema.get("type") == "integer" and number:
        return int(number[0])
    return said.strip()


def _which(run: Look, actions: Mapping[str, GatedAction], *, greet: bool) -> str:
    names = ", ".join(action.name.replace("_", " ") for action in actions.values())
    return _say(run, "greeting" if greet else "which", actions=names)


def _say(run: Look, key: str, **params: Any) -> str:
    return sentence(run.ask.locale, f"agent.{key}", **params)


def _call(name: str, args: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "args": args, "id": f"call_{uuid.uuid4().hex}", "type": "tool_call"}
