"""What hearing costs, measured: one type, three utterances."""

from __future__ import annotations

from langgraph_readback.evals.hearing_cost import GOALS, figures


def test_a_row_for_each_length_of_hear_and_of_reply() -> None:
    """Times are positive, the median is no more than the 99th percentile, and each goal is the length's."""
    rows = list(figures(types=["date"], utterances=3))
    assert [(row["what"], row["chars"]) for row in rows] == [(w, n) for n in (0, *GOALS) for w in ("hear", "reply")]
    assert all(0 < row["p50_ms"] <= row["p99_ms"] for row in rows)
    assert all(row["goal_ms"] == GOALS.get(row["chars"]) for row in rows)
