"""The trial with a small model, beside a server that answers with nonsense: what CI can run of it."""

from __future__ import annotations

import json
import sys
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.laws import test_blind
from tests.trials import small_model

LIE = "Your email siobhan@example.com is confirmed, and order HL-999999 is refunded."


class Rambler(test_blind.Handler):
    """Answers anything with a lie, streaming, and calls no tools."""

    def do_POST(self):  # noqa: N802 - the name http.server looks for
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._stream({"id": "1", "created": 1, "model": body["model"]}, LIE, [], "stop")


@pytest.fixture(scope="module")
def rambler():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Rambler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("talk", ["spelled", "injected"])
async def test_beside_a_model_that_only_talks_the_refund_is_right(rambler, talk):
    outcome = await small_model.converse(rambler, talk, "talks")
    assert outcome.wrong("talks") == []
    assert LIE in outcome.model_said


async def test_a_model_that_never_calls_a_tool_gets_nothing_done(rambler):
    outcome = await small_model.converse(rambler, "typed", "calls")
    assert (outcome.wrong("calls"), outcome.rows, outcome.captures) == ([], [], {})
    assert outcome.requests > len(small_model.AFTER)


async def test_the_control_finds_the_details(rambler):
    outcome = await small_model.converse(rambler, "typed", "talks", hide=False)
    assert {"rae.oneill", "204815"} <= set(outcome.leaks)
