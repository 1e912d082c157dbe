"""The freeze: a hash over what the figures depend on, so that the yardstick cannot bend unnoticed.

Tasks, speech, line, caller, scripted arms, scores and their data are guarded. ``frozen.json`` holds their hashes and
the version of ``CHANGELOG.md`` they belong to. A change needs a new version there (that says why and re-reports all
arms) and ``readback eval --freeze``; a test fails otherwise. Python is hashed by its syntax tree without docstrings, so
that formatting and comments are free.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from importlib.resources import files
from typing import Any

GUARDED = (
    "arms.py",
    "calendar_ear.py", "calibrate.py", "caller.py", "channel.py", "data/channel.toml", "data/confusions.json",
    "data/en/apart.yaml", "data/en/ear.toml", "data/en/speech.toml", "data/en/values.yaml", "data/en/words.toml",
    "ear.py", "intent.py", "metrics.py", "mishear.py", "neutral.py", "numbers.py", "parts.py", "play.py", "rates.py",
    "reader.py", "render.py", "score.py", "speech.py", "tasks.py", "twenty.yaml", "typed.py", "world.py",
)  # fmt: skip


def digests() -> dict[str, str]:
    """SHA-256 of every guarded file."""
    return {name: _digest(name) for name in GUARDED}


def versions() -> list[str]:
    """The versions of the yardstick's changelog, newest first."""
    return re.findall(r"^## (\d+)\b", _read("CHANGELOG.md"), re.MULTILINE)


def frozen() -> dict[str, Any]:
    """What was frozen last: ``{"version", "files"}``."""
    data: dict[str, Any] = json.loads(_read("frozen.json"))
    return data


def changed() -> list[str]:
    """Guarded files that are not as frozen; empty when all is well."""
    held = frozen()["files"]
    now = digests()
    return sorted(name for name in {*held, *now} if held.get(name) != now.get(name))


def refreeze() -> str:
    """Write the hashes under the newest version. Raises ValueError when that version is already frozen."""
    newest = versions()[0]
    if changed() and newest == frozen()["version"]:
        raise ValueError(
            f"version {newest} is frozen: add a version to evals/CHANGELOG.md that says what and why, then freeze"
        )
    path = files("langgraph_readback.evals").joinpath("frozen.json")
    text = json.dumps({"version": newest, "files": digests()}, indent=1) + "\n"
    with open(str(path), "w", encoding="utf-8") as out:  # noqa: PTH123 - a Traversable has no open for writing
        out.write(text)
    return newest


def _digest(name: str) -> str:
    text = _read(name)
    if name.endswith(".py"):
        tree = ast.parse(text)
        for node in ast.walk(tree):
            _undocument(node)
        text = ast.dump(tree)
    return hashlib.sha256(text.encode()).hexdigest()


def _undocument(node: ast.AST) -> None:
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body:
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            node.body = node.body[1:] or [ast.Pass()]


def _read(name: str) -> str:
    return files("langgraph_readback.evals").joinpath(*name.split("/")).read_text(encoding="utf-8")
