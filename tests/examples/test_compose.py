"""examples/compose: each runs as it is; no model of a parent sees a value; who waits for a human has been told so."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest
from langgraph.types import Command

from langgraph_readback.context import CaptureContext
from langgraph_readback.handoff import SqlDesk
from langgraph_readback.ports import MemoryHighWater
from langgraph_readback.tools import Ledger

sys.path.insert(0, str(Path(__file__).parents[2]))
from examples.compose import agent, livekit_text, parent, supervisor, swarm
from examples.compose.scripted import ScriptedModel

EMAIL, ORDER = "kim.lee@example.com", "HL-204117"
SHOWN = re.compile(r"kim\W*lee|k\W+i\W+m\W+|example\W*(dot\W*)?com|2\W*0\W*4\W*1\W*1\W*7|two oh four", re.IGNORECASE)
"""The values, spelled forms and digits, as a request would hold them."""


@pytest.fixture(autouse=True)
def no_unknown_channel():
    """langgraph-supervisor's hand-over writes its agent's ``remaining_steps`` to its outer graph, which warns."""


@pytest.fixture
def desk(sealer, tmp_path):
    desk = SqlDesk.from_url(f"sqlite:///{tmp_path}/desk.db", sealer=sealer)
    yield desk
    desk.close()


@pytest.fixture
def ports(desk, sealer):
    """What every graph but the agent takes."""
    return {"desk": desk, "sealer": sealer, "highwater": MemoryHighWater()}


RUNS = [
    (parent, "Booked. (I saw: <answer about email> <email confirmed>)", 2),
    (supervisor, "Thank you, noted. (I saw: <email confirmed>)", 1),
    (swarm, "The offer is on its way. (I saw: <email confirmed>)", 1),
    (agent, "The shop says: done: R-", 1),
    (livekit_text, "that's everything", 1),
]


@pytest.mark.parametrize(("example", "last", "times"), RUNS, ids=lambda x: getattr(x, "__name__", ""))
def test_it_runs(example, last, times, capsys):
    example.main()
    assert capsys.readouterr().out.count(last) == times


class Call:
    """One conversation with a graph whose parent has a recording model; ``blocking``: answers are resumes."""

    def __init__(self, graph, model, *, blocking=False):
        self.graph, self.model, self.blocking = graph, model, blocking
        self.config, self.state = {"configurable": {"thread_id": "t"}}, {}

    def say(self, *turns):
        for words in turns:
            waits = self.blocking and self.state.get("__interrupt__")
            self.state = self.graph.invoke(
                Command(resume=words) if waits else {"messages": [("user", words)]}, self.config
            )

    def wake(self):
        self.state = self.graph.invoke(Command(resume={"ticket": self.ticket}), self.config)

    @property
    def payload(self):
        return self.state["__interrupt__"][0].value

    @property
    def ticket(self):
        return self.payload["tickets"][0]["ticket"]

    @property
    def seen(self):
        return repr(self.model.requests)


def built(name, ports):
    """A call with each kind of parent."""
    if name == "agent":
        model = ScriptedModel(script=agent.script)
        options = {"desk": ports["desk"], "sealer": ports["sealer"], "ledger": Ledger.from_url()}
        return Call(agent.build(model, **options), model)
    script = {"supervisor": supervisor.script, "swarm": swarm.script}.get(name, lambda _: "Booked.")
    model = ScriptedModel(script=script)
    if name.startswith("parent"):
        turns = name.removeprefix("parent-")
        return Call(parent.build(model, turns=turns, **ports), model, blocking=turns == "interrupt")
    module = {"supervisor": supervisor, "swarm": swarm}[name]
    return Call(module.build(model, **ports), model, blocking=name == "supervisor")


PARENTS = ["parent-message", "parent-interrupt", "supervisor", "swarm", "agent"]
AGAIN = {"agent": ("h l, two oh four, one one seven", "yes")}


@pytest.mark.parametrize("name", PARENTS)
@pytest.mark.parametrize(
    "turns",
    [
        ("hello", EMAIL, "yes"),
        ("hello", "k i m dot l e e at example dot com", "no", EMAIL, "yes"),
        (f"hello, I'm at {EMAIL}", "hm", "yes"),
    ],
    ids=["typed", "spelled", "volunteered"],
)
def test_no_model_of_a_parent_sees_a_value(name, turns, ports):
    call = built(name, ports)
    call.say(*turns, *AGAIN.get(name, ()))
    if call.state["captures"]["email"]["status"] != "CONFIRMED":  # who was asked anew, since nothing was offered
        call.say(EMAIL, "yes")
    assert call.state["captures"]["email"]["value"] == EMAIL
    assert call.model.requests
    assert not SHOWN.search(call.seen), SHOWN.search(call.seen)


@pytest.mark.parametrize("name", PARENTS)
def test_a_hand_off_is_told_before_it_is_answered(name, ports, desk):
    call = built(name, ports)
    call.say("hello", "a person please", *AGAIN.get(name, ()))
    assert "colleague" in " ".join(call.payload["told"])
    before = len(call.model.requests)
    if not call.blocking:  # a message meanwhile is answered, and leaves the ticket open
        call.say("is it done?")
        assert call.payload["told"]
    desk.resolve(call.ticket, kind="value", value=EMAIL, by="ana")
    call.wake()
    assert call.state["captures"]["email"]["by"] == "human:ana"
    assert len(call.model.requests) > before
    assert not SHOWN.search(call.seen), SHOWN.search(call.seen)


# -- LiveKit


def spoken(graph, *turns):
    llm = livekit_text.ReadbackLLM(graph, thread="t", context=CaptureContext(locale="en-US", channel="voice"))
    return asyncio.run(livekit_text.talk(llm, *turns))


def test_livekit_says_the_hand_off(ports):
    said = spoken(livekit_text.build(**ports), "hello", "a person please")
    assert "colleague" in said[-1]


def test_livekit_a_yes_into_a_read_back_is_no_yes(ports):
    """The read-back was cut off: the history says so, and the loop reads back again."""

    class Cut(livekit_text.ReadbackLLM):
        def chat(self, *, chat_ctx, **options):
            lines = [m for m in chat_ctx.messages() if m.role == "assistant"]
            if len(lines) == 2:
                lines[-1].interrupted = True
            return super().chat(chat_ctx=chat_ctx, **options)

    graph = livekit_text.build(**ports)
    llm = Cut(graph, thread="t", context=CaptureContext(locale="en-US", channel="voice"))
    said = asyncio.run(livekit_text.talk(llm, "hello", "kim dot lee at example dot com", "yes", "yes"))
    assert "K, I, M" in said[2]
    assert graph.get_state({"configurable": {"thread_id": "t"}}).values["captures"]["email"]["status"] == "CONFIRMED"
