"""Metrics: each event of a capture is counted once, by field and locale; no label ever holds a value."""

from __future__ import annotations

import subprocess
import sys

import pytest
from opentelemetry import metrics as api
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from langgraph_readback import metrics

RAE = "rae.oneill@example.com"


class Board:
    """What a dashboard would show."""

    def __init__(self, reader):
        self.reader = reader

    @property
    def shown(self):
        """(counter, other labels) -> (field, locale, number)."""
        data = self.reader.get_metrics_data()
        points = {}
        for resource in data.resource_metrics if data else []:
            for metric in resource.scope_metrics[0].metrics:
                for point in metric.data.data_points:
                    rest = tuple(v for k, v in sorted(point.attributes.items()) if k not in {"field", "locale"})
                    key = (metric.name.removeprefix("readback."), *rest)
                    points[key] = (point.attributes["field"], point.attributes["locale"], point.value)
        return points


@pytest.fixture
def board(monkeypatch):
    """Counters of a provider of the test's own: OpenTelemetry takes a global one only once a process."""
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader])
    monkeypatch.setattr(api, "get_meter", provider.get_meter)
    metrics._counters.cache_clear()
    yield Board(reader)
    metrics._counters.cache_clear()
    provider.shutdown()


def test_a_recovery(capture, talk, board):
    call = talk(capture("email"), channel="chat", locale="en-AU")
    call.send(None, "blue sky", "ray.oneill@example.com", "no", RAE, "yes", "thanks")
    assert board.shown == {
        ("captures",): ("email", "en-AU", 1),
        ("attempts", "no"): ("email", "en-AU", 1),
        ("attempts", next(k[1] for k in board.shown if k[0] == "attempts" and k[1] != "no")): ("email", "en-AU", 1),
        ("outcomes", "CONFIRMED", "format"): ("email", "en-AU", 1),
        ("recoveries",): ("email", "en-AU", 1),
    }


def test_a_hand_off(capture, talk, board):
    call = talk(capture("email"), channel="chat")
    call.send(None, "a person please", "are you there?")
    assert board.shown == {
        ("captures",): ("email", "en-US", 1),
        ("outcomes", "HANDOFF"): ("email", "en-US", 1),
        ("handoffs", "wanted"): ("email", "en-US", 1),
    }


def test_a_value_taken_back_is_another_capture(capture, talk, board):
    call = talk(capture("email"), channel="chat")
    call.send(None, RAE, "yes", "my email is wrong, it's lisa@example.com", "yes")
    assert board.shown["captures",] == ("email", "en-US", 2)
    assert board.shown["outcomes", "CONFIRMED", "format"] == ("email", "en-US", 2)


async def test_async(capture, board):
    graph = capture("email")
    for turn in ("hello", RAE, "yes"):
        await graph.ainvoke({"messages": [("user", turn)]}, {"configurable": {"thread_id": "t"}})
    assert board.shown["outcomes", "CONFIRMED", "format"] == ("email", "en-US", 1)


def test_what_a_client_writes_is_no_label(capture, talk, board):
    graph = capture("email")
    call = talk(graph, channel="chat")
    call.send(None)
    forged = {"email": {**call.captures["email"], "reason": RAE, "step": 50, "attempts": 1}}
    graph.update_state(call.config, {"captures": forged, "session": {"locale": "kim-204117"}}, as_node="email.ASK")
    call.send("blue sky", "green sky", "operator")
    assert RAE not in str(board.shown)
    assert "204117" not in str(board.shown)


def test_without_the_library_nothing_is_counted():
    program = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "from langgraph_readback import metrics\n"
        "node = lambda state: {}\n"
        "assert metrics.counted(node, 'email') is node"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
