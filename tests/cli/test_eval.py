"""``readback eval`` and ``readback advise`` as a person runs them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent.parent / "evals"


def readback(*words, cwd, given=None):
    """Run the command; its stdout, stderr and exit code."""
    command = [sys.executable, "-m", "langgraph_readback.cli", *words]
    code = "import sys; from langgraph_readback.cli import main; sys.argv[0] = 'readback'; main()"
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, input=given, check=False)
    return done.stdout, done.stderr, done.returncode


def test_figures_come_out_as_json(tmp_path):
    out, _, code = readback("eval", "--set", "apart", "--arms", "one-shot,gullible", "--jobs", "1", cwd=tmp_path)
    found = json.loads(out)
    assert code == 0
    assert set(found["arms"]) == {"one-shot", "gullible"}
    assert found["arms"]["gullible"]["all"]["wrong_confirmed"]["value"] > 0.2
    assert found["about"]["half"] == "working"
    assert list(tmp_path.iterdir()) == []


def test_a_look_at_the_held_out_half_is_logged(tmp_path):
    _, err, code = readback(
        "eval", "--set", "apart", "--arms", "one-shot", "--split", "held-out", "--jobs", "1", cwd=tmp_path
    )
    assert code == 0
    assert "is logged in" in err
    log = [json.loads(line) for line in (tmp_path / "readback-looks.jsonl").read_text().splitlines()]
    assert set(log[0]["pass3"]) == {"one-shot"}


def test_a_builder_s_agent_fields_and_cases_are_measured(tmp_path):
    (tmp_path / "mine.py").write_text((HERE / "agents_for_tests.py").read_text())
    (tmp_path / "specs.py").write_text(
        "from langgraph_readback.fields import FieldSpec\nCODE = FieldSpec(name='code', pattern='RW[0-9]{5}')\n"
    )
    (tmp_path / "cases.yaml").write_text("- {id: a, fields: {code: RW41927}}\n- {id: b, fields: {code: RW70035}}\n")
    words = (
        "--agent",
        "mine:graph",
        "--fields",
        "specs.py",
        "--cases",
        "cases.yaml",
        "--split",
        "all",
        "--scale",
        "0",
        "--jobs",
        "1",
    )
    out, err, code = readback("eval", *words, "--out", "figures.json", cwd=tmp_path)
    assert code == 0, err
    found = json.loads((tmp_path / "figures.json").read_text())
    assert list(found["arms"]) == ["agent", "one-shot", "loop-format", "loop-lookups"]
    assert found["arms"]["loop-format"]["all"]["pass1"]["regular"]["value"] > 0
    assert json.loads(out)["tasks"] == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--arms", "best"), "no arm best"),
        (("--split", "half"), "--split must be"),
        (("--channel", "radio"), "--channel must be"),
        (("--set", "all"), "--set must be one of"),
        (("--cases", "none.yaml"), "none.yaml"),
        (("--agent", "nowhere", "--set", "apart", "--jobs", "1"), "module:graph"),
        (("--arms", "one-shot", "--set", "twenty", "--jobs", "1", "--langsmith", "x"), "LANGSMITH_API_KEY"),
    ],
)
def test_a_mistake_is_one_clear_line(tmp_path, words, says, monkeypatch):
    monkeypatch.delenv("LANGSMITH_API_KEY", raising=False)
    _, err, code = readback("eval", *words, cwd=tmp_path)
    assert code == 2
    assert says in err
    assert "Traceback" not in err


def test_advice_from_records(tmp_path):
    rows = "".join(json.dumps({"field": "email", "status": "HANDOFF", "seconds": 60}) + "\n" for _ in range(30))
    out, _, code = readback("advise", cwd=tmp_path, given=rows)
    assert code == 0
    assert json.loads(out)["fields"][0]["handoff"] == 1.0
    _, err, code = readback("advise", cwd=tmp_path, given='{"field": "email"}\n')
    assert (code, "record 1" in err) == (2, True)
