"""The caller's ear: right read-backs pass in any agent's wording, wrong ones do not."""

import random

import pytest

from langgraph_readback.evals.arms import shown
from langgraph_readback.evals.ear import echoes, judge
from langgraph_readback.evals.rates import pick
from langgraph_readback.evals.score import exact
from langgraph_readback.evals.specs import spec_of, supported
from langgraph_readback.evals.speech import Style, say
from langgraph_readback.evals.tasks import apart, twenty, two_hundred
from langgraph_readback.fields import read_back

ITEMS = {t.items[0].value: t.items[0] for t in [*two_hundred(), *apart(), *twenty()]}

ROWS = [
    (
        "james.wilson@gmail.com",
        "I have J, A, M, E, S, dot, W, I, L, S, O, N, at gmail dot com. Is that right?",
        "right",
    ),
    (
        "james.wilson@gmail.com",
        "I have J, A, M, E, S, dot, W, I, L, S, O, M, at gmail dot com. Is that right?",
        "wrong",
    ),
    ("james.wilson@gmail.com", "So that's james dot wilson at gmail dot com, correct?", "right"),
    ("james.wilson@gmail.com", "I have:\n\njames.wilsn@gmail.com\n\nIs that right?", "wrong"),
    (
        "james.wilson@gmail.com",
        "J as in Juliet, A as in Alpha, M as in Mike, E, S. dot. W, I, L, S, O, N. at gmail dot com. OK?",
        "right",
    ),
    ("james.wilson@gmail.com", "Is that right?", "absent"),
    (
        "l1sa.vdberg@example.com",
        "I have L, one, S, A, dot, V, D, B, E, R, G, at example dot com. (1 is one.) Right?",
        "right",
    ),
    ("l1sa.vdberg@example.com", "I have L, I, S, A, dot, V, D, B, E, R, G, at example dot com. Right?", "wrong"),
    ("HL-402518", "I have H, L, dash, four zero two, five one eight. Is that right?", "right"),
    ("HL-402518", "Your order number is HL-402519. Is that right?", "wrong"),
    ("QVB47XE8", "I have Quebec Victor Bravo four seven X-ray Echo eight. Correct?", "right"),
    ("+14155550132", "I have +1 415-555-0132, right?", "right"),
    ("+14155550132", "I have 415 555 0133, right?", "wrong"),
    ("+442079460003", "I have oh two oh, seven nine four six, triple zero three. right?", "right"),
    ("+13035550100;ext=4072", "I have three oh three, five five five, oh one double oh. OK?", "wrong"),
    ("Rae Lindqvist", "I have Ray Lindqvist. Is that right?", "right"),
    ("Rae Lindqvist", "I have R, A, Y, Lindqvist. Is that right?", "wrong"),
    ("Rae Lindqvist", "I have Rae, R A E, Lindqvist, L I N D Q V I S T. Is that right?", "right"),
    ("Rae Lindqvist", "I have first name R, A, E, last name L, I, N, D, Q, V, I, S, T. Is that right?", "right"),
    ("Rae Lindqvist", "I have R, A, E, L, I, N, D, Q, V, I, S, T. Is that right?", "wrong"),
    ("James Wilson", "I have Mary James Wilson. Is that right?", "wrong"),
    ("James Wilson", "I have James, J, A, M as in Mike, E, S, Wilson, W, I, L, S, O, N. Is that right?", "right"),
    ("14 Wattle Street, Fitzroy 3065", "I have 40 Wattle Street, Fitzroy 3065. Is that right?", "wrong"),
    (
        "14 Wattle Street, Fitzroy 3065",
        "One four Wattle Street, W, A, T, T, L, E, Fitzroy, postcode, three, zero, six, five. Right?",
        "right",
    ),
    ("Sertraline 50 mg", "I have Sertraline 15 mg. Is that right?", "wrong"),
    ("Levothyroxine 112 mcg", "I have Levothyroxine, one hundred and twelve micrograms. Right?", "right"),
    ("Quorvath & Eyre", "I have Quorvath and Eyre. Right?", "right"),
    ("2026-12-14", "I have Monday, December 14th, 2026. Is that right?", "right"),
    ("2026-12-14", "I have December fifteenth, twenty twenty-six. Is that right?", "wrong"),
    ("14:30", "I have half past two in the afternoon. Is that right?", "right"),
    ("14:30", "I have 2:30 AM. Is that right?", "wrong"),
    ("00:15", "I have quarter past twelve at night. Right?", "right"),
]


@pytest.mark.parametrize(("value", "text", "verdict"), ROWS)
def test_read_backs_are_judged(value, text, verdict):
    assert judge(text, ITEMS[value]).verdict == verdict


def test_on_a_screen_homophones_do_not_pass():
    assert judge("I have Ray Lindqvist. Is that right?", ITEMS["Rae Lindqvist"], seen=True).verdict == "wrong"


@pytest.mark.parametrize("item", ITEMS.values(), ids=lambda i: i.value)
def test_every_right_read_back_passes(item):
    texts = [shown(item, item.value, spelled=spelled) for spelled in (False, True)]
    for channel in ("voice", "chat"):
        if supported(item):
            spec = spec_of(item)
            more = (
                read_back(spec, item.value, locale=item.locale, channel=channel, explicit=e).text for e in (False, True)
            )
            texts += more
    for text in texts:
        assert judge(f"I have {text}. Is that right?", item).verdict == "right", text


@pytest.mark.parametrize("item", [i for i in ITEMS.values() if i.type not in ("date", "time")], ids=lambda i: i.value)
def test_no_changed_value_passes_when_it_is_spelled(item):
    rng = random.Random(item.value)
    for _ in range(5):
        place = rng.choice([i for i, c in enumerate(item.value) if c.isalnum()])
        other = pick(rng, item.value[place].lower(), "spelled")
        wrong = item.value[:place] + rng.choice(("", other)) + item.value[place + 1 :]
        if not exact(wrong, item.value, item.type):
            assert judge(f"I have {shown(item, wrong, spelled=True)}. Is that right?", item).verdict == "wrong", wrong


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("q, v, b, four. And then?", True),
        ("Quebec, Victor, Bravo, four. And then?", True),
        ("q, v, p, four. And then?", False),
        ("q, v, b. And then?", False),
        ("And then?", False),
    ],
)
def test_an_echo_fits_its_group_or_not(text, fits):
    group = say(ITEMS["QVB47XE8"], "words", Style(), random.Random(1))[:4]
    assert echoes(text, group, ITEMS["QVB47XE8"]) is fits
