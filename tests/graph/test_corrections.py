"""Taking back what was confirmed: a new revision, captured anew; and politeness, which never reopens anything."""

from __future__ import annotations

from dataclasses import replace

import pytest

from langgraph_readback.fields import catalogue
from langgraph_readback.nodes import REOPENINGS


@pytest.fixture
def done(capture, talk):
    """A conversation in which email and phone are confirmed."""

    def make(**options):
        user = talk(capture("email", "phone", **options), channel="chat")
        user.send(None, "kim.lee@example.com", "yes", "312 555 0119", "yes")
        assert [r["status"] for r in user.captures.values()] == ["CONFIRMED"] * 2
        return user

    return make


def test_going_back_in_the_middle_of_the_next_confirmation(capture, talk):
    user = talk(capture("email", "phone"), channel="chat")
    user.send(None, "kim.lee@example.com", "yes", "312 555 0119")
    user.send("no wait, first the email, it should be kim.lee@example.org")
    assert user.acts == [("readback", "email")]
    records = user.send("yes")  # to the email, not to the phone
    assert (records["email"]["value"], records["email"]["revision"]) == ("kim.lee@example.org", 2)
    assert records["phone"]["status"] == "ASK"
    assert user.acts == [("confirm", "email"), ("ask", "phone")]
    records = user.send("312 555 0119", "yes")
    assert records["phone"]["value"] == "+13125550119"


def test_a_value_that_only_the_earlier_field_hears(capture, talk):
    user = talk(capture("email", "phone"), channel="chat")
    user.send(None, "kim.lee@example.com", "yes", "kim.leigh@example.com")
    assert user.acts == [("readback", "email")]
    assert user.captures["phone"]["attempts"] == 0


def test_an_earlier_value_said_again_is_no_correction(capture, talk):
    user = talk(capture("email", "phone"), channel="chat")
    user.send(None, "kim.lee@example.com", "yes", "kim.lee@example.com")
    assert user.captures["email"]["status"] == "CONFIRMED"
    assert user.captures["phone"]["attempts"] == 1


def test_actually_my_phone_is_wrong(done):
    user = done()
    records = user.send("actually, my phone is wrong")
    assert (records["phone"]["status"], records["phone"]["value"], records["phone"]["seal"]) == ("ASK", None, None)
    assert records["phone"]["revision"] == 2
    assert records["phone"]["before"]["value"] == "+13125550119"
    records = user.send("312 555 0118", "yes")
    assert (records["phone"]["value"], records["phone"]["revision"]) == ("+13125550118", 2)
    assert records["phone"]["before"] is None
    assert records["email"]["revision"] == 1


def test_the_old_value_heard_again_is_read_back_explicitly(done):
    user = done()
    user.send("actually, my phone is wrong", "312 555 0119")
    assert user.lines[-1].additional_kwargs["readback"]["act"] == "readback"
    assert "Last time" in user.said


def test_a_new_value_after_completion_is_read_back(done):
    user = done()
    user.send("oh no, the email should be kim.leigh@example.com")
    assert user.acts == [("readback", "email")]
    assert user.captures["email"]["value"] is None
    assert user.send("yes")["email"]["value"] == "kim.leigh@example.com"


@pytest.mark.parametrize(
    "polite",
    [
        "thanks, bye", "thank you", "great", "ok", "yes", "no", "that's all", "bye bye", "👍", "",
        "thanks for the email", "you have my phone now?", "kim.lee@example.com", "will you call my phone?",
    ],
)  # fmt: skip
def test_politeness_reopens_nothing(done, polite):
    user = done()
    before = user.captures
    after = user.send(polite)
    assert after == before
    assert user.lines == []


@pytest.mark.parametrize("polite", ["thanks, bye", "have a nice day", "that's all thank you", "cheers mate", "no"])
def test_politeness_is_no_name(capture, talk, polite):
    user = talk(capture("name"), channel="chat")
    user.send(None, "Kim Lee", "yes")
    before = user.captures
    assert before["name"]["value"] == "Kim Lee"
    assert user.send(polite) == before


def test_own_labels_name_a_field(capture, talk):
    work = replace(catalogue["phone"], name="work", type="phone", label="office line")
    user = talk(capture("email", work), channel="chat")
    user.send(None, "kim.lee@example.com", "yes", "312 555 0119", "yes")
    assert user.send("the office line is wrong")["work"]["status"] == "ASK"


def test_a_declined_field_can_still_be_given(capture, talk):
    user = talk(capture(replace(catalogue["email"], optional=True), "phone"), channel="chat")
    user.send(None, "I don't have one")
    user.send("my email is kim.lee@example.com after all")
    assert user.acts == [("readback", "email")]
    assert user.send("yes")["email"]["value"] == "kim.lee@example.com"


def test_reopening_is_bounded(done):
    user = done()
    for number in range(REOPENINGS):
        user.send("actually, my phone is wrong", f"312 555 012{number}", "yes")
        assert user.captures["phone"]["status"] == "CONFIRMED"
    records = user.send("actually, my phone is wrong")
    assert (records["phone"]["status"], records["phone"]["reason"]) == ("HANDOFF", "reopened")


def test_the_gate_refuses_the_old_value_from_the_moment_it_is_taken_back(capture, talk, sealer):
    from langgraph_readback.ports import MemoryHighWater

    marks = MemoryHighWater()
    user = talk(capture("email", highwater=marks), channel="chat")
    old = user.send(None, "kim.lee@example.com", "yes")["email"]
    assert marks.highest("t", "email") == old["revision"] == 1
    user.send("my email is wrong")
    assert marks.highest("t", "email") == 2
    new = user.send("kim.leigh@example.com", "yes")["email"]
    assert marks.highest("t", "email") == new["revision"] == 2
    assert sealer.verify(new["seal"], thread="t", field="email", value=new["value"], revision=2).ok
