"""A desk on every store, with a clock that a test moves; and a conversation that waits for it."""

from __future__ import annotations

import pytest

from langgraph_readback.fields import catalogue
from langgraph_readback.graph import build_capture_graph
from langgraph_readback.handoff import SqlDesk
from langgraph_readback.ports import MemoryHighWater, Ticket
from langgraph_readback.sql import engine


def make_ticket(name="rb-1", revision=1, **more):
    given = {
        "id": name, "thread": "t", "field": "email", "revision": revision, "label": "email address",
        "locale": "en-US", "reason": "attempts", "channel": "chat",
        "attempts": [{"utterance": "blue sky", "value": "blue@sky.example", "reason": "no", "form": "natural"}],
        "conversation": [
            {"who": "agent", "text": "What is your email address?", "act": "ask", "field": "email"},
            {"who": "user", "text": "blue sky"},
            {"who": "agent", "text": "I have blue@sky.example.", "act": "readback", "field": "email"},
        ],
    }  # fmt: skip
    return Ticket(**{**given, **more})


@pytest.fixture
def ticket():
    """Makes tickets: ``ticket("rb-2", field="phone")``."""
    return make_ticket


@pytest.fixture
def queue(sealer, clock):
    """A desk in memory, for what does not depend on the store."""
    desk = SqlDesk(engine("memory:"), sealer, clock=clock)
    yield desk
    desk.close()


@pytest.fixture
def desk(store_url, sealer, clock):
    """A desk on each kind of store."""
    desk = SqlDesk(engine(store_url), sealer, clock=clock)
    yield desk
    desk.close()


@pytest.fixture
def waiting(queue, sealer, talk):
    """A chat whose email went to the desk, all else captured: it waits for a person."""
    from langgraph.checkpoint.memory import InMemorySaver

    specs = [catalogue["email"], catalogue["phone"]]
    graph = build_capture_graph(
        specs, checkpointer=InMemorySaver(), sealer=sealer, highwater=MemoryHighWater(), desk=queue
    )
    user = talk(graph, channel="chat")
    user.send(None, "blue sky", "green grass", "red door", "312 555 0119", "yes")
    return user


@pytest.fixture
def callback(queue, ticket, clock):
    """Files a call that Rae wants in an hour, about a ticket of the same conversation. Gives its id."""
    queue.file(ticket("rb-about"))
    wish = {
        "name": "Rae Lee", "phone": "+13125550119", "time": "07:00", "zone": "America/Chicago",
        "at": clock() + 3600, "about": ["rb-about"],
    }  # fmt: skip
    more = {"field": "call-back", "label": "callback", "reason": "callback", "attempts": [], "conversation": []}
    queue.file({**ticket("rb-call", **more, due_in=3600.0), "callback": wish})
    return "rb-call"
