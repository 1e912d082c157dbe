"""Law 8, watched: a hand-off is in the queue before the user hears of it, closes once, and is never forgotten."""

from __future__ import annotations

import pytest

from langgraph_readback.errors import TicketError
from langgraph_readback.handoff import GraphWaker, SqlDesk, wake_due
from langgraph_readback.handoff.watch import Watch
from langgraph_readback.sql import engine

VALUE = "kim.lee@example.com"


@pytest.fixture
def desk(sealer, clock):
    desk = SqlDesk(engine("memory:"), sealer, clock=clock)
    yield desk
    desk.close()


@pytest.fixture
def user(capture, talk, desk):
    """Who asked for a person."""
    user = talk(capture("email", desk=desk), channel="chat")
    user.send(None, "blue sky", "operator")
    return user


def test_in_the_queue_with_its_attempts_before_the_user_is_told(capture, talk, desk):
    told = []

    class Listens:
        """A desk that notes what the user had been told when the ticket came."""

        def file(self, ticket):
            told.append([m.text for m in user.graph.get_state(user.config).values["messages"] if m.type == "ai"])
            desk.file(ticket)

        def answer(self, ticket, revision):
            return desk.answer(ticket, revision)

    user = talk(capture("email", desk=Listens()), channel="chat")
    user.send(None, "blue sky", "operator")
    [filed] = desk.tickets()
    assert [attempt["utterance"] for attempt in filed["attempts"]] == ["blue sky"]
    assert user.lines[-1].text == filed["told"]
    assert [filed["told"] in lines for lines in told] == [False]


def test_a_desk_that_is_down_tells_the_user_nothing(capture, talk):
    class Down:
        def file(self, ticket):
            raise ConnectionError

    user = talk(capture("email", desk=Down()), channel="chat")
    with pytest.raises(ConnectionError):
        user.send(None, "operator")
    lines = user.graph.get_state(user.config).values["messages"]
    assert not [m for m in lines if m.type == "ai" and m.additional_kwargs["readback"]["act"] == "inform"]


WAYS = {
    "value": lambda desk, one: desk.resolve(one, kind="value", value=VALUE, by="ana"),
    "decline": lambda desk, one: desk.resolve(one, kind="decline", by="ana"),
    "retry": lambda desk, one: desk.resolve(one, kind="retry", by="ana"),
    "expire": lambda desk, one: desk.expire(one),
}


@pytest.mark.parametrize("first", WAYS)
@pytest.mark.parametrize("second", WAYS)
def test_closes_exactly_once(user, desk, first, second):
    [row] = desk.search()
    WAYS[first](desk, row["id"])
    with pytest.raises(TicketError):
        WAYS[second](desk, row["id"])
    [closed] = desk.search(status=None)
    assert closed["outcome"] == {"expire": "orphaned"}.get(first, first)
    assert [e["what"] for e in desk.trail(row["id"])][1:] == [closed["status"].lower()]


def test_its_conversation_goes_on_once(user, desk):
    [row] = desk.search()
    desk.resolve(row["id"], kind="value", value=VALUE, by="ana")
    for _ in range(3):
        wake_due(desk, GraphWaker(user.graph))
        user.send("hello?")
    messages = user.graph.get_state(user.config).values["messages"]
    confirmed = [m for m in messages if m.type == "ai" and m.additional_kwargs["readback"]["act"] == "confirm"]
    assert (len(confirmed), user.captures["email"]["by"]) == (1, "human:ana")


def test_nobody_takes_it_and_everybody_hears_of_it(user, desk, clock):
    raised = []
    watch = Watch(desk)
    for _ in range(40):
        clock.at += 60
        raised += [alarm["kind"] for alarm in watch.round()["raised"] if alarm["ticket"]]
    assert raised == ["unclaimed", "overdue", "escalated"]
    assert "nobody" in [alarm["kind"] for alarm in watch.round()["standing"]]


def test_a_hold_that_is_let_go_is_no_hiding_place(user, desk, clock):
    """Claimed again and again without a close: it is overdue all the same."""
    [row] = desk.search()
    for _ in range(10):
        desk.claim(row["id"], "ana")
        clock.at += 121
    desk.claim(row["id"], "ana")
    assert "overdue" in [alarm["kind"] for alarm in Watch(desk).round()["standing"]]


def test_what_one_person_holds_no_other_takes_or_answers(user, desk):
    [row] = desk.search()
    desk.claim(row["id"], "bo")
    for act in (
        lambda: desk.claim(row["id"], "ana"),
        *(lambda way=way: WAYS[way](desk, row["id"]) for way in ("value", "retry")),
    ):
        with pytest.raises(TicketError, match="bo holds it"):
            act()


def test_a_look_at_the_values_is_on_record(user, desk):
    [row] = desk.search()
    desk.claim(row["id"], "ana")
    assert desk.reveal(row["id"], "ana")["attempts"][0]["utterance"] == "blue sky"
    assert (desk.trail(row["id"])[-1]["who"], desk.trail(row["id"])[-1]["what"]) == ("ana", "revealed")
    assert "blue" not in str(desk.search()) + str(desk.look(row["id"]))
