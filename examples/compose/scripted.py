"""A chat model that follows a script, so that every example runs with no key; it keeps every request it was sent.

Put any LangChain chat model in its place: ``ChatOpenAI(model="gpt-5-mini")``.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field


class ScriptedModel(BaseChatModel):
    """``script(messages) -> text`` or ``(tool name, arguments)``. ``requests`` holds what it saw, oldest first."""

    script: Callable[[Sequence[BaseMessage]], Any]
    requests: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> ScriptedModel:  # noqa: ARG002 - the script knows them
        """The same model."""
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self.requests.append(list(messages))
        made = self.script(messages)
        if isinstance(made, str):
            answer = AIMessage(made)
        else:
            name, args = made
            answer = AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"call_{uuid.uuid4().hex}"}])
        return ChatResult(generations=[ChatGeneration(message=answer)])
