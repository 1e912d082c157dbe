"""Whole conversations: the known ways in which a capture goes wrong, turn by turn."""

from __future__ import annotations

from dataclasses import replace

import pytest
from langchain_core.messages import HumanMessage

from langgraph_readback.fields import LookupOutcome, catalogue

ORDER = replace(catalogue["id"], name="order", pattern=r"HL-\d{6}", label="order number", purpose="To find your order.")


def directory(**outcomes):
    async def lookup(value, context):
        return LookupOutcome(outcomes.get(value.replace("-", "_"), outcomes.get("other", "NOT_FOUND")))

    return lookup


def test_an_opening_run_without_a_message_just_asks(capture, talk):
    user = talk(capture("email"))
    records = user.send(None)
    assert user.acts == [("ask", "email")]
    assert (records["email"]["status"], records["email"]["attempts"]) == ("ASK", 0)
    user.send(None)
    assert user.lines == []  # nothing new: the question still stands


def test_the_straight_way(capture, talk):
    user = talk(capture("email", "phone"), locale="en-US")
    user.send(None, "kim dot lee at example dot com")
    assert user.acts == [("readback", "email")]
    user.send("yes")
    assert user.acts == [("confirm", "email"), ("ask", "phone")]
    records = user.send("three one two five five five oh one one nine", "yes")
    assert {n: (r["status"], r["value"], r["attempts"]) for n, r in records.items()} == {
        "email": ("CONFIRMED", "kim.lee@example.com", 0),
        "phone": ("CONFIRMED", "+13125550119", 0),
    }


def test_one_letter_corrected_is_a_whole_capture(capture, talk):
    """A partial correction patches nothing: the whole value is asked for and comes from one utterance."""
    user = talk(capture("email"))
    user.send(None, "kim dot lee at example dot com", "no, it's with an i")
    assert user.captures["email"]["status"] == "ASK"
    assert user.captures["email"]["value"] is None
    assert user.heard("email")["value"] is None
    assert user.heard("email")["parts"] == []
    records = user.send("kim dot li, l i, at example dot com", "yes")
    assert (records["email"]["value"], records["email"]["attempts"]) == ("kim.li@example.com", 1)


def test_a_full_correction_is_read_back_at_once(capture, talk):
    user = talk(capture("email"), channel="chat")
    user.send(None, "kim.lee@example.com", "no, kim.leigh@example.com")
    assert user.acts == [("readback", "email")]
    records = user.send("yes")
    assert (records["email"]["value"], records["email"]["attempts"]) == ("kim.leigh@example.com", 1)


@pytest.mark.parametrize(
    "reply", ["yeah but it's l-e-i-g-h", "yes, no", "yeah no", "I guess", "yes if you say so, no wait", "count me out"]
)
def test_a_yes_with_something_left_over_is_no_yes(capture, talk, reply):
    user = talk(capture("email"))
    records = user.send(None, "kim dot lee at example dot com", reply)
    assert records["email"]["status"] != "CONFIRMED"
    assert records["email"]["value"] is None


def test_unknown_order_numbers_end_with_a_person(capture, talk):
    """Well-formed but unknown: two retries in other words, then a hand-off with all three attempts."""
    user = talk(capture(ORDER, lookups={"order": directory(HL_204117="FOUND")}))
    asked = []
    for turn in (None, "h l two oh four one one eight", "h l two oh four one one nine"):
        user.send(turn)
        asked.append(user.said)
        assert user.captures["order"]["status"] == "ASK"
    assert user.captures["order"]["reason"] == "not_found"
    assert len(set(asked)) == 3
    records = user.send("h l two oh four one two oh")
    assert (records["order"]["status"], records["order"]["attempts"], records["order"]["value"]) == ("HANDOFF", 3, None)
    assert [entry["reason"] for entry in user.heard("order")["history"]] == ["not_found"] * 3
    assert user.acts == [("inform", "order")]
    assert user.interrupt["tickets"][0]["ticket"] == records["order"]["ticket"]


def test_somebody_elses_order_sounds_like_none(capture, talk):
    said = []
    for outcome in ("NOT_FOUND", "OTHER_OWNER"):
        user = talk(capture(ORDER, lookups={"order": directory(other=outcome)}))
        user.send(None, "HL-204118")
        said.append(user.captures["order"]["status"])
        assert "exist" not in user.said
    assert said == ["ASK", "ASK"]


def test_no_two_questions_in_a_row_sound_the_same(capture, talk):
    user = talk(capture("email"))
    forms, said = [], []
    for turn in (None, "blue sky", "green grass"):
        user.send(turn)
        forms.append(user.lines[-1].additional_kwargs["readback"]["form"])
        said.append(user.said)
    assert forms == ["natural", "groups", "groups"]
    assert len(set(said)) == 3


def test_phones_may_be_keyed_in(capture, talk):
    user = talk(capture("phone"))
    forms = []
    for turn in (None, "no", "no"):
        user.send(turn)
        forms.append(user.lines[-1].additional_kwargs["readback"]["form"])
    assert forms == ["natural", "keypad", "groups"]


def test_a_message_before_any_question_is_only_a_proposal(capture, talk):
    user = talk(capture("email", "phone"), channel="chat")
    records = user.send("kim.lee@example.com")
    assert user.acts == [("readback", "email")]
    assert records["email"]["attempts"] == 0
    records = user.send("no")
    assert (records["email"]["status"], records["email"]["attempts"]) == ("ASK", 0)


@pytest.mark.parametrize("text", ["hello", "I want a refund", "mumble", "yes", ""])
def test_small_talk_before_any_question_is_no_attempt(capture, talk, text):
    user = talk(capture("email", "name"), channel="chat")
    records = user.send(text)
    assert user.acts == [("ask", "email")]
    assert records["email"]["attempts"] == 0
    assert records["email"].get("budgets", {}) == {}


def test_one_early_message_can_hold_two_values(capture, talk):
    user = talk(capture("email", "phone"), channel="chat")
    user.send("I'm kim.lee@example.com, 312 555 0119.")
    user.send("yes")
    assert user.acts == [("confirm", "email"), ("readback", "phone")]
    records = user.send("yes")
    assert [r["value"] for r in records.values()] == ["kim.lee@example.com", "+13125550119"]


def test_silence_has_a_budget_of_its_own(capture, talk):
    user = talk(capture("email"))
    user.send(None, "", "  ")
    assert (user.captures["email"]["attempts"], user.captures["email"]["budgets"]) == (0, {"silence": 2})
    records = user.send("", "")
    assert (records["email"]["status"], records["email"]["reason"]) == ("HANDOFF", "silence")


def test_a_duplicate_message_counts_once(capture, talk):
    user = talk(capture("email"))
    once = HumanMessage("blue sky", id="m1")
    user.send(None, once, once, once)
    assert user.captures["email"]["attempts"] == 1
    assert user.lines == []


def test_an_edit_of_a_known_message_is_ignored(capture, talk):
    user = talk(capture("email"), channel="chat")
    user.send(None, HumanMessage("kim.lee@example.com", id="m1"), HumanMessage("other@example.com", id="m1"))
    records = user.send("yes")
    assert records["email"]["value"] == "kim.lee@example.com"


def test_pauses_are_not_attempts(capture, talk):
    user = talk(capture("email"), locale="en-GB")
    records = user.send(None, "kim dot lee", "at example", "dot co dot uk")
    assert user.acts == [("readback", "email")]
    assert records["email"]["attempts"] == 0
    assert user.send("yes")["email"]["value"] == "kim.lee@example.co.uk"


def test_a_value_said_anew_replaces_a_pause(capture, talk):
    user = talk(capture("phone"), locale="en-US")
    user.send(None, "three one two", "three one two five five five oh one one nine")
    assert user.send("yes")["phone"]["value"] == "+13125550119"


def test_start_over_clears_the_field(capture, talk):
    user = talk(capture("email"))
    user.send(None, "kim dot lee at example dot com", "start over please")
    assert (user.captures["email"]["status"], user.captures["email"]["attempts"]) == ("ASK", 0)
    records = user.send("kim dot leigh, l e i g h, at example dot com", "yes")
    assert records["email"]["value"] == "kim.leigh@example.com"


@pytest.mark.parametrize(
    ("turn", "words"),
    [("why do you need it?", "To find your order."), ("hold on a second", "wait"), ("pardon?", "order number")],
)
def test_asides_cost_no_attempt(capture, talk, turn, words):
    user = talk(capture(ORDER))
    user.send(None, turn)
    assert (user.captures["order"]["attempts"], user.captures["order"]["status"]) == (0, "ASK")
    assert words in user.said or words == "wait"
    assert user.send("HL-204117", "yes")["order"]["value"] == "HL-204117"


def test_asides_during_the_read_back_come_back_to_it(capture, talk):
    user = talk(capture("email"))
    user.send(None, "kim dot lee at example dot com")
    for turn in ("why do you need it?", "pardon?", "hmm", ""):
        user.send(turn)
        assert user.acts == [("readback", "email")]
    assert user.send("yes")["email"]["value"] == "kim.lee@example.com"


def test_a_person_please(capture, talk):
    user = talk(capture("email", "phone"), channel="chat")
    records = user.send(None, "I want to speak to a person")
    assert (records["email"]["status"], records["email"]["reason"]) == ("HANDOFF", "wanted")
    assert user.acts == [("inform", "email"), ("ask", "phone")]  # the rest goes on
    assert user.interrupt is None
    user.send("312 555 0119", "yes")
    assert user.interrupt["kind"] == "handoff"


@pytest.mark.parametrize(("optional", "status"), [(True, "DECLINED"), (False, "HANDOFF")])
def test_i_do_not_have_one(capture, talk, optional, status):
    user = talk(capture(replace(catalogue["email"], optional=optional), "phone"))
    records = user.send(None, "I don't have one")
    assert (records["email"]["status"], records["email"]["reason"]) == (status, "declined")
    assert user.acts[-1] == ("ask", "phone")


def test_an_unavailable_lookup_costs_nothing(capture, talk):
    lookups = {"order": directory(other="UNAVAILABLE")}
    user = talk(capture(ORDER, lookups=lookups))
    records = user.send(None, "HL-204117", "yes")
    assert (records["order"]["status"], records["order"]["verified"], records["order"]["attempts"]) == (
        "CONFIRMED", "format", 0,
    )  # fmt: skip
    strict = replace(ORDER, on_unavailable="handoff")
    records = talk(capture(strict, lookups=lookups)).send(None, "HL-204117")
    assert (records["order"]["status"], records["order"]["reason"]) == ("HANDOFF", "unavailable")


def test_a_world_check_is_remembered(capture, talk):
    user = talk(capture(ORDER, lookups={"order": directory(HL_204117="FOUND")}))
    assert user.send(None, "HL-204117", "yes")["order"]["verified"] == "world"


def test_a_rejected_value_is_read_back_explicitly(capture, talk):
    user = talk(capture("email"))
    user.send(None, "kim dot lee at example dot com")
    first = user.lines[-1].additional_kwargs["readback"]["form"]
    user.send("no", "kim dot lee at example dot com")
    second = user.lines[-1].additional_kwargs["readback"]["form"]
    assert (first, second) == ("spelled", "words")


def test_no_read_back_for_low_stakes(capture, talk):
    user = talk(capture(replace(catalogue["email"], confirm="none")), channel="chat")
    records = user.send(None, "kim.lee@example.com")
    assert records["email"]["status"] == "CONFIRMED"


def test_challenge_takes_the_last_characters(capture, talk):
    user = talk(capture(replace(ORDER, confirm="challenge")), channel="chat")
    user.send(None, "HL-204117", "yes")
    assert user.captures["order"]["status"] == "READBACK"
    records = user.send("117")
    assert records["order"]["value"] == "HL-204117"


def test_high_stakes_challenge_what_was_only_checked_for_format(capture, talk):
    spec = replace(ORDER, high_stakes=True)
    user = talk(capture(spec), channel="chat")
    assert user.send(None, "HL-204117", "yes")["order"]["status"] == "READBACK"
    user = talk(capture(spec, lookups={"order": directory(HL_204117="FOUND")}), channel="chat")
    assert user.send(None, "HL-204117", "yes")["order"]["status"] == "CONFIRMED"


# what voice clients say of a message


def test_a_yes_into_half_a_read_back_is_void(capture, talk):
    user = talk(capture("email"))
    user.send(None, "kim dot lee at example dot com")
    user.send(HumanMessage("yes", additional_kwargs={"readback": {"barge_in": True}}))
    assert user.acts == [("readback", "email")]
    assert user.captures["email"]["status"] == "READBACK"
    assert user.send("yes")["email"]["status"] == "CONFIRMED"


def test_a_no_into_half_a_read_back_counts(capture, talk):
    user = talk(capture("email"))
    user.send(None, "kim dot lee at example dot com")
    user.send(HumanMessage("no", additional_kwargs={"readback": {"barge_in": True}}))
    assert user.captures["email"]["status"] == "ASK"


def test_a_hardly_heard_yes_is_asked_again(capture, talk):
    user = talk(capture("email"))
    user.send(None, "kim dot lee at example dot com")
    user.send(HumanMessage("yes", additional_kwargs={"asr": {"confidence": 0.2}}))
    assert user.captures["email"]["status"] == "READBACK"
    user.send(HumanMessage("yes", additional_kwargs={"asr": {"confidence": 0.9}}))
    assert user.captures["email"]["status"] == "CONFIRMED"


def test_another_hypothesis_may_hold_the_value(capture, talk):
    """The recogniser's first guess holds none, its second does; without a list it would be a failed attempt."""
    first, second = "the order is four two", "h l two oh four one one seven"
    user = talk(capture(ORDER))
    user.send(None, HumanMessage(first, additional_kwargs={"asr": {"nbest": [first, second]}}))
    assert user.acts == [("readback", "order")]
    assert user.send("yes")["order"]["value"] == "HL-204117"
    user = talk(capture(ORDER))
    user.send(None, HumanMessage(first, additional_kwargs={"asr": {"nbest": "no list", "confidence": "high"}}))
    assert user.acts == [("ask", "order")]


def test_silence_and_hang_up_events(capture, talk):
    user = talk(capture("email"))
    user.send(None, HumanMessage("", additional_kwargs={"readback": {"event": "silence"}}))
    assert user.acts == [("ask", "email")]
    user.send(HumanMessage("", additional_kwargs={"readback": {"event": "hangup"}}))
    assert user.lines == []  # nobody is there
    assert user.captures["email"]["budgets"] == {"silence": 2}
    assert user.send("kim dot lee at example dot com", "yes")["email"]["status"] == "CONFIRMED"


def test_every_line_says_what_it_is(capture, talk):
    user = talk(capture("email"))
    for turn in (None, "kim dot lee at example dot com", "no", "pardon?", "operator"):
        user.send(turn)
        for line in user.lines:
            mark = line.additional_kwargs["readback"]
            assert set(mark) == {"act", "field", "form", "ssml"}
            assert mark["act"] in {"ask", "echo", "readback", "confirm", "inform"}
            assert mark["form"] in {"natural", "spelled", "words", "groups", "keypad"}
            assert mark["ssml"].startswith("<speak>")
            assert mark["ssml"].endswith("</speak>")


@pytest.mark.parametrize("channel", ["voice", "chat"])
def test_the_ssml_of_a_read_back_says_the_value(capture, talk, channel):
    user = talk(capture("email"), channel=channel)
    user.send(None, "kim.lee@example.com")
    [line] = user.lines
    assert ("example" in line.additional_kwargs["readback"]["ssml"]) is True


def test_the_last_words_say_who_has_the_rest(capture, talk):
    user = talk(capture("email", "phone"), channel="chat")
    user.send(None, "operator", "312 555 0119", "yes")
    assert "colleague has it" in user.said
