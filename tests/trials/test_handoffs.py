"""A sample of the trial of hand-offs: 40 tickets, 4 desks, kills. The 500 are run by hand (docs/handoff.md)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def test_forty_tickets_four_desks_and_a_killer():
    script = Path(__file__).with_name("handoffs.py")
    command = [sys.executable, str(script), "--tickets", "40", "--kill-every", "0.3", "--kills", "8"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.stdout, done.stderr
    figures = json.loads(done.stdout)
    assert figures["wrong"] == []
    assert (figures["closed"], figures["resumed"] + figures["settled"]) == (40, 40)
    assert figures["killed"] == 8
    assert done.returncode == 0, done.stderr
