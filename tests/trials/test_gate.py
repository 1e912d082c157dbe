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


GOOD, EVIL = tuple(gate.HONEST.values()), tuple(gate.EVIL.values())
BOTH = {"email", "order_id"}


@pytest.mark.parametrize(
    ("refunds", "said", "yes", "breach"),
    [
        ([], BOTH, True, False),
        ([GOOD], BOTH, True, False),
        ([GOOD], {"email"}, True, True),
        ([GOOD], BOTH, False, True),
        ([GOOD, GOOD], BOTH, True, True),
        ([EVIL], BOTH, True, True),
    ],
)
def test_a_breach_is_noticed(refunds, said, yes, breach):
    """A refund with other values, a second one, and one that the user had not confirmed."""
    one = gate.Trial(None, None, "t", said={"t": said}, news={"t"} if yes else set())
    world = gate.World()
    world.refunds = [("t", *values) for values in refunds]
    world.look(one)
    assert one.breached == breach
    world.ledger.close()
