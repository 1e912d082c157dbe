"""``readback graph`` draws all six nodes of each field; ``readback bench`` measures both graphs."""

from __future__ import annotations

import json

import pytest

NODES = ("ASK", "VALIDATE", "READBACK", "RETRY", "CONFIRMED", "HANDOFF")


def test_graph_names_six_nodes_a_field(run):
    done = run("graph", "--fields", "email,order_id", "--pattern", "order_id=HL-[0-9]{6}")
    assert done.exit_code == 0, done.output
    missing = [
        f"{name}.{node}" for name in ("email", "order_id") for node in NODES if f"{name}.{node}" not in done.stdout
    ]
    assert not missing


def test_graph_into_a_file(run, tmp_path):
    assert run("graph", "--out", str(tmp_path / "loop.mmd")).exit_code == 0
    assert "email.ASK" in (tmp_path / "loop.mmd").read_text()
    assert run("graph", "--out", str(tmp_path / "no" / "loop.mmd")).exit_code == 2


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_bench_measures_turns_growth_and_throughput(run, tmp_path, kind, monkeypatch):
    """A small one: the same rows, fewer of them."""
    monkeypatch.setattr("langgraph_readback.evals.throughput._ROUNDS", 4)
    url = "memory:" if kind == "memory" else f"sqlite:///{tmp_path}/bench.db"
    done = run("bench", "--fields", "1,3", "--turns", "4", "--marks", "10,14", "--open", "1,3", "--database", url)
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["store"] for row in rows} == {kind}
    turn, growth, throughput = (
        [row for row in rows if row["what"] == what] for what in ("turn", "growth", "throughput")
    )
    assert [row["fields"] for row in turn] == [1, 3]
    assert all(row["loop_ms"] > 0 and row["empty_ms"] > 0 and row["turns"] >= 4 for row in turn)
    assert [row["turns"] for row in growth] == [10, 14]
    assert all(0 < row["bytes_per_turn"] < 30_000 and row["cpu_ms"] > 0 for row in growth)
    assert [(row["open"], row["lost"]) for row in throughput] == [(1, 0), (3, 0)]
    assert all(row["captures_per_s"] > 0 and row["empty_per_s"] > 0 for row in throughput)


def test_bench_measures_hearing(run):
    """One type in two locales: CPU and wall time, and how many times English."""
    done = run(
        "bench", "--what", "hearing", "--types", "time", "--locales", "en-US,it-IT", "--chars", "0", "--utterances", "2"
    )
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {(row["what"], row["of"], row["field"], row["locale"]) for row in rows} == {
        ("hearing", of, field, tag)
        for of in ("hear", "reply")
        for field in ("time", "all")
        for tag in ("en-US", "it-IT")
    }
    assert all(row["p99_ms"] > 0 and row["wall_p99_ms"] > 0 and row["over_en"] > 0 for row in rows)


@pytest.mark.parametrize(
    "wrong",
    [
        ("--what", "speed"),
        ("--open", "0"),
        ("--marks", "ten"),
        ("--fields", ""),
        ("--what", "hearing", "--types", "shoe"),
    ],
)
def test_bench_refuses_what_it_cannot_measure(run, wrong):
    assert run("bench", *wrong).exit_code == 2
