"""What ``langgraph build`` would put into an image: the Dockerfile that ``langgraph dockerfile`` writes, taken apart.

No Docker engine runs here; what it would read is checked instead.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOME = f"/deps/{ROOT.name}"


@pytest.fixture(scope="module")
def dockerfile(tmp_path_factory):
    path = tmp_path_factory.mktemp("image") / "Dockerfile"
    command = [
        str(Path(sys.executable).with_name("langgraph")),
        "dockerfile",
        str(path),
        "-c",
        str(ROOT / "langgraph.json"),
    ]
    env = {**os.environ, "LANGGRAPH_CLI_NO_ANALYTICS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return path.read_text("utf-8")


def test_the_settings_are_whole(dockerfile):
    """In single quotes, an apostrophe in a description would end the setting in the middle."""
    settings = dict(re.findall(r"^ENV (\w+)='(.*)'$", dockerfile, re.MULTILINE))
    assert not [name for name, text in settings.items() if "'" in text]
    graphs = json.loads(settings["LANGSERVE_GRAPHS"])
    assert {name: graph["path"] for name, graph in graphs.items()} == {
        "agent": f"{HOME}/graph/app.py:agent",
        "capture": f"{HOME}/graph/app.py:capture",
    }
    assert json.loads(settings["LANGGRAPH_CHECKPOINTER"])["path"] == f"{HOME}/checkpoints/server.py:checkpointer"


def test_it_brings_and_installs_this_folder(dockerfile):
    assert re.search(r"^FROM langchain/langgraph-api:3\.11$", dockerfile, re.MULTILINE)
    assert re.search(rf"^ADD \. {HOME}$", dockerfile, re.MULTILINE)
    assert "uv pip install --system --no-cache-dir -c /api/constraints.txt -e ." in dockerfile


def test_every_path_in_it_is_in_the_folder(dockerfile):
    named = re.findall(rf"{HOME}/([\w/.]+\.py)", dockerfile)
    assert named
    assert not [path for path in named if not (ROOT / path).exists()]
