"""The bound on turns: how many messages a capture can last, whatever the user sends (law 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from langgraph_readback.fields import FieldSpec
from langgraph_readback.nodes import BUDGETS, REOPENINGS

__all__ = ["bound"]


def bound(specs: Sequence[FieldSpec]) -> int:
    """The most user messages after which every field is CONFIRMED, HANDOFF or DECLINED.

    Counted as if each budget were used up at its worst moment:

    * an attempt takes an answer, its continuations or its groups (each heard wrong now and then) and a reply; there are
      ``retries + 1`` of them, one more for a proposal, which is no attempt, and those that the recogniser doubts;
    * silences, unclear replies and questions take a turn each; "start over" (a question) may also throw away an answer
      with its continuations, and so may a field that is reopened while another is being asked;
    * a field can be reopened ``REOPENINGS`` times, each time with new budgets, and once more into a hand-off;
    * a rule over several fields reopens a field as the user does, with the same budgets; a value that is known from
      the session is a proposal;
    * a field that depends on others has as many revisions more as those have, since each change reopens it;
    * one message may come before any question.
    """
    answer = 1 + BUDGETS["continuation"] + BUDGETS["group"] + BUDGETS["echo"]
    asides = BUDGETS["silence"] + BUDGETS["unclear"] + BUDGETS["question"] * (1 + answer) + 1
    total = 1
    for spec in specs:
        revision = (spec.retries + 2 + BUDGETS["doubt"]) * (answer + 1) + asides
        total += _revisions(spec, {s.name: s for s in specs}) * (revision + 1 + answer) + 1
    return total


def _revisions(spec: FieldSpec, specs: Mapping[str, FieldSpec]) -> int:
    """How often a field is captured: as often as its user or a rule reopens it, and as what it depends on changes."""
    return REOPENINGS + 1 + sum(_revisions(specs[name], specs) for name in spec.depends_on if name in specs)
