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
def test_bench_measures_both_graphs(run, tmp_path, kind):
    url = "memory:" if kind == "memory" else f"sqlite:///{tmp_path}/bench.db"
    done = run("bench", "--fields", "1,3", "--turns", "4", "--database", url)
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["store"], row["fields"]) for row in rows] == [(kind, 1), (kind, 3)]
    assert all(row["loop_ms"] > 0 and row["empty_ms"] > 0 and row["turns"] >= 4 for row in rows)
