"""``Command(resume=None)``: LangGraph stumbles over it before any of ours runs. The thread must not be the worse for it."""

from __future__ import annotations

import pytest

from langgraph_readback.fields import catalogue
from langgraph_readback.graph import build_capture_graph
from langgraph_readback.handoff import SqlDesk
from langgraph_readback.sql import engine


@pytest.fixture
def desk(sealer):
    desk = SqlDesk(engine("memory:"), sealer)
    yield desk
    desk.close()


@pytest.fixture
def graph(store, sealer, desk):
    return build_capture_graph([catalogue["email"]], checkpointer=store, sealer=sealer, desk=desk)


def test_it_is_refused_and_leaves_no_trace(graph, talk, desk):
    """While a colleague is waited for; then a message, and the desk's answer."""
    user = talk(graph, channel="chat")
    user.send(None, "a person please")
    [ticket] = [t["ticket"] for t in user.interrupt["tickets"]]
    before = graph.get_state(user.config)
    for _ in range(2):
        with pytest.raises(UnboundLocalError, match="resume_is_map"):  # LangGraph 1.2: a slip of its own
            user.resume(None)
    after = graph.get_state(user.config)
    assert (after.values, after.next, after.config) == (before.values, before.next, before.config)
    assert user.send("is it done?")["email"]["status"] == "HANDOFF"
    assert user.interrupt["tickets"][0]["ticket"] == ticket
    desk.resolve(ticket, kind="value", value="kim.lee@example.com", by="ana")
    record = user.resume({"ticket": ticket})["email"]
    assert (record["status"], record["value"], record["by"]) == ("CONFIRMED", "kim.lee@example.com", "human:ana")


def test_it_is_refused_in_the_middle_of_a_capture(graph, talk):
    user = talk(graph, channel="chat")
    user.send(None, "kim.lee@example.com")
    with pytest.raises(UnboundLocalError, match="resume_is_map"):  # LangGraph 1.2: a slip of its own
        user.resume(None)
    assert user.send("yes")["email"]["value"] == "kim.lee@example.com"
