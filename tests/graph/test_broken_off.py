"""A worker dies between two nodes, and the message comes again: the turn is finished, once, as if nothing had happened.

The death is simulated at every superstep by not letting the run take another one; the trials (``tests/trials``) kill
real processes.
"""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from langgraph_readback.fields import catalogue
from langgraph_readback.graph import CaptureContext, build_capture_graph
from langgraph_readback.handoff import SqlDesk
from langgraph_readback.ports import MemoryHighWater

CHAT = CaptureContext(locale="en-US", channel="chat")
TURNS = {
    "straight": ["kim.lee@example.com", "yes", "+1 312 555 0119", "yes"],
    "denied": ["kim.lee@example.com", "no", "kim.li@example.com", "yes"],
    "corrected": ["kim.lee@example.com", "no, it's kim.li@example.com", "yes"],
    "nonsense": ["what?", "kim at", "kim.lee@example.com", "er", "yes"],
    "person": ["I want to speak to a person", "a person please", "+1 312 555 0119"],
}


@pytest.fixture
def desk(sealer):
    desk = SqlDesk.from_url("memory:", sealer=sealer)
    yield desk
    desk.close()


def told(state):
    """What counts of a thread: status, value, attempts, tickets; and what was said."""
    records = {
        name: (record["status"], record.get("value"), record["attempts"], bool(record.get("ticket")))
        for name, record in state["captures"].items()
    }
    return records, [message.text for message in state["messages"]]


def converse(graph, turns, dies=None):
    """Send the turns. ``dies``: the (turn, steps) at which a run is broken off; then the message comes again."""
    config = {"configurable": {"thread_id": "t"}}
    graph.invoke({"messages": []}, config, context=CHAT)
    for number, text in enumerate(turns):
        given = {"messages": [HumanMessage(text, id=f"m{number}")]}
        if dies and dies[0] == number:
            steps = graph.stream(given, config, context=CHAT, stream_mode="updates", durability="sync")
            for _ in zip(range(dies[1]), steps, strict=False):
                pass
            steps.close()
        graph.invoke(given, config, context=CHAT)
    return told(graph.get_state(config).values)


@pytest.mark.parametrize("name", TURNS)
def test_wherever_a_run_breaks_off_the_same_message_finishes_it(name, sealer, desk):
    def graph():
        fields = [catalogue["email"], catalogue["phone"]]
        ports = {"checkpointer": InMemorySaver(), "sealer": sealer, "highwater": MemoryHighWater(), "desk": desk}
        return build_capture_graph(fields, **ports)

    whole = converse(graph(), TURNS[name])
    for turn in range(len(TURNS[name])):
        for steps in range(1, 4):
            assert converse(graph(), TURNS[name], (turn, steps)) == whole, f"message {turn}, after {steps} nodes"
    handed_off = [record for record in whole[0].values() if record[0] == "HANDOFF"]
    assert len(desk.tickets(None)) == len(handed_off)
