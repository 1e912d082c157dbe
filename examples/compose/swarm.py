"""The capture as one agent of a ``langgraph-swarm``: ``python -m examples.compose.swarm``.

While the capture is active the user's messages go straight to it and no model is called. When everything is settled it
hands the conversation back. The other agent's model sees placeholders, through the middleware ``Blindness``.
"""

from __future__ import annotations

from typing import Annotated, Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command
from langgraph_swarm import SwarmState, create_handoff_tool, create_swarm

from examples.compose.scripted import ScriptedModel
from langgraph_readback.fields import catalogue
from langgraph_readback.graph import build_capture_graph
from langgraph_readback.state import Record, forward
from langgraph_readback.tools.middleware import Blindness

EMAIL = catalogue["email"]


class Swarm(SwarmState):
    """The swarm's state, with the records."""

    captures: Annotated[dict[str, Record], forward]


class Capturing(MessagesState):
    """The capturing agent's."""

    captures: Annotated[dict[str, Record], forward]


def capturing(**ports: Any) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The capture, and the way back to sales."""

    def settled(state: Capturing) -> bool:
        return state["captures"]["email"]["status"] in {"CONFIRMED", "DECLINED"}

    def back(state: Capturing) -> Command[Any]:
        return Command(graph=Command.PARENT, goto="sales", update={**state, "active_agent": "sales"})

    builder = StateGraph(Capturing)
    builder.add_node("loop", build_capture_graph([EMAIL], embedded=True, **ports))
    builder.add_node("back", back)
    builder.add_edge(START, "loop")
    builder.add_conditional_edges("loop", settled, {True: "back", False: END})
    return builder.compile(name="capture")


def build(model: BaseChatModel, **ports: Any) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Two agents. ``ports``: desk, sealer, highwater."""
    to_capture = create_handoff_tool(agent_name="capture", description="Have the user's email captured.")
    sales = create_agent(model, tools=[to_capture], middleware=[Blindness([EMAIL])], name="sales")
    swarm = create_swarm([sales, capturing(**ports)], default_active_agent="sales", state_schema=Swarm)
    return swarm.compile(checkpointer=InMemorySaver())


def script(seen: Any) -> Any:
    """Hands over once, then says what it has."""
    confirmed = any("<email confirmed>" in message.text for message in seen)
    return f"The offer is on its way. (I saw: {seen[-1].text})" if confirmed else ("transfer_to_capture", {})


def main() -> None:
    """One conversation."""
    swarm = build(ScriptedModel(script=script))
    config: Any = {"configurable": {"thread_id": "1"}}
    for words in ("please send me the offer", "kim.lee@example.com", "yes"):
        state = swarm.invoke({"messages": [("user", words)]}, config)
        print("you  ", words)
        print("agent", state["messages"][-1].text)


if __name__ == "__main__":
    main()
