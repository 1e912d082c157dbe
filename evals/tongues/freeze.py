"""The freeze of the other languages: as ``evals/freeze.py``, with hashes and a changelog of its own.

English is frozen where it was; its hashes do not change with this. What both share (rates, scores, metrics, the English
play and channel) is guarded there.
"""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

from langgraph_readback.evals.freeze import _digest
from langgraph_readback.evals.tongues.voices import LANGUAGES

_CODE = ("caller.py", "ear.py", "line.py", "play.py", "saying.py", "tasks.py", "typed.py", "voices.py")
GUARDED = (
    *(f"tongues/{name}" for name in _CODE),
    *(f"data/{language}/{name}" for language in sorted(LANGUAGES) for name in ("values.yaml", "voice.toml")),
)


def digests() -> dict[str, str]:
    """SHA-256 of every guarded file."""
    return {name: _digest(name) for name in GUARDED}


def versions() -> list[str]:
    """The versions of ``tongues/CHANGELOG.md``, newest first."""
    return re.findall(r"^## (\d+)\b", _read("CHANGELOG.md"), re.MULTILINE)


def frozen() -> dict[str, Any]:
    """What was frozen last: ``{"version", "files"}``."""
    data: dict[str, Any] = json.loads(_read("frozen.json"))
    return data


def changed() -> list[str]:
    """Guarded files that are not as frozen; empty when all is well."""
    held, now = frozen()["files"], digests()
    return sorted(name for name in {*held, *now} if held.get(name) != now.get(name))


def refreeze() -> str:
    """Write the hashes under the newest version. Raises ValueError when that version is already frozen."""
    newest = versions()[0]
    if newest == frozen()["version"] and changed():
        raise ValueError(
            f"version {newest} is frozen: add one to evals/tongues/CHANGELOG.md that says what and why, then freeze"
        )
    path = files("langgraph_readback.evals").joinpath("tongues", "frozen.json")
    text = json.dumps({"version": newest, "files": digests()}, indent=1) + "\n"
    with open(str(path), "w", encoding="utf-8") as out:  # noqa: PTH123 - a Traversable has no open for writing
        out.write(text)
    return newest


def _read(name: str) -> str:
    return files("langgraph_readback.evals").joinpath("tongues", name).read_text(encoding="utf-8")
