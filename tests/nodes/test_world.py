"""Lookups: one background loop for plain and awaited code, deadlines, and nothing that costs the user an attempt."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest
from langchain_core.messages import HumanMessage

from langgraph_readback.fields import LookupOutcome, catalogue

ORDER = replace(catalogue["id"], name="order", pattern=r"HL-\d{6}", lookup_deadline=0.2)


@pytest.fixture
def asked(capture, talk):
    """Confirms an order number whose lookup is given; gives the record."""

    def ask(lookup, **options):
        user = talk(capture(replace(ORDER, **options), lookups={"order": lookup}), channel="chat")
        return user.send(None, "HL-204117", "yes")["order"]

    return ask


async def slow(value, context):
    await asyncio.sleep(5)
    return LookupOutcome.NOT_FOUND


async def broken(value, context):
    raise ConnectionError(value)


async def rambling(value, context):
    return "perhaps"


def plain(value, context):
    return LookupOutcome.FOUND


@pytest.mark.parametrize(
    ("lookup", "verified"), [(slow, "format"), (broken, "format"), (rambling, "format"), (plain, "world")]
)
def test_what_a_lookup_may_do(asked, lookup, verified, caplog):
    record = asked(lookup)
    assert (record["status"], record["verified"], record["attempts"]) == ("CONFIRMED", verified, 0)
    assert "204117" not in caplog.text


def test_a_lookup_that_blocks_its_loop_is_left_behind(asked):
    async def blocking(value, context):
        time.sleep(2)  # noqa: ASYNC251 - that is the mistake
        return LookupOutcome.FOUND

    start = time.monotonic()
    assert asked(blocking)["verified"] == "format"
    assert time.monotonic() - start < 2
    assert asked(plain)["verified"] == "world"


async def test_plain_and_awaited_runs_share_one_loop(capture, talk):
    """A client that is bound to its loop works for both."""
    loops = set()

    async def bound(value, context):
        loops.add(asyncio.get_running_loop())
        return LookupOutcome.FOUND

    graph = capture(ORDER, lookups={"order": bound})
    user = talk(graph, channel="chat")
    await asyncio.to_thread(user.send, None, "HL-204117")
    await graph.ainvoke({"messages": [HumanMessage("no, HL-204118")]}, user.config)
    assert len(loops) == 1
    assert asyncio.get_running_loop() not in loops


def test_a_lookup_sees_the_circumstances_and_what_is_confirmed(capture, talk):
    seen = []

    async def lookup(value, context):
        seen.append(context)
        return LookupOutcome.FOUND

    user = talk(capture("email", ORDER, lookups={"order": lookup}), locale="en-AU", channel="chat")
    user.send(None, "kim.lee@example.com", "yes", "HL-204117")
    assert seen == [{"locale": "en-AU", "region": "AU", "channel": "chat", "values": {"email": "kim.lee@example.com"}}]


def test_lookups_of_the_builder_win(capture, talk):
    user = talk(capture(replace(ORDER, lookup=broken), lookups={"order": plain}), channel="chat")
    assert user.send(None, "HL-204117", "yes")["order"]["verified"] == "world"
