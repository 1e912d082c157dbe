"""Law 4, bounded: whatever the user sends, every capture ends, within the number of turns that ``bound`` states."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, cycle

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from langgraph_readback.context import CaptureContext
from langgraph_readback.fields import CrossRule, LookupOutcome, Reason, Verdict, catalogue
from langgraph_readback.graph import bound, build_capture_graph
from langgraph_readback.nodes import BUDGETS, REOPENINGS
from langgraph_readback.ports import MemoryHighWater
from langgraph_readback.seal import Sealer

ENDS = {"CONFIRMED", "HANDOFF", "DECLINED"}
ORDER = replace(catalogue["id"], name="order", pattern=r"HL-\d{6}")


async def known(value, context):
    return LookupOutcome.FOUND if value == "HL-204117" else LookupOutcome.NOT_FOUND


def made(*specs, **ports):
    return build_capture_graph(
        list(specs), checkpointer=InMemorySaver(), sealer=Sealer(["a key of the test suite"]),
        highwater=MemoryHighWater(), lookups={"order": known} if ORDER in specs else None, **ports,
    )  # fmt: skip


ONE = [catalogue["email"]]
THREE = [catalogue["email"], ORDER, replace(catalogue["phone"], optional=True)]
GRAPHS = {1: made(*ONE), 3: made(*THREE)}
THREADS = count()


def turns_to_the_end(graph, specs, user, limit):
    """How many messages it takes until every field has ended; None when ``limit`` do not suffice."""
    config = {"configurable": {"thread_id": f"t{next(THREADS)}"}}
    context = CaptureContext(channel="voice")
    result = graph.invoke({"messages": []}, config, context=context)
    for number in range(1, limit + 1):
        try:
            text = next(user)
        except StopIteration:
            return number
        message = text if isinstance(text, HumanMessage) else HumanMessage(text)
        result = graph.invoke({"messages": [message]}, config, context=context)
        records = result["captures"]
        if len(records) == len(specs) and all(r["status"] in ENDS for r in records.values()):
            return number
    return None


VALUES = ["kim dot lee at example dot com", "h l two oh four one one seven", "h l two oh four one one eight",
          "three one two five five five oh one one nine"]  # fmt: skip
MOVES = [
    *VALUES, "kim dot lee", "at example", "three one two", "h l two", "no", "no, kim dot leigh at example dot com",
    "it's with an i", "yes but", "yes no", "maybe", "hmm", "", "why do you need it", "pardon?", "hold on", "start over",
    "my email is wrong", "actually the phone is wrong", "no wait, first the email", "mumble", "x" * 3000, "thanks, bye",
    "kilo india mike dot", "no, kilo india mike dot", "lima echo echo", "that's it",
]  # fmt: skip
EVENTS = [
    HumanMessage("", additional_kwargs={"readback": {"event": "hangup"}}),
    HumanMessage("", additional_kwargs={"readback": {"event": "silence"}}),
    HumanMessage("yes", additional_kwargs={"readback": {"barge_in": True}}),
    HumanMessage("yes", additional_kwargs={"asr": {"confidence": 0.1}}),
]
"""All without an id, so that each sending is a new message."""


def fresh(message):
    return message.model_copy(update={"id": None}) if isinstance(message, HumanMessage) else message


@pytest.mark.parametrize(
    "move", [*MOVES, *EVENTS], ids=lambda m: (m if isinstance(m, str) else str(m.additional_kwargs))[:30]
)
def test_saying_one_thing_for_ever(move):
    """Each move alone, over and over, also the ones that cost no attempt."""
    end = turns_to_the_end(GRAPHS[1], ONE, (fresh(move) for _ in count()), bound(ONE))
    assert end is not None
    assert end <= bound(ONE)


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from([*MOVES, *EVENTS, "yes", "I don't have one"]), min_size=4, max_size=14))
def test_random_users(script):
    """A random script, repeated: three fields, one with a lookup that mostly says no, one optional."""
    assert turns_to_the_end(GRAPHS[3], THREE, map(fresh, cycle(script)), bound(THREE)) is not None


@settings(max_examples=25)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=6))
def test_any_text_at_all(script):
    assert turns_to_the_end(GRAPHS[1], ONE, cycle(script), bound(ONE)) is not None


def miser():
    """Spends every budget before the next attempt, and throws each unfinished answer away."""
    for _ in range(1 + ONE[0].retries + 1):
        for aside in ("start over",) * BUDGETS["question"]:
            yield from ("kim dot lee", "dot x", aside)
        yield from ("",) * BUDGETS["silence"]
        yield "kim dot lee at example dot com"
        yield from ("hmm",) * BUDGETS["unclear"]
        yield "no"


def reopener():
    """Confirms, and takes it back, as often as one may, with everything in between."""
    while True:
        yield from (
            "kim dot lee at example dot com",
            "hmm",
            "hmm",
            "",
            "yes",
            "my email is wrong",
            "why do you need it",
        )


@pytest.mark.parametrize("user", [miser, reopener])
def test_hostile_users(user):
    two = [*ONE, catalogue["phone"]]
    graph = made(*two)
    end = turns_to_the_end(graph, two, (t for _ in count() for t in user()), bound(two))
    assert end is not None
    assert end > 8  # they do get somewhere, so the bound is not beaten by luck


CONTRARY = [
    replace(catalogue["email"], depends_on=("order",)), ORDER,
    replace(catalogue["phone"], optional=True, prefill="trust", depends_on=("email",)),
]  # fmt: skip
"""Each change voids what comes after it, in a circle of rules that hardly anything satisfies."""


async def contrary(values, context):
    return Verdict() if sum(map(len, values.values())) % 3 == 0 else Verdict(reason=Reason(code="clash"))


async def on_file(context):
    return "+13125550119"


RULES = [
    CrossRule(fields=("email", "order"), check=contrary, blames="email"),
    CrossRule(fields=("order", "phone"), check=contrary, blames="order"),
    CrossRule(fields=("email", "phone"), check=contrary, blames="phone"),
]
TANGLED = made(*CONTRARY, rules=RULES, prefill={"email": on_file, "phone": on_file})


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from([*MOVES, *EVENTS, "yes", "yes", "I don't have one"]), min_size=4, max_size=14))
def test_random_users_with_rules_and_known_values(script):
    assert turns_to_the_end(TANGLED, CONTRARY, map(fresh, cycle(script)), bound(CONTRARY)) is not None


def agreeable():
    """Says yes to everything, and takes it all back, so that every rule and every dependence comes into play."""
    while True:
        yield from (
            "kim dot lee at example dot com", "yes", "h l two oh four one one seven", "yes", "yes",
            "three one two five five five oh one one nine", "yes", "actually my email is wrong",
            "kim dot leigh at example dot com", "yes", "actually the phone is wrong", "yes",
        )  # fmt: skip


def test_a_user_who_changes_everything_that_others_depend_on():
    assert turns_to_the_end(TANGLED, CONTRARY, agreeable(), bound(CONTRARY)) is not None


def test_duplicates_are_no_turns():
    """The same message again and again neither ends a capture nor moves it."""
    graph, config = GRAPHS[1], {"configurable": {"thread_id": "dup"}}
    graph.invoke({"messages": []}, config)
    for _ in range(20):
        result = graph.invoke({"messages": [HumanMessage("mumble", id="same")]}, config)
    assert result["captures"]["email"]["attempts"] == 1


def test_the_bound_grows_with_what_is_allowed():
    email = catalogue["email"]
    assert bound([]) == 1
    assert bound([replace(email, retries=5)]) > bound([email]) > bound([replace(email, retries=0)])
    assert bound([email, replace(catalogue["phone"], depends_on=("email",))]) > bound([email, catalogue["phone"]])
    assert bound([email, catalogue["phone"]]) == 2 * bound([email]) - 1
    assert bound([email]) < 400 * (REOPENINGS + 1)
