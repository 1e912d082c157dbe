"""The loop as one node of another graph, in both turn modes, on every store, with messages at the wrong moment."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph, add_messages
from langgraph.types import Command

from langgraph_readback.errors import NestingError
from langgraph_readback.fields import catalogue
from langgraph_readback.graph import CaptureContext, build_capture_graph
from langgraph_readback.handoff import SqlDesk
from langgraph_readback.ports import MemoryHighWater
from langgraph_readback.sql import engine


class Parent(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    captures: dict[str, Any]  # no reducer of ours: whatever the sub-graph gives replaces it
    booked: list[str]


FIELDS = [catalogue["email"], catalogue["phone"]]


@pytest.fixture
def desk(sealer):
    desk = SqlDesk(engine("memory:"), sealer)
    yield desk
    desk.close()


@pytest.fixture
def parent(store, sealer, desk):
    """A parent: a greeting, the capture, and a booking once everything is confirmed."""

    def make(turns):
        capture = build_capture_graph(
            FIELDS, embedded=True, turns=turns, sealer=sealer, highwater=MemoryHighWater(), desk=desk
        )

        def greet(state):
            said = any(m.type == "ai" for m in state["messages"])
            return {} if said else {"messages": [AIMessage("Welcome to the parent.")]}

        def book(state):
            values = [r["value"] for r in state["captures"].values()]
            return {"booked": values, "messages": [AIMessage("Booked.")]}

        def ready(state):
            records = state.get("captures", {})
            done = len(records) == len(FIELDS) and all(r["status"] == "CONFIRMED" for r in records.values())
            return "book" if done and not state.get("booked") else END

        builder = StateGraph(Parent, context_schema=CaptureContext)
        builder.add_node("greet", greet)
        builder.add_node("capture", capture)
        builder.add_node("book", book)
        builder.add_edge(START, "greet")
        builder.add_edge("greet", "capture")
        builder.add_conditional_edges("capture", ready, {"book": "book", END: END})
        builder.add_edge("book", END)
        return builder.compile(checkpointer=store)

    return make


WANT = ["kim.lee@example.com", "+13125550119"]


def test_messages_through_a_parent(parent, talk):
    user = talk(parent("message"), channel="chat")
    user.send("hi", "kim.lee@example.com", "yes", "312 555 0119", "yes")
    assert user.result["booked"] == WANT
    texts = [m.text for m in user.result["messages"]]
    assert texts.count("yes") == 2  # nothing twice in the parent's list either
    assert len(texts) == len({m.id for m in user.result["messages"]})


def test_a_duplicate_through_a_parent(parent, talk):
    user = talk(parent("message"), channel="chat")
    user.send(None, HumanMessage("blue sky", id="d1"), HumanMessage("blue sky", id="d1"))
    assert user.captures["email"]["attempts"] == 1


def test_what_the_parent_knew_before_is_a_proposal(parent, talk):
    user = talk(parent("message"), channel="chat")
    user.send("hello, my email is kim.lee@example.com")
    assert user.captures["email"]["status"] == "READBACK"
    assert user.captures["email"]["attempts"] == 0


def test_a_message_while_the_parent_waits_for_a_person(parent, talk, desk):
    """A plain message on an interrupted thread starts anew: it is answered, costs nothing, and the ticket stays one."""
    user = talk(parent("message"), channel="chat")
    user.send(None, "operator", "312 555 0119", "yes")
    first = user.interrupt["tickets"]
    user.send("is it done?")
    assert user.interrupt["tickets"] == first
    assert "still" in user.interrupt["told"][-1]
    [ticket] = desk.tickets()
    desk.resolve(ticket["id"], kind="value", value="kim.lee@example.com", by="ana")
    user.resume({"ticket": ticket["id"]})
    assert user.result["booked"] == WANT
    assert user.captures["email"]["by"] == "human:ana"


def test_blocking_turns(parent, talk):
    user = talk(parent("interrupt"), channel="chat")
    user.send("hi")
    assert user.interrupt["kind"] == "listen"
    assert user.interrupt["field"] == "email"
    assert "email" in user.interrupt["told"][0]
    for words in (
        "kim.lee@example.com",
        {"text": "yes"},
        HumanMessage("312 555 0119"),
        {"role": "user", "content": "yes"},
    ):
        user.resume(words)
    assert user.result["booked"] == WANT


def test_a_plain_message_while_it_blocks(parent, talk):
    """The parent starts again from its top; the capture goes on where it was, and loses nothing."""
    user = talk(parent("interrupt"), channel="chat")
    user.send("hi")
    user.resume("kim.lee@example.com")
    user.send("yes")  # as a message, not as a resume
    assert user.interrupt["field"] == "phone"
    user.resume("312 555 0119")
    user.send("pardon?")
    user.resume("yes")
    assert user.result["booked"] == WANT


@pytest.mark.parametrize(
    "strange", [{"foo": 1}, 7, ["x"], {"text": 3}, {"type": "ai", "content": "yes"}, "", {"text": ""}]
)
def test_a_strange_resume_is_silence(capture, talk, strange):
    user = talk(capture("email", turns="interrupt"), channel="chat")
    user.send(None)
    user.resume(strange)
    assert user.captures["email"]["attempts"] == 0 or strange == ["x"]
    user.resume("kim.lee@example.com")
    assert user.resume("yes")["email"]["status"] == "CONFIRMED"


@pytest.mark.parametrize("turns", ["message", "interrupt"])
async def test_a_parent_awaited(parent, turns):
    graph, config = parent(turns), {"configurable": {"thread_id": "a"}}
    context = CaptureContext(channel="chat")
    result = await graph.ainvoke({"messages": [HumanMessage("hi")]}, config, context=context)
    for words in ("kim.lee@example.com", "yes", "312 555 0119", "yes"):
        sent = {"messages": [HumanMessage(words)]} if turns == "message" else Command(resume=words)
        result = await graph.ainvoke(sent, config, context=context)
    assert result["booked"] == WANT


def test_served_input_is_messages_only_and_embedded_takes_records(capture, sealer):
    served, embedded = capture("email"), capture("email", embedded=True, checkpointer=None)
    assert set(served.get_input_jsonschema()["properties"]) == {"messages"}
    assert set(embedded.get_input_jsonschema()["properties"]) == {"messages", "captures"}
    assert set(served.get_output_jsonschema()["properties"]) == {"messages", "captures"}


def test_a_parents_older_copy_changes_nothing(sealer, talk):
    """The parent passes its own copy of the records down at every turn; an older one never wins."""
    capture = build_capture_graph(FIELDS[:1], embedded=True, sealer=sealer, highwater=MemoryHighWater())
    old: dict[str, Any] = {}

    def meddle(state):
        old.setdefault("captures", state.get("captures"))
        return {"captures": old["captures"]} if old["captures"] else {}

    builder = StateGraph(Parent, context_schema=CaptureContext)
    builder.add_node("meddle", meddle)
    builder.add_node("capture", capture)
    builder.add_edge(START, "meddle")
    builder.add_edge("meddle", "capture")
    user = talk(builder.compile(checkpointer=InMemorySaver()), channel="chat")
    user.send(None)
    old.clear()
    assert user.send("kim.lee@example.com", "yes")["email"]["status"] == "CONFIRMED"
    assert user.send("hello?")["email"]["status"] == "CONFIRMED"


def nested(capture):
    builder = StateGraph(Parent, context_schema=CaptureContext)
    builder.add_node("capture", capture)
    builder.add_edge(START, "capture")
    return builder.compile(checkpointer=InMemorySaver())


def test_without_memory_of_its_own_it_says_so(capture, talk):
    """A sub-graph that forgets would ask the same question for ever."""
    user = talk(nested(capture("email", checkpointer=None)), channel="chat")
    user.send(None)
    with pytest.raises(NestingError, match="embedded=True"):
        user.send("kim.lee@example.com")
    with pytest.raises(ValueError, match="memory of its own"):
        capture("email", embedded=True, checkpointer=False)


def test_two_captures_in_one_parent(capture, talk):
    """Each sees the other's lines in the parent's messages, and neither is confused."""
    builder = StateGraph(Parent, context_schema=CaptureContext)
    builder.add_node("first", capture("email", embedded=True, checkpointer=None))
    builder.add_node("second", capture("phone", embedded=True, checkpointer=None))
    builder.add_edge(START, "first")
    builder.add_conditional_edges(
        "first",
        lambda state: "second" if state["captures"]["email"]["status"] == "CONFIRMED" else END,
        {"second": "second", END: END},
    )
    user = talk(builder.compile(checkpointer=InMemorySaver()), channel="chat")
    user.send(None, "kim.lee@example.com", "yes")
    assert user.acts[-1] == ("ask", "phone")
    records = user.send("312 555 0119", "yes")
    assert records["phone"]["value"] == "+13125550119"
