"""A desk in another process closes a ticket, and the conversation on the server goes on."""

from __future__ import annotations

from contextlib import closing

import pytest

from langgraph_readback.errors import TicketClosedError
from langgraph_readback.handoff import ServerWaker, SqlDesk, wake_due
from langgraph_readback.seal import Sealer


@pytest.fixture
def desk(server):
    desk = SqlDesk.from_url(server.database, sealer=Sealer(["a key of the test suite"]))
    yield desk
    desk.close()


@pytest.fixture
def waker(server):
    with closing(ServerWaker(server.url)) as waker:
        yield waker


def test_woken_on_the_server(caller, desk, waker):
    caller.send(None, "operator", "operator")
    assert {ticket["field"] for ticket in caller.interrupt["tickets"]} == {"email", "phone"}
    email, phone = (caller.captures[name]["ticket"] for name in ("email", "phone"))
    desk.resolve(email, kind="value", value="kim.lee@example.com", by="ana")
    assert wake_due(desk, waker)[email] == "resumed"
    assert caller.values["captures"]["email"]["by"] == "human:ana"
    desk.resolve(phone, kind="decline", by="bo")
    assert wake_due(desk, waker)[phone] == "resumed"
    records = caller.values["captures"]
    assert {name: r["status"] for name, r in records.items()} == {"email": "CONFIRMED", "phone": "DECLINED"}
    with pytest.raises(TicketClosedError):
        desk.resolve(phone, kind="value", value="+13125550119", by="eve")


def test_a_conversation_the_server_does_not_know(desk, waker):
    desk.file({
        "id": "rb-lost", "thread": "6f1d3a52-55a8-4c52-a6f0-0d7f0c0b8f43", "field": "email", "revision": 1,
        "label": "email address", "locale": "en-US", "reason": "attempts", "attempts": [],
    })  # fmt: skip
    desk.resolve("rb-lost", kind="decline", by="ana")
    assert wake_due(desk, waker)["rb-lost"] == "gone"
