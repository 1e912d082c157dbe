"""The simulated line: repeatable, honest with the line off, sticky, and kinder to spelling words."""

import random
from statistics import mean

import pytest

from langgraph_readback.evals.channel import Line
from langgraph_readback.evals.rates import hazard, pick, rates
from langgraph_readback.evals.reader import read
from langgraph_readback.evals.score import exact
from langgraph_readback.evals.speech import Style, say
from langgraph_readback.evals.tasks import VOICE, apart, two_hundred
from langgraph_readback.evals.typed import typed

TASKS = [*two_hundred(), *apart()]


def _toks(item, form="natural", seed=1):
    return say(item, form, Style(), random.Random(seed))


def test_the_same_call_is_heard_the_same_by_every_arm():
    item = TASKS[60].items[0]
    lines = [Line(TASKS[60].id, "noise", 3) for _ in range(2)]
    assert lines[0].hear(item, _toks(item)) == lines[1].hear(item, _toks(item))


@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.items[0].value)
def test_with_the_line_off_every_value_arrives(task):
    item = task.items[0]
    for seed in range(4):
        for form in ("natural", "spelled"):
            heard = Line(task.id, "noise", seed, scale=0).hear(item, _toks(item, form, seed))
            assert heard.exact
            assert exact(read(item, heard.text), item.value, item.type), heard.text


def test_exact_means_what_it_says():
    for task in TASKS:
        item = task.items[0]
        heard = Line(task.id, "noise", 5).hear(item, _toks(item))
        if heard.exact:
            assert exact(read(item, heard.text), item.value, item.type), heard.text


def _wrong(forms, condition="regular"):
    """Share of wrong hearings of names, the first time and again after a wrong one."""
    first, again = [], []
    for task in two_hundred():
        if task.type not in ("name", "email", "company"):
            continue
        for seed in range(30):
            line = Line(task.id, condition, seed)
            toks = [_toks(task.items[0], form, seed) for form in forms]
            first.append(not line.hear(task.items[0], toks[0]).exact)
            if first[-1]:
                again.append(not line.hear(task.items[0], toks[1]).exact)
    return mean(first), mean(again)


def test_errors_stick_when_the_value_is_said_again_in_the_same_way():
    first, again = _wrong(("spelled", "spelled"))
    assert again > first + 0.1


def test_spelling_words_err_less_and_loosen_what_sticks():
    spelled, again = _wrong(("spelled", "spelled"))
    words, _ = _wrong(("words", "words"))
    _, changed = _wrong(("spelled", "words"))
    assert words < 0.75 * spelled
    assert changed < again - 0.1


def test_more_noise_errs_more_and_the_scale_scales():
    assert _wrong(("natural", "natural"), "noise")[0] > _wrong(("natural", "natural"), "speech")[0]


@pytest.mark.parametrize("rate", [0.01, 0.3, 0.61, 0.9])
def test_a_rate_is_its_share_over_all_calls(rate):
    rng = random.Random(1)
    spread = rates()["call"]["total_variance"]
    import math

    hits = [rng.random() < 1 - math.exp(-rng.gammavariate(1 / spread, spread) * hazard(rate)) for _ in range(20_000)]
    assert mean(hits) == pytest.approx(rate, abs=0.02)


def test_confusions_have_a_direction():
    rng = random.Random(2)
    assert sum(pick(rng, "t", "spelled") == "c" for _ in range(1000)) > 200
    assert sum(pick(rng, "n", "spelled") == "m" for _ in range(1000)) < 150


def test_an_alternative_is_sometimes_right_and_confidence_says_something():
    rows = []
    for task in two_hundred():
        line = Line(task.id, "regular", 9)
        rows.append(line.hear(task.items[0], _toks(task.items[0])))
    clean = mean(h.confidence for h in rows if h.exact)
    faulty = mean(h.confidence for h in rows if not h.exact)
    assert 0.03 < clean - faulty < 0.2
    assert any(len(h.nbest) > 1 for h in rows)


@pytest.mark.parametrize("condition", VOICE)
def test_every_condition_has_its_rates(condition):
    assert set(rates()["condition"][condition]) >= {"e_set", "other", "delete", "digit", "insert", "stick", "word"}


@pytest.mark.parametrize("variant", ["typos", "autocorrect", "pasted"])
def test_what_is_typed_is_all_there_or_said_not_to_be(variant):
    for task in TASKS:
        item = task.items[0]
        text, clean = typed(item, variant, random.Random(task.id))
        if clean and item.type not in ("date", "dob", "time", "phone"):
            plain = text.casefold().replace("\u2019", "'")
            assert item.value.casefold() in plain
