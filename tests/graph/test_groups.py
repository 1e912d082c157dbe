"""Grouped dictation in the loop: an echo after each group, a wrong one said again whole, the finished value read back."""

from __future__ import annotations

from langchain_core.messages import HumanMessage

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
