"""What LangSmith gets of a conversation: names, codes and counts; never a value, nor what was said (law 6).

Real graphs, the real langsmith client, and a stand-in for LangSmith that keeps every byte.
"""

from __future__ import annotations

import logging
import re
import sys
from dataclasses import replace
from pathlib import Path

import langsmith
import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langsmith import run_trees
from langsmith.utils import get_env_var

from langgraph_readback import summary, tracing
from langgraph_readback.fields import catalogue, speak
from langgraph_readback.graph import build_agent
from langgraph_readback.tools import Receipt, gated
from langgraph_readback.tracing import MaskedClient, mask

sys.path.insert(0, str(Path(__file__).parents[1]))
from collector import Collector

EMAIL = catalogue["email"]
ORDER = replace(catalogue["id"], name="order_id", label="order number", pattern=r"HL-\d{9}")  # longer than a clock's
VALUES = {"email": "rae.oneill@example.com", "order_id": "HL-204815937"}
SAID = [
    "I want a refund",
    "r a e dot o n e i l l at example dot com",
    "yes",
    "h l two oh four eight one five nine three seven",
    "yes",
]
FORMS = [
    *VALUES.values(), "oneill", "o n e i l l", "example", "204815937", "204 815 937", "two oh four", "2 0 4",
    "two zero four", *SAID, speak(EMAIL, VALUES["email"]), speak(ORDER, VALUES["order_id"]), "N for", "Romeo",
]  # fmt: skip


def found(collector, forms=FORMS):
    """The forms that occur in what was received, whatever their case and separators."""
    text = collector.bytes.decode("utf-8", "replace").lower()
    bare = re.sub(r"[\s,.]+", " ", text)
    return [form for form in forms if form.lower() in text or re.sub(r"[\s,.]+", " ", form.lower()) in bare]


def flush():
    client = run_trees._CLIENT
    if client is not None:
        client.flush()


@pytest.fixture
def fresh(monkeypatch):
    """A process that has not traced yet."""
    monkeypatch.setattr(run_trees, "_CLIENT", None)
    get_env_var.cache_clear()
    yield
    get_env_var.cache_clear()


def close(collector):
    """The client first: it sends what it still has."""
    client = run_trees._CLIENT
    if isinstance(client, MaskedClient) and client._client is not None:
        client.cleanup()
    collector.close()


@pytest.fixture(params=[True, False], ids=["multipart", "batch"])
def smith(fresh, monkeypatch, request):
    collector = Collector(multipart=request.param)
    for name, value in collector.env.items():
        monkeypatch.setenv(name, value)
    yield collector
    close(collector)


@pytest.fixture
def agent(sealer):
    ran = []

    @gated(EMAIL, ORDER)
    def refund(email: str, order_id: str) -> Receipt:
        """Refund an order."""
        ran.append({"email": email, "order_id": order_id})
        return Receipt(text="refunded")

    def make(**ports):
        ports = {"checkpointer": InMemorySaver(), "sealer": sealer, "actions": [refund]} | ports
        return build_agent([EMAIL, ORDER], **ports)

    make.ran = ran
    return make


def refunded(agent, **config):
    graph = agent()
    for words in SAID:
        graph.invoke({"messages": [HumanMessage(words)]}, {"configurable": {"thread_id": "t"}, **config})
    assert agent.ran == [VALUES]
    flush()


def test_a_refund_leaves_no_byte_of_the_values(smith, agent):
    refunded(agent)
    smith.wait("agent", len(SAID))
    assert found(smith) == []
    ways = {True: ("POST", "/runs/multipart"), False: ("POST", "/runs/batch")}
    assert ways[smith.multipart] in smith.paths
    assert ways[not smith.multipart] not in smith.paths


def test_a_control_that_shows_values_is_caught(smith, agent, monkeypatch):
    monkeypatch.setenv(tracing.VALUES_VARIABLE, "1")
    refunded(agent)
    smith.wait("agent", len(SAID))
    assert {*VALUES.values(), *SAID} <= set(found(smith))


async def test_the_same_through_ainvoke(smith, agent):
    graph = agent()
    for words in SAID:
        await graph.ainvoke({"messages": [HumanMessage(words)]}, {"configurable": {"thread_id": "t"}})
    flush()
    smith.wait("agent", len(SAID))
    assert found(smith) == []
    assert [run["extra"]["metadata"]["outcome"] for run in smith.wait("act", 4)] == ["asked", "asked", "done", "done"]


KEYS = ("field", "node", "outcome", "attempts", "reason", "form")


def spans(smith, *names):
    """(run name, its metadata of ours but for seconds), in order."""
    runs = sorted((r for name in names for r in smith.named(name)), key=lambda r: r["dotted_order"])
    return [tuple(r["extra"]["metadata"].get(key) for key in KEYS) for r in runs]


def test_names_and_metadata_say_why_a_capture_failed(smith, capture, talk):
    once = talk(capture("email"), channel="voice")
    once.send(None, "hello", VALUES["email"], "no", "a person please")
    flush()
    smith.wait("capture", 5)
    assert spans(smith, *(f"email.{step}" for step in summary.STEPS)) == [
        ("email", "email.ASK", "ASK", 0, None, "natural"),
        ("email", "email.VALIDATE", "RETRY", 0, None, "natural"),  # "hello" is no attempt
        ("email", "email.RETRY", "ASK", 0, None, "natural"),
        ("email", "email.ASK", "ASK", 0, None, "natural"),
        ("email", "email.VALIDATE", "VALIDATE", 0, None, "natural"),
        ("email", "email.READBACK", "READBACK", 0, None, "natural"),
        ("email", "email.READBACK", "READBACK", 0, None, "natural"),
        ("email", "email.RETRY", "ASK", 1, "no", "groups"),
        ("email", "email.ASK", "ASK", 1, "no", "groups"),
        ("email", "email.VALIDATE", "RETRY", 1, "no", "groups"),
        ("email", "email.RETRY", "HANDOFF", 1, "wanted", "groups"),
        ("email", "email.HANDOFF", "HANDOFF", 1, "wanted", "groups"),
    ]
    assert all(0 < run["extra"]["metadata"]["seconds"] < 5 for run in smith.named("email.VALIDATE"))


def test_inputs_and_outputs_are_shapes(smith, capture, talk):
    talk(capture("email"), channel="chat").send(None, VALUES["email"], "yes")
    flush()
    [asked, heard, done] = smith.wait("capture", 3)
    assert asked["inputs"] == {"messages": {}}
    assert heard["inputs"] == {"messages": {"human": 1}}
    email = {"status": "CONFIRMED", "attempts": 0, "form": "natural", "revision": 1, "verified": "format"}
    assert done["outputs"] == {
        "messages": {"ai": 3, "human": 2},
        "last": {"act": "confirm", "field": "email", "form": "natural"},
        "captures": {"email": email},
    }
    assert [run["outputs"] for run in smith.named("route")][-1] == {"goes_to": "done"}


def test_a_model_in_the_middle(smith, agent):
    model = GenericFakeChatModel(
        messages=iter(
            [AIMessage("", tool_calls=[{"name": "capture_details", "args": {"fields": ["email"]}, "id": "1"}])]
        )
    )
    object.__setattr__(model, "bind_tools", lambda tools: model)
    graph = agent(model=model)
    graph.invoke(
        {"messages": [HumanMessage(f"refund please, my email is {VALUES['email']}")]},
        {"configurable": {"thread_id": "t"}},
    )
    flush()
    smith.wait("agent", 1)
    assert found(smith, [*VALUES.values(), "oneill", "my email is", "refund please"]) == []
    [call] = smith.wait("GenericFakeChatModel", 1)
    assert call["inputs"] == {"messages": {"system": 1, "human": 1}}
    assert call["outputs"] == {"generations": 1, "hidden": 1}


def test_errors_say_their_class_only(smith, capture):
    inner = capture("email", embedded=True, checkpointer=True)

    def broken(state):
        raise ValueError(f"cannot use {state['messages'][-1].text}")

    builder = StateGraph(MessagesState)
    builder.add_node("details", inner)
    builder.add_node("broken", broken)
    builder.add_edge(START, "details")
    builder.add_edge("details", "broken")
    builder.add_edge("broken", END)
    graph = builder.compile(checkpointer=InMemorySaver(), name="parent")
    config = {"configurable": {"thread_id": "t"}}
    with pytest.raises(ValueError, match="cannot use"):
        graph.invoke({"messages": [HumanMessage(VALUES["email"])]}, config)
    flush()
    [run] = smith.wait("parent", 1)
    assert run["error"] == "ValueError"
    assert found(smith) == []


def test_a_hand_off_interrupts_and_says_so(smith, capture, talk):
    talk(capture("email"), channel="chat").send(None, "a person please")
    flush()
    smith.wait("capture", 2)
    [run] = smith.wait("HUMAN", 1)
    assert run["error"] == "GraphInterrupt"
    assert run["extra"]["metadata"]["node"] == "HUMAN"


def test_what_a_client_sends_beside_messages(smith, capture):
    """Metadata, tags and configurable come from the caller; LangGraph copies them into every run."""
    graph = capture("email")
    mask(keep=["tenant", "blue"])
    value = VALUES["email"]
    config = {
        "configurable": {"thread_id": "t", "note": value}, "tags": [value, "blue"],
        "metadata": {"customer": value, value: 1, "field": value, "reason": value, "tenant": "shop-7", "attempts": 204815937},
    }  # fmt: skip
    graph.invoke({"messages": [], "captures": {value: {"status": value, "revision": 1, "step": 1}}}, config)
    flush()
    [run] = smith.wait("capture", 1)
    assert found(smith) == []
    assert run["tags"] == ["blue"]
    assert run["extra"]["metadata"]["tenant"] == "shop-7"


def test_a_client_that_was_configured_is_masked_and_keeps_its_own_rules(smith, capture, talk, caplog):
    own = langsmith.Client(hide_outputs=True)
    langsmith.configure(client=own)
    with caplog.at_level(logging.INFO, "langgraph_readback.tracing"):
        graph = capture("email")
    assert "is masked" in caplog.text
    talk(graph, channel="chat").send(VALUES["email"])
    [run] = smith.wait("capture", 1)
    assert found(smith) == []
    assert (run["inputs"], run["outputs"]) == ({"messages": {"human": 1}}, {})
    assert run_trees._CLIENT.client is own


@pytest.mark.parametrize(("wrap", "caught"), [(MaskedClient, []), (lambda client: client, [VALUES["email"]])])
def test_a_client_passed_to_one_run_is_respected_and_reported(smith, capture, talk, caplog, wrap, caught):
    tracing._warn_once.cache_clear()
    graph = capture("email")
    own = langsmith.Client()
    with langsmith.tracing_context(client=wrap(own), enabled=True):
        talk(graph, channel="chat").send(VALUES["email"])
    own.flush()
    smith.wait("capture", 1)
    assert found(smith, [VALUES["email"]]) == caught
    assert ("without our mask" in caplog.text) == bool(caught)
    own.cleanup()


def test_switched_on_after_the_graph_was_built(fresh, monkeypatch, capture, talk):
    graph = capture("email")
    collector = Collector()
    for name, value in collector.env.items():
        monkeypatch.setenv(name, value)
    get_env_var.cache_clear()
    talk(graph, channel="chat").send(VALUES["email"], "yes")
    flush()
    collector.wait("capture", 2)
    assert found(collector) == []
    close(collector)


def test_off_nothing_is_made_and_nothing_is_sent(fresh, capture, talk):
    talk(capture("email"), channel="chat").send(VALUES["email"], "yes")
    assert run_trees._CLIENT._client is None


def test_masking_twice_is_masking_once(fresh):
    mask(["email"])
    first = run_trees._CLIENT
    mask(["phone"])
    assert run_trees._CLIENT is first


SHAPES = [
    (None, {}),
    ("rae.oneill@example.com", {"hidden": 1}),
    ({"query": "rae"}, {"hidden": 1}),
    ({"input": {"messages": ["rae", ("user", "rae")]}}, {"messages": {"other": 3}}),
    ({"messages": [{"role": "user", "content": "rae"}]}, {"messages": {"human": 1}}),
    ({"messages": [[{"kwargs": {"type": "ai", "content": "rae"}}]]}, {"messages": {"ai": 1}}),
    ({"messages": [{"type": "rae"}]}, {"messages": {"other": 1}}),
    ({"output": "email.ASK"}, {"goes_to": "email.ASK"}),
    ({"output": "rae.ASK"}, {"hidden": 1}),
    ({"output": "email.RAE"}, {"hidden": 1}),
    ({"session": {"floor": "rae", "locale": "rae"}}, {}),
    ({"captures": {"rae": {"status": "ASK"}}}, {"captures": {}}),
    ({"captures": {"email": {"status": "rae", "value": "rae", "attempts": 61412345678, "reason": "R-1"}}}, {"captures": {"email": {}}}),
    ({"captures": {"email": {"status": "RETRY", "reason": "two_values"}}}, {"captures": {"email": {"status": "RETRY", "reason": "two_values"}}}),
    ({"heard": {"email": {"parts": ["r a e"], "rejected": ["rae", "ray"], "value": "rae"}}}, {"captures": {"email": {"parts": 1, "rejected": 2}}}),
    ({"generations": [[{"text": "rae"}]], "llm_output": {"rae": 1}}, {"generations": 1, "hidden": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("data", "shape"), SHAPES, ids=range(len(SHAPES)))
def test_shapes(data, shape):
    summary.known(["email"])
    assert summary.payload(data) == shape


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (None, None),
        ("ValueError('rae.oneill@example.com')\n\nTraceback ...", "ValueError"),
        ("GraphInterrupt((Interrupt(value={'told': 'rae'}),))", "GraphInterrupt"),
        ("1 validation error for Rae", "Error"),
        ("rae.oneill@example.com", "Error"),
        ({"rae": 1}, "Error"),
    ],
)
def test_errors(text, kind):
    assert summary.error(text) == kind


def test_token_counts_stay():
    usage = {"input_tokens": 7, "input_token_details": {"cache_read": 2}, "rae@": 1, "note": "rae"}
    assert summary.metadata({"usage_metadata": usage}) == {
        "usage_metadata": {"input_tokens": 7, "input_token_details": {"cache_read": 2}}
    }
