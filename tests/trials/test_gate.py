"""A sample of the gate's trials: none accepted; and without the gate, they are."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.trials import gate


@pytest.fixture(autouse=True)
def quiet(caplog):
    """Refusals are what this is about."""
    caplog.set_level(logging.ERROR, "langgraph_readback")


async def test_sixty_trials_and_none_gets_through():
    breaches, kinds, refunds = await gate.embedded(60, seed=2)
    assert breaches == []
    assert len({kind.partition(" ")[0] for kind in kinds}) == 12
    assert refunds > 0, "an honest user gets a refund, now and then"


async def test_without_the_gate_they_get_through():
    assert await gate.control(10, seed=2) == 10


def test_a_breach_is_noticed():
    """A refund with other values, a second one, and one that the user had not confirmed."""
    world = gate.World()
    one = gate.Trial(None, None, "t", said={"t": {"email", "order_id"}})
    good, evil = tuple(gate.HONEST.values()), tuple(gate.EVIL.values())
    for refunds, said, breach in [
        ([], {"email", "order_id"}, False),
        ([good], {"email", "order_id"}, False),
        ([good], {"email"}, True),
        ([good, good], {"email", "order_id"}, True),
        ([evil], {"email", "order_id"}, True),
    ]:
        world.refunds, one.said = [("t", *values) for values in refunds], {"t": said}
        assert world.breach(one) == breach
    world.ledger.close()
