"""A user who writes again before the answer is there, in each way a LangGraph server may take it.

``reject`` refuses the second message, ``enqueue`` runs it afterwards, ``interrupt`` stops the first run and keeps what it
wrote, ``rollback`` stops it and deletes that. In each: the right end, the refund once, no attempt counted twice.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.errors import ConflictError

from langgraph_readback.tools import Ledger

sys.path.insert(0, str(Path(__file__).parents[2]))
from examples.shop.world import Shop

pytestmark = pytest.mark.timeout(300)

CALLERS = {
    "reject": ("rae.oneill@example.com", "HL-204815"),
    "enqueue": ("siobhan@example.com", "HL-204816"),
    "interrupt": ("l1sa@example.com.au", "HL-105581"),
    "rollback": ("d.nguyen+shop@example.com", "HL-880088"),
}
"""A customer for each strategy."""
ATTEMPTS = {"reject": {1}, "enqueue": {1}, "interrupt": {0, 1}, "rollback": {0, 1}}
"""Failed attempts after "blue sky", then an order number: a run that is stopped early had counted nothing."""


@pytest.fixture(scope="module")
def shop_server(tmp_path_factory, make_server):
    folder = tmp_path_factory.mktemp("double")
    server = make_server(folder, SHOP_DATABASE=str(folder / "shop.db"))
    server.start()
    yield server
    server.stop()


class Texter:
    """One thread with the served agent, whose user does not wait."""

    def __init__(self, client, thread, strategy):
        self.client, self.thread, self.strategy = client, thread, strategy

    async def start(self, text, **options):
        """Begin a run and do not wait for it."""
        given = {"messages": [{"role": "user", "content": text}]}
        return await self.client.runs.create(self.thread, "agent", input=given, context={"channel": "chat"}, **options)

    async def say(self, *texts):
        """One after the other, each answered. Gives the records."""
        for text in texts:
            await self.client.runs.join(self.thread, (await self.start(text))["run_id"])
        return (await self.client.threads.get_state(self.thread))["values"]["captures"]

    async def twice(self, first, second, pause):
        """The second while the first runs; when it is refused, again once there is an answer. Gives the records."""
        begun = await self.start(first)
        await asyncio.sleep(pause)
        try:
            runs = [begun, await self.start(second, multitask_strategy=self.strategy)]
        except ConflictError:
            assert self.strategy == "reject"
            await self.client.runs.join(self.thread, begun["run_id"])
            return await self.say(second)
        await self.client.runs.join(self.thread, runs[1]["run_id"])
        return (await self.client.threads.get_state(self.thread))["values"]["captures"]


@pytest.mark.parametrize("strategy", CALLERS)
async def test_a_user_who_does_not_wait(strategy, shop_server):
    email, order = CALLERS[strategy]
    async with get_client(url=shop_server.url) as client:
        thread = (await client.threads.create())["thread_id"]
        texter = Texter(client, thread, strategy)
        await texter.say("I want a refund", email, "yes")
        record = (await texter.twice("blue sky", order, pause=0))["order_id"]
        assert (record["status"], record["value"]) == ("READBACK", None)
        assert record["attempts"] in ATTEMPTS[strategy]
        records = await texter.twice("yes", "yes", pause=0.03)
        for _ in range(3):  # a run that was stopped may leave the last question open: the user answers it again
            if records["order_id"]["status"] == "READBACK":
                records = await texter.say("yes")
        assert {name: (r["status"], r["value"]) for name, r in records.items() if r["value"]} == {
            "email": ("CONFIRMED", email),
            "order_id": ("CONFIRMED", order),
        }
        assert records["order_id"]["attempts"] == record["attempts"]
        await texter.say("refund it please")
    check_world(shop_server, thread, strategy)


def check_world(server, thread, strategy):
    """The action was begun once, and is over; the shop has refunded the order once, to its customer."""
    email, order = CALLERS[strategy]
    ledger = Ledger.from_url(server.database)
    begun = [(entry.action, entry.state, entry.attempt) for entry in ledger.entries(thread=thread)]
    ledger.close()
    rows = Shop(server.folder / "shop.db").rows("refunds", order_id=order)
    assert [(row["email"], row["order_id"]) for row in rows] == [(email, order)]
    assert [(action, attempt) for action, _, attempt in begun] == [("refund", 1)]
