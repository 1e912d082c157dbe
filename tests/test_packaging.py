"""What is installed is what is in the folders: the wheel is built from a copy and compared."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FOLDERS = CONFIG["tool"]["setuptools"]["package-dir"]
PACKAGES = set(CONFIG["tool"]["setuptools"]["packages"])
NOT_SHIPPED = {"__pycache__"}


def shipped(folder: Path) -> set[str]:
    """Every file of a room, as the wheel should hold it."""
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and not NOT_SHIPPED & set(path.parts) and not path.name.startswith(".")
    }


def normal(name: str) -> str:
    """A distribution's name as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_what_is_imported_is_declared():
    """A library that comes along with another may stop coming along."""
    project = CONFIG["project"]
    lines = [*project["dependencies"], *(line for extra in project["optional-dependencies"].values() for line in extra)]
    declared = {normal(re.split(r"[\[<>=,~! ]", line)[0]) for line in lines}
    declared |= {"psycopg-pool"}  # psycopg[pool]
    owners = metadata.packages_distributions()
    stray = set()
    for folder in FOLDERS.values():
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
                for top in {name.split(".")[0] for name in names} - sys.stdlib_module_names - {"langgraph_readback"}:
                    if not declared & {normal(owner) for owner in owners.get(top, [])}:
                        stray.add(f"{path.relative_to(ROOT)}: {top}")
    assert not stray


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """A wheel built without network from a copy, so that no ``build/`` of yesterday ships again."""
    tmp = tmp_path_factory.mktemp("wheel")
    source = tmp / "source"
    ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for folder in FOLDERS.values():
        shutil.copytree(ROOT / folder, source / folder, ignore=ignore)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    backend = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", backend, str(tmp)],
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    [built] = tmp.glob("*.whl")
    return built


def test_the_wheel_holds_exactly_the_folders(wheel):
    want = set()
    for package, folder in FOLDERS.items():
        top = package.replace(".", "/")
        want |= {f"{top}/{name}" for name in shipped(ROOT / folder)}
    with zipfile.ZipFile(wheel) as archive:
        have = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert have == want, {"missing from the wheel": sorted(want - have), "only in the wheel": sorted(have - want)}


def test_every_sub_package_is_listed():
    """An unlisted one works editable and is missing from the wheel."""
    found = set()
    for package, folder in FOLDERS.items():
        for init in (ROOT / folder).rglob("__init__.py"):
            inside = init.parent.relative_to(ROOT / folder).parts
            found.add(".".join((package, *inside)))
    assert found == PACKAGES


def test_every_module_is_in_a_package():
    """A folder of modules without ``__init__.py`` would be left behind."""
    bare = {
        str(path.parent.relative_to(ROOT))
        for folder in FOLDERS.values()
        for path in (ROOT / folder).rglob("*.py")
        if not (path.parent / "__init__.py").exists()
    }
    assert not bare


def test_the_installed_command_runs(wheel, tmp_path):
    """From the wheel, not from the folders."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); sys.argv = ['readback', '--version']\n"
        "import langgraph_readback.cli as cli; print(cli.__file__); cli.main()"
    )
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    where, version = done.stdout.split()[0], done.stdout.split()[-1]
    assert where.startswith(str(tmp_path))
    assert version == CONFIG["project"]["version"]


def test_entry_point_and_python(wheel):
    with zipfile.ZipFile(wheel) as archive:
        meta = {Path(name).name: archive.read(name).decode() for name in archive.namelist() if ".dist-info/" in name}
    assert "readback = langgraph_readback.cli:main" in meta["entry_points.txt"]
    assert "Requires-Python: >=3.11" in meta["METADATA"]
    assert any(name == "LICENSE" for name in meta)
