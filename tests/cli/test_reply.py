"""``readback reply``: rows in, rows out, and a table for a person."""

from __future__ import annotations

import pytest

EMAIL = {"field": "email", "readback_value": "kim.lee@example.com"}
ROWS = [
    (EMAIL | {"reply": "spot on"}, "yes", None),
    (EMAIL | {"reply": "no"}, "no", None),
    (EMAIL | {"reply": "no, it's kim.leigh@example.com", "channel": "chat"}, "correction", "kim.leigh@example.com"),
    (EMAIL | {"reply": "stimmt genau", "locale": "de-DE"}, "yes", None),
    (EMAIL | {"reply": "I want to talk to a person"}, "handoff", None),
    (EMAIL | {"reply": ""}, "silence", None),
    ({"field": "id", "pattern": r"HL-\d{6}", "readback_value": "HL-204117", "reply": "yep"}, "yes", None),
]


@pytest.mark.parametrize(("row", "kind", "value"), ROWS)
def test_rows(answers, row, kind, value):
    assert answers("reply", rows=[{"id": "1", **row}]) == [{"id": "1", "kind": kind, "value": value}]


@pytest.mark.parametrize("reply", ["yes but it's d-a-z", "yeah no", "count me out", "yeah, kim dot leigh"])
def test_a_yes_with_something_left_over_is_not_a_yes(answers, reply):
    [out] = answers("reply", rows=[{"id": "1", "reply": reply} | EMAIL])
    assert out["kind"] != "yes"


def test_a_person_sees_a_table(terminal):
    screen = terminal("reply", "--field", "email", "--value", "kim.lee@example.com", "spot on")
    assert "{" not in screen
    assert [word for word in ("read back", "kim.lee@example.com", "kind", "yes") if word not in screen] == []
