"""The report: all its parts, from a small run."""

import json

import pytest

from langgraph_readback.evals import report
from langgraph_readback.evals.play import CallResult
from langgraph_readback.evals.run import Plan, run
from langgraph_readback.evals.tasks import VOICE, two_hundred

pytestmark = pytest.mark.timeout(240)


@pytest.fixture(scope="module")
def small():
    out = {"about": report.about(1, "working"), "calibration": {"rows": [], "sweep": {}}, "sections": {}}
    for section in report.sections(1, "working"):
        plan = section.plan
        tasks = plan.tasks[:: max(1, len(plan.tasks) // 2)]
        found = run(Plan(plan.arms, tasks, plan.conditions, (1,), setting=plan.setting), jobs=1)
        out["sections"][section.name] = report.figures(found)
    return out


def test_every_part_is_in_the_page_and_the_plots_are_drawn(small, tmp_path):
    made = report.write(small, tmp_path)
    text = (tmp_path / "evaluation.md").read_text()
    for head in ("The two hundred", "Against the goals", "By type", "Time", "Two and three details", "Reported apart", "The twenty",
                 "yes to a wrong read-back", "Fewer and more errors", "The line switched off", "Calibration", "How it is measured"):  # fmt: skip
        assert head in text
    assert {p.name for p in made} == {
        "evaluation.md", "evaluation.json", *(f"{n}.{e}" for n in ("pass3", "types", "seconds", "recovery") for e in ("png", "svg")),
    }  # fmt: skip
    assert all(p.stat().st_size > 500 for p in made)
    assert json.loads((tmp_path / "evaluation" / "evaluation.json").read_text())["about"]["half"] == "working"


def test_the_report_holds_no_value_of_a_task(small):
    text = json.dumps(small)
    assert not [t.id for t in two_hundred() if t.items[0].value in text and len(t.items[0].value) > 5]


def test_types_the_product_lacks_are_said_and_count_as_failed(monkeypatch):
    from langgraph_readback.evals import run as runs

    monkeypatch.setattr(runs, "can_play", lambda task: task.type != "email")
    tasks = tuple(t for t in two_hundred() if t.type in ("email", "date"))[::6]
    found = report.figures(run(Plan(("one-shot", "loop-format"), tasks, VOICE, (1,)), jobs=1))
    assert found["unsupported_types"] == ["email"]
    loop = found["arms"]["loop-format"]
    assert loop["all"]["types"]["email"]["pass1"] == 0.0
    assert "email" not in loop["supported"]["types"]
    assert "email" not in found["arms"]["one-shot"]["supported"]["types"]


def test_losses_leave_out_what_cannot_be_passed():
    lost = CallResult("a", "s", "email", "working", "x", "regular", 1, (), 1.0, 1, "unsupported")
    assert report.losses([lost]) == []
