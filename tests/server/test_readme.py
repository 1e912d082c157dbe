"""The README's langgraph-sdk snippet, run as it is printed there: only the address is this server's."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
ADDRESS = "http://127.0.0.1:2024"

pytestmark = pytest.mark.timeout(300)


def test_the_sdk_snippet(server):
    """It shows what was said and how each field stands, never a record with its seal."""
    [code] = [
        block
        for block in re.findall(r"^```python[^\n]*\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
        if ADDRESS in block
    ]
    code = code.replace(ADDRESS, server.url)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said, standing = done.stdout.splitlines()[::2], done.stdout.splitlines()[1::2]
    assert [line.partition(",")[0] for line in standing] == [
        "{'email': 'ASK'}",
        "{'email': 'READBACK'}",
        "{'email': 'CONFIRMED'",
    ]
    assert "kim.lee@example.com" in said[1]
    assert "seal" not in done.stdout
