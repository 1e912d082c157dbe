"""A sample of the gate's trials through the server's own API, several at once (tests/trials/gate.py has more)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
from examples.shop.served import SHOP
from tests.trials import gate

pytestmark = pytest.mark.timeout(300)


async def test_sixteen_at_once(server):
    outcomes = await gate.served(server.url, 16, seed=3)
    assert [kind for kind, confirmed in outcomes if confirmed] == []
    assert SHOP.rows("refunds", order_id=gate.EVIL["order_id"]) == []
