"""Two details in one call: what is said while one of them is being given is not taken for a change of the other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from langgraph_readback.fields import catalogue

CODE = replace(catalogue["id"], name="code", pattern=r"[A-Z]{2}\d{10}", lookup=None)


@pytest.fixture
def call(capture, talk):
    """A call in which the first field is confirmed and the second is asked for."""

    def make(first, said, second):
        user = talk(capture(first, second), today="2026-12-01")
        user.send(None, said, "yes")
        (before, *_) = user.captures.values()
        assert before["status"] == "CONFIRMED"
        return user, before

    return make


def settled(user):
    return next(iter(user.captures.values()))


def test_the_second_half_of_a_code_is_no_date(call):
    user, before = call("dob", "the twenty first of august nineteen sixty two", CODE)
    user.send("p d four one eight two", "seven zero five one four")
    assert settled(user) == before
    user.send("p d four four one eight two seven zero five one four", "yes")
    assert user.captures["code"]["value"] == "PD4418270514"


def test_a_letter_of_a_dictation_is_no_hotel(call):
    user, before = call("property", "harbour view lodge", "email")
    user.send("sarah at example dot com", "no", "sierra alpha romeo alpha", "hotel dot mike india")
    assert settled(user) == before
    assert user.acts == [("echo", "email")]


def test_a_short_number_is_no_address(call):
    user, before = call("address", "25 park road, springfield, illinois 62704", "phone")
    user.send("three one two, five five five, zero one one")
    assert settled(user) == before
    assert user.acts == [("ask", "phone")]


def test_a_no_to_the_read_back_is_about_what_was_read(call):
    user, before = call("property", "harbour view lodge", "name")
    user.send("james carter", "no, it's james wilson")
    assert settled(user) == before
    assert user.acts == [("readback", "name")]


def test_by_voice_nearly_the_same_value_again_is_no_new_one(call):
    user, before = call("email", "sarah dot mitchell at example dot com", "date")
    user.send("sarah dot mitchel at example dot com")
    assert settled(user) == before
    assert user.captures["date"]["status"] == "ASK"


def test_another_detail_can_be_changed_in_the_middle_of_a_dictation(call):
    user, _ = call("phone", "three one two, five five five, zero one one nine", "email")
    user.send("sarah at example dot com", "no", "sierra alpha romeo alpha")
    user.send("no wait, my phone number is three one two, five five five, zero one one eight")
    assert user.acts == [("readback", "phone")]


def test_a_value_begun_anew_is_not_joined_to_its_beginning(capture, talk):
    user = talk(capture("email"))
    user.send(None, "sarah dot mitchell", "sarah dot mitchell at example dot com")
    assert user.heard("email")["value"] == "sarah.mitchell@example.com"


def test_a_value_beside_another_detail_is_found(capture, talk):
    user = talk(capture("name", "phone"))
    user.send(
        None, "it's priya raman, p r i y a, r a m a n, and my number is six one seven five five five oh one six eight"
    )
    assert user.heard("name")["value"] == "Priya Raman"


def test_rejected_twice_the_form_of_asking_changes(capture, talk):
    user = talk(capture("name"))
    user.send(None, "jamis wilson", "no, it's jamis wilson")
    assert "Last time" in user.said
    user.send("no, it's jamis wilson")
    assert user.lines[-1].additional_kwargs["readback"]["form"] == "groups"
    assert user.captures["name"]["attempts"] == 2


@pytest.mark.parametrize("said", ["no wait, my email is wrong", "hang on, the email is wrong"])
def test_wait_and_what_is_wrong(call, said):
    user, _ = call("email", "kim at example dot com", "phone")
    user.send(said)
    assert (settled(user)["status"], settled(user)["revision"]) == ("ASK", 2)


@pytest.mark.parametrize(
    ("said", "phone"),
    [("hang on, let me check my email", "ASK"), ("can a person call me about my email", "HANDOFF")],
)
def test_another_detail_may_be_spoken_of(call, said, phone):
    user, before = call("email", "kim at example dot com", "phone")
    user.send(said)
    assert settled(user) == before
    assert user.captures["phone"]["status"] == phone
