"""Closing a ticket resumes its conversation: once, by one waker at a time, again after a crash, wherever it runs."""

from __future__ import annotations

import threading
from typing import Annotated, TypedDict

import pytest
from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import StateGraph, add_messages

from langgraph_readback.fields import catalogue
from langgraph_readback.graph import build_capture_graph
from langgraph_readback.handoff import GraphWaker, SqlDesk, awake_due, wake_due
from langgraph_readback.ports import MemoryHighWater
from langgraph_readback.sql import engine


@pytest.fixture
def resolve(queue):
    """Closes the open ticket of a field with a value. Gives its id."""

    def close(field="email", value="kim.lee@example.com"):
        [row] = queue.search(field=field)
        queue.resolve(row["id"], kind="value", value=value, by="ana")
        return row["id"]

    return close


def record(graph, thread="t"):
    return graph.get_state({"configurable": {"thread_id": thread}}).values["captures"]["email"]


def test_woken_once(waiting, queue, resolve):
    waker = GraphWaker(waiting.graph)
    assert wake_due(queue, waker) == {}
    ticket = resolve()
    assert wake_due(queue, waker) == {ticket: "resumed"}
    assert wake_due(queue, waker) == {}
    assert record(waiting.graph)["by"] == "human:ana"
    assert [e["what"] for e in queue.trail(ticket)] == ["filed", "resolved", "taken up", "resumed"]


def test_nobody_is_woken_who_took_the_answer_up_by_a_message(waiting, queue, resolve):
    ticket = resolve()
    waiting.send("hello?")
    assert record(waiting.graph)["status"] == "CONFIRMED"
    assert wake_due(queue, GraphWaker(waiting.graph)) == {ticket: "settled"}


def test_a_conversation_that_still_asks_is_woken_when_it_waits(capture, talk, queue, resolve, clock):
    user = talk(capture("email", "phone", desk=queue), channel="chat")
    user.send(None, "operator")
    ticket = resolve()
    waker = GraphWaker(user.graph)
    assert wake_due(queue, waker) == {ticket: "waiting"}
    assert wake_due(queue, waker) == {}  # not before a while
    user.send("312 555 0119", "yes")
    clock.pass_(2)
    assert wake_due(queue, waker) == {ticket: "resumed"}
    assert record(user.graph)["value"] == "kim.lee@example.com"


def test_two_tickets_of_one_conversation(capture, talk, queue, resolve):
    user = talk(capture("email", "phone", desk=queue), channel="chat")
    user.send(None, "operator", "operator")
    first, second = resolve("phone", "+13125550119"), resolve("email")
    assert wake_due(queue, GraphWaker(user.graph)) == {first: "resumed", second: "settled"}
    user.take(user.graph.invoke({"messages": []}, user.config))
    assert {name: r["status"] for name, r in user.captures.items()} == {"email": "CONFIRMED", "phone": "CONFIRMED"}
    assert user.interrupt is None


def test_a_conversation_that_does_not_exist(queue, ticket, capture):
    queue.file(ticket(thread="nobody"))
    queue.resolve("rb-1", kind="decline", by="ana")
    assert wake_due(queue, GraphWaker(capture("email"))) == {"rb-1": "gone"}


def test_what_fails_is_tried_again_later_and_quotes_nothing(waiting, queue, resolve, clock, caplog):
    class Broken:
        def wake(self, sleeper, *, inherited):
            raise RuntimeError("kim.lee@example.com is not reachable")

    ticket = resolve()
    for wait in (1, 2, 4, 8):
        assert wake_due(queue, Broken()) == {ticket: "failed"}
        clock.pass_(wait - 0.5)
        assert wake_due(queue, Broken()) == {}
        clock.pass_(0.5)
    assert "kim.lee" not in caplog.text
    assert "RuntimeError" in caplog.text
    assert wake_due(queue, GraphWaker(waiting.graph)) == {ticket: "resumed"}


def test_a_run_that_died_half_way_goes_on(waiting, queue, resolve, clock, monkeypatch):
    """The waker is killed after HUMAN took the answer and before it was confirmed."""
    ticket = resolve()
    [sleeper] = queue.sleepers()
    assert queue.begin_wake(sleeper["thread"], "the dead") == "mine"
    from langgraph.types import Command

    for _ in waiting.graph.stream(Command(resume={"ticket": ticket}), waiting.config, interrupt_after=["HUMAN"]):
        pass
    assert record(waiting.graph)["status"] != "CONFIRMED"
    assert wake_due(queue, GraphWaker(waiting.graph)) == {}
    clock.pass_(121)
    assert wake_due(queue, GraphWaker(waiting.graph)) == {ticket: "resumed"}
    assert record(waiting.graph)["status"] == "CONFIRMED"


def test_who_lives_keeps_the_lease(waiting, queue, resolve, clock):
    """A run that takes longer than the lease is not taken over, however long it takes."""
    ticket, beaten, others = resolve(), threading.Event(), []
    keep = queue.keep_wake

    def kept(*args, **options):
        keep(*args, **options)
        beaten.set()

    queue.keep_wake = kept

    class Slow:
        def wake(self, sleeper, *, inherited):
            for _ in range(3):
                clock.pass_(0.09)
                beaten.clear()
                assert beaten.wait(10)
                others.append(wake_due(queue, GraphWaker(waiting.graph), lease=0.1))
            return GraphWaker(waiting.graph).wake(sleeper, inherited=inherited)

    assert wake_due(queue, Slow(), lease=0.1) == {ticket: "resumed"}
    assert others == [{}, {}, {}]


def test_a_slow_waker_that_was_taken_over_and_dies(waiting, queue, resolve, clock):
    """What it wrote over the end of the other's run is found half-way at the second look, and gone on with."""
    from langgraph.types import Command

    ticket = resolve()
    [sleeper] = queue.sleepers()
    assert queue.begin_wake(sleeper["thread"], "the slow one") == "mine"
    before = waiting.graph.get_state(waiting.config).config  # where it has begun
    clock.pass_(121)
    assert wake_due(queue, GraphWaker(waiting.graph)) == {ticket: "resumed"}
    for _ in waiting.graph.stream(Command(resume={"ticket": ticket}), before, interrupt_after=["HUMAN"]):
        pass  # and killed
    assert record(waiting.graph)["status"] != "CONFIRMED"
    assert wake_due(queue, GraphWaker(waiting.graph)) == {}
    clock.pass_(121)
    assert wake_due(queue, GraphWaker(waiting.graph)) == {ticket: "resumed"}
    assert record(waiting.graph)["status"] == "CONFIRMED"
    clock.pass_(121)
    assert wake_due(queue, GraphWaker(waiting.graph)) == {ticket: "settled"}
    clock.pass_(1000)
    assert wake_due(queue, GraphWaker(waiting.graph)) == {}


def test_many_wakers_at_once_wake_each_conversation_once(store_url, sealer, ticket):
    desks = [SqlDesk(engine(store_url), sealer) for _ in range(1 if store_url == "memory:" else 6)]
    names = [f"rb-{n}" for n in range(10)]
    for name in names:
        desks[0].file(ticket(name, thread=f"thread of {name}"))
        desks[0].resolve(name, kind="decline", by="ana")
    woken, start = [], threading.Barrier(6)

    class Counts:
        def wake(self, sleeper, *, inherited):
            woken.append(sleeper["ticket"])
            return "resumed"

    def work(number):
        start.wait()
        wake_due(desks[number % len(desks)], Counts())

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(woken) == sorted(names)
    for desk in desks:
        desk.close()


async def test_awaited(waiting, queue, resolve):
    inner = GraphWaker(waiting.graph)

    class Awaited:
        async def wake(self, sleeper, *, inherited):
            return inner.wake(sleeper, inherited=inherited)

    ticket = resolve()
    assert await awake_due(queue, Awaited()) == {ticket: "resumed"}
    assert await awake_due(queue, Awaited()) == {}


def test_embedded_in_a_parent(sealer, queue, resolve):
    """The interrupt is the parent's; so is the resume."""

    class Parent(TypedDict):
        messages: Annotated[list[AnyMessage], add_messages]
        captures: dict

    inner = build_capture_graph(
        [catalogue["email"]], embedded=True, sealer=sealer, highwater=MemoryHighWater(), desk=queue
    )
    builder = StateGraph(Parent)
    builder.add_node("capture", inner)
    builder.set_entry_point("capture")
    graph = builder.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "parent-1"}}
    for turn in ([], [HumanMessage("operator")]):
        graph.invoke({"messages": turn}, config)
    ticket = resolve()
    assert wake_due(queue, GraphWaker(graph)) == {ticket: "resumed"}
    assert graph.get_state(config).values["captures"]["email"]["value"] == "kim.lee@example.com"


def test_a_waker_that_lost_its_lease_says_nothing(waiting, queue, resolve, clock):
    ticket = resolve()
    [sleeper] = queue.sleepers()
    assert queue.begin_wake(sleeper["thread"], "slow", lease=10) == "mine"
    clock.pass_(11)
    assert queue.begin_wake(sleeper["thread"], "other") == "inherited"
    queue.end_wake(sleeper["thread"], "slow", ticket, "resumed")
    assert queue.sleeper(ticket) is not None
    queue.end_wake(sleeper["thread"], "other", ticket, "settled")
    assert queue.sleeper(ticket) is None
    assert [e["what"] for e in queue.trail(ticket)] == ["filed", "resolved", "settled"]


def test_a_run_that_stops_half_way_is_no_success(waiting, queue, resolve, clock):
    """Its graph interrupts itself after HUMAN: the next waker takes the run up."""

    class Stops(GraphWaker):
        def wake(self, sleeper, *, inherited):
            self._graph.interrupt_after_nodes = ["HUMAN"]
            try:
                return super().wake(sleeper, inherited=inherited)
            finally:
                self._graph.interrupt_after_nodes = []

    ticket = resolve()
    assert wake_due(queue, Stops(waiting.graph)) == {ticket: "failed"}
    clock.pass_(2)
    assert wake_due(queue, GraphWaker(waiting.graph)) == {ticket: "resumed"}
    assert record(waiting.graph)["status"] == "CONFIRMED"


def test_one_of_two_answers_taken_up_by_a_message(capture, talk, queue, resolve):
    """The conversation waits for its other ticket; for this one it needs no waking."""
    user = talk(capture("email", "phone", desk=queue), channel="chat")
    user.send(None, "operator", "operator")
    ticket = resolve("email")
    user.send("hello?")
    assert user.captures["email"]["status"] == "CONFIRMED"
    assert [one["field"] for one in user.interrupt["tickets"]] == ["phone"]
    assert wake_due(queue, GraphWaker(user.graph)) == {ticket: "settled"}
