"""The small parts of nodes: offers, challenges, resumes read as words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langgraph_readback.context import CaptureContext, given
from langgraph_readback.errors import ContextError
from langgraph_readback.fields import catalogue
from langgraph_readback.nodes.budgets import BUDGETS, COST
from langgraph_readback.nodes.challenge import tail
from langgraph_readback.nodes.handoff import ticket_id
from langgraph_readback.nodes.listen import spoken
from langgraph_readback.nodes.offers import is_loose


@pytest.mark.parametrize(("name", "loose"), [("email", False), ("phone", False), ("name", True)])
def test_fields_that_take_any_words(name, loose):
    assert is_loose(catalogue[name]) == loose


def test_a_pattern_is_not_loose():
    assert not is_loose(replace(catalogue["id"], pattern=r"HL-\d{6}"))


@pytest.mark.parametrize(
    ("value", "said"), [("HL-204117", "117"), ("kim.lee@example.com", "lee"), ("+13125550119", "119"), ("X1", "X1")]
)
def test_the_characters_of_a_challenge(value, said):
    assert tail(value) == said


@pytest.mark.parametrize(
    ("resume", "text"),
    [
        ("yes", "yes"), (HumanMessage("yes"), "yes"), ({"text": "yes"}, "yes"), ({"content": "yes"}, "yes"),
        ({"role": "user", "content": "yes"}, "yes"), (("user", "yes"), "yes"), ({"type": "human", "content": "yes"}, "yes"),
        (AIMessage("yes"), ""), ({"role": "assistant", "content": "yes"}, ""), (None, ""), (7, ""), ({"text": 7}, ""), ({}, ""),
    ],
)  # fmt: skip
def test_a_resume_as_words(resume, text):
    message = spoken(resume)
    assert isinstance(message, HumanMessage)
    assert message.text == text
    assert message.id


def test_a_resume_may_carry_marks():
    message = spoken({"text": "yes", "readback": {"barge_in": True}, "asr": {"confidence": 0.3}, "other": 1})
    assert message.additional_kwargs == {"readback": {"barge_in": True}, "asr": {"confidence": 0.3}}


def test_every_cause_spends_a_budget_that_exists():
    assert set(COST.values()) == {*BUDGETS, "retries"}


def test_a_ticket_is_named_by_its_capture():
    assert ticket_id("t", "email", 1) == ticket_id("t", "email", 1)
    assert len({ticket_id("t", "email", 1), ticket_id("t", "email", 2), ticket_id("u", "email", 1)}) == 3


@pytest.mark.parametrize(
    "wrong",
    [{"locale": "../../x"}, {"locale": 5}, {"region": "USA"}, {"channel": "fax"}, {"today": "tomorrow"}, {"today": 5}],
)
def test_a_context_that_cannot_be_used_says_which_key(wrong):
    [key] = wrong
    with pytest.raises(ContextError, match=f"context.{key}"):
        CaptureContext(**wrong)


def test_a_context_as_it_comes_from_a_client():
    assert given({"locale": "en-AU", "today": "2026-11-30", "stranger": 1}) == {
        "locale": "en-AU",
        "today": "2026-11-30",
    }
    assert given(None) == given(object()) == {}
