"""Grouped dictation in the loop: an echo after each group, a wrong one said again whole, the finished value read back."""

from __future__ import annotations

from langchain_core.messages import HumanMessage

from langgraph_readback.fields import FieldSpec, LookupOutcome

FIRST = "kim dot leigh at example dot com"


def lines(user):
    return [(m.additional_kwargs["readback"]["act"], m.text) for m in user.lines]


def test_a_value_in_groups(capture, talk):
    user = talk(capture("email"))
    user.send(None, FIRST, "no")
    assert user.lines[-1].additional_kwargs["readback"]["form"] == "groups"
    user.send("kilo india mike dot")
    assert lines(user) == [("echo", "K, I, M, dot. And then?")]
    user.send("lima echo echo")
    assert lines(user)[0][1].startswith("L, E, E.")
    user.send("at example dot com")
    records = user.send("that's it")
    assert user.acts == [("readback", "email")]
    assert records["email"]["value"] is None
    records = user.send("yes")
    assert (records["email"]["status"], records["email"]["value"]) == ("CONFIRMED", "kim.lee@example.com")
    assert records["email"]["attempts"] == 1


def test_what_came_with_spelling_words_is_read_back_without(capture, talk):
    user = talk(capture("username"))
    user.send(None, "kimbo", "no", "kilo india mike november", "echo delta", "that's it")
    assert lines(user) == [("readback", "I've got K, I, M, N, E, D. Is that correct?")]
    user.send("no", "k i m n", "e d", "that's it")
    assert lines(user)[0][1].startswith("Last time it wasn't right: K as in Kilo, ")


def test_a_last_group_that_makes_no_known_value_is_said_back(capture, talk):
    async def known(value, context):
        return LookupOutcome.FOUND if value == "QVB47X" else LookupOutcome.NOT_FOUND

    order = FieldSpec(name="order", pattern="[A-Z]{3}[0-9]{2}[A-Z]", lookup=known)
    user = talk(capture(order))
    user.send(None, "no idea what that says", "quebec victor bravo", "four seven sierra")
    assert lines(user) == [("echo", "four, seven, S.")]
    records = user.send("no, four seven x-ray")
    assert (user.acts, records["order"]["attempts"]) == ([("readback", "order")], 1)
    assert user.send("yes")["order"]["value"] == "QVB47X"


def test_a_group_heard_wrong_is_said_again_whole(capture, talk):
    user = talk(capture("email"))
    user.send(None, FIRST, "no", "kilo india november dot", "no, kilo india mike dot")
    assert lines(user)[0][1].startswith("K, I, M, dot.")
    assert user.heard("email")["parts"] == ["kilo india mike dot"]
    user.send("no")
    assert user.heard("email")["parts"] == []
    assert user.captures["email"]["attempts"] == 1
    records = user.send("kilo india mike dot", "lima echo echo at", "example dot com", "that's all", "yes")
    assert records["email"]["value"] == "kim.lee@example.com"


def test_a_user_asked_for_groups_may_say_it_all(capture, talk):
    user = talk(capture("email"))
    records = user.send(None, FIRST, "no", "k i m dot l e e at example dot com", "yes")
    assert records["email"]["value"] == "kim.lee@example.com"


def test_endless_wrong_groups_end(capture, talk):
    user = talk(capture("email"))
    user.send(None, FIRST, "no", "kilo india mike dot")
    for _ in range(40):
        records = user.send("no, kilo india mike dot")
        if records["email"]["status"] == "HANDOFF":
            break
    assert records["email"]["status"] == "HANDOFF"


def test_groups_that_make_no_value_are_a_failed_attempt(capture, talk):
    user = talk(capture("email"))
    records = user.send(None, FIRST, "no", "kilo india mike dot", "that's it")
    assert (records["email"]["status"], records["email"]["attempts"]) == ("ASK", 2)


def test_an_unsure_recogniser_costs_no_attempt(capture, talk):
    user = talk(capture("email"))
    user.send(None)
    unsure = HumanMessage(FIRST, additional_kwargs={"asr": {"confidence": 0.5}})
    records = user.send(unsure)
    assert (records["email"]["status"], records["email"]["attempts"]) == ("ASK", 0)
    assert user.lines[-1].additional_kwargs["readback"]["form"] == "groups"
    sure = HumanMessage("k i m dot l e e at example dot com", additional_kwargs={"asr": {"confidence": 0.95}})
    records = user.send(sure, "yes")
    assert (records["email"]["value"], records["email"]["attempts"]) == ("kim.lee@example.com", 0)


def test_what_the_user_rejected_is_not_offered_while_the_recogniser_has_another(capture, talk):
    user = talk(capture("email"))
    user.send(None, "kim dot leigh at example dot com", "no")
    again = HumanMessage(
        "k i m dot l e i g h at example dot com",
        additional_kwargs={
            "asr": {"nbest": ["k i m dot l e i g h at example dot com", "k i m dot l e e at example dot com"]}
        },
    )
    user.send(again)
    records = user.send("yes")
    assert records["email"]["value"] == "kim.lee@example.com"
