"""A call as a way out: name, number and time by the same loop, a ticket with a due time, and the conversation goes on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from langgraph_readback.context import CaptureContext
from langgraph_readback.errors import TicketClosedError, TicketError, TicketTakenError
from langgraph_readback.fields import catalogue, hear
from langgraph_readback.handoff import GraphWaker, wake_due
from langgraph_readback.handoff.exits.callback import FIELDS, due_at, way_out, with_callback, zone_of
from langgraph_readback.handoff.exits.links import _table
from langgraph_readback.handoff.watch import Watch
from langgraph_readback.ports import MemoryHighWater

NOON = 1_796_126_400.0  # 2026-12-01 12:00 UTC, where the clock begins
HALF_PAST_THREE = NOON + 9.5 * 3600  # in Chicago
PERSON = {
    "en": "a person please", "de": "ein Mensch bitte", "es": "una persona por favor", "fr": "un conseiller s'il vous plaît",
    "it": "un operatore per favore", "pt": "um atendente por favor", "hi": "किसी इंसान से बात कराइए", "zh": "转人工",
    "ko": "상담원 연결해 주세요",
}  # fmt: skip
CALL = ("312 555 0119", "yes", "half past three in the afternoon", "yes", "Rae Lee", "yes")


@pytest.fixture
def graph(sealer):
    """Makes the graph over a desk: ``graph(desk, saver)``."""

    def make(desk, saver=None, *specs, **options):
        ports = {"checkpointer": saver or InMemorySaver(), "sealer": sealer, "highwater": MemoryHighWater()}
        return with_callback(specs or [catalogue["email"]], desk=desk, **ports, **options)

    return make


def callbacks(desk, **wish):
    return [row for row in desk.search(**wish) if row["field"] == "call-back"]


def test_arranged_seen_made_and_gone_on(desk, store, graph, talk, clock):
    """On every store, from the hand-off to the end of the conversation."""
    made = graph(desk, store)
    user = talk(made, channel="chat")
    user.send(None, "a person please")
    assert callbacks(desk) == []  # nothing is asked for before the user speaks again
    user.send("hello?")
    assert user.acts == [("inform", "callback_phone"), ("ask", "callback_phone")]
    assert user.said.startswith("A colleague can call you back.")
    user.send(*CALL[:2])
    assert user.acts == [("confirm", "callback_phone"), ("ask", "callback_time")]
    assert "everything" not in user.said
    user.send(*CALL[2:])
    [row] = callbacks(desk)
    [other] = [one for one in desk.search() if one is not row and one["field"] == "email"]
    assert (row["due_at"], other["due_at"], row["overdue"]) == (HALF_PAST_THREE, HALF_PAST_THREE, False)
    wish = desk.look(row["id"])["callback"]
    assert (wish["name"], wish["phone"], wish["time"], wish["zone"], wish["about"]) == (
        "••• •••", "+•••••••••••", "15:30", "America/Chicago", [other["id"]],
    )  # fmt: skip
    desk.claim(row["id"], "ana")
    wish = desk.reveal(row["id"], "ana")["callback"]
    assert (wish["name"], wish["phone"]) == ("Rae Lee", "+13125550119")
    desk.called(row["id"], "ana")
    desk.resolve(other["id"], kind="value", value="rae@example.com", by="ana")
    assert wake_due(desk, GraphWaker(made)) == {other["id"]: "resumed"}
    email = made.get_state(user.config).values["captures"]["email"]
    assert (email["status"], email["value"], email["by"]) == ("CONFIRMED", "rae@example.com", "human:ana")
    assert [e["what"] for e in desk.trail(row["id"])] == ["filed", "claimed", "revealed", "resolved"]
    assert desk.search() == []


def test_filed_before_it_is_said(queue, graph, talk):
    """Law 8: a desk that cannot file leaves the user with no promise, and the next run files."""
    made, file = graph(queue), queue.file
    user = talk(made, channel="chat")
    user.send(None, "a person please", "hello?", *CALL[:-1])
    queue.file = lambda _ticket: 1 / 0
    with pytest.raises(ZeroDivisionError):
        user.send("yes")
    assert callbacks(queue) == []
    queue.file = file
    made.invoke(None, user.config)
    assert len(callbacks(queue)) == 1


@pytest.mark.parametrize(
    ("options", "somebody", "offered"),
    [
        (None, True, False),
        (None, False, True),
        ({"way_out": "callback"}, True, True),
        ({"way_out": "desk"}, False, False),
    ],
)
def test_chosen_by_spec_and_by_who_is_there(queue, graph, talk, options, somebody, offered):
    user = talk(graph(queue, None, replace(catalogue["email"], options=options)), channel="chat")
    user.send(None, "a person please")
    if somebody:
        queue.here("ana")
    user.send("hello?")
    assert ("A colleague can call you back" in user.said) is offered
    [row] = queue.search()
    assert way_out(queue.look(row["id"]), somebody) is offered


@pytest.mark.parametrize("locale", ["en-US", "de-DE", "es-ES", "fr-FR", "it-IT", "pt-BR", "hi-IN", "zh-CN", "ko-KR"])
def test_not_wanted(queue, graph, talk, locale):
    """The words that the offer itself suggests end it, in every language; it is not made twice."""
    user = talk(graph(queue), channel="chat", locale=locale)
    user.send(None, PERSON[locale[:2]])
    user.send("12")
    table = _table()[locale[:2]]
    assert user.said.startswith(table["call_lead"].format(no=table["call_no"]))
    user.send(table["call_no"])
    assert [row["field"] for row in queue.search()] == ["email"]
    assert table["call_none"] in " ".join([user.said, *(user.interrupt or {}).get("told", [])])
    user.send("12")
    assert [row["field"] for row in queue.search(status=None)] == ["email"]


def test_as_soon_as_possible_without_a_time(queue, graph, talk, clock):
    user = talk(graph(queue), channel="chat")
    user.send(None, "a person please", "hello?", *CALL[:2], "I'd rather not say", *CALL[4:])
    [row] = callbacks(queue)
    assert row["due_at"] == clock() + 900
    assert queue.look(row["id"])["callback"]["time"] is None


def test_a_number_is_taken_back_while_the_call_is_arranged(queue, graph, talk):
    user = talk(graph(queue), channel="chat")
    user.send(
        None, "a person please", "hello?", *CALL[:4], "my phone number is wrong", "312 555 0144", "yes", *CALL[4:]
    )
    [row] = callbacks(queue)
    assert queue.ticket(row["id"])["callback"]["phone"] == "+13125550144"


def test_answered_while_the_call_is_arranged(queue, graph, talk):
    """The desk was faster: the answer is used, and no call is filed."""
    user = talk(graph(queue), channel="chat")
    user.send(None, "a person please", "hello?", "312 555 0119")
    [row] = queue.search()
    queue.resolve(row["id"], kind="value", value="rae@example.com", by="ana")
    user.send("yes")
    assert user.captures["email"]["status"] == "CONFIRMED"
    assert callbacks(queue, status=None) == []


HANG_UP = HumanMessage("", additional_kwargs={"readback": {"event": "hangup"}})


def test_who_waits_for_a_call_may_hang_up(queue, graph, talk):
    """Their tickets stay; what they say on the phone is the answer, and the conversation takes it up."""
    made = graph(queue)
    user = talk(made, channel="chat")
    user.send(None, "a person please", "hello?", *CALL, HANG_UP)
    assert sorted(row["field"] for row in queue.search()) == ["call-back", "email"]
    [ticket] = [row["id"] for row in queue.search() if row["field"] == "email"]
    queue.called(callbacks(queue)[0]["id"], "ana")
    queue.resolve(ticket, kind="value", value="rae@example.com", by="ana")
    user.send("hello again")
    assert user.captures["email"]["value"] == "rae@example.com"


@pytest.mark.parametrize("turns", [(), ("hello?",), ("hello?", *CALL[:3])])
def test_who_hangs_up_before_a_call_is_arranged_is_gone(queue, graph, talk, turns):
    user = talk(graph(queue), channel="chat")
    user.send(None, "a person please", *turns, HANG_UP)
    assert [(row["field"], row["outcome"]) for row in queue.search(status=None)] == [("email", "hangup")]


async def test_awaited(queue, graph):
    made, config = graph(queue), {"configurable": {"thread_id": "t"}}
    for turn in (None, "a person please", "hello?", *CALL):
        sent = [HumanMessage(turn)] if turn else []
        await made.ainvoke({"messages": sent}, config, context=CaptureContext(channel="chat"))
    assert len(callbacks(queue)) == 1


def test_a_forged_number_is_no_number(queue, graph, talk):
    """Records that a client writes over the state file nothing."""
    made = graph(queue)
    user = talk(made, channel="chat")
    user.send(None, "a person please", "hello?", *CALL[:2])
    forged = {"status": "CONFIRMED", "value": "+15550000000", "revision": 9, "step": 9, "seal": "x"}
    made.update_state(user.config, {"captures": {"callback_phone": forged}}, as_node="details")
    user.send(*CALL[2:])
    assert "+15550000000" not in str([queue.ticket(row["id"]) for row in queue.search(status=None)])


def test_closed_once_by_its_holder_and_put_off(queue, graph, talk, clock):
    user = talk(graph(queue), channel="chat")
    user.send(None, "a person please", "hello?", *CALL)
    [row] = callbacks(queue)
    queue.claim(row["id"], "ana")
    for refused in (lambda: queue.called(row["id"], "bo"), lambda: queue.postpone(row["id"], "bo", minutes=5)):
        with pytest.raises(TicketTakenError):
            refused()
    assert queue.postpone(row["id"], "ana", minutes=30) == clock() + 1800
    again = queue.look(row["id"])
    assert (again["status"], again["due_at"]) == ("OPEN", clock() + 1800)
    queue.called(row["id"], "bo")
    with pytest.raises(TicketClosedError):
        queue.called(row["id"], "bo")
    with pytest.raises(TicketClosedError):
        queue.postpone(row["id"], "bo", minutes=5)
    assert queue.search(status="RESOLVED")[0]["outcome"] == "called"


def test_what_makes_no_sense(queue, graph, talk, ticket):
    queue.file(ticket("rb-1", thread="u"))
    user = talk(graph(queue), channel="chat")
    user.send(None, "a person please", "hello?", *CALL)
    [row] = callbacks(queue)
    for wrong, message in (
        (lambda: queue.called("rb-1", "ana"), "is no callback"),
        (lambda: queue.postpone("rb-1", "ana", minutes=5), "is no callback"),
        (lambda: queue.postpone(row["id"], "ana", minutes=0), "at most a week"),
        (lambda: queue.resolve(row["id"], kind="decline", by="ana"), "takes no answer"),
    ):
        with pytest.raises(ValueError, match=message):
            wrong()
    with pytest.raises(TicketError):
        queue.called("rb-none", "ana")
    with pytest.raises(ValueError, match="same name"):
        graph(queue, None, *FIELDS)


def test_nobody_need_take_it_before_its_time(queue, graph, talk, clock):
    user = talk(graph(queue), channel="chat")
    user.send(None, "a person please", "hello?", *CALL)
    [row] = callbacks(queue)
    queue.expire(next(one["id"] for one in queue.search() if one["field"] == "email"), "overdue")
    seen = []
    for seconds in (3600, HALF_PAST_THREE - NOON - 3600 - 30, 60):
        clock.pass_(seconds)
        queue.here("bo")
        seen.append(sorted(a["kind"] for a in Watch(queue).round()["standing"] if a["ticket"] == row["id"]))
    assert seen == [[], ["unclaimed"], ["overdue", "unclaimed"]]


@pytest.mark.parametrize(
    ("time", "zone", "after"),
    [
        ("12:30", "UTC", 0.5),
        ("11:55", "UTC", 0.0),  # just gone by: now
        ("11:45", "UTC", 23.75),
        ("07:00", "America/Chicago", 1.0),
        ("01:00", "Australia/Sydney", 2.0),
        ("00:00", "Asia/Kolkata", 6.5),
    ],
)
def test_when_it_is_due(time, zone, after):
    assert (due_at(time, zone, NOON) - NOON) / 3600 == after


@pytest.mark.parametrize(
    ("phone", "zone"),
    [
        ("+13125550119", "America/Chicago"),
        ("+442079460018", "Europe/London"),
        ("+919812345678", "Asia/Calcutta"),
        ("+13125550119;ext=12", "America/Chicago"),
        ("+18005550199", "Etc/GMT-1"),  # toll-free: anywhere, so what the builder says
    ],
)
def test_the_zone_of_a_number(phone, zone):
    assert zone_of(phone, "Etc/GMT-1", NOON) == zone


def test_a_zone_that_is_none(queue, graph):
    with pytest.raises(KeyError):
        graph(queue, None, zone="Mars/Olympus")


def test_every_language_offers_it():
    keys = {"call_lead", "call_no", "call_filed", "call_soon", "call_none", "call_label"}
    assert [language for language, table in _table().items() if keys - set(table)] == []


def test_the_way_out_does_not_disturb_a_type():
    """``way_out`` among the options of a type that has none, and of one that has."""
    assert hear(replace(catalogue["email"], options={"way_out": "desk"}), "kim@example.com").value == "kim@example.com"
