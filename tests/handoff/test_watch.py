"""Law 8: what nobody takes, closes or is left to answer raises an alarm, once, wherever it is heard."""

from __future__ import annotations

import asyncio
import logging

import pytest
from langchain_core.messages import HumanMessage

from langgraph_readback.handoff import GraphWaker, SqlDesk
from langgraph_readback.handoff.watch import Watch
from langgraph_readback.sql import engine


class Hook:
    """Keeps what is sent."""

    def __init__(self):
        self.sent = []

    def send(self, kind, text, data):
        self.sent.append((kind, text, dict(data)))
        return True


def kinds(alarms):
    return sorted(alarm["kind"] for alarm in alarms)


@pytest.mark.parametrize(
    ("after", "claimed", "standing"),
    [
        (0, False, []),
        (61, False, ["unclaimed"]),
        (899, True, []),
        (901, True, ["overdue"]),
        (901, False, ["overdue", "unclaimed"]),
        (1801, False, ["escalated", "overdue", "unclaimed"]),
    ],
)
def test_alarms_of_a_ticket(queue, ticket, clock, after, claimed, standing):
    queue.file(ticket())
    if claimed:
        queue.claim("rb-1", "ana", lease=10_000)
    clock.pass_(after)
    queue.here("bo")
    watch = Watch(queue)
    assert kinds(watch.round()["raised"]) == standing
    again = watch.round()
    assert (kinds(again["raised"]), kinds(again["standing"])) == ([], standing)
    assert [e["note"] for e in queue.trail("rb-1") if e["what"] == "alarm"] == [
        kind for kind in ("unclaimed", "overdue", "escalated") if kind in standing
    ]  # fmt: skip


def test_a_late_ticket_becomes_more_urgent(queue, ticket, clock):
    queue.file(ticket("rb-1"))
    queue.file(ticket("rb-2", thread="u", due_in=10_000.0))
    clock.pass_(901)
    Watch(queue).round()
    assert [(row["id"], row["priority"]) for row in queue.search()] == [("rb-1", 1), ("rb-2", 0)]


def test_a_closed_ticket_alarms_nobody(queue, ticket, clock):
    queue.file(ticket())
    clock.pass_(2000)
    queue.resolve("rb-1", kind="decline", by="ana")
    queue.answer("rb-1", 1)
    assert Watch(queue).round()["standing"] == []


def test_a_desk_with_nobody_on_it(queue, ticket, clock):
    watch = Watch(queue, unclaimed_after=10_000)
    assert watch.round()["standing"] == []
    queue.file(ticket(due_in=10_000.0))
    assert kinds(watch.round()["raised"]) == ["nobody"]
    assert (kinds(watch.round()["raised"]), kinds(watch.round()["standing"])) == ([], ["nobody"])
    clock.pass_(301)
    assert kinds(watch.round()["raised"]) == ["nobody"]
    queue.here("ana")
    assert watch.round()["standing"] == []


def test_a_user_who_hung_up(waiting, queue):
    waiting.send(HumanMessage("", additional_kwargs={"readback": {"event": "hangup"}}))
    watch = Watch(queue)
    [alarm] = watch.round()["raised"]
    assert (alarm["kind"], alarm["text"].endswith("was left by its user (hangup)")) == ("orphaned", True)
    assert watch.round()["raised"] == []


def test_a_conversation_that_is_gone(waiting, queue, ticket):
    queue.file(ticket("rb-lost", thread="deleted"))
    queue.here("ana")
    found = Watch(queue, waker=GraphWaker(waiting.graph)).round()
    assert [(alarm["kind"], alarm["ticket"]) for alarm in found["raised"]] == [("orphaned", "rb-lost")]
    assert {row["id"]: row["status"] for row in queue.search(status=None)}["rb-lost"] == "EXPIRED"
    assert len(queue.search()) == 1


def test_an_answer_that_nobody_reads(queue, ticket, clock):
    queue.file(ticket())
    queue.resolve("rb-1", kind="value", value="kim.lee@example.com", by="ana")
    watch = Watch(queue)
    assert watch.round()["standing"] == []
    clock.pass_(61)
    [alarm] = watch.round()["raised"]
    assert alarm["kind"] == "unread"
    assert "kim" not in str(alarm)


def test_a_round_wakes_and_sweeps(waiting, queue, ticket, clock):
    [row] = queue.search()
    queue.resolve(row["id"], kind="value", value="kim.lee@example.com", by="ana")
    queue.file(ticket("rb-held", thread="t"))
    queue.claim("rb-held", "bo")
    clock.pass_(121)
    found = Watch(queue, waker=GraphWaker(waiting.graph)).round()
    assert (found["woken"], found["lapsed"]) == ({row["id"]: "resumed"}, ["rb-held"])


def test_heard_in_the_log_and_at_the_webhook(queue, ticket, clock, caplog):
    queue.file(ticket())
    queue.here("ana")
    clock.pass_(90)
    hook = Hook()
    with caplog.at_level(logging.WARNING, "langgraph_readback.handoff"):
        Watch(queue, webhook=hook).round()
    text = "ticket rb-1 (email address) was filed 1 min 30 s ago, and nobody took it"
    assert [record.message for record in caplog.records] == [f"unclaimed: {text}"]
    [(kind, said, data)] = hook.sent
    assert (kind, said, data["ticket"], data["seconds"]) == ("ticket.unclaimed", text, "rb-1", 90)
    assert "blue" not in str(hook.sent) + caplog.text


def test_two_watchers_raise_an_alarm_once(store_url, sealer, ticket, clock):
    desks = [SqlDesk(engine(store_url), sealer, clock=clock) for _ in range(1 if store_url == "memory:" else 2)]
    desks[0].file(ticket())
    clock.pass_(61)
    desks[0].here("ana")
    raised = [alarm for _ in range(2) for desk in desks for alarm in Watch(desk).round()["raised"]]
    assert kinds(raised) == ["unclaimed"]
    for desk in desks:
        desk.close()


def test_a_watch_outlives_what_fails(queue, caplog):
    class Broken:
        def wake(self, sleeper, *, inherited):
            raise AssertionError

        def exists(self, thread):
            raise AssertionError

    rounds, stops = [], iter([False, False, True])
    queue.close()
    watch = Watch(queue)
    watch.round = lambda: 1 / 0
    watch.run(every=0.1, wait=lambda _: next(stops), each=rounds.append)
    assert (rounds, caplog.text.count("could not look (ZeroDivisionError)")) == ([], 3)


async def test_watched_in_the_background_of_a_server(waiting, queue):
    [row] = queue.search()
    queue.resolve(row["id"], kind="value", value="kim.lee@example.com", by="ana")
    inner = GraphWaker(waiting.graph)

    class Awaited:
        async def wake(self, sleeper, *, inherited):
            return inner.wake(sleeper, inherited=inherited)

    task = asyncio.create_task(Watch(queue).arun(0.01, waker=Awaited()))
    for _ in range(500):
        if queue.sleeper(row["id"]) is None:
            break
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [e["what"] for e in queue.trail(row["id"])][-1] == "resumed"
