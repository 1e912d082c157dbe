"""The capture on a server, as a node of a graph here: ``python -m examples.compose.remote`` beside ``make serve``.

``RemoteGraph`` runs the served capture under this conversation's thread id. A hand-off interrupts there and here. Added
as a node by itself, a ``RemoteGraph`` of LangGraph 1.2 passes the interrupt on but not the resume, so a function does
both. It runs again from its top when it is resumed, which is harmless: the server knows the messages by their ids.
"""

from __future__ import annotations

import sys
import uuid
from typing import Annotated, Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Command, interrupt
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from examples.compose.scripted import ScriptedModel
from langgraph_readback.fields import catalogue
from langgraph_readback.state import Record, forward
from langgraph_readback.tools import blind

FIELDS = [catalogue[name] for name in ("email", "phone")]


class Caller(MessagesState):
    """What the parent keeps."""

    captures: Annotated[dict[str, Record], forward]


def build(model: BaseChatModel, server: SyncLangGraphClient) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The parent of the capture that is served there."""
    remote = RemoteGraph("capture", sync_client=server)

    def capture(state: Caller, config: RunnableConfig) -> dict[str, Any]:
        there: Any = {"configurable": {"thread_id": config["configurable"]["thread_id"]}}
        result: Any = remote.invoke({"messages": state["messages"]}, there)
        while waiting := result.get("__interrupt__"):
            result = remote.invoke(Command(resume=interrupt(waiting[0]["value"])), there)
        return {"messages": result["messages"], "captures": result["captures"]}

    def settled(state: Caller) -> bool:
        standing = [record["status"] for record in state["captures"].values()]
        return len(standing) == len(FIELDS) and set(standing) <= {"CONFIRMED", "DECLINED"}

    def talk(state: Caller) -> dict[str, Any]:
        return {"messages": [model.invoke(blind(state["messages"], state["captures"], FIELDS))]}

    builder = StateGraph(Caller)
    builder.add_node("capture", capture)
    builder.add_node("talk", talk)
    builder.add_edge(START, "capture")
    builder.add_conditional_edges("capture", settled, {True: "talk", False: END})
    builder.add_edge("talk", END)
    return builder.compile(checkpointer=InMemorySaver())


def main(url: str = "http://127.0.0.1:2024") -> None:
    """One conversation; ``make serve`` with ``READBACK_FIELDS=email,phone`` has to run."""
    with get_sync_client(url=url) as server:
        graph = build(ScriptedModel(script=lambda seen: f"Noted. (I saw: {seen[-1].text})"), server)
        config: Any = {"configurable": {"thread_id": str(uuid.uuid4())}}
        for words in ("hello", "kim.lee@example.com", "yes", "312 555 0119", "yes"):
            state = graph.invoke({"messages": [("user", words)]}, config)
            print("you  ", words)
            print("agent", state["messages"][-1].text)


if __name__ == "__main__":
    main(*sys.argv[1:])
