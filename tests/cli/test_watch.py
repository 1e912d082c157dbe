"""``readback watch``: figures first, then alarms as JSON lines, and an exit code that says whether one stands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from langgraph_readback.handoff import SqlDesk
from langgraph_readback.ports import Ticket

READBACK = str(Path(sys.executable).with_name("readback"))


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.setenv("READBACK_DATABASE_URL", f"sqlite:///{tmp_path}/shop.db")
    desk = SqlDesk.from_url()
    yield desk
    desk.close()


def file(desk, name="rb-1"):
    desk.file(
        Ticket(
            id=name, thread=name, field="email", revision=1, label="email address", locale="en-US", reason="attempts",
            attempts=[{"utterance": "blue sky", "value": None, "reason": "no_at", "form": "natural"}],
        )
    )  # fmt: skip


def lines(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_quiet_queue(run, desk):
    desk.here("ana")
    done = run("watch", "--once")
    assert done.exit_code == 0, done.output
    assert lines(done) == [
        {"waiting": {"open": 0, "claimed": 0, "overdue": 0, "oldest": None}}, {"standing": 0, "lapsed": []},
    ]  # fmt: skip


def test_alarms_once_and_an_exit_code_while_they_stand(run, desk):
    file(desk)
    first, second = (run("watch", "--once", "--unclaimed-after", "0") for _ in range(2))
    assert (first.exit_code, second.exit_code) == (3, 3)
    assert [line["alarm"] for line in lines(first) if "alarm" in line] == ["unclaimed", "nobody"]
    assert [line["alarm"] for line in lines(second) if "alarm" in line] == ["nobody"]
    assert lines(first)[0]["filed"] == 1
    assert "blue" not in first.output


@pytest.mark.parametrize(
    ("args", "message"), [(["--webhook", "ftp://x"], "a webhook needs"), (["--database", "nonsense"], "")]
)
def test_what_cannot_be_used(run, desk, args, message):
    done = run("watch", "--once", *args)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"readback: {message}")


def test_until_it_is_stopped(desk):
    file(desk)
    command = [READBACK, "watch", "--every", "0.1", "--unclaimed-after", "0", "--days", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    heard = [json.loads(process.stdout.readline()) for _ in range(5)]
    time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    rest, _ = process.communicate(timeout=30)
    assert process.returncode == 3
    assert [next(iter(line)) for line in heard] == ["waiting", "alarm", "alarm", "standing", "standing"]
    assert "blue" not in rest
