import pytest

from langgraph_readback.evals.advise import advise


def _rows(field, count=40, **more):
    return [{"field": field, "status": "CONFIRMED", "seconds": 20, "call": i, **more} for i in range(count)]


def test_the_dearest_field_comes_first():
    rows = [*_rows("email"), *_rows("order", status="HANDOFF")]
    assert [a.field for a in advise(rows).fields] == ["order", "email"]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"used": False}, "drop it"),
        ({"prefillable": True}, "prefill it"),
        ({"status": "DECLINED"}, "make it optional"),
        ({"wrong": True}, "confirm it harder"),
        ({"verified": "format", "attempts": 1}, "add a lookup"),
        ({"reason": "not_found"}, "say where to find it"),
        ({"reason": "bad_pattern"}, "tighten its pattern"),
        ({"status": "HANDOFF"}, "offer another way"),
    ],
)
def test_what_to_do_follows_from_the_records(more, says):
    assert any(t.startswith(says) for t in advise(_rows("email", **more)).fields[0].todo)


def test_a_good_field_is_left_alone():
    assert advise(_rows("email", verified="world")).fields[0].todo == ()


def test_few_records_are_said_to_be_few():
    assert advise(_rows("email", count=3)).fields[0].todo[0].startswith("too few")


def test_more_than_four_details_a_call_are_warned_of():
    rows = [r for name in "abcde" for r in _rows(name)]
    assert "ask for over 4 details" in advise(rows).calls[0]
    assert advise(_rows("a")).calls == ()


def test_a_record_without_field_or_status_is_named():
    with pytest.raises(ValueError, match="record 1"):
        advise([{"field": "email"}])
