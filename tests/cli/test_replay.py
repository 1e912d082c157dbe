"""``readback replay``: whole conversations through the real graph."""

from __future__ import annotations

import pytest

ID = {"fields": ["order_id"], "patterns": {"order_id": r"HL-\d{6}"}, "channel": "chat"}
KNOWN = {"lookups": {"order_id": {"HL-204117": "FOUND", "*": "NOT_FOUND"}}}
CONFIRMED, HANDOFF = "CONFIRMED", "HANDOFF"

ROWS = [
    pytest.param(
        {"fields": ["email"], "turns": ["kim dot lee at example dot com", "yes"]},
        {"email": (CONFIRMED, "kim.lee@example.com", 0, "format")},
        id="said and confirmed",
    ),
    pytest.param(
        {
            "fields": ["email"],
            "turns": ["kim dot lee at example dot com", "no", "kim dot li, l i, at example dot com", "yes"],
        },
        {"email": (CONFIRMED, "kim.li@example.com", 1, "format")},
        id="said no, captured anew",
    ),
    pytest.param(
        ID | {"turns": ["HL-204117", "yes"]}, {"order_id": (CONFIRMED, "HL-204117", 0, "format")}, id="no lookup"
    ),
    pytest.param(
        ID | KNOWN | {"turns": ["HL-204117", "yes"]}, {"order_id": (CONFIRMED, "HL-204117", 0, "world")}, id="found"
    ),
    pytest.param(
        ID | KNOWN | {"turns": ["HL-999999", "HL-888888", "HL-777777", "hello?", "are you there"]},
        {"order_id": (HANDOFF, None, 3, None)},
        id="not found three times, and messages after the hand-off",
    ),
    pytest.param(
        ID | {"lookups": {"order_id": {"*": "UNAVAILABLE"}}, "turns": ["HL-204117", "yes"]},
        {"order_id": (CONFIRMED, "HL-204117", 0, "format")},
        id="the world is down",
    ),
    pytest.param(
        {"fields": ["email", "phone"], "optional": ["phone"], "turns": ["a@example.com", "yes", "I don't have one"]},
        {"email": (CONFIRMED, "a@example.com", 0, "format"), "phone": ("DECLINED", None, 0, None)},
        id="declined",
    ),
]


@pytest.mark.parametrize(("row", "captures"), ROWS)
def test_rows(answers, row, captures):
    [out] = answers("replay", rows=[{"id": "1", **row}])
    keys = ("status", "value", "attempts", "verified")
    assert out["captures"] == {name: dict(zip(keys, record, strict=True)) for name, record in captures.items()}


def test_it_opens_with_the_question_and_tells_every_line(answers):
    [out] = answers("replay", rows=[{"id": "1", "fields": ["email"], "turns": []}])
    assert len(out["says"]) == 1
    assert "email" in out["says"][0].lower()
    assert out["captures"]["email"]["value"] is None


def test_no_value_leaves_before_it_is_confirmed(answers):
    [out] = answers("replay", rows=[{"id": "1", "fields": ["email"], "turns": ["kim@example.com"]}])
    assert out["captures"]["email"]["value"] is None
    assert out["captures"]["email"]["status"] != CONFIRMED


def test_a_yes_over_the_read_back_does_not_count(answers):
    turns = ["kim@example.com", {"text": "yes", "barge_in": True}]
    [out] = answers("replay", rows=[{"id": "1", "fields": ["email"], "turns": turns}])
    assert out["captures"]["email"]["status"] != CONFIRMED


def test_a_value_that_is_taken_back_stands_until_the_new_one_is_confirmed(answers):
    turns = ["kim.lee@example.com", "yes", "oh no, it should be kim.leigh@example.com"]
    rows = [{"id": 1, "fields": ["email"], "turns": turns}, {"id": 2, "fields": ["email"], "turns": [*turns, "yes"]}]
    open_, closed = (out["captures"]["email"] for out in answers("replay", rows=rows))
    assert (open_["status"], open_["value"], open_["reopened"]) == (CONFIRMED, "kim.lee@example.com", "READBACK")
    assert (closed["status"], closed["value"], "reopened" in closed) == (CONFIRMED, "kim.leigh@example.com", False)


def test_conversations_do_not_know_each_other(answers):
    rows = [{"id": n, "fields": ["email"], "turns": turns} for n, turns in enumerate((["kim@example.com", "yes"], []))]
    first, second = answers("replay", rows=rows)
    assert (first["captures"]["email"]["status"], second["captures"]["email"]["value"]) == (CONFIRMED, None)
