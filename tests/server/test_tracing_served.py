"""Traces of a served graph: the server's process sends them to a stand-in for LangSmith that keeps every byte."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from langgraph_sdk import get_sync_client

from langgraph_readback.summary import STEPS

sys.path.insert(0, str(Path(__file__).parents[1]))
from collector import Collector

pytestmark = pytest.mark.timeout(300)

EMAIL, ORDER, PHONE = "marguerite.oneill@example.com", "HL-204815", "+61491570156"
OWNER = "rae.oneill@example.com"
AGENT = [f"I want a refund, my email is {OWNER}", "yes", "h l two oh four eight one five", "yes"]
CAPTURE = ["m a r g u e r i t e dot o n e i l l at example dot com", "yes", "oh four nine one five seven oh one five six", "yes"]  # fmt: skip
FORMS = [
    EMAIL, OWNER, ORDER, PHONE, "marguerite", "m a r g", "M, A, R", "oneill", "o n e i l l", "491570156", "491 570 156",
    "0491570156", "0491 570 156", "four nine one", "HL204815", "two oh four", "I want a refund", "my email is",
]  # fmt: skip


def found(collector):
    text = collector.bytes.decode("utf-8", "replace").lower()
    return [form for form in FORMS if form.lower() in text]


def converse(client, graph, turns, **run):
    thread = client.threads.create()["thread_id"]
    for turn in turns:
        given = {"messages": [{"role": "user", "content": turn}]}
        result = client.runs.wait(thread, graph, input=given, context={"locale": "en-AU", "channel": "voice"}, **run)
    return result["captures"]


@pytest.fixture
def smith():
    collector = Collector()
    yield collector
    collector.close()


@pytest.fixture
def serve(make_server, smith, tmp_path_factory):
    """Starts servers that trace, with more environment."""
    running = []

    def start(**env):
        folder = tmp_path_factory.mktemp("traced")
        made = make_server(folder, SHOP_DATABASE=str(folder / "shop.db"), **smith.env, **env)
        running.append(made)
        made.start()
        return made

    yield start
    for made in running:
        made.stop()


def test_a_served_conversation_leaves_no_byte_and_a_control_does(serve, smith):
    made = serve()
    with get_sync_client(url=made.url) as client:
        records = converse(client, "capture", CAPTURE)
        assert (records["email"]["value"], records["phone"]["value"]) == (EMAIL, PHONE)
        records = converse(client, "agent", AGENT, metadata={"note": EMAIL}, config={"tags": [EMAIL]})
        assert (records["email"]["value"], records["order_id"]["value"]) == (OWNER, ORDER)
        given = {"messages": [{"role": "user", "content": EMAIL}]}
        client.runs.wait(
            None, "capture", input=given, config={"configurable": {"who": EMAIL}},
            langsmith_tracing={"project_name": "elsewhere"},  # a project of the run's own: LangSmith's replicas
        )  # fmt: skip
    smith.wait("capture", len(CAPTURE) + 1, 60)
    smith.wait("agent", len(AGENT), 60)
    made.stop()  # sends what is left
    assert found(smith) == []
    assert ("POST", "/runs/multipart") in smith.paths
    assert b"elsewhere" in smith.bytes
    assert {f"email.{step}" for step in STEPS if step not in ("RETRY", "HANDOFF")} <= smith.names
    done = smith.named("phone.CONFIRMED")[-1]["extra"]["metadata"]
    assert [done[key] for key in ("field", "node", "outcome", "attempts", "form", "graph_id")] == [
        "phone", "phone.CONFIRMED", "CONFIRMED", 0, "natural", "capture",
    ]  # fmt: skip
    assert smith.named("act")[-1]["extra"]["metadata"]["outcome"] == "done"

    made = serve(READBACK_TRACE_VALUES="1")
    with get_sync_client(url=made.url) as client:
        converse(client, "capture", CAPTURE[:2])
    smith.wait("capture", len(CAPTURE) + 3, 60)
    made.stop()
    assert {EMAIL, "m a r g", "oneill"} <= set(found(smith))
