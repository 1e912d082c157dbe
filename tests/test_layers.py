"""Imports point left: spine <- fields <- tools <- nodes <- graph <- handoff, evals, cli; checkpoints only the spine."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = "langgraph_readback"
MAY_IMPORT = {
    "spine": set(),
    "fields": {"spine"},
    "checkpoints": {"spine"},
    "tools": {"spine", "fields"},
    "nodes": {"spine", "fields", "tools"},
    "graph": {"spine", "fields", "tools", "nodes"},
    "handoff": {"spine", "fields", "tools", "nodes", "graph"},
    "evals": {"spine", "fields", "tools", "nodes", "graph", "checkpoints"},
    "cli": {"spine", "fields", "tools", "nodes", "graph", "checkpoints", "handoff", "evals"},
}
COMPOSITION_ROOTS = {"graph/app.py", "checkpoints/server.py"}
"""What langgraph.json points at: these wire the rooms together and are exempt."""

KEPT_OUT = {
    "fields": {"langgraph", "langchain_core", "langchain_openai", "langsmith", "sqlalchemy", "typer", "rich"},
    "nodes": {"sqlalchemy", "langchain_openai", "typer", "rich"},
    "graph": {"sqlalchemy", "typer", "rich"},
}
"""Libraries a room must not need: fields are pure, SQL sits behind ports, only the command line draws."""


def folder(room: str) -> Path:
    return ROOT / ("src/langgraph_readback" if room == "spine" else room)


def files() -> list[tuple[str, Path]]:
    return [(room, path) for room in MAY_IMPORT for path in sorted(folder(room).rglob("*.py"))]


def imported(path: Path) -> list[tuple[int, str]]:
    """Line and dotted name of each import, wherever in the file it stands."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return found


def room_of(name: str) -> str | None:
    parts = name.split(".")
    if parts[0] != PACKAGE:
        return None
    return parts[1] if len(parts) > 1 and parts[1] in MAY_IMPORT else "spine"


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_imports_point_left(room):
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {room} imports {name}"
        for here, path in files()
        if here == room and str(path.relative_to(ROOT)) not in COMPOSITION_ROOTS
        for line, name in imported(path)
        if room_of(name) not in {None, room, *MAY_IMPORT[room]}
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("room", KEPT_OUT)
def test_libraries_kept_out(room):
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {room} imports {name}"
        for here, path in files()
        if here == room and str(path.relative_to(ROOT)) not in COMPOSITION_ROOTS
        for line, name in imported(path)
        if name.split(".")[0] in KEPT_OUT[room]
    ]
    assert not wrong, "\n".join(wrong)


def test_no_bare_room_is_imported_anywhere():
    """``import fields`` would find another distribution of that name."""
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for top in (*(folder(room) for room in MAY_IMPORT), ROOT / "tests", ROOT / "examples")
        for path in sorted(top.rglob("*.py"))
        for line, name in imported(path)
        if name.split(".")[0] in MAY_IMPORT
    ]
    assert not wrong, "\n".join(wrong)


def test_the_composition_root_defines_no_types():
    """Loaded by path it is a second module, and the mangled name of its types would land in checkpoints."""
    for name in COMPOSITION_ROOTS:
        path = ROOT / name
        if path.exists():
            tree = ast.parse(path.read_text(encoding="utf-8"))
            assert not [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)], name


def test_the_rule_can_fail(tmp_path):
    """The walk sees imports inside functions and names the room."""
    path = tmp_path / "x.py"
    path.write_text("def f():\n    from langgraph_readback.graph import loop\n")
    [(line, name)] = imported(path)
    assert (line, room_of(name)) == (2, "graph")
    assert room_of("langgraph_readback.outcome.Reading") == "spine"
    assert room_of("langgraph.graph") is None
