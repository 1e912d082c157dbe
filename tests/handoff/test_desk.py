"""The desk: tickets in SQL before the user is told, answers only from people who can sign, each closed once."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from langchain_core.messages import HumanMessage
from langgraph.types import Command

from langgraph_readback.errors import TicketError
from langgraph_readback.fields import catalogue
from langgraph_readback.graph import build_capture_graph
from langgraph_readback.handoff import SqlDesk
from langgraph_readback.ports import MemoryHighWater, Ticket
from langgraph_readback.seal import Sealer
from langgraph_readback.sql import engine


@pytest.fixture
def desk(store_url, sealer):
    desk = SqlDesk(engine(store_url), sealer)
    yield desk
    desk.close()


def ticket(name="rb-1", revision=1):
    return Ticket(
        id=name, thread="t", field="email", revision=revision, label="email address", locale="en-US",
        reason="attempts", attempts=[{"utterance": "blue sky", "value": None, "reason": "no_at", "form": "natural"}],
    )  # fmt: skip


def test_filing_twice_is_filing_once(desk):
    desk.file(ticket())
    desk.file({**ticket(), "reason": "other"})
    [filed] = desk.tickets()
    assert (filed["id"], filed["reason"], filed["status"]) == ("rb-1", "attempts", "OPEN")
    assert filed["attempts"][0]["utterance"] == "blue sky"


def test_an_answer_is_for_one_ticket_and_one_revision(desk):
    desk.file(ticket(revision=3))
    assert desk.answer("rb-1", 3) is None
    desk.resolve("rb-1", kind="value", value="kim.lee@example.com", by="ana")
    assert desk.answer("rb-1", 3)["value"] == "kim.lee@example.com"
    assert desk.answer("rb-1", 2) is None
    assert desk.answer("rb-2", 3) is None


def test_a_ticket_is_answered_once(desk):
    desk.file(ticket())
    desk.resolve("rb-1", kind="decline", by="ana")
    with pytest.raises(TicketError, match="closed already"):
        desk.resolve("rb-1", kind="value", value="eve@example.com", by="eve")
    assert desk.answer("rb-1", 1)["kind"] == "decline"
    assert desk.tickets() == []
    assert [t["outcome"] for t in desk.tickets(None)] == ["decline"]


def test_withdrawn_tickets_take_no_answer(desk):
    desk.file(ticket())
    desk.withdraw("rb-1", "proposed")
    desk.withdraw("rb-9", "proposed")
    with pytest.raises(TicketError):
        desk.resolve("rb-1", kind="retry", by="ana")


@pytest.mark.parametrize(
    ("kind", "value", "by"),
    [("value", None, "ana"), ("value", " ", "ana"), ("retry", "x", "ana"), ("decline", None, " ")],
)
def test_answers_that_make_no_sense(desk, kind, value, by):
    desk.file(ticket())
    with pytest.raises(ValueError, match=r"answer"):
        desk.resolve("rb-1", kind=kind, value=value, by=by)
    assert len(desk.tickets()) == 1


def test_unknown_tickets_say_where_to_look(desk):
    with pytest.raises(TicketError, match="readback handoffs list"):
        desk.ticket("rb-404")


@pytest.mark.parametrize("column", ["value", "by", "kind", "token", "revision"])
def test_a_row_nobody_signed_is_no_answer(store_url, sealer, column, caplog):
    """Somebody who can write the table but has no key changes nothing."""
    connections = engine(store_url)
    desk = SqlDesk(connections, sealer)
    desk.file(ticket())
    desk.resolve("rb-1", kind="value", value="kim.lee@example.com", by="ana")
    forged = {"value": "eve@example.com", "by": "bob", "kind": "retry", "token": "x.y.z", "revision": 2}[column]
    with connections.begin() as db:
        db.execute(sa.text(f'UPDATE readback_answers SET "{column}" = :v'), {"v": forged})
    assert desk.answer("rb-1", 2 if column == "revision" else 1) is None
    assert "eve@example.com" not in caplog.text
    desk.close()


def test_an_answer_signed_with_another_key_is_none(desk, store_url):
    stranger = SqlDesk(desk._engine, Sealer(["the key of somebody else"]))
    desk.file(ticket())
    stranger.resolve("rb-1", kind="value", value="eve@example.com", by="ana")
    assert desk.answer("rb-1", 1) is None


# in a conversation


@pytest.fixture
def user(store, sealer, talk, desk):
    """A conversation that waits for a person: three attempts at the email failed, the phone is confirmed."""
    specs = [catalogue["email"], catalogue["phone"]]
    graph = build_capture_graph(specs, checkpointer=store, sealer=sealer, highwater=MemoryHighWater(), desk=desk)
    user = talk(graph, channel="chat")
    user.send(None, "blue sky", "green grass", "red door", "312 555 0119", "yes")
    return user


def test_the_ticket_is_filed_before_the_user_is_told(sealer, talk, desk, capture):
    class Broken:
        def file(self, ticket):
            raise RuntimeError("the queue is down")

    user = talk(capture("email", desk=Broken()), channel="chat")
    with pytest.raises(RuntimeError, match="queue is down"):
        user.send(None, "operator")
    values = user.graph.get_state(user.config).values
    assert not [m for m in values["messages"] if m.type == "ai" and m.additional_kwargs["readback"]["act"] == "inform"]


def test_the_attempts_are_in_the_ticket(user, desk):
    [filed] = desk.tickets()
    assert [a["utterance"] for a in filed["attempts"]] == ["blue sky", "green grass", "red door"]
    assert filed["id"] == user.captures["email"]["ticket"]
    assert user.interrupt["tickets"] == [
        {"ticket": filed["id"], "field": "email", "revision": 1, "reason": "attempts", "attempts": 3}
    ]
    assert "blue" not in str(user.interrupt)


def test_messages_meanwhile_are_answered_and_leave_one_ticket(user, desk):
    for text in ("hello?", "blue sky", "kim.lee@example.com", ""):
        user.send(text)
        assert user.acts == [("inform", "email")]
        assert user.captures["email"]["attempts"] == 3
    assert len(desk.tickets(None)) == 1


@pytest.mark.parametrize(
    "resume", ["yes", 7, {"value": "eve@example.com"}, [], {"ticket": "rb-0", "value": "x"}, {"ticket": 5}]
)
def test_a_resume_that_says_nothing_of_use_is_refused_and_asked_again(user, desk, resume):
    first = user.interrupt
    user.resume(resume)
    assert user.interrupt["tickets"] == first["tickets"]
    [filed] = desk.tickets()
    desk.resolve(filed["id"], kind="value", value="kim.lee@example.com", by="ana")
    assert user.resume({"ticket": filed["id"]})["email"]["value"] == "kim.lee@example.com"


def test_the_desks_value_is_sealed_in_its_name(user, desk, sealer):
    [filed] = desk.tickets()
    desk.resolve(filed["id"], kind="value", value="Kim.Lee@example.com", by="ana")
    record = user.resume("go on")["email"]
    assert (record["status"], record["value"], record["verified"], record["by"]) == (
        "CONFIRMED", "kim.lee@example.com", "human", "human:ana",
    )  # fmt: skip
    verdict = sealer.verify(
        record["seal"], thread="t", field="email", value=record["value"], revision=record["revision"]
    )
    assert (verdict.ok, verdict.by, verdict.verified) == (True, "human:ana", "human")
    assert user.interrupt is None


def test_a_message_wakes_it_too(user, desk):
    [filed] = desk.tickets()
    desk.resolve(filed["id"], kind="value", value="kim.lee@example.com", by="ana")
    assert user.send("hello?")["email"]["status"] == "CONFIRMED"


def test_a_value_the_validators_refuse_comes_back_as_another_ticket(user, desk):
    [filed] = desk.tickets()
    desk.resolve(filed["id"], kind="value", value="not an address", by="ana")
    records = user.resume("go on")
    assert records["email"]["status"] == "HANDOFF"
    [again] = desk.tickets()
    assert again["id"] != filed["id"]
    assert again["reason"].startswith("desk_")
    desk.resolve(again["id"], kind="value", value="kim.lee@example.com", by="ana")
    assert user.resume("go on")["email"]["status"] == "CONFIRMED"


def test_the_desk_may_ask_for_another_try(user, desk):
    [filed] = desk.tickets()
    desk.resolve(filed["id"], kind="retry", by="ana")
    user.resume("go on")
    assert user.acts == [("ask", "email")]
    records = user.send("kim.lee@example.com", "yes")
    assert (records["email"]["status"], records["email"]["attempts"], records["email"]["by"]) == (
        "CONFIRMED",
        0,
        "user",
    )


def test_the_desk_may_close_without_a_value(user, desk):
    [filed] = desk.tickets()
    desk.resolve(filed["id"], kind="decline", by="ana")
    records = user.resume("go on")
    assert (records["email"]["status"], records["email"]["value"]) == ("DECLINED", None)


def test_a_value_in_a_resume_is_only_a_proposal(user, desk):
    """Nobody signed it, so the user decides; the ticket is withdrawn and takes no answer any more."""
    [filed] = desk.tickets()
    records = user.resume({"ticket": filed["id"], "value": "kim.lee@example.com"})
    assert user.acts == [("readback", "email")]
    assert records["email"]["status"] == "READBACK"
    assert desk.tickets() == []
    record = user.send("yes")["email"]
    assert (record["by"], record["verified"]) == ("user", "format")


async def test_awaited(user, desk):
    [filed] = desk.tickets()
    desk.resolve(filed["id"], kind="value", value="kim.lee@example.com", by="ana")
    await user.graph.ainvoke({"messages": [HumanMessage("well?")]}, user.config)
    result = await user.graph.ainvoke(Command(resume="x"), user.config)
    assert result["captures"]["email"]["status"] == "CONFIRMED"
