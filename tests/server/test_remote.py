"""examples/compose/remote.py: the served capture as a node of a graph here, through RemoteGraph."""

from __future__ import annotations

import re
import sys
import uuid
from pathlib import Path

import pytest
from langgraph.types import Command

from langgraph_readback.handoff import SqlDesk
from langgraph_readback.seal import Sealer

sys.path.insert(0, str(Path(__file__).parents[2]))
from examples.compose.remote import build, main
from examples.compose.scripted import ScriptedModel

pytestmark = pytest.mark.timeout(300)


def test_it_runs(server, capsys):
    main(server.url)
    assert "Noted. (I saw: <phone confirmed>)" in capsys.readouterr().out


def test_a_hand_off(server, caller):
    """It interrupts here, with what the user is told; the desk's answer there wakes it; no model saw a value."""
    desk = SqlDesk.from_url(server.database, sealer=Sealer(["a key of the test suite"]))
    model = ScriptedModel(script=lambda _: "noted")
    graph, config = build(model, caller.client), {"configurable": {"thread_id": str(uuid.uuid4())}}
    for words in ("hello", "a person please", "312 555 0119", "yes"):
        state = graph.invoke({"messages": [("user", words)]}, config)
    payload = state["__interrupt__"][0].value
    assert "colleague" in " ".join(payload["told"])
    assert model.requests == []
    [ticket] = [one["ticket"] for one in payload["tickets"]]
    desk.resolve(ticket, kind="value", value="kim.lee@example.com", by="ana")
    state = graph.invoke(Command(resume={"ticket": ticket}), config)
    assert state["captures"]["email"]["value"] == "kim.lee@example.com"
    assert state["messages"][-1].text == "noted"
    assert not re.search(r"kim\W*lee|555\W*0119", repr(model.requests), re.IGNORECASE)
    desk.close()
