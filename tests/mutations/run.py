"""Break each guarded line, one at a time, and expect the laws to notice: ``make mutations``.

A mutation is a ``*.patch`` beside this file: a unified diff against the root, under a head of ``key: value`` lines.

    law: fresh
    tests: tests/laws/test_fresh.py
    why: a correction patches the old value

Each is applied to a copy of the tree; the copy's tests named by ``tests`` must fail there. First those tests run without
a mutation: where one fails so, its mutations are not tried. Exit code 1 and the names of the mutations that lived, no
longer apply, or were not tried. ``make mutations ARGS="gate once"`` takes those with such a word in their name.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FOLDERS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"][
    "package-dir"
]
FAILED = 1
"""pytest's exit code when tests ran and some failed. Any other code means that they did not run."""


def head(patch: Path) -> dict[str, str]:
    """The ``key: value`` lines above the diff."""
    lines = patch.read_text("utf-8").partition("\n--- ")[0].splitlines()
    return {key.strip(): value.strip() for key, colon, value in (line.partition(":") for line in lines) if colon}


def copy(to: Path) -> None:
    """The rooms, the tests and the settings."""
    ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for folder in {"tests", "examples", *FOLDERS.values()}:
        shutil.copytree(ROOT / folder, to / folder, ignore=ignore)
    for name in ("pyproject.toml", "README.md", "langgraph.json"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, to)


def installed(tree: Path) -> Path:
    """The rooms of a tree as one package, in a folder that goes before the installed one."""
    site = tree / ".site"
    for package, folder in sorted(FOLDERS.items()):
        shutil.copytree(tree / folder, site / package.replace(".", "/"), dirs_exist_ok=True)
    return site


def verdict(patch: Path | None, tests: list[str]) -> str:
    """``killed``, ``LIVED``, ``DOES NOT APPLY`` or ``DID NOT RUN``; without a patch ``passes`` or ``FAILS``."""
    with tempfile.TemporaryDirectory(prefix="readback-mutation-") as folder:
        tree = Path(folder)
        copy(tree)
        if patch is not None:
            command = ["git", "apply", "-C1", str(patch)]
            # Outside any repository git applies to the folder it stands in.
            env = os.environ | {"GIT_CEILING_DIRECTORIES": str(tree.parent)}
            if subprocess.run(command, cwd=tree, env=env, check=False).returncode:
                return "DOES NOT APPLY"
        env = os.environ | {"PYTHONPATH": str(installed(tree)), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
        done = subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True, check=False)
    if done.returncode not in {0, FAILED} or (patch is None and done.returncode):
        sys.stderr.write(done.stdout[-4000:] + done.stderr)
    if done.returncode not in {0, FAILED}:
        return "DID NOT RUN"
    if patch is None:
        return "passes" if not done.returncode else "FAILS"
    return "killed" if done.returncode else "LIVED"


def main(wanted: list[str]) -> int:
    """All mutations, or those whose file name holds one of the words."""
    patches = [p for p in sorted(HERE.glob("*.patch")) if not wanted or any(word in p.name for word in wanted)]
    if not patches:
        sys.stderr.write(f"no mutation in {HERE} is named so\n")
        return 2
    heads = {patch: head(patch) for patch in patches}
    plain = {name: verdict(None, [name]) for name in sorted({n for h in heads.values() for n in h["tests"].split()})}
    for name in (name for name, said in plain.items() if said != "passes"):
        sys.stdout.write(f"{plain[name]:14}  {name} without any mutation: nothing can be learnt from it\n")
    bad = 0
    for patch in patches:
        tests = heads[patch]["tests"].split()
        said = verdict(patch, tests) if all(plain[name] == "passes" for name in tests) else "NOT TRIED"
        bad += said != "killed"
        sys.stdout.write(f"{said:14}  {heads[patch]['law']:12}  {patch.stem}: {heads[patch]['why']}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{len(patches) - bad} of {len(patches)} mutations killed\n")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
