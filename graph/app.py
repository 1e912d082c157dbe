"""What langgraph.json serves. The composition root: it wires the rooms together and defines no types.

``READBACK_FIELDS`` names the fields ``capture`` asks for, with commas (default ``email,phone,id,name``).
``READBACK_ACTIONS`` names a module with the ``FIELDS``, ``ACTIONS`` and ``LOOKUPS`` of ``agent`` (default: the example
shop). ``OPENAI_API_KEY``, ``OPENAI_BASE_URL`` and ``READBACK_MODEL`` give it a model; without them it plans by itself.
Checkpoints come from ``checkpoints/server.py``; tickets, marks, the ledger and the seal key lie in the same database.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

from langgraph_readback.fields import catalogue
from langgraph_readback.graph import build_agent, build_capture_graph
from langgraph_readback.graph.model import model_from_env
from langgraph_readback.handoff import SqlDesk

_names = [name.strip() for name in os.environ.get("READBACK_FIELDS", "email,phone,id,name").split(",")]
if _unknown := [name for name in _names if name not in catalogue]:
    raise ValueError(f"READBACK_FIELDS names {', '.join(_unknown)}: use some of {', '.join(sorted(catalogue))}")

_desk = SqlDesk.from_url()

capture = build_capture_graph([catalogue[name] for name in _names], desk=_desk)
"""The read-back loop by itself."""

sys.path.append(str(Path(__file__).resolve().parents[1]))  # where the examples are
_domain = import_module(os.environ.get("READBACK_ACTIONS", "examples.shop.served"))

agent = build_agent(
    _domain.FIELDS, actions=_domain.ACTIONS, lookups=_domain.LOOKUPS, model=model_from_env(), desk=_desk
)
"""The same loop with a model that converses and a gate in front of the actions."""
