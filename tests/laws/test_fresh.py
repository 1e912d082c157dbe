"""Law 2, fresh: no code path edits a captured value. Each comes whole from one capture, and a correction is a new one."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from langgraph_readback.context import CaptureContext
from langgraph_readback.fields import catalogue, classify_reply, hear
from langgraph_readback.graph import build_capture_graph
from langgraph_readback.ports import MemoryHighWater
from langgraph_readback.seal import Sealer

ROOT = Path(__file__).parents[2]
SPECS = [catalogue["email"], replace(catalogue["id"], name="order", pattern=r"HL-\d{6}")]
GRAPH = build_capture_graph(
    SPECS, checkpointer=InMemorySaver(), sealer=Sealer(["a key of the test suite"]), highwater=MemoryHighWater()
)
THREADS = count()
SAYINGS = [
    "kim dot lee at example dot com", "kim dot li, l i, at example dot com", "kim dot lee", "at example", "dot com",
    "no", "no, it's with an i", "no, kim dot leigh at example dot com", "yes", "yes", "yes", "yes but with a k",
    "h l two oh four one one seven", "h l two oh four", "one one seven", "no, ends in one one eight", "not seven, eight",
    "h l two oh four one one eight", "start over", "my email is wrong", "no wait, first the email", "pardon?", "",
    "the last digit is nine", "lee with an a", "change the e to an i", "replace example with test", "d not b",
]  # fmt: skip


def could_be(spec, said):
    """Every value one capture may hold: of an utterance, of up to four in a row, or of a correction's own words."""
    values = set()
    for at in range(len(said)):
        for end in range(at + 1, min(at + 4, len(said)) + 1):
            values.add(heard(spec.name, ", ".join(said[at:end])))
    for text in said:
        values |= {corrected(spec.name, text, other) for other in values if other}
    return values - {None}


@cache
def heard(name, text):
    [spec] = [s for s in SPECS if s.name == name]
    return hear(spec, text).value


@cache
def corrected(name, text, value):
    """What the words of a correction hold by themselves."""
    [spec] = [s for s in SPECS if s.name == name]
    reply = classify_reply(text, spec=spec, value=value)
    return heard(name, reply.utterance) if reply.kind == "correction" and reply.utterance else None


@settings(max_examples=40)
@given(st.lists(st.sampled_from(SAYINGS), min_size=3, max_size=16))
def test_every_value_was_said_whole(script):
    """Whatever is candidate or confirmed at any time is what ``hear`` makes of utterances, never a patched value."""
    config = {"configurable": {"thread_id": f"t{next(THREADS)}"}}
    GRAPH.invoke({"messages": []}, config, context=CaptureContext())
    said = []
    for text in script:
        said.append(text)
        GRAPH.invoke({"messages": [HumanMessage(text)]}, config, context=CaptureContext())
        state = GRAPH.get_state(config).values
        for spec in SPECS:
            held = state["heard"].get(spec.name, {}).get("value"), state["captures"].get(spec.name, {}).get("value")
            assert {v for v in held if v} <= could_be(spec, [t for t in said if t.strip()])


@pytest.mark.parametrize(
    ("correction", "never"),
    [
        ("no, it's with an i", "kim.lie@example.com"),
        ("no, l i", "kim.li@example.com"),
        ("change the second e to i", "kim.lei@example.com"),
        ("the ending is dot org", "kim.lee@example.org"),
        ("it's kim with a y", "kym.lee@example.com"),
        ("no, the domain is test dot com", "kim.lee@test.com"),
    ],
)
def test_a_part_of_a_value_patches_nothing(capture, talk, correction, never):
    user = talk(capture("email"))
    user.send(None, "kim dot lee at example dot com", correction)
    assert never not in str(user.graph.get_state(user.config).values["heard"])
    assert user.send("yes")["email"]["status"] != "CONFIRMED"


def test_what_was_rejected_is_not_continued(capture, talk):
    """After a no the capture is empty: the next words are not joined to the old ones."""
    user = talk(capture(SPECS[1]))
    user.send(None, "h l two oh four one one seven", "no", "one one eight")
    assert user.heard("order").get("value") is None
    records = user.send("h l two oh four one one eight", "yes")
    assert records["order"]["value"] == "HL-204118"


def test_a_group_that_echoes_wrong_is_said_again_whole(capture, talk):
    """Grouped dictation: what was heard wrong is replaced by its whole group, and the value is read back whole."""
    user = talk(capture("email"))
    user.send(None, "kim dot leigh at example dot com", "no", "kilo india november dot", "no, kilo india mike dot")
    assert user.heard("email")["parts"] == ["kilo india mike dot"]
    records = user.send("lima echo echo", "at example dot com", "that's it")
    assert (records["email"]["status"], records["email"]["value"]) == ("READBACK", None)
    assert user.acts == [("readback", "email")]
    assert user.send("yes")["email"]["value"] == "kim.lee@example.com"


def test_a_group_taken_back_is_gone(capture, talk):
    user = talk(capture("email"))
    user.send(None, "kim dot leigh at example dot com", "no", "kilo india mike dot", "lima echo india", "no")
    assert user.heard("email")["parts"] == ["kilo india mike dot"]


def test_a_reopened_capture_starts_empty(capture, talk):
    user = talk(capture("email"))
    user.send(None, "kim dot lee at example dot com", "yes", "my email is wrong")
    assert user.captures["email"]["value"] is None
    heard = user.heard("email")
    assert (heard["value"], heard["parts"], heard["vet"]) == (None, [], None)


def assignments(path):
    """Where a dictionary gets a ``value``: the function around it, and the text of what is put there."""
    tree = ast.parse(path.read_text("utf-8"))
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Dict):
                    for key, value in zip(node.keys, node.values, strict=True):
                        if isinstance(key, ast.Constant) and key.value == "value":
                            yield function.name, ast.unparse(value)


def test_one_place_hears_a_candidate_and_one_confirms_it():
    """In the nodes of a field, ``value`` is set to something in VALIDATE, in CONFIRMED and in a ticket's history only.

    ASK fills the words of an echo into its sentence; HUMAN offers inboxes an empty form.
    """
    found = {
        (f"{node}.py", name, text)
        for node in ("view", "ask", "validate", "readback", "retry", "confirmed", "handoff", "human", "listen")
        for name, text in assignments(ROOT / "nodes" / f"{node}.py")
        if text != "None"
    }
    assert found == {
        ("validate.py", "_settle", "value"),
        ("confirmed.py", "_seal", "value"),
        ("retry.py", "_failed", "view.heard.get('value')"),
        ("ask.py", "_ask", "view.heard.get('echo')"),
        ("human.py", "inbox", "''"),
    }
