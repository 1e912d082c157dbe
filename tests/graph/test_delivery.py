"""A server that died delivers a run again, its messages without ids: nothing is taken twice, and nothing is lost."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from langgraph_readback.fields import catalogue
from langgraph_readback.graph import CaptureContext, build_agent
from langgraph_readback.nodes.delivery import Delivery

CHAT = CaptureContext(locale="en-US", channel="chat")


class Served:
    """A graph run as LangGraph server runs it: each run has an id, and may be tried again."""

    def __init__(self, graph):
        self.graph, self.at, self.result = graph, 0, {}

    def config(self, at, attempt=1):
        return {"configurable": {"thread_id": "t", "run_id": f"run-{at}"}, "metadata": {"run_attempt": attempt}}

    def say(self, text):
        self.at += 1
        return self.deliver(text, self.at)

    def deliver(self, text, at, attempt=1):
        """Run number ``at``, for the first time or again."""
        given = {"messages": [HumanMessage(text)] if text is not None else []}
        self.result = self.graph.invoke(given, self.config(at, attempt), context=CHAT)
        return {name: (r["status"], r["value"], r["attempts"]) for name, r in self.result["captures"].items()}

    def dies(self, text, steps):
        """A new run is broken off after some supersteps."""
        self.at += 1
        given = {"messages": [HumanMessage(text)]}
        run = self.graph.stream(given, self.config(self.at), context=CHAT, stream_mode="values", durability="sync")
        for _ in zip(range(steps), run, strict=False):
            pass
        run.close()

    @property
    def last(self):
        return self.result["messages"][-1].text


@pytest.fixture
def served(capture):
    return Served(capture("email", "phone"))


def test_a_yes_of_before_is_no_yes_to_another_value(served):
    """The first value's "yes" comes again while the second value is read back."""
    for turn in (None, "kim.lee@example.com", "yes", "+1 312 555 0119"):
        before = served.say(turn)
    line = served.last
    assert before["phone"] == ("READBACK", None, 0)
    assert served.deliver("yes", 3, attempt=2) == before
    assert served.deliver("yes", 3) == before  # the server's count of attempts may be lost as well
    assert [m.text for m in served.result["messages"] if m.type == "ai"][-1] == line
    assert served.say("yes")["phone"] == ("CONFIRMED", "+13125550119", 0)


def test_the_same_words_in_a_new_run_count(served):
    for turn in (None, "kim.lee@example.com", "yes", "+1 312 555 0119", "yes"):
        records = served.say(turn)
    assert [r[0] for r in records.values()] == ["CONFIRMED", "CONFIRMED"]


def test_a_failed_attempt_is_counted_once(served):
    served.say(None)
    first = served.say("blue sky")
    assert first["email"] == ("ASK", None, 1)
    said = len([m for m in served.result["messages"] if m.type == "ai"])
    assert served.deliver("blue sky", 2, attempt=2) == first
    assert len([m for m in served.result["messages"] if m.type == "ai"]) == said
    assert served.say("blue moon")["email"] == ("ASK", None, 2)


@pytest.mark.parametrize("steps", range(1, 5))
def test_a_run_that_died_is_finished_by_its_second_try(served, steps):
    """After ``steps`` values of the state: the message is stored, heard, read back."""
    served.say(None)
    served.dies("kim.lee@example.com", steps)
    assert served.deliver("kim.lee@example.com", served.at, attempt=2)["email"] == ("READBACK", None, 0)
    assert "kim.lee@example.com" in served.last
    assert served.say("yes")["email"] == ("CONFIRMED", "kim.lee@example.com", 0)


def test_the_agent_is_not_told_twice(sealer):
    graph = Served(
        build_agent([catalogue["email"]], checkpointer=InMemorySaver(), sealer=sealer),
    )
    graph.say("hello")
    lines = [m.text for m in graph.result["messages"] if m.type == "ai"]
    graph.deliver("hello", 1, attempt=2)
    assert [m.text for m in graph.result["messages"] if m.type == "ai"] == lines


@pytest.mark.parametrize(
    ("texts", "attempt", "left"),
    [
        (["a"], 2, ["a"]),
        (["a", "a"], 1, ["a", "a"]),
        (["a", "a"], 2, ["a"]),
        (["a", "b", "a", "b"], 2, ["a", "b"]),
        (["a", "a", "a"], 3, ["a"]),
        (["a", "a", "a"], 2, ["a", "a", "a"]),
        (["a", "b"], 2, ["a", "b"]),
    ],
)
def test_what_is_left_of_messages_that_were_stored_more_than_once(texts, attempt, left):
    assert [m.text for m in Delivery("r", attempt).once([HumanMessage(t) for t in texts])] == left
