"""LiveKit Agents with the capture as their LLM, in text mode: ``python -m examples.compose.livekit_text``.

In a call, give ``AgentSession`` speech-to-text and text-to-speech too; nothing else changes. ``ReadbackLLM`` adds to
``livekit-plugins-langchain`` what a chat history says of a turn and the loop needs to know: that the user spoke into a
read-back (a "yes" to what was not said in full is no yes), and how sure the recogniser was.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from livekit.agents import Agent, AgentSession
from livekit.agents.llm import ChatContext
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS
from livekit.plugins.langchain import LangGraphStream, LLMAdapter

from langgraph_readback.context import CaptureContext
from langgraph_readback.fields import catalogue
from langgraph_readback.graph import build_capture_graph

EMAIL = catalogue["email"]


class ReadbackLLM(LLMAdapter):
    """A capture graph, or an agent of ours, as the LLM of a session. One session is one thread."""

    def __init__(self, graph: Any, *, thread: str, context: CaptureContext) -> None:
        self.graph, self.config, self.context = graph, {"configurable": {"thread_id": thread}}, context
        super().__init__(graph, config=self.config, context=context)

    def chat(self, *, chat_ctx: ChatContext, **options: Any) -> LangGraphStream[Any]:
        """One turn: its last message carries what the history says of it."""
        return LangGraphStream(
            self, chat_ctx=chat_ctx, tools=options.get("tools") or [],
            conn_options=options.get("conn_options", DEFAULT_API_CONNECT_OPTIONS),
            graph=_Noted(self.graph, notes(chat_ctx)), config=self.config, context=self.context,
        )  # fmt: skip


def notes(chat_ctx: ChatContext) -> dict[str, Any]:
    """What the loop reads of the last user message, as ``additional_kwargs``."""
    messages = chat_ctx.messages()
    said = next((m for m in reversed(messages) if m.role == "assistant"), None)
    heard = next((m for m in reversed(messages) if m.role == "user"), None)
    marks: dict[str, Any] = {"readback": {"barge_in": bool(said and said.interrupted)}}
    if heard is not None and heard.transcript_confidence is not None:
        marks["asr"] = {"confidence": heard.transcript_confidence}
    return marks


@dataclass
class _Noted:
    """The graph, with notes on the message that it is about to get."""

    graph: Any
    marks: dict[str, Any]

    async def astream(self, state: dict[str, Any], *args: Any, **options: Any) -> AsyncIterator[Any]:
        for message in reversed(state["messages"]):
            if isinstance(message, HumanMessage):
                message.additional_kwargs |= self.marks
                break
        async for item in self.graph.astream(state, *args, **options):
            yield item


def build(**ports: Any) -> Any:
    """The graph. ``ports``: desk, sealer, highwater."""
    return build_capture_graph([EMAIL], checkpointer=InMemorySaver(), **ports)


async def talk(llm: ReadbackLLM, *turns: str) -> list[str]:
    """What the session says to each turn."""
    async with AgentSession(llm=llm) as session:
        await session.start(Agent(instructions=""))
        said = []
        for words in turns:
            result = await session.run(user_input=words)
            said.append(" ".join(event.item.text_content or "" for event in result.events if event.type == "message"))
        return said


def main() -> None:
    """One conversation."""
    turns = ("hello", "kim dot lee at example dot com", "yes")
    llm = ReadbackLLM(build(), thread="1", context=CaptureContext(locale="en-US", channel="voice"))
    for words, answer in zip(turns, asyncio.run(talk(llm, *turns)), strict=True):
        print("you  ", words)
        print("agent", answer)


if __name__ == "__main__":
    main()
