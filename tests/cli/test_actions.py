"""``readback actions``: what needs a person is listed; an unknown outcome is settled once, and the gate believes it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from langgraph_readback.fields import FieldSpec
from langgraph_readback.seal import Sealer
from langgraph_readback.tools import Ledger, Receipt, Services, gated

EMAIL, VALUE, THREAD = FieldSpec(name="email"), "rae.oneill@example.com", "t-1"


class Shop:
    """A refund that fails half-way, over a database that the command line reads too."""

    def __init__(self, url, run):
        self.url, self.run, self.done, self.fails = url, run, 0, True
        self.services = Services(sealer=Sealer(["k" * 32]), ledger=Ledger.from_url(url), alarm=lambda _: None)

        @gated(EMAIL)
        async def refund(email: str) -> Receipt:
            if self.fails:
                raise ConnectionError
            self.done += 1
            return Receipt(reference=f"R-{self.done}", executed={"email": email})

        self.action = refund
        facts = {"thread": THREAD, "field": "email", "value": VALUE, "revision": 1}
        print_ = self.services.sealer.fingerprint(**facts)
        self.services.ledger.raise_to(THREAD, "email", 1, fingerprint=print_)
        seal = self.services.sealer.seal(**facts, by="user", at=1.0, verified="world")
        self.captures = {"email": {"status": "CONFIRMED", "value": VALUE, "revision": 1, "seal": seal}}

    def refund(self):
        return asyncio.run(self.action.run({}, captures=self.captures, thread=THREAD, services=self.services))

    def cli(self, *args):
        return self.run("actions", *args, "--database", self.url)

    def listed(self, *args):
        return [json.loads(line) for line in self.cli("list", *args).stdout.splitlines()]


@pytest.fixture
def shop(run, tmp_path):
    shop = Shop(f"sqlite:///{tmp_path}/shop.db", run)
    assert shop.refund().code == "unknown"
    yield shop
    shop.services.ledger.close()


def test_an_unknown_action_is_listed_without_a_value(shop):
    [row] = shop.listed()
    assert (row["state"], row["action"], row["thread"], row["settled_by"]) == ("UNKNOWN", "refund", THREAD, "gate")
    assert VALUE not in json.dumps(row)


def test_settled_as_done_it_is_not_done_again(shop):
    [row] = shop.listed()
    done = shop.cli("settle", row["key"][:10], "--done", "--reference", "RF-7", "--by", "ana")
    assert (done.exit_code, done.stdout) == (0, f"{row['key']}: DONE, by ana\n")
    shop.fails = False
    receipt = shop.refund()
    assert (receipt.reference, receipt.repeated, shop.done) == ("RF-7", True, 0)
    assert shop.listed() == []
    assert [one["settled_by"] for one in shop.listed("--all")] == ["human:ana"]


def test_settled_as_not_done_it_may_be_tried_again(shop):
    [row] = shop.listed()
    shop.cli("settle", row["key"], "--not-done", "--by", "ana")
    shop.fails = False
    assert (shop.refund().reference, shop.done) == ("R-1", 1)


def test_an_outcome_that_is_known_stays(shop):
    [row] = shop.listed()
    shop.cli("settle", row["key"], "--done", "--by", "ana")
    again = shop.cli("settle", row["key"], "--not-done", "--by", "eve")
    assert (again.exit_code, again.stderr) == (
        2,
        f"readback: {row['key'][:12]} is settled already: DONE, by human:ana\n",
    )


def test_what_is_running_is_not_settled(shop):
    ledger = shop.services.ledger
    [entry] = ledger.entries()
    running = replace(entry, key="f" * 64, state="INTENT", lease_until=9e9)
    ledger.claim(running, [])
    refused = shop.cli("settle", "fff", "--done", "--by", "ana")
    assert refused.exit_code == 2
    assert "is being carried out now" in refused.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["0", "--by", "ana"], "give exactly one of --done and --not-done"),
        (["0", "--by", "ana", "--done", "--not-done"], "give exactly one of --done and --not-done"),
        (["0", "--by", " ", "--done"], "say who has looked, with --by"),
        (["nothing", "--by", "ana", "--done"], "no action's key begins with 'nothing'"),
    ],
)
def test_what_is_refused(shop, args, message):
    done = shop.cli("settle", *args)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"readback: {message}")
