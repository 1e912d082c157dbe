"""How the tests of the command line run it: in process for rows, as a person would for the rest."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from langgraph_readback.cli.app import app

READBACK = str(Path(sys.executable).with_name("readback"))


@pytest.fixture
def run():
    """``run("hear", rows)``: the command in process, with rows (or text, or bytes) on stdin."""

    def call(*args: str, rows=(), text: str | bytes | None = None):
        given = text if text is not None else "".join(json.dumps(row) + "\n" for row in rows)
        return CliRunner().invoke(app, list(args), input=given)

    return call


@pytest.fixture
def answers(run):
    """As ``run``, for good rows: the objects that come out."""

    def call(*args: str, rows):
        done = run(*args, rows=rows)
        assert done.exit_code == 0, done.output
        return [json.loads(line) for line in done.stdout.splitlines()]

    return call


@pytest.fixture
def terminal():
    """Run the command on a pseudo-terminal, typing each line when the prompt (or nothing) is awaited."""

    def call(*args: str, typed: tuple[str, ...] = (), prompt: str = "you", seconds: float = 40) -> str:
        master, slave = pty.openpty()
        env = {**os.environ, "TERM": "xterm", "COLUMNS": "120", "LINES": "50"}
        process = subprocess.Popen([READBACK, *args], stdin=slave, stdout=slave, stderr=slave, env=env)
        os.close(slave)
        screen, shown, waiting = "", 0, list(typed)
        end = time.monotonic() + seconds
        try:
            while time.monotonic() < end:
                if select.select([master], [], [], 0.1)[0]:
                    try:
                        screen += os.read(master, 65536).decode("utf-8", errors="replace")
                    except OSError:  # the other end is closed: the command is over
                        break
                elif waiting and prompt in screen[shown:]:
                    shown = len(screen)
                    os.write(master, waiting.pop(0).encode() + b"\n")
            assert process.wait(timeout=10) == 0, screen
        finally:
            process.kill()
            os.close(master)
        return screen

    return call
