"""The held-out half and its log: every look at it is written down, with date, commit and figures."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


def log_path(folder: Path | None = None) -> Path:
    """Where looks are logged: beside the frozen hashes in this repository, else in the folder the command runs in."""
    folder = folder or Path.cwd()
    here = (folder / "evals" / "frozen.json").is_file()
    return folder / "evals" / "held_out_looks.jsonl" if here else folder / "readback-looks.jsonl"


def log(why: str, figures: Mapping[str, Any], *, path: Path | None = None) -> Path:
    """Add a look: why, when, at which commit, and what was seen (figures only, never values)."""
    target = path or log_path()
    entry = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "commit": commit(), "why": why, **figures}
    with target.open("a", encoding="utf-8") as out:
        out.write(json.dumps(entry) + "\n")
    return target


def looks(path: Path | None = None) -> list[dict[str, Any]]:
    """The looks so far, oldest first."""
    target = path or log_path()
    return [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()] if target.is_file() else []


def commit() -> str:
    """The commit in the folder the command runs in, with ``+`` when there are changes; ``unknown`` without git.

    ``READBACK_COMMIT`` names it where an exported tree is measured.
    """
    if named := os.environ.get("READBACK_COMMIT"):
        return named
    try:
        name = _git("rev-parse", "--short", "HEAD")
        return name + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603, S607
