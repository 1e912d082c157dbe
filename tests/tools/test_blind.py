"""Masking: volunteered values, captured values in any dress, and the transcript a model gets."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from langgraph_readback.fields import Ask, FieldSpec, catalogue
from langgraph_readback.tools import blind, find_proposals, mask_values

ORDER = FieldSpec(name="order_id", pattern=r"HL-\d{6}")
SPECS = [catalogue["email"], ORDER, catalogue["phone"], catalogue["name"]]
CHAT = Ask(locale="en-AU", channel="chat")

OFFERED = [
    # what the user says unasked; what a model may see; the pieces captures may start from
    (
        "I want a refund please, my email is rae.oneill@example.com and the order is HL-204815",
        "I want a refund please, my email is <email offered> and the order is <order_id offered>",
        {"email": "rae.oneill@example.com", "order_id": "HL-204815"},
    ),
    (
        "refund please my email is rae dot oneill at example dot com thanks",
        "refund please my email is <email offered> thanks",
        {"email": "rae dot oneill at example dot com"},
    ),
    (
        "call me on 0412 345 678 please, i need a refund",
        "call me on <phone offered> please, i need a refund",
        {"phone": "0412 345 678"},
    ),
    (
        "my phone number is oh four one two three four five six seven eight ok",
        "my phone number is <phone offered> ok",
        {"phone": "oh four one two three four five six seven eight"},
    ),
    (
        "my name is Rae O'Neill and I'd like to book for friday",
        "my name is <name offered> and I'd like to book for friday",
        {"name": "Rae O'Neill"},
    ),
    ("hi, i'm Siobhan Nguyen", "hi, i'm <name offered>", {"name": "Siobhan Nguyen"}),
    ("order number is h l two oh four eight one five", "order number is <order_id offered>",
     {"order_id": "h l two oh four eight one five"}),
    ("my email is rae at example dot com or ray at example dot com", "my email is <details> or <details>", {}),
    ("rae@exam is what I have", "<details> is what I have", {}),
    ("it says 4929 1234 5678 9012 on it", "it says <details> on it", {}),
    ("it is d e double u x y", "it is <name offered>", {"name": "d e double u x y"}),
    ("do you deliver on sundays?", "do you deliver on sundays?", {}),
    ("one or two weeks ago, in 2026, for 2 shirts", "one or two weeks ago, in 2026, for 2 shirts", {}),
    ("I'm looking for a refund", "I'm looking for a refund", {}),
    ("", "", {}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "masked", "pieces"), OFFERED)
def test_what_is_volunteered_is_masked_and_kept_as_a_proposal(text, masked, pieces):
    found = find_proposals(text, SPECS, CHAT)
    assert (found.masked, found.pieces) == (masked, pieces)
    assert not any(piece in repr(found) for piece in pieces.values())


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("to rae.oneill@example.com.", "to <email>."),
        ("RAE.ONEILL@EXAMPLE.COM", "<email>"),
        ("rae.oneill", "<email>"),
        ("r-a-e-o-n-e-i-l-l", "<email>"),
        ("r a e o n e i l l @ example com", "<email>"),
        ("order HL-204815, HL 204 815 or hl204815", "order <order>, <order> or <order>"),
        ("call +61 412 345 678 or 412-345-678", "call <phone> or <phone>"),
        ("Siobhan Nguyen; Ms Nguyen; siobhan  nguyen", "<name>; Ms <name>; <name>"),
        ("room 12 at 12:30, 1200 guests", "room <room> at <room>:30, 1200 guests"),
        ("raeoneillx", "raeoneillx"),
    ],
)
def test_captured_values_are_masked_in_any_dress(text, masked):
    values = {"email": "rae.oneill@example.com", "order": "HL-204815", "phone": "+61412345678", "room": "12"}
    assert mask_values(text, values | {"name": "Siobhan Nguyen", "none": None, "empty": " "}) == masked


def line(act, field, text, **other):
    return AIMessage(text, additional_kwargs={"readback": {"act": act, "field": field, "ssml": text, **other}})


CAPTURES = {"email": {"status": "CONFIRMED", "value": "rae.oneill@example.com"}}
TALK = [
    (SystemMessage("Help."), "Help."),
    (HumanMessage("refund please, I'm on rae.oneill@example.com"), "refund please, I'm on <email offered>"),
    (line("readback", "email", "I have rae.oneill@example.com, right?"), "<email read back>"),
    (HumanMessage("no, it's rae.o@example.com"), "<answer about email>"),
    (HumanMessage("or so"), "<answer about email>"),
    (line("ask", "email", "Please spell it."), "<asked for email>"),
    (HumanMessage("r a e dot o"), "<answer about email>"),
    (line("echo", "email", "r a e dot o"), "<email read back in parts>"),
    (HumanMessage("yes"), "<answer about email>"),
    (line("confirm", "email", "Thank you."), "<email confirmed>"),
    (HumanMessage("and now?"), "and now?"),
    (line("inform", "phone", "A colleague calls rae.oneill@example.com."), "A colleague calls <email>."),
    (HumanMessage("great"), "great"),
    (AIMessage("Refunding for rae.oneill@example.com"), "Refunding for <email>"),
    (ToolMessage("sent to RAE.ONEILL", tool_call_id="1"), "sent to <email>"),
]


def test_the_transcript_a_model_gets():
    seen = blind([message for message, _ in TALK], CAPTURES, SPECS, ask=CHAT)
    assert [message.text for message in seen] == [text for _, text in TALK]
    assert [type(message) for message in seen] == [type(message) for message, _ in TALK]


def test_nothing_hides_beside_the_text():
    message = AIMessage(
        "ok",
        additional_kwargs={"x": "rae.oneill@example.com"},
        response_metadata={"x": "rae.oneill@example.com"},
        tool_calls=[{"id": "1", "name": "t", "args": {"a": ["to rae.oneill@example.com"], "b": {"c": "RAE.ONEILL"}}}],
    )
    (seen,) = blind([message], CAPTURES)
    assert "rae.oneill" not in repr(seen).casefold()
    assert seen.tool_calls[0]["args"] == {"a": ["to <email>"], "b": {"c": "<email>"}}


def test_a_field_that_need_not_be_hidden():
    specs = [FieldSpec(name="date", blind=False)]
    talk = [line("ask", "date", "Which day?"), HumanMessage("3 May 2027"), line("readback", "date", "3 May, right?")]
    assert [m.text for m in blind(talk, {"date": {"value": "2027-05-03"}}, specs)] == [m.text for m in talk]


def test_ids_stay():
    talk = [HumanMessage("a", id="1"), line("ask", "email", "?"), ToolMessage("t", tool_call_id="c", id="3")]
    assert [(m.id, getattr(m, "tool_call_id", None)) for m in blind(talk)] == [("1", None), (None, None), ("3", "c")]
