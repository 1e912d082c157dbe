"""What hearing costs, measured: one type, two locales, few utterances."""

from __future__ import annotations

from langgraph_readback.evals.hearing_cost import GOALS, OVER_ENGLISH, figures


def test_a_row_for_each_length_and_locale_and_of_all_types_together() -> None:
    """Times are positive, the median is no more than the 99th percentile, and a row is ok when both goals are kept."""
    rows = list(figures(types=["date"], locales=["en-US", "de-DE"], utterances=3))
    asked = [(n, w, tag) for n in (0, *GOALS) for w in ("hear", "reply") for tag in ("en-US", "de-DE")]
    assert [(r["chars"], r["what"], r["locale"]) for r in rows if r["field"] == "date"] == asked
    assert [(r["chars"], r["what"], r["locale"]) for r in rows if r["field"] == "all"] == asked
    assert all(0 < r["p50_ms"] <= r["p99_ms"] and 0 < r["wall_p50_ms"] <= r["wall_p99_ms"] for r in rows)
    assert {r["over_en"] for r in rows if r["locale"] == "en-US"} == {1.0}
    for row in rows:
        assert row["goal_ms"] == GOALS.get(row["chars"])
        in_time = row["goal_ms"] is None or row["p99_ms"] <= row["goal_ms"]
        assert row["ok"] is (in_time and row["over_en"] <= OVER_ENGLISH)
