"""What langgraph.json serves. The composition root: it wires the rooms together and defines no types.

``READBACK_FIELDS`` names the fields to capture, with commas (default ``email,phone,id,name``). Checkpoints come from
``checkpoints/server.py``; tickets, marks and the seal key lie in the same database.
"""

from __future__ import annotations

import os

from langgraph_readback.fields import catalogue
from langgraph_readback.graph import build_capture_graph
from langgraph_readback.handoff import SqlDesk

_names = [name.strip() for name in os.environ.get("READBACK_FIELDS", "email,phone,id,name").split(",")]
if _unknown := [name for name in _names if name not in catalogue]:
    raise ValueError(f"READBACK_FIELDS names {', '.join(_unknown)}: use some of {', '.join(sorted(catalogue))}")

capture = build_capture_graph([catalogue[name] for name in _names], desk=SqlDesk.from_url())
"""The read-back loop by itself. ``agent`` goes beside it: the same loop with a model that converses."""
