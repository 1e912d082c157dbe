"""A small sample of the trials, at every run of the suite; ``make`` runs none of the long ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TRIALS = Path(__file__).parent


@pytest.mark.timeout(300)
def test_two_killed_workers_lose_nothing_and_do_nothing_twice(postgres_url):
    """Twenty conversations. ``--conversations 1000`` by hand takes some minutes."""
    command = [sys.executable, str(TRIALS / "two_workers.py"), "--conversations", "20", "--url", postgres_url]
    env = {**os.environ, "READBACK_ENCRYPTION_KEYS": "a key of the test suite"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    report = json.loads(done.stdout)
    assert report["wrong"] == []
    assert report["killed"] > 2
    assert report["deliveries"] > 20 * 3.5
