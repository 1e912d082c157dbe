import re
from collections import Counter

import phonenumbers
import pytest
from stdnum import luhn
from stdnum.iso7064 import mod_97_10

from langgraph_readback.evals.tasks import APART, TYPES, apart, own, several, split, twenty, two_hundred


def test_the_two_hundred_are_ten_types_by_two_tiers_by_ten():
    counts = Counter((t.type, t.items[0].tier) for t in two_hundred())
    assert counts == {(kind, tier): 10 for kind in TYPES for tier in ("easy", "hard")}


def test_halves_are_of_one_size_in_every_type_and_tier():
    counts = Counter((t.type, t.items[0].tier, t.half) for t in two_hundred())
    assert set(counts.values()) == {5}


def test_order_ids_and_postcodes_are_apart():
    assert Counter(t.type for t in apart()) == dict.fromkeys(APART, 20)


def test_sixty_two_field_and_thirty_three_field_calls_stay_in_one_half_and_locale():
    tasks = several()
    assert Counter(len(t.items) for t in tasks) == {2: 60, 3: 30}
    halves = {t.items[0].value: t.half for t in two_hundred()}
    for task in tasks:
        assert {halves[i.value] for i in task.items} == {task.half}
        assert len({i.locale for i in task.items}) == 1
        assert len({i.type for i in task.items}) == len(task.items)


def test_the_twenty_are_twenty_and_one_of_them_does_not_exist():
    assert len(twenty()) == 20
    assert sum(t.items[0].missing for t in twenty()) == 1
    assert {b for t in twenty() for b in t.behaviours} == {"self_correction", "restart_after_readback"}


@pytest.mark.parametrize("item", [t.items[0] for t in [*two_hundred(), *apart(), *twenty()]], ids=lambda i: i.value)
def test_values_are_canonical(item):
    if item.pattern:
        assert re.fullmatch(item.pattern, item.value)
    if item.checksum == "luhn":
        assert luhn.is_valid(item.value)
    if item.checksum == "mod97-10":
        assert mod_97_10.is_valid(item.value)
    if item.type == "phone":
        assert phonenumbers.is_valid_number(phonenumbers.parse(item.value))
    if item.type == "email":
        assert item.value == item.value.lower()
    if item.type == "time":
        assert re.fullmatch(r"[0-2]\d:[0-5]\d", item.value)


def test_values_are_not_used_twice():
    values = [t.items[0].value for t in two_hundred()]
    assert len(set(values)) == len(values)


def test_own_cases_are_read_and_split(tmp_path):
    path = tmp_path / "cases.yaml"
    path.write_text(
        "- {id: a, locale: en-AU, fields: {order: HL-1}}\n- {id: b, fields: {order: {value: HL-2, missing: true}}}\n"
    )
    first, second = own(path)
    assert (first.locale, first.half, second.half) == ("en-AU", "working", "held-out")
    assert second.items[0].missing
    assert split([first, second], "held-out") == [second]


@pytest.mark.parametrize(("text", "says"), [("[]", "expected a list"), ("- {id: a}", "case 1 needs")])
def test_own_cases_that_cannot_be_read_say_what_to_change(tmp_path, text, says):
    path = tmp_path / "cases.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=says):
        own(path)
