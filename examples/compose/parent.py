"""The capture as one node of a graph of yours, whose model sees placeholders: ``python -m examples.compose.parent``.

``turns="message"``    the run ends when it is the user's turn; their answer is the next message.
``turns="interrupt"``  the run blocks; their answer is a resume.
Either way a hand-off interrupts, and its payload carries what the user is to be told while they wait.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from examples.compose.scripted import ScriptedModel
from langgraph_readback.fields import catalogue
from langgraph_readback.graph import build_capture_graph
from langgraph_readback.state import Record, forward
from langgraph_readback.tools import blind

EMAIL = catalogue["email"]


class Booking(MessagesState):
    """What the parent keeps: the conversation, and the records as the capture gives them."""

    captures: Annotated[dict[str, Record], forward]


def build(
    model: BaseChatModel, *, turns: Literal["message", "interrupt"] = "message", **ports: Any
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The parent: the email first, then the model's word. ``ports``: desk, sealer, highwater."""

    def talk(state: Booking) -> dict[str, Any]:
        return {"messages": [model.invoke(blind(state["messages"], state["captures"], [EMAIL]))]}

    def settled(state: Booking) -> bool:
        return state["captures"]["email"]["status"] in {"CONFIRMED", "DECLINED"}

    builder = StateGraph(Booking)
    builder.add_node("capture", build_capture_graph([EMAIL], embedded=True, turns=turns, **ports))
    builder.add_node("talk", talk)
    builder.add_edge(START, "capture")
    builder.add_conditional_edges("capture", settled, {True: "talk", False: END})
    builder.add_edge("talk", END)
    return builder.compile(checkpointer=InMemorySaver())


def main() -> None:
    """One conversation in each mode."""
    for turns in ("message", "interrupt"):
        model = ScriptedModel(script=lambda seen: f"Booked. (I saw: {seen[-2].text} {seen[-1].text})")
        graph = build(model, turns=turns)
        config: Any = {"configurable": {"thread_id": turns}}
        for n, words in enumerate(("a table for two", "kim.lee@example.com", "yes")):
            resuming = turns == "interrupt" and n > 0
            state = graph.invoke(Command(resume=words) if resuming else {"messages": [("user", words)]}, config)
            waiting = state.get("__interrupt__")
            print("you  ", words)
            print("agent", " ".join(waiting[0].value["told"]) if waiting else state["messages"][-1].text)


if __name__ == "__main__":
    main()
