"""Size, privacy and the promises of the Makefile."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("src", "fields", "nodes", "graph", "tools", "checkpoints", "handoff", "evals", "cli", "examples")
MAX_FILE, MAX_FUNCTION, MAX_TARGETS = 400, 60, 8

EMAIL = re.compile(r"[\w.+'-]+@((?:[\w-]+\.)+[a-z]{2,})", re.IGNORECASE)
WORDS = "example|test|beispiel|exemple|ejemplo|exemplo|esempio"
RESERVED = re.compile(rf"(.*\.)?(example|test|invalid|localhost)|(.*\.)?([\w-]+-)?({WORDS})(-[\w-]+)?(\.[a-z]+)+")
"""RFC 2606's names, and names that say in their language that they are examples (``beispiel-shop.de``)."""

PROVIDERS = {
    *("gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "hotmail.co.uk", "live.com", "msn.com", "yahoo.com"),
    *("yahoo.co.uk", "yahoo.com.au", "icloud.com", "me.com", "aol.com", "proton.me", "protonmail.com", "gmx.de"),
    *("gmx.net", "gmx.at", "web.de", "t-online.de", "freenet.de", "posteo.de", "orange.fr", "free.fr", "libero.it"),
    *("uol.com.br", "qq.com", "163.com", "naver.com", "hanmail.net", "bigpond.com", "comcast.net", "fastmail.com"),
}
"""Mail providers whose names a caller says as a word: the domain is what such a test is about."""


def sources(*tops: str) -> list[Path]:
    return [path for top in tops for path in sorted((ROOT / top).rglob("*.py"))]


def test_files_are_short():
    long = {
        str(p.relative_to(ROOT)): n for p in sources(*ROOMS) if (n := len(p.read_text("utf-8").splitlines())) > MAX_FILE
    }
    assert not long


def test_functions_are_short():
    long = {}
    for path in sources(*ROOMS):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > MAX_FUNCTION:
                    long[f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"] = lines
    assert not long


def test_nothing_is_skipped_and_nothing_is_a_stub():
    skip = re.compile(r"pytest\.(skip|importorskip)\(|mark\.skip")
    found = [
        f"{p.relative_to(ROOT)}" for p in sources("tests") if p != Path(__file__) and skip.search(p.read_text("utf-8"))
    ]
    found += [f"{p.relative_to(ROOT)}" for p in sources(*ROOMS) if "NotImplementedError" in p.read_text("utf-8")]
    assert not found


def private(text: str) -> list[str]:
    """Addresses in a text that somebody might own: neither reserved nor at a provider named on purpose."""
    return [
        match[0]
        for match in EMAIL.finditer(text)
        if (domain := match[1].lower()) not in PROVIDERS and not RESERVED.fullmatch(domain)
    ]


def test_no_personal_data():
    kinds = {".py", ".md", ".toml", ".jsonl", ".json", ".yaml", ".txt", ".tsv", ".csv"}
    # The yardstick's tasks need coined domains, since hearing those is what they measure; they are never written to.
    rooms = [room for room in ROOMS if room != "evals"]
    texts = [p for top in (*rooms, "tests", "docs") for p in sorted((ROOT / top).rglob("*")) if p.suffix in kinds]
    texts += sorted(ROOT.glob("*.md"))
    found = {
        str(p.relative_to(ROOT)): who for p in texts if p != Path(__file__) and (who := private(p.read_text("utf-8")))
    }
    assert not found


@pytest.mark.parametrize(
    ("text", "caught"),
    [
        ("kim.lee@example.com", False),
        ("anna@beispiel.de", False),
        ("siobhan@mail.example.co.uk", False),
        ("marcus@gmail.com", False),
        ("someone@a-real-company.com", True),
        ("@pytest.mark.x", False),
    ],
)
def test_the_privacy_guard_can_fail(text, caught):
    assert bool(private(text)) == caught


def test_the_makefile_has_at_most_eight_targets():
    targets = re.findall(r"^([\w./-]+):(?!=)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    targets = [name for name in targets if not name.startswith(".")]  # .PHONY, and the file .uv/bin/uv
    assert len(targets) <= MAX_TARGETS, targets
    assert {"chat", "test", "check", "mutations", "bench", "serve"} <= set(targets)


def test_ci_runs_the_test_command_of_the_readme():
    lines = (ROOT / ".ci/run").read_text("utf-8").splitlines()
    assert [line for line in lines if not line.startswith(("#", "set ", "cd ")) and line.strip()] == ["make test"]


def test_every_dependency_is_explained():
    """CONTRIBUTING says in a line what each is for."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    names = [re.split(r"[\[<>=,~! ]", line)[0] for line in config["project"]["dependencies"]]
    groups = [line for group in config["dependency-groups"].values() for line in group if isinstance(line, str)]
    names += [re.split(r"[\[<>=,~! ]", line)[0] for line in groups]
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert not [name for name in names if f"`{name}`" not in text]


MUTATIONS = sorted((ROOT / "tests/mutations").glob("*.patch"))


@pytest.mark.parametrize("patch", MUTATIONS, ids=lambda patch: patch.stem)
def test_a_mutation_names_its_law_and_still_applies(patch):
    """``make mutations`` runs them; that they still fit the code is cheap to hold here."""
    head = dict(line.split(": ", 1) for line in patch.read_text("utf-8").split("\n\n")[0].splitlines())
    assert set(head) == {"law", "tests", "why"}
    assert all((ROOT / name).exists() for name in head["tests"].split())
    done = subprocess.run(["git", "apply", "--check", "-C1", str(patch)], cwd=ROOT, check=False)
    assert done.returncode == 0
