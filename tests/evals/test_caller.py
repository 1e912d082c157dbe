"""The caller: truthful, seeded, answers what is asked in the form asked for."""

from collections import Counter

import pytest

from langgraph_readback.evals.caller import Caller
from langgraph_readback.evals.intent import Line, wish
from langgraph_readback.evals.reader import read
from langgraph_readback.evals.score import exact
from langgraph_readback.evals.speech import text_of
from langgraph_readback.evals.tasks import several, twenty, two_hundred

TASKS = two_hundred()
EMAIL = next(t for t in TASKS if t.id == "en-email-easy-1")
ADDRESS = EMAIL.items[0].value
CODE = next(t for t in TASKS if t.items[0].value == "QVB47XE8")


def _say(text, act="ask", form="natural", field="email"):
    return [Line(text, {"act": act, "field": field, "form": form})]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("natural", "laura at bennettfoods dot com"),
        ("spelled", "l a u r a at b e n n e t t f o o d s dot com"),
    ],
)
def test_gives_the_value_in_the_form_asked_for(form, text):
    assert text_of(list(Caller(EMAIL, "regular", 1, plain=True).answer(_say("?", form=form)).toks)) == text


def test_is_truthful_when_asked_again():
    for task in TASKS:
        caller = Caller(task, "noise", 2, complications={"self_correction": 0.0})
        for form in ("natural", "spelled", "spelled"):
            said = caller.answer(_say("Please say all of it again.", form=form, field=task.items[0].field))
        if said.whole:
            assert exact(read(task.items[0], text_of(list(said.toks))), task.items[0].value, task.items[0].type)


def test_complications_come_at_their_rates():
    kinds = Counter()
    for seed in range(20):
        for task in TASKS:
            said = Caller(task, "regular", seed).answer(_say("?", field=task.items[0].field))
            kinds["not whole"] += not said.whole
            kinds["slip"] += any(t.kind == "repair" for t in said.toks)
    total = 20 * len(TASKS)
    assert kinds["not whole"] / total == pytest.approx(0.03 + 0.10 + 0.10, abs=0.06)
    assert kinds["slip"] / total == pytest.approx(0.05, abs=0.02)


def test_says_yes_to_a_right_read_back_and_no_to_a_wrong_one():
    caller = Caller(EMAIL, "regular", 1, false_yes=0)
    assert caller.answer(_say(f"I have {ADDRESS}. Is that right?", "readback")).kind == "yes"
    assert caller.answer(_say(f"I have {ADDRESS[1:]}. Is that right?", "readback")).kind in ("no", "correction")


@pytest.mark.parametrize("rate", [0.0, 0.02, 0.05, 0.5])
def test_says_yes_to_a_wrong_one_at_the_given_rate(rate):
    yes = [
        Caller(task, "regular", seed, false_yes=rate)
        .answer(_say("I have nothing like it 7 q. Right?", "readback", field=task.items[0].field))
        .kind
        == "yes"
        for seed in range(10)
        for task in TASKS
    ]
    assert sum(yes) / len(yes) == pytest.approx(rate, abs=0.015 if rate < 0.5 else 0.05)


def test_a_rejection_is_bare_or_whole_or_says_what_differs():
    kinds = Counter()
    for seed in range(300):
        said = Caller(CODE, "regular", seed, false_yes=0).answer(
            _say("I have Q, V, P, 4, 7, X, E, 8. Right?", "readback", field="code")
        )
        text = text_of(list(said.toks)) if said.toks else said.text
        kinds["bare" if said.kind == "no" else "whole" if said.whole else "differs"] += 1
        if said.kind == "correction" and not said.whole:
            assert text == "no, it's b as in bravo, not p"
    assert kinds["bare"] / 300 == pytest.approx(0.30, abs=0.08)
    assert kinds["whole"] / 300 == pytest.approx(0.35, abs=0.08)


def test_groups_are_given_one_after_the_other_and_again_when_they_echo_wrong():
    caller = Caller(CODE, "regular", 1, plain=True)
    first = text_of(list(caller.answer(_say("In groups, please.", form="groups", field="code")).toks))
    again = text_of(list(caller.answer(_say("q, v, b, nine. And then?", "echo", "groups", "code")).toks))
    assert again == f"no, {first}"
    last = caller.answer(_say("q, v, b, four. And then?", "echo", "groups", "code"))
    assert last.whole
    assert caller.answer(_say("seven, x, e, eight. And then?", "echo", "groups", "code")).kind == "other"


def test_a_part_is_given_alone_when_only_a_part_is_asked_for():
    caller = Caller(EMAIL, "regular", 1, plain=True)
    said = caller.answer(_say("First only the part before the at sign, please.", form="spelled"))
    assert text_of(list(said.toks)) == "l a u r a"


def test_a_challenge_is_answered_with_the_last_characters():
    caller = Caller(CODE, "regular", 1, plain=True, false_yes=0)
    said = caller.answer(
        _say("I have Q V B four seven X E eight. Please say the last three characters.", "readback", field="code")
    )
    assert text_of(list(said.toks)) == "x e eight"


def test_starts_over_after_the_read_back_when_the_task_says_so():
    task = next(t for t in twenty() if "restart_after_readback" in t.behaviours)
    caller = Caller(task, "regular", 1, plain=True)
    caller.answer(_say("What is your email?"))
    said = caller.answer(_say(f"I have {task.items[0].value}. Right?", "readback"))
    assert text_of(list(said.toks)).startswith("sorry let me start over, ")


@pytest.mark.parametrize(
    ("text", "act", "form"),
    [
        ("What's your email address?", "ask", "natural"),
        ("Could you spell that for me, letter by letter?", "ask", "spelled"),
        ("Please use a word for each letter, like A for Alpha.", "ask", "words"),
        (f"I've got {ADDRESS}, is that correct?", "readback", "natural"),
    ],
)
def test_an_agent_without_marks_is_understood(text, act, form):
    found = wish([Line(text, {})], EMAIL.items, EMAIL.items[0])
    assert (found.act, found.form, found.item) == (act, form, EMAIL.items[0])


def test_what_wants_no_answer_is_not_answered():
    assert wish([Line("Thank you, that's everything.", {})], EMAIL.items, EMAIL.items[0]) is None


def test_the_field_is_found_by_its_label():
    task = next(t for t in several() if {i.type for i in t.items} == {"email", "phone"} or len(t.items) == 3)
    item = task.items[-1]
    found = wish([Line(f"And what is your {item.field.replace('_', ' ')}?", {})], task.items, task.items[0])
    assert found.item.field == item.field
