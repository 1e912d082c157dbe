"""What the README and the docs show, runs."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list:
    """Each block of a language, named by page and line. ``python no-run`` marks one that only shows a shape."""
    found = []
    for page in PAGES:
        text = page.read_text("utf-8")
        for match in BLOCK.finditer(text):
            if match[1] == language and "no-run" not in match[2]:
                line = text[: match.start()].count("\n") + 1
                found.append(pytest.param(match[3], id=f"{page.name}:{line}"))
    return found


def commands() -> list:
    """Each ``readback ...`` line of a shell block, but for conversations, which tests/cli holds."""
    return [
        pytest.param(line.removeprefix("uv run ").partition("  #")[0].strip(), id=f"{block.id}:{number}")
        for block in blocks("sh")
        for number, line in enumerate(block.values[0].splitlines())
        if re.match(r"(uv run )?readback (?!chat|handoffs)", line)
    ]


@pytest.mark.parametrize("code", blocks("python"))
def test_snippets_run(code, tmp_path):
    """In a process of its own, in an empty folder, with warnings as errors of ours."""
    env = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("line", commands())
def test_commands_run(line, tmp_path):
    argv = [str(Path(sys.executable).with_name("readback")), *shlex.split(line)[1:]]
    env = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text("utf-8"))
    assert not [link for link in links if not (page.parent / link).exists()]


def test_make_commands_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = {
        name
        for page in PAGES
        for name in re.findall(r"^make ([a-z]+)|`make ([a-z]+)", page.read_text("utf-8"), re.MULTILINE)
        for name in name
        if name
    }
    assert named <= targets, named - targets


def test_every_variable_is_in_the_readme():
    """A variable that the code reads is in the README's table."""
    read = set()
    for top in ("src", "fields", "nodes", "graph", "tools", "checkpoints", "handoff", "evals", "cli"):
        for path in (ROOT / top).rglob("*.py"):
            read |= set(re.findall(r"\bREADBACK_[A-Z_]+\b", path.read_text("utf-8")))
    assert not [name for name in sorted(read) if f"`{name}`" not in (ROOT / "README.md").read_text("utf-8")]
