"""One call, its clock and its result; and the figures taken over calls."""

from dataclasses import dataclass, field

import pytest

from langgraph_readback.evals.arms import CONTROL, SCRIPTED
from langgraph_readback.evals.intent import Line
from langgraph_readback.evals.metrics import added_seconds, figure, pass3, summary
from langgraph_readback.evals.play import CallResult, FieldResult, Stored, Turn, play
from langgraph_readback.evals.report import off
from langgraph_readback.evals.tasks import VOICE, apart, several, twenty, two_hundred

EMAIL = next(t for t in two_hundred() if t.id == "en-email-easy-1")


@dataclass
class Fixed:
    """Says given lines, then is done with what it was told to store."""

    lines: list
    held: dict = field(default_factory=dict)
    tools: int = 0

    def open(self):
        return self._turn()

    def send(self, text, marks):
        return self._turn()

    def _turn(self):
        text = self.lines.pop(0) if self.lines else ""
        return Turn(
            (Line(text, {"act": "ask", "field": "email", "form": "natural"}),), done=not self.lines, tools=self.tools
        )

    def stored(self):
        return self.held


def test_the_clock_counts_words_gaps_and_tools():
    agent = Fixed(["one two three four", "done"], tools=1)
    result = play(EMAIL, "regular", 1, agent, "x", off())
    asked, said, thanked = 4 / 2 + 1 + 0.5, 5 / 2 + 1, 1 / 2 + 1 + 0.5  # laura at bennettfoods dot com
    assert result.seconds == asked + said + thanked


def test_over_four_minutes_nothing_counts():
    agent = Fixed(["word " * 500, "x", "y"], {"email": Stored("CONFIRMED", EMAIL.items[0].value)})
    result = play(EMAIL, "regular", 1, agent, "x", off())
    assert (result.ended, result.passed, result.fields[0].status) == ("timeout", False, "")


def test_an_agent_that_never_ends_is_cut_off():
    class Endless(Fixed):
        def _turn(self):
            return Turn((Line("", {"act": "ask", "field": "email", "form": "keypad"}),))

    assert play(EMAIL, "regular", 1, Endless([]), "x", off()).ended in ("turns", "timeout")


def _field(status="CONFIRMED", *, exact=True, first=True, arrived=True, missing=False):
    return FieldResult("email", "email", "easy", status, exact, first, arrived, missing)


@pytest.mark.parametrize(
    ("one", "passed", "wrong", "justified"),
    [
        (_field(), True, False, False),
        (_field("STORED"), True, False, False),
        (_field(exact=False), False, True, False),
        (_field("STORED", exact=False), False, False, False),
        (_field("HANDOFF", exact=False), False, False, False),
        (_field("HANDOFF", exact=False, arrived=False), False, False, True),
        (_field("HANDOFF", exact=False, missing=True), True, False, True),
        (_field(missing=True), False, False, False),
        (_field("", exact=False), False, False, False),
    ],
)
def test_a_field_passes_when_it_should(one, passed, wrong, justified):
    assert (one.passed, one.wrong_confirmed, one.justified) == (passed, wrong, justified)


def _call(task, condition, one, *, seed=1, seconds=10.0):
    return CallResult(task, "s", "email", "working", "arm", condition, seed, (one,), seconds, 3, "done")


def test_pass3_needs_all_conditions_of_a_seed():
    good, bad = _field(), _field(exact=False)
    rows = [_call("a", c, good) for c in VOICE] + [_call("b", c, bad if c == "noise" else good) for c in VOICE]
    rows += [_call("b", c, good, seed=2) for c in VOICE]
    assert pass3(rows) == {"a": [1.0], "b": [0.0, 1.0]}


def test_figures_of_a_small_run():
    rows = [_call("a", "regular", _field(first=False)), _call("b", "regular", _field(exact=False, first=False))]
    found = summary(rows)
    assert found["recovery"]["value"] == 0.5
    assert found["wrong_confirmed"]["value"] == 0.5
    assert found["first"]["value"] == 0.0
    assert found["seconds_p50"] == 10.0
    assert added_seconds(rows, [_call("a", "regular", _field(), seconds=4.0)]) == {"all": 6.0, "easy": 6.0}


def test_an_interval_is_over_tasks_and_holds_its_value():
    found = figure({str(i): [float(i % 2)] * 5 for i in range(100)})
    assert found.low < found.value == 0.5 < found.high
    assert 0.15 < found.high - found.low < 0.25
    assert figure({}).n == 0


@pytest.mark.parametrize("arm", [*SCRIPTED, CONTROL], ids=lambda a: a.name)
def test_with_the_line_off_the_scripted_arms_lose_nothing(arm):
    lost = []
    for task in [*two_hundred(), *apart(), *twenty(), *several()]:
        if any(i.missing for i in task.items):
            continue
        if not play(task, "regular", 1, arm.make(task, "voice"), arm.name, off()).passed:
            lost.append(task.id)
    assert lost == []


def test_the_control_confirms_every_wrong_first_capture():
    rows = [play(t, c, 1, CONTROL.make(t, "voice"), "gullible") for t in two_hundred()[::3] for c in VOICE]
    fields = [r.fields[0] for r in rows]
    wrong = sum(f.wrong_confirmed for f in fields) / len(fields)
    assert wrong == pytest.approx(1 - sum(f.first for f in fields) / len(fields), abs=0.05)
    assert wrong > 0.4


def test_first_captures_are_the_line_s_and_the_same_for_arms_that_ask_alike():
    for task in two_hundred()[::11]:
        firsts = {
            play(task, "noise", 2, a.make(task, "voice"), a.name).fields[0].first for a in (*SCRIPTED[:2], CONTROL)
        }
        assert len(firsts) == 1


def test_a_result_holds_no_value():
    result = play(EMAIL, "regular", 1, SCRIPTED[0].make(EMAIL, "voice"), "one-shot")
    assert "bennett" not in repr(result)
