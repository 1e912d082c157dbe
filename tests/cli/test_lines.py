"""Bad input gets one clear line that says where and what to do, and exit code 2; never a traceback, never a value."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

READBACK = str(Path(sys.executable).with_name("readback"))
VALUE = "kim.lee@example.com"

HEAR = {"id": "1", "field": "email", "utterance": VALUE}
REPLY = {"id": "1", "field": "email", "readback_value": VALUE, "reply": "yes"}
REPLAY = {"id": "1", "fields": ["email"], "turns": [VALUE, "yes"]}


def without(row, key):
    return {name: value for name, value in row.items() if name != key}


ROWS = [
    ("hear", without(HEAR, "id"), 'line 1: "id" is missing (a string or a number)'),
    ("hear", without(HEAR, "field"), 'line 1: "field" is missing'),
    ("hear", without(HEAR, "utterance"), 'line 1: "utterance" is missing'),
    ("hear", HEAR | {"utterance": 7}, 'line 1: "utterance" must be a string'),
    ("hear", HEAR | {"pattern": "HL-("}, "line 1: the pattern is no regular expression"),
    ("hear", HEAR | {"checksum": "crc"}, "line 1: unknown checksum 'crc': use one of luhn, mod97-10, mod11-2"),
    ("hear", HEAR | {"field": "shoe"}, "line 1: unknown field 'shoe': use one of "),
    ("hear", HEAR | {"field": "shoe size", "pattern": "[0-9]+"}, "line 1: field name 'shoe size' must be"),
    ("hear", HEAR | {"channel": "fax"}, "line 1: context.channel must be 'voice' or 'chat'"),
    ("hear", HEAR | {"locale": "?"}, "line 1: context.locale must be a BCP 47 tag"),
    ("hear", HEAR | {"region": "Great Britain"}, "line 1: context.region must be a two-letter"),
    ("hear", HEAR | {"context": {"today": "30.11.2026"}}, "line 1: context.today must be a date"),
    ("hear", HEAR | {"context": "today"}, 'line 1: "context" must be an object'),
    ("hear", ["a", "list"], "line 1: not a JSON object"),
    ("reply", without(REPLY, "readback_value"), 'line 1: "readback_value" is missing'),
    ("reply", without(REPLY, "reply"), 'line 1: "reply" is missing'),
    ("reply", REPLY | {"field": "shoe"}, "line 1: unknown field 'shoe'"),
    ("replay", without(REPLAY, "fields"), 'line 1: "fields" is missing'),
    ("replay", without(REPLAY, "turns"), 'line 1: "turns" is missing'),
    ("replay", REPLAY | {"fields": []}, 'line 1: "fields" must be a list of different names'),
    ("replay", REPLAY | {"fields": ["email", "email"]}, 'line 1: "fields" must be a list of different names'),
    ("replay", REPLAY | {"fields": ["email", {}]}, 'line 1: "fields" must be a list of different names'),
    ("replay", REPLAY | {"fields": ["shoe"]}, "line 1: unknown field 'shoe': use one of "),
    ("replay", REPLAY | {"turns": ["a", 7]}, "line 1: turn 2 must be a text or"),
    ("replay", REPLAY | {"patterns": {"id": "x"}}, 'line 1: "patterns" names \'id\', which "fields" does not'),
    ("replay", REPLAY | {"optional": ["id"]}, "line 1: \"optional\" names 'id', which"),
    ("replay", REPLAY | {"lookups": {"id": {}}}, "line 1: \"lookups\" names 'id', which"),
    ("replay", REPLAY | {"lookups": {"email": {"*": "MAYBE"}}}, "line 1: the lookups of 'email' must each be one of"),
    ("replay", REPLAY | {"lookups": {"email": {"*": []}}}, "line 1: the lookups of 'email' must each be one of"),
]


def blamed(done, message):
    """Exit code 2, and one line on stderr that begins so and holds no value."""
    assert done.exit_code == 2, done.output
    [line] = done.stderr.splitlines()
    assert line.startswith(f"readback: {message}"), line
    assert VALUE not in line


@pytest.mark.parametrize(("command", "row", "message"), ROWS)
def test_a_bad_row(run, command, row, message):
    blamed(run(command, rows=[row]), message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"{", "line 1: not JSON at column 2: "),
        (b"\n\nnonsense\n", "line 3: not JSON at column 1: "),
        (b'{"id": "\xff"}\n', "line 1: not UTF-8 at byte 9"),
        (b"[" * 100_000, "line 1: JSON that is nested too deeply"),
        (b'{"id": 1, "field": "email", "utterance": "kim.lee@example.com"', "line 1: not JSON at column "),
    ],
)
@pytest.mark.parametrize("command", ["hear", "reply", "replay"])
def test_a_bad_line(run, command, text, message):
    blamed(run(command, text=text), message)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["hear", "--file", "/no/such/file"], "cannot read '/no/such/file': No such file or directory"),
        (["reply", "yes"], "say which value was read back: --value"),
        (["hear", "--field", "shoe", "x"], "line 1: unknown field 'shoe'"),
        (["graph", "--fields", "shoe"], "--fields: unknown field 'shoe': use one of "),
        (["graph", "--fields", ","], "--fields needs at least one name"),
        (["graph", "--fields", "email,email"], "--fields names email twice"),
        (["graph", "--fields", "email", "--pattern", "id=x"], "--pattern names id, which --fields does not"),
        (["graph", "--fields", "id", "--pattern", "id"], "--pattern needs NAME=VALUE"),
        (["chat", "--channel", "fax"], "context.channel must be 'voice' or 'chat'"),
        (["chat", "--fields", "shoe"], "--fields: unknown field 'shoe'"),
        (["chat", "--database", "mysql://x"], "the database URL must be memory:, sqlite:///"),
        (["chat", "--known", "shoe=9"], "--known names shoe, which --fields does not"),
        (["bench", "--fields", "0"], "--fields needs whole numbers from 1"),
        (["bench", "--fields", "some"], "--fields needs whole numbers from 1"),
    ],
)
def test_bad_options(run, args, message):
    blamed(run(*args), message)


def test_empty_lines_are_passed_over_and_a_bom_is_no_fault(answers, run):
    done = run("hear", text="\ufeff" + json.dumps(HEAR) + "\n\n" + json.dumps(HEAR | {"id": 2}))
    assert done.exit_code == 0, done.output
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["1", 2]


def test_good_lines_before_a_bad_one_are_answered(run):
    done = run("hear", text=json.dumps(HEAR) + "\n{\n")
    assert done.exit_code == 2
    assert json.loads(done.stdout)["value"] == VALUE
    assert done.stderr.startswith("readback: line 2: not JSON")


def test_no_input_is_no_output(run):
    done = run("hear", text="")
    assert (done.exit_code, done.output) == (0, "")


def test_a_lone_surrogate_comes_through_as_its_escape(run):
    done = run("hear", text='{"id": "\\ud800", "field": "email", "utterance": "\\ud800"}\n')
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["id"] == "\ud800"


def test_lines_are_answered_one_by_one():
    """A line is answered before the next is sent: a voice system can keep the process open."""
    with subprocess.Popen([READBACK, "hear"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        for number in (1, 2):
            process.stdin.write(json.dumps(HEAR | {"id": number}) + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == number
        process.stdin.close()
        assert process.wait(timeout=10) == 0


def test_file_instead_of_stdin(run, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(HEAR))
    done = run("hear", "--file", str(path))
    assert json.loads(done.stdout) == {"id": "1", "value": VALUE, "reason": None, "complete": True}
