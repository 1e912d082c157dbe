"""The example shop: real rows, found by lookups, changed by gated actions, found again by `check`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from langgraph_readback.fields import LookupOutcome
from langgraph_readback.seal import Sealer
from langgraph_readback.tools import Action, Ledger, Services

sys.path.insert(0, str(Path(__file__).parents[2]))
from examples.shop.actions import FIELDS, make_actions
from examples.shop.world import Shop

THREAD, RAE, ORDER = "t-1", "rae.oneill@example.com", "HL-204815"


@pytest.fixture
def shop(tmp_path):
    return Shop(tmp_path / "shop.db")


@pytest.fixture
def services():
    services = Services(sealer=Sealer(["k" * 32]), ledger=Ledger.from_url())
    yield services
    services.ledger.close()


@pytest.fixture
def call(shop, services):
    """Call an action with confirmed values."""

    async def call(name, values, revision=1, **args):
        captures = {}
        for field, value in values.items():
            facts = {"thread": THREAD, "field": field, "value": value, "revision": revision}
            services.ledger.raise_to(THREAD, field, revision, fingerprint=services.sealer.fingerprint(**facts))
            seal = services.sealer.seal(**facts, by="user", at=1.0, verified="world")
            captures[field] = {"status": "CONFIRMED", "value": value, "revision": revision, "seal": seal}
        action = next(action for action in make_actions(shop) if action.name == name)
        return await action.run(args, captures=captures, thread=THREAD, services=services)

    return call


async def test_a_refund_is_one_row_with_the_confirmed_values(shop, call):
    values = {"email": RAE, "order_id": ORDER}
    receipt = await call("refund", values, reason="too small")
    again = await call("refund", values, reason="too small")
    assert (receipt.reference, receipt.text, receipt.compared) == ("RF-0001", "129.00 refunded, number RF-0001", "same")
    assert (again.reference, again.repeated) == ("RF-0001", True)
    (row,) = shop.rows("refunds")
    assert (row["email"], row["order_id"], row["cents"], row["key"]) == (RAE, ORDER, 12900, receipt.key)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"email": "siobhan@example.com", "order_id": ORDER}, "no such order"),
        ({"email": RAE, "order_id": "HL-999999"}, "no such order"),
    ],
)
async def test_a_refund_the_shop_does_not_give(shop, call, values, text):
    refused = await call("refund", values, reason="x")
    assert refused.code == "not_done"
    assert text in refused.text
    assert shop.rows("refunds") == []


async def test_an_order_is_refunded_once_even_when_it_is_confirmed_anew(shop, call):
    values = {"email": RAE, "order_id": ORDER}
    await call("refund", values, reason="x")
    assert "refunded before" in (await call("refund", values, revision=2, reason="x")).text
    assert len(shop.rows("refunds")) == 1


async def test_appointments(shop, call):
    values = {"name": "Siobhan Nguyen", "phone": "+61412345678"}
    assert "number AP-0001" in (await call("book_appointment", values, slot="monday 9:00")).text
    assert (await call("book_appointment", values, slot="monday 9:00")).repeated
    assert "slot is taken" in (await call("book_appointment", values, revision=2, slot="monday 9:00")).text
    assert (await call("book_appointment", values, revision=2, slot="midnight")).code == "bad_arguments"
    await call("book_appointment", values, revision=2, slot="tuesday 14:00")
    assert [row["slot"] for row in shop.rows("appointments")] == ["monday 9:00", "tuesday 14:00"]


async def test_receipts(shop, call):
    receipt = await call("send_receipt", {"email": RAE, "order_id": ORDER})
    assert receipt.text == "receipt sent, number RC-0001"
    assert [row["email"] for row in shop.rows("receipts")] == [RAE]


async def test_check_finds_what_was_done_and_nothing_else(shop, call):
    receipt = await call("refund", {"email": RAE, "order_id": ORDER}, reason="x")
    refund = make_actions(shop)[0]
    done = Action(key=receipt.key, name="refund", thread=THREAD, attempt=1)
    assert refund.check(done).executed == {"email": RAE, "order_id": ORDER}
    assert refund.check(Action(key="another", name="refund", thread=THREAD, attempt=1)) is None


@pytest.mark.parametrize(
    ("value", "values", "outcome"),
    [
        (ORDER, {}, LookupOutcome.FOUND),
        (ORDER, {"email": RAE}, LookupOutcome.FOUND),
        (ORDER, {"email": "siobhan@example.com"}, LookupOutcome.OTHER_OWNER),
        ("HL-999999", {"email": RAE}, LookupOutcome.NOT_FOUND),
    ],
)
async def test_orders_are_looked_up_in_real_rows(shop, value, values, outcome):
    assert await shop.find_order(value, {"values": values}) is outcome


def test_the_shop_is_made_once_and_kept(shop):
    assert len(Shop(shop.path).rows("orders")) == 4


def test_a_model_sees_no_captured_argument(shop):
    seen = {
        a.name: sorted(a.tool_schema.tool_call_schema.model_json_schema()["properties"]) for a in make_actions(shop)
    }
    assert seen == {"refund": ["reason"], "book_appointment": ["slot"], "send_receipt": []}
    assert {field for a in make_actions(shop) for field in a.fields} <= {spec.name for spec in FIELDS}


def test_another_table():
    with pytest.raises(ValueError, match="no table"):
        Shop.rows(Shop.__new__(Shop), "sqlite_master")
