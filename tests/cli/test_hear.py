"""``readback hear``: rows in, rows out; a table for a person; how each character was heard."""

from __future__ import annotations

import pytest

ROWS = [
    ({"field": "email", "utterance": "kim dot lee at example dot com"}, "kim.lee@example.com", None, True),
    ({"field": "email", "utterance": "kim dot lee"}, None, "too_short", False),
    ({"field": "id", "pattern": r"HL-\d{6}", "utterance": "h l oh oh four seven one one"}, "HL-004711", None, True),
    ({"field": "order_id", "pattern": r"HL-\d{6}", "utterance": "HL-204117"}, "HL-204117", None, True),
    (
        {"field": "phone", "utterance": "null drei null neunzig achtzehn zwanzig", "locale": "de-DE"},
        "+4930901820",
        None,
        True,
    ),
    ({"field": "phone", "utterance": "0161 496 0123", "region": "GB", "channel": "chat"}, "+441614960123", None, True),
    (
        {"field": "id", "pattern": r"\d{16}", "checksum": "luhn", "utterance": "4111 1111 1111 1111"},
        "4111111111111111",
        None,
        True,
    ),
]


@pytest.mark.parametrize(("row", "value", "reason", "complete"), ROWS)
def test_rows(answers, row, value, reason, complete):
    [out] = answers("hear", rows=[{"id": "1", **row}])
    if value is None:
        assert (out["value"], out["complete"]) == (None, complete)
    else:
        assert out == {"id": "1", "value": value, "reason": reason, "complete": complete}


def test_a_wrong_check_digit_gives_no_value(answers):
    row = {"id": "1", "field": "id", "pattern": r"\d{16}", "checksum": "luhn", "utterance": "4111 1111 1111 1112"}
    [out] = answers("hear", rows=[row])
    assert (out["value"], bool(out["reason"])) == (None, True)


def test_unknown_keys_are_ignored(answers):
    [out] = answers("hear", rows=[{"id": 7, "field": "name", "utterance": "Kim Lee", "why": "a note"}])
    assert out == {"id": 7, "value": "Kim Lee", "reason": None, "complete": True}


def test_arguments_give_the_same_line(answers, run):
    done = run("hear", "--field", "email", "kim dot lee at example dot com", "nobody")
    assert done.exit_code == 0
    first, second = done.stdout.splitlines()
    assert first == '{"id": "1", "value": "kim.lee@example.com", "reason": null, "complete": true}'
    assert '"id": "2", "value": null' in second


@pytest.mark.parametrize(
    ("row", "value", "piece"),
    [
        pytest.param(
            {"field": "id", "pattern": r"HL-\d{6}", "utterance": "h l oh oh four, double seven, one"},
            "HL-004771",
            ("77", "double seven"),
            id="id",
        ),
        pytest.param(
            {"field": "email", "utterance": "k i m at example dot com"},
            "kim@example.com",
            ("@", "at"),
            id="email",
        ),
        pytest.param(
            {"field": "phone", "region": "US", "utterance": "three one two, 555 0119"},
            "+13125550119",
            ("3", "three"),
            id="phone",
        ),
    ],
)
def test_explain_names_the_words_behind_each_character(answers, row, value, piece):
    [out] = answers("hear", "--explain", rows=[{"id": "1", **row}])
    how = out["explain"]
    assert (how["intent"], how["candidates"]) == ("value", [])
    said = "".join(each["characters"] for each in how["heard"])
    assert said == value.removeprefix("+1")  # the country code is the numbering plan's
    assert {"characters": piece[0], "from": piece[1]} in how["heard"]


def test_a_person_sees_a_table(terminal):
    screen = terminal("hear", "--field", "email", "--explain", "kim dot lee at example dot com")
    assert "{" not in screen
    assert [word for word in ("utterance", "value", "kim.lee@example.com", "evidence") if word not in screen] == []
