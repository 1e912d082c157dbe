"""A small sample of a trial: the disk is full.

``faults.py`` is run by hand until its open fault is understood (docs/stores.md, "Everything around them fails").
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TRIALS = Path(__file__).parent


def run(script, conversations, seed):
    """The trial's report; it has failed when its exit code says so."""
    command = [sys.executable, str(TRIALS / script), "--conversations", str(conversations), "--seed", str(seed)]
    env = {**os.environ, "READBACK_ENCRYPTION_KEYS": "a key of the test suite"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    return json.loads(done.stdout)


@pytest.mark.timeout(300)
def test_a_disk_that_is_full():
    report = run("full_disk.py", 2, seed=2)
    assert report["wrong"] == []
    assert report["OperationalError"] > 10
