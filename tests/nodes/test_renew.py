"""A confirmed value whose seal does not count any more is read back and confirmed anew, not asked for; others are."""

from __future__ import annotations

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from langgraph_readback.ports import MemoryHighWater
from langgraph_readback.seal import Sealer

RAE, EVE = "rae.oneill@example.com", "eve@example.com"


@pytest.fixture
def confirmed(capture, talk):
    """A conversation in which the email is confirmed; the graph's saver and marks."""
    saver, marks = InMemorySaver(), MemoryHighWater()
    call = talk(capture("email", checkpointer=saver, highwater=marks), channel="chat")
    call.send(None, RAE, "yes")
    return call, saver, marks


def goes_on(call, capture, talk, **options):
    """The same thread, with another graph."""
    return talk(capture("email", **options), channel="chat")


def test_a_lost_key(confirmed, capture, talk):
    _, saver, marks = confirmed
    later = talk(
        capture("email", checkpointer=saver, highwater=marks, sealer=Sealer(["another key of the suite"])),
        channel="chat",
    )
    record = later.send("hello again")["email"]
    assert (record["status"], record["value"], record["revision"]) == ("READBACK", None, 2)
    assert RAE in later.said
    record = later.send("yes")["email"]
    assert (record["status"], record["value"], record["attempts"]) == ("CONFIRMED", RAE, 0)
    assert later.send("thanks")["email"]["value"] == RAE


def copied(call, talk, **changed):
    """The thread under another id."""
    values = call.graph.get_state(call.config).values
    record = {**values["captures"]["email"], **changed}
    other = talk(call.graph, thread="copy", channel="chat")
    call.graph.update_state(other.config, {**values, "captures": {"email": record}}, as_node="email.CONFIRMED")
    return other


def test_a_copied_thread(confirmed, talk):
    call, _, _ = confirmed
    other = copied(call, talk)
    assert other.send("hello")["email"]["status"] == "READBACK"
    assert other.send("no, it's lisa@example.com", "yes")["email"]["value"] == "lisa@example.com"


@pytest.mark.parametrize(
    "forged",
    [
        {"value": EVE},
        {"value": EVE, "seal": None},
        {"value": EVE, "seal": "0" * 12 + ".x"},
        {"value": EVE, "seal": "x", "revision": 9, "step": 99},
        {"revision": 9, "step": 99},
    ],
)
def test_what_was_written_into_a_copy_is_asked_for(confirmed, talk, forged):
    other = copied(confirmed[0], talk, **forged)
    record = other.send("hello")["email"]
    assert (record["status"], record["value"]) == ("ASK", None)
    assert EVE not in other.said


def test_what_was_taken_back_is_not_proposed(confirmed, talk):
    """An old checkpoint of the same thread: a newer revision is known."""
    call, _, _ = confirmed
    old = call.graph.get_state(call.config).values["captures"]["email"]
    call.send("my email is wrong, it's lisa@example.com", "yes")
    call.graph.update_state(
        call.config,
        {"captures": {"__overwrite__": {"email": {**old, "seal": old["seal"][:-1]}}}},
        as_node="email.CONFIRMED",
    )
    assert call.send("hello")["email"]["status"] == "ASK"
    assert RAE not in call.said


def test_a_value_of_elsewhere_does_not_come_before_what_was_confirmed_here(confirmed, talk):
    """Genuine in another conversation, older than what this one knows of the field."""
    call, _, _ = confirmed
    elsewhere = call.captures["email"]
    here = talk(call.graph, thread="b", channel="chat")
    here.send(None, "kim.lee@example.com", "yes", "my email is wrong, it's lisa@example.com", "yes")
    call.graph.update_state(
        here.config, {"captures": {"__overwrite__": {"email": elsewhere}}}, as_node="email.CONFIRMED"
    )
    assert here.send("hello")["email"]["status"] == "ASK"
    assert RAE not in here.said
