"""LangGraph's own conformance suite, whole, on every store, in clear and encrypted."""

from __future__ import annotations

import pytest
from langgraph.checkpoint.conformance import checkpointer_test, validate

from langgraph_readback.checkpoints import open_saver


@pytest.mark.parametrize("keys", ["", "a key of the test suite"], ids=["clear", "encrypted"])
async def test_every_capability(store_url, keys, monkeypatch):
    monkeypatch.setenv("READBACK_ENCRYPTION_KEYS", keys)

    with open_saver(store_url) as saver:

        @checkpointer_test(name=f"{type(saver).__name__}{keys and ', encrypted'}")
        async def store():
            yield saver

        report = await validate(store)
    wrong = {name: result.failures for name, result in report.results.items() if not result.passed}
    assert not wrong
    assert report.conformance_level() == "FULL"
