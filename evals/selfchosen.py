"""The arm ``self-chosen``: a model that decides for itself how to check, as most agents are built today.

Runs only when a model is configured (``OPENAI_BASE_URL``, ``OPENAI_API_KEY``, ``READBACK_MODEL``). It gets the names
of the fields, a tool to store them, and no routine.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from langgraph_readback.evals.intent import Line
from langgraph_readback.evals.play import Session, Stored, Turn
from langgraph_readback.evals.tasks import Task

_PROMPT = """You are a phone agent. Collect these details from the caller: {fields}.
What you read is a transcript of speech and may be misheard; check details in the way you find best.
When you are sure of all of them, call submit once with the exact values: email in lower case, phone in E.164,
date as YYYY-MM-DD, time as HH:MM, codes as they are printed. Speak in short sentences."""
_DEFAULT_MODEL = "gpt-5.1"
_STEPS = 4


@dataclass(frozen=True, slots=True)
class SelfChosen:
    """Makes sessions with the configured model."""

    def __call__(self, task: Task, channel: str) -> Session:
        """One conversation."""
        _ = channel
        return ModelSession(task)


@dataclass(slots=True)
class ModelSession:
    """A conversation with a model that has one tool, ``submit``."""

    task: Task
    messages: list[BaseMessage] = field(default_factory=list)
    values: dict[str, Stored] = field(default_factory=dict)

    def open(self) -> Turn:
        """The model greets."""
        fields = ", ".join(i.field.replace("_", " ") for i in self.task.items)
        self.messages = [SystemMessage(_PROMPT.format(fields=fields)), HumanMessage("Hello.")]
        return self._turn()

    def send(self, text: str, marks: Mapping[str, Any]) -> Turn:
        """One turn of the caller."""
        _ = marks
        self.messages.append(HumanMessage(text or "(silence)"))
        return self._turn()

    def stored(self) -> Mapping[str, Stored]:
        """What was submitted."""
        return self.values

    def _turn(self) -> Turn:
        lines: list[Line] = []
        tools = 0
        for _ in range(_STEPS):
            answer = _model(tuple(i.field for i in self.task.items)).invoke(self.messages)
            self.messages.append(answer)
            if answer.text.strip():
                lines.append(Line(answer.text, {}))
            if not answer.tool_calls:
                break
            tools += len(answer.tool_calls)
            self._submit(answer)
        return Turn(tuple(lines), done=len(self.values) == len(self.task.items), tools=tools)

    def _submit(self, answer: AIMessage) -> None:
        for call in answer.tool_calls:
            for item in self.task.items:
                value = call["args"].get(item.field)
                if isinstance(value, str) and value:
                    self.values[item.field] = Stored("CONFIRMED", value)
            self.messages.append(ToolMessage("stored", tool_call_id=call["id"]))


@lru_cache(maxsize=64)
def _model(fields: tuple[str, ...]) -> Any:
    from langchain_openai import ChatOpenAI  # noqa: PLC0415 - only when a model is configured

    schema = {
        "type": "function",
        "function": {
            "name": "submit",
            "description": "Store the exact values.",
            "parameters": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in fields},
                "required": list(fields),
            },
        },
    }
    model = ChatOpenAI(model=os.environ.get("READBACK_MODEL", _DEFAULT_MODEL), temperature=0)
    return model.bind_tools([schema])
