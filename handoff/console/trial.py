"""Trial: conversations of the try page with the capture graph, in this process, and each field's state as plain data.

No key, no model, no network: what is given is checked for its form only. Conversations lie in the saver that is passed;
the oldest ones are deleted when there are too many. Hand-offs go to the real desk, and its answers come back.
"""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import Command

from langgraph_readback.context import CaptureContext, Channel
from langgraph_readback.fields import FieldSpec, catalogue, languages
from langgraph_readback.fields.prompts import label as type_label
from langgraph_readback.graph import build_capture_graph
from langgraph_readback.handoff.desk import SqlDesk
from langgraph_readback.handoff.records import CLOSED
from langgraph_readback.state import MARK, entries, message_list

__all__ = ["DEFAULT", "OFFERED", "STEPS", "Choice", "Trials"]

STEPS = ("ASK", "VALIDATE", "READBACK", "RETRY", "CONFIRMED", "HANDOFF")
DEFAULT = ("email", "phone", "order_id", "name")
_ORDER = replace(catalogue["id"], name="order_id", pattern=r"HL-\d{6}")
OFFERED: Mapping[str, FieldSpec] = {
    name: replace(catalogue.get(name, _ORDER), lookup=None)
    for name in dict.fromkeys([*DEFAULT, *(name for name in catalogue if name != "id")])
}
"""What can be tried; ``order_id`` shows what a pattern does."""
_REGION = {"en": "US", "pt": "BR", "hi": "IN", "zh": "CN", "ko": "KR"}


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What a visitor wants to try. Raises ValueError for what is not on offer."""

    fields: tuple[str, ...] = DEFAULT
    language: str = "en"
    channel: Channel = "chat"

    def __post_init__(self) -> None:
        """Check each part: a browser sends what it likes."""
        if not self.fields or len(set(self.fields)) != len(self.fields) or set(self.fields) - set(OFFERED):
            raise ValueError("fields must be some of those on offer, each once")
        if self.language not in languages() or self.channel not in ("chat", "voice"):
            raise ValueError("the language and the channel must be some of those on offer")

    @property
    def locale(self) -> str:
        """The tag of the language, with the region that most of its speakers' numbers belong to."""
        return f"{self.language}-{_REGION.get(self.language, self.language.upper())}"


@dataclass
class _Talk:
    choice: Choice
    graph: Any
    turn: threading.Lock = field(default_factory=threading.Lock)


class Trials:
    """The conversations of this process."""

    def __init__(self, *, saver: BaseCheckpointSaver[Any], desk: SqlDesk, keep: int = 200) -> None:
        """``keep``: conversations that are remembered at once."""
        self._saver, self._desk, self._keep = saver, desk, keep
        self._talks: OrderedDict[str, _Talk] = OrderedDict()
        self._graphs: dict[tuple[str, ...], Any] = {}
        self._lock = threading.Lock()

    def start(self, choice: Choice) -> str:
        """A new conversation, with the first question asked. Gives its id, which nobody can guess."""
        name = f"try-{uuid.uuid4().hex}"
        with self._lock:
            self._talks[name] = _Talk(choice, self._graph(choice.fields))
            gone = [self._talks.popitem(last=False)[0] for _ in range(len(self._talks) - self._keep)]
        for old in gone:
            self._saver.delete_thread(old)
        self._run(name, self._talks[name], {"messages": []})
        return name

    def __contains__(self, name: object) -> bool:
        """Whether a conversation is (still) known."""
        return name in self._talks

    def say(self, name: str, text: str) -> dict[str, Any]:
        """One turn of the visitor; nothing is silence. Gives the state, and ``path``: the nodes that ran."""
        talk = self._talk(name)
        path = self._run(name, talk, {"messages": [HumanMessage(text)]})
        return self._show(name, talk, path)

    def look(self, name: str) -> dict[str, Any]:
        """The state now. Wakes the conversation when the desk has answered."""
        talk = self._talk(name)
        _, records, waits = self._values(name, talk)
        tickets = (
            [record["ticket"] for record in records.values() if record.get("status") == "HANDOFF"] if waits else []
        )
        answered = [one for one in tickets if one and self._desk.ticket(one)["status"] in CLOSED]
        path = self._run(name, talk, Command(resume={"ticket": answered[0]})) if answered else []
        for ticket in answered:  # the desk's wakers need not look for it
            if self._desk.sleeper(ticket) and self._desk.begin_wake(name, name):
                self._desk.end_wake(name, name, ticket, "resumed")
        return self._show(name, talk, path)

    def _graph(self, fields: tuple[str, ...]) -> Any:
        if fields not in self._graphs:
            specs = [OFFERED[name] for name in fields]
            self._graphs[fields] = build_capture_graph(
                specs, checkpointer=self._saver, desk=self._desk, sealer=self._desk.sealer
            )
        return self._graphs[fields]

    def _talk(self, name: str) -> _Talk:
        with self._lock:
            self._talks.move_to_end(name)
            return self._talks[name]

    def _run(self, name: str, talk: _Talk, given: Any) -> list[str]:
        """One run; the names of the nodes it went through."""
        circle = CaptureContext(locale=talk.choice.locale, channel=talk.choice.channel)
        with talk.turn:  # a visitor who sends twice is served one after the other
            steps = talk.graph.stream(given, _thread(name), context=circle, stream_mode="updates")
            return [node for step in steps for node in step if "." in node]

    def _values(self, name: str, talk: _Talk) -> tuple[list[Any], dict[str, Any], bool]:
        state = talk.graph.get_state(_thread(name))
        return message_list(state.values.get("messages")), entries(state.values.get("captures")), bool(state.interrupts)

    def _show(self, name: str, talk: _Talk, path: list[str]) -> dict[str, Any]:
        messages, records, waits = self._values(name, talk)
        lines = [_line(message) for message in messages if isinstance(message, AIMessage | HumanMessage)]
        fields = [_field(OFFERED[one], records.get(one, {}), lines, talk.choice.locale) for one in talk.choice.fields]
        done = all(one["status"] in ("CONFIRMED", "DECLINED") for one in fields)
        return {"path": path, "lines": lines, "fields": fields, "waits": waits, "done": done,
                "locale": talk.choice.locale}  # fmt: skip


def _thread(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


def _line(message: Any) -> dict[str, Any]:
    mark = message.additional_kwargs.get(MARK) or {} if isinstance(message, AIMessage) else {}
    return {
        "id": message.id, "who": "loop" if isinstance(message, AIMessage) else "you", "text": message.text,
        "act": mark.get("act"), "field": mark.get("field"), "form": mark.get("form"),
    }  # fmt: skip


def _field(spec: FieldSpec, record: Mapping[str, Any], lines: list[dict[str, Any]], locale: str) -> dict[str, Any]:
    said = [one["text"] for one in lines if one["act"] == "readback" and one["field"] == spec.name]
    keys = ("status", "reason", "value", "verified", "form", "ticket", "by")
    return {
        "name": spec.name, "label": spec.label or type_label(locale, spec.type), "allowed": spec.retries + 1,
        "attempts": record.get("attempts", 0), "revision": record.get("revision", 0),
        "read_back": said[-1] if said else None, **{key: record.get(key) for key in keys},
    }  # fmt: skip
