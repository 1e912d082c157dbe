"""Law 5, forward: a record's revision only grows; no stale, replayed or concurrent write brings an older one back."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage

from langgraph_readback.fields import catalogue
from langgraph_readback.graph import build_capture_graph
from langgraph_readback.ports import MemoryHighWater
from langgraph_readback.state import forward

RECORDS = st.fixed_dictionaries(
    {
        "revision": st.integers(0, 3),
        "step": st.integers(0, 3),
        "status": st.sampled_from(["ASK", "READBACK", "CONFIRMED", "HANDOFF"]),
        "value": st.sampled_from([None, "a", "b"]),
    }
)
COPIES = st.dictionaries(st.sampled_from(["email", "phone"]), RECORDS, max_size=2)
GARBAGE = st.sampled_from(
    [None, 5, "x", [], {"revision": "9", "step": 1}, {"revision": True, "step": 1}, {"revision": 1}]
)


def order(record):
    return record["revision"], record["step"]


@given(COPIES, COPIES)
def test_copies_can_come_in_any_order(a, b):
    assert forward(a, b) == forward(b, a)


@given(COPIES, COPIES, COPIES)
def test_merging_does_not_depend_on_the_grouping(a, b, c):
    assert forward(forward(a, b), c) == forward(a, forward(b, c))


@given(COPIES)
def test_a_copy_of_itself_changes_nothing(a):
    assert forward(a, a) == forward(a, {}) == forward({}, a) == a


@given(st.lists(COPIES, max_size=6))
def test_nothing_ever_goes_back(copies):
    merged = {}
    for copy in copies:
        before, merged = merged, forward(merged, copy)
        assert all(order(merged[name]) >= order(before[name]) for name in before)
    for name, record in merged.items():
        assert order(record) == max(order(copy[name]) for copy in copies if name in copy)


@given(COPIES, st.dictionaries(st.sampled_from(["email", "phone"]), GARBAGE), GARBAGE)
def test_what_is_no_record_is_ignored(a, broken, worse):
    assert forward(a, broken) == a
    assert forward(a, worse) == a


def test_of_two_writes_of_one_step_the_cautious_one_stays():
    open_, closed = ({"revision": 1, "step": 4, "status": s} for s in ("READBACK", "CONFIRMED"))
    for pair in permutations([open_, closed]):
        assert forward({"email": pair[0]}, {"email": pair[1]}) == {"email": open_}


@pytest.fixture
def marks():
    return MemoryHighWater()


@pytest.fixture
def user(store, sealer, talk, marks):
    """A conversation on each store, with the email confirmed as revision 1."""
    graph = build_capture_graph([catalogue["email"]], checkpointer=store, sealer=sealer, highwater=marks)
    user = talk(graph, channel="chat")
    user.send(None, "kim.lee@example.com", "yes")
    return user


def test_a_stale_write_is_lost(user):
    old = user.captures
    user.send("my email is wrong", "kim.leigh@example.com", "yes")
    user.graph.update_state(user.config, {"captures": old}, as_node="email.CONFIRMED")
    assert user.graph.get_state(user.config).values["captures"]["email"]["value"] == "kim.leigh@example.com"
    assert user.send("thanks")["email"]["revision"] == 2


def test_revisions_only_grow_through_a_conversation(user):
    seen = [user.captures["email"]["revision"]]
    turns = ("my email is wrong", "kim.leigh@example.com", "no", "kim.li@example.com", "yes", "bye")
    seen += [user.send(turn)["email"]["revision"] for turn in turns]
    assert seen == sorted(seen)
    history = [
        s.values["captures"]["email"] for s in user.graph.get_state_history(user.config) if s.values.get("captures")
    ]
    orders = [order(record) for record in reversed(history)]
    assert orders == sorted(orders)


def test_what_bypasses_the_reducer_is_below_the_mark(user, marks, sealer):
    """From an old checkpoint the thread shows its old record again; its seal is genuine, its revision is not newest."""
    [old] = [
        s.config for s in user.graph.get_state_history(user.config)
        if s.values.get("captures", {}).get("email", {}).get("status") == "CONFIRMED" and not s.next
    ]  # fmt: skip
    user.send("my email is wrong", "kim.leigh@example.com", "yes")
    assert marks.highest("t", "email") == 2
    result = user.graph.invoke({"messages": [HumanMessage("thanks")]}, old)
    record = result["captures"]["email"]
    assert (record["value"], record["revision"]) == ("kim.lee@example.com", 1)
    assert sealer.verify(record["seal"], thread="t", field="email", value=record["value"], revision=1).ok
    assert record["revision"] < marks.highest("t", "email")


def test_two_runs_never_seal_the_same_newest_revision(user, marks):
    """Two workers confirm different values from one checkpoint: each gets a revision of its own."""
    user.send("my email is wrong")
    start = user.graph.get_state(user.config).config
    revisions = {}
    for value in ("kim.li@example.com", "kim.leigh@example.com"):
        fork = user.graph.invoke({"messages": [HumanMessage(value)]}, start, context=user.context)
        assert fork["captures"]["email"]["status"] == "READBACK"
        record = user.graph.invoke({"messages": [HumanMessage("yes")]}, user.config, context=user.context)["captures"][
            "email"
        ]
        revisions[record["value"]] = record["revision"]
    assert sorted(revisions.values()) == [2, 3]
    assert marks.highest("t", "email") == 3


def test_overwriting_the_records_confirms_nothing(user):
    """A client may write state past the reducer; a record without a seal that holds is asked for again."""
    forged = {**user.captures["email"], "value": "eve@example.com", "revision": 50, "step": 90}
    user.graph.update_state(user.config, {"captures": {"email": forged}}, as_node="email.CONFIRMED")
    records = user.send("thanks")
    assert user.acts == [("ask", "email")]
    assert (records["email"]["status"], records["email"]["value"]) == ("ASK", None)
    assert user.send("kim.lee@example.com", "yes")["email"]["revision"] > 50


@pytest.mark.parametrize("channel", ["captures", "heard", "session", "messages"])
@pytest.mark.parametrize("junk", [5, "x", [1, 2], {"email": 3}, {"floor": 7, "seen": []}, None])
def test_junk_over_a_channel_does_not_poison_a_thread(capture, talk, channel, junk):
    user = talk(capture("email"), channel="chat")
    user.send(None)
    user.graph.update_state(user.config, {channel: {"__overwrite__": junk}}, as_node="email.ASK")
    for turn in ("kim.lee@example.com", "kim.lee@example.com", "yes", "yes"):
        user.send(turn)
    assert user.captures["email"]["value"] == "kim.lee@example.com"


def test_a_forged_yes_skips_no_check(capture, talk):
    """State written as if VALIDATE and READBACK had run: CONFIRMED seals only what VALIDATE vouched for."""
    user = talk(capture("email"), channel="chat")
    user.send(None)
    record = {**user.captures["email"], "status": "READBACK", "agreed": True, "read": True, "step": 40}
    heard = {"revision": 1, "step": 40, "value": "eve@example.com", "verified": "world", "vet": "x.y.z"}
    user.graph.update_state(
        user.config, {"captures": {"email": record}, "heard": {"email": heard}}, as_node="email.READBACK"
    )
    user.take(user.graph.invoke(None, user.config))
    assert user.captures["email"]["status"] == "ASK"
    assert user.captures["email"]["value"] is None
