"""Blindness (law 6): what a model may see of a conversation.

``blind`` gives the transcript without captured details: what the user said when a detail was asked for, and the
read-backs, become placeholders; what they volunteered is masked; and whatever was captured is masked wherever else it
occurs. Fields whose spec says ``blind=False`` are left as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import regex
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from langgraph_readback.fields import Ask, FieldSpec
from langgraph_readback.state import MARK
from langgraph_readback.tools.proposals import find_proposals

__all__ = ["blind", "blind_hook", "mask_values", "paired"]

_SHORTEST_LOOSE = 4
"""Characters a value needs before its spelled-out forms are looked for: shorter ones occur in any text."""

_LINES = {
    "ask": "<asked for {}>",
    "echo": "<{} read back in parts>",
    "readback": "<{} read back>",
    "confirm": "<{} confirmed>",
}
"""By act of a loop's line. Lines that only inform hold no value and stay, masked like any other text."""

_WAITING = frozenset({"ask", "echo", "readback"})
"""Acts after which the user's next words are an answer about that field."""


def blind(
    messages: Sequence[BaseMessage],
    captures: Mapping[str, Any] | None = None,
    specs: Iterable[FieldSpec] = (),
    *,
    ask: Ask | None = None,
) -> list[BaseMessage]:
    """Copies of ``messages`` that a model may see. Ids, order and tool call ids stay; nothing else about a value does.

    ``captures`` are the graph's records, ``specs`` the fields whose volunteered values are looked for; ``ask`` the
    circumstances they are heard in (locale, channel, region). Hidden parts of messages (``additional_kwargs``,
    artifacts, response metadata) are left out.
    """
    fields = {spec.name: spec for spec in specs}
    values = {name: _value(record) for name, record in (captures or {}).items() if _hides(fields, name)}
    hiding = tuple(spec for spec in fields.values() if spec.blind)
    out: list[BaseMessage] = []
    floor: str | None = None
    for message in messages:
        field, act = _line(message)
        if isinstance(message, HumanMessage):
            if floor is not None and _hides(fields, floor):
                text = f"<answer about {floor}>"
            else:
                text = mask_values(find_proposals(message.text, hiding, ask).masked, values)
            out.append(HumanMessage(text, id=message.id))
            continue
        if isinstance(message, AIMessage) and isinstance(field, str) and field.isidentifier():
            floor = field if act in _WAITING else None
            if act in _LINES and _hides(fields, field):
                out.append(AIMessage(_LINES[act].format(field), id=message.id))
                continue
        out.append(_masked(message, values))
    return out


def blind_hook(specs: Iterable[FieldSpec], *, ask: Ask | None = None) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """A ``pre_model_hook``, for supervisors and ``create_react_agent``: what the model sees goes through ``blind``.

    The state stays as it is; the model gets ``llm_input_messages``. A parent whose state has a ``captures`` channel
    (``Annotated[dict, forward]``) gets values masked wherever else they occur, too.
    """
    fields = tuple(specs)

    def hook(state: Mapping[str, Any]) -> dict[str, Any]:
        captures = state.get("captures")
        records = captures if isinstance(captures, Mapping) else {}
        return {"llm_input_messages": paired(blind(state["messages"], records, fields, ask=ask))}

    return hook


def paired(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Every tool call directly followed by its answer, whatever crashed in between: providers reject anything else."""
    answers = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    out: list[BaseMessage] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            continue
        out.append(message)
        for call in message.tool_calls if isinstance(message, AIMessage) else []:
            id_ = str(call["id"])
            out.append(answers.get(id_) or ToolMessage("not carried out", tool_call_id=id_, name=call["name"]))
    return out


def _line(message: BaseMessage) -> tuple[Any, Any]:
    """The field and act of a line of the loop; of the model's own lines and all others, None."""
    mark = message.additional_kwargs.get(MARK)
    return (mark.get("field"), mark.get("act")) if isinstance(mark, Mapping) else (None, None)


def _hides(fields: Mapping[str, FieldSpec], name: str) -> bool:
    return name not in fields or fields[name].blind


def _value(record: Any) -> Any:
    return record.get("value") if isinstance(record, Mapping) else None


def _masked(message: BaseMessage, values: Mapping[str, Any]) -> BaseMessage:
    """A message of the model, a tool or the system, with captured values masked in all it says."""
    text = mask_values(message.text, values)
    if isinstance(message, AIMessage):
        calls = [{**call, "args": _deep(call["args"], values)} for call in message.tool_calls]
        return AIMessage(text, id=message.id, name=_name(message, values), tool_calls=calls)
    if isinstance(message, ToolMessage):
        return ToolMessage(
            text, id=message.id, tool_call_id=message.tool_call_id, name=message.name, status=message.status
        )
    return type(message)(content=text, id=message.id)


def _name(message: BaseMessage, values: Mapping[str, Any]) -> str | None:
    """Which agent spoke: parents of several agents go by it."""
    return mask_values(message.name, values) if message.name else None


def _deep(data: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(data, str):
        return mask_values(data, values)
    if isinstance(data, Mapping):
        return {key: _deep(value, values) for key, value in data.items()}
    return [_deep(item, values) for item in data] if isinstance(data, list) else data


def mask_values(text: str, values: Mapping[str, Any]) -> str:
    """``text`` with every captured value replaced by ``<field>``, however it is spaced, hyphenated or capitalised.

    Of an email the part before the @ is masked too, and of a text of several words each capitalised word.
    """
    found = [(field, value) for field, value in values.items() if isinstance(value, str) and value.strip()]
    for field, value in sorted(found, key=lambda item: -len(item[1])):
        for pattern in _finders(value.strip()):
            text = pattern.sub(f"<{field}>", text)
    return text


@lru_cache(maxsize=256)
def _finders(value: str) -> tuple[regex.Pattern[str], ...]:
    mailbox, at, _ = value.partition("@")
    parts = [mailbox] if at and len(mailbox) >= _SHORTEST_LOOSE else []
    patterns = [_finder(part) for part in (value, *parts)]
    if value.startswith("+") and value[1:].isdigit():  # a phone number is also said without its country code
        patterns += [_finder(value[cut:]) for cut in (2, 3, 4) if len(value) - cut >= 2 * _SHORTEST_LOOSE - 2]
    words = value.split()
    if len(words) > 1:
        names = [word for word in words if len(word) > 2 and word[:1].isupper()]  # noqa: PLR2004
        patterns += [regex.compile(rf"(?<!\w){regex.escape(name)}(?!\w)") for name in names]
    return tuple(patterns)


def _finder(value: str) -> regex.Pattern[str]:
    """Finds a value as it is; and, when it is long enough, its letters and digits with anything else in between."""
    exact = regex.escape(value)
    kept = [regex.escape(letter) for letter in value if letter.isalnum()]
    if len(kept) < _SHORTEST_LOOSE:
        return regex.compile(rf"(?<!\w){exact}(?!\w)", regex.IGNORECASE)
    loose = (r"\+?" if value.startswith("+") else "") + r"[\W_]*".join(kept)
    return regex.compile(f"{exact}|(?<![^\\W_]){loose}(?![^\\W_])", regex.IGNORECASE)
