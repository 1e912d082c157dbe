"""Threads pruned, taken back, copied and deleted: the conversation goes on as if nothing had happened."""

from __future__ import annotations

import pytest

from langgraph_readback.fields import catalogue
from langgraph_readback.graph import build_capture_graph
from langgraph_readback.handoff import SqlDesk
from langgraph_readback.ports import MemoryHighWater

CHATTER = ["what time is it?", "thanks a lot"] * 15
"""More than the messages between two whole copies of the channel."""


@pytest.fixture
def desk(store_url, sealer):
    desk = SqlDesk.from_url(store_url, sealer=sealer)
    yield desk
    desk.close()


@pytest.fixture
def conversation(store, sealer, desk, talk):
    fields = [catalogue["email"], catalogue["phone"]]
    graph = build_capture_graph(fields, checkpointer=store, sealer=sealer, highwater=MemoryHighWater(), desk=desk)
    return talk(graph, channel="chat")


def count(store, thread="t"):
    return len(list(store.list({"configurable": {"thread_id": thread}})))


def texts(conversation):
    return [m.text for m in conversation.graph.get_state(conversation.config).values["messages"]]


async def test_a_pruned_thread_keeps_its_state_and_goes_on(conversation, store):
    conversation.send(None, "kim.lee@example.com", "yes", "+1 312 555 0119", "yes", *CHATTER)
    conversation.send("my phone number is +1 312 555 0188")
    before, messages, heard = conversation.captures, texts(conversation), conversation.heard("phone")
    had = count(store)
    await store.aprune(["t", "no such thread"])
    assert texts(conversation) == messages
    assert conversation.graph.get_state(conversation.config).values["captures"] == before
    assert conversation.heard("phone") == heard
    assert count(store) < had / 2
    assert count(store) <= 60, "no more than the writes since the last whole copy"
    once = count(store)
    store.prune(["t"])
    assert count(store) == once, "there is nothing left to prune"
    captures = conversation.send("yes")
    assert captures["phone"]["value"] == "+13125550188"
    assert texts(conversation)[: len(messages)] == messages


def test_a_pruned_thread_that_waits_for_a_person_still_waits(conversation, store, desk):
    conversation.send(None, "I want to speak to a person", "human please")
    assert conversation.interrupt
    store.prune(["t"])
    assert conversation.graph.get_state(conversation.config).interrupts[0].value == conversation.interrupt
    for ticket in desk.tickets():
        desk.resolve(
            ticket["id"],
            kind="value",
            value={"email": "kim.lee@example.com"}.get(ticket["field"], "+13125550119"),
            by="ana",
        )
    captures = conversation.resume("look")
    assert {name: record["status"] for name, record in captures.items()} == {"email": "CONFIRMED", "phone": "CONFIRMED"}


async def test_a_run_taken_back_leaves_no_message(conversation, store):
    """What a rolled-back run was given lies on the checkpoint before it: that goes too."""
    conversation.send(None, "kim.lee@example.com")
    messages, before = texts(conversation), conversation.captures
    conversation.config["metadata"] = {"run_id": "run-1"}
    conversation.send("yes")
    assert conversation.captures["email"]["status"] == "CONFIRMED"
    await store.adelete_for_runs(["run-1", "no such run"])
    del conversation.config["metadata"]
    assert texts(conversation) == messages
    assert conversation.graph.get_state(conversation.config).values["captures"] == before
    captures = conversation.send("no, it's kim.li@example.com", "yes")
    assert captures["email"]["value"] == "kim.li@example.com"
    assert "yes" not in texts(conversation)[len(messages) : len(messages) + 1]


def test_a_resume_taken_back_still_waits(conversation, store, desk):
    conversation.send(None, "I want to speak to a person", "human please")
    asked = conversation.interrupt
    for ticket in desk.tickets():
        desk.resolve(ticket["id"], kind="decline", by="ana")
    conversation.config["metadata"] = {"run_id": "run-1"}
    conversation.resume("look")
    store.delete_for_runs(["run-1"])
    state = conversation.graph.get_state(conversation.config)
    assert [one.value for one in state.interrupts] == [asked]


async def test_a_copied_thread_has_the_state_but_not_the_seals(conversation, store, sealer):
    conversation.send(None, "kim.lee@example.com", "yes")
    await store.acopy_thread("t", "u")
    state = conversation.graph.get_state({"configurable": {"thread_id": "u"}}).values
    assert [m.text for m in state["messages"]] == texts(conversation)
    record = state["captures"]["email"]
    holds = {"field": "email", "value": record["value"], "revision": record["revision"]}
    assert sealer.verify(record["seal"], thread="t", **holds).ok
    assert sealer.verify(record["seal"], thread="u", **holds).code == "other_thread"
    await store.adelete_thread("t")
    assert count(store) == 0
    assert count(store, "u") > 0


@pytest.mark.parametrize(
    ("threads", "strategy", "error"), [("t", "keep_latest", TypeError), (["t"], "newest", ValueError)]
)
def test_a_mistake_is_refused(store, threads, strategy, error):
    with pytest.raises(error, match=r"thread ids|'keep_latest' or 'delete'"):
        store.prune(threads, strategy=strategy)
