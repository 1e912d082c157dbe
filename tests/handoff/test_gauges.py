"""What is wrong with the queue, and how long people waited, as metrics; and each day's figures told once."""

from __future__ import annotations

import logging

import pytest
from opentelemetry import metrics as api
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from langgraph_readback.handoff import SqlDesk, gauges
from langgraph_readback.handoff.console import Background
from langgraph_readback.handoff.watch import Watch
from langgraph_readback.sql import engine

DAY = 86_400


class Board:
    """What a dashboard would show."""

    def __init__(self, reader):
        self.reader = reader

    def __call__(self, name):
        """Labels -> number; of a histogram (count, sum)."""
        data = self.reader.get_metrics_data()
        found = [m for r in (data.resource_metrics if data else []) for m in r.scope_metrics[0].metrics]
        return {
            tuple(value for _, value in sorted(point.attributes.items())): getattr(point, "value", None)
            if hasattr(point, "value")
            else (point.count, point.sum)
            for metric in found
            if metric.name == f"readback.{name}"
            for point in metric.data.data_points
        }


@pytest.fixture
def board(monkeypatch):
    """Instruments of a provider of the test's own: OpenTelemetry takes a global one only once a process."""
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader])
    monkeypatch.setattr(api, "get_meter", provider.get_meter)
    gauges._instruments.cache_clear()
    yield Board(reader)
    gauges._instruments.cache_clear()
    provider.shutdown()


def standing(board):
    return {kind: count for (kind,), count in board("alarms.standing").items() if count}


def test_the_kinds_are_those_of_the_alarms():
    from typing import get_args

    from langgraph_readback.handoff.alarms import AlarmKind

    assert get_args(AlarmKind) == gauges.KINDS


def test_alarms_stand_and_go(queue, ticket, clock, board):
    watch = Watch(queue)
    queue.file(ticket("rb-1"))
    queue.file(ticket("rb-2", thread="u"))
    clock.pass_(61)
    watch.round()
    watch.round()
    assert board("alarms") == {("unclaimed",): 2, ("nobody",): 1}
    assert standing(board) == {"unclaimed": 2, "nobody": 1}
    assert board("queue") == {("open",): 2, ("claimed",): 0, ("overdue",): 0}
    assert board("queue.oldest") == {(): 61}
    queue.claim("rb-1", "ana", lease=10_000)
    queue.withdraw("rb-2", "hangup")
    clock.pass_(900)
    queue.here("bo")
    watch.round()
    assert standing(board) == {"overdue": 1, "orphaned": 1}
    assert board("queue") == {("open",): 0, ("claimed",): 1, ("overdue",): 1}
    queue.resolve("rb-1", kind="decline", by="ana")
    clock.pass_(4000)
    queue.answer("rb-1", 1)
    watch.round()
    assert standing(board) == {}
    assert board("alarms") == {("unclaimed",): 2, ("nobody",): 1, ("overdue",): 1, ("orphaned",): 1}


def test_how_long_people_waited(queue, ticket, clock, board):
    queue.file(ticket("rb-1"))
    queue.file(ticket("rb-2", thread="u", channel="voice"))
    clock.pass_(10)
    queue.claim("rb-1", "ana")
    queue.claim("rb-1", "ana")
    clock.pass_(20)
    queue.resolve("rb-1", kind="value", value="kim.lee@example.com", by="ana")
    queue.resolve("rb-2", kind="retry", by="ana")
    assert board("pick_up") == {("chat",): (1, 10), ("voice",): (1, 30)}
    assert board("close") == {("chat", "value"): (1, 30), ("voice", "retry"): (1, 30)}


async def test_measured_by_the_background_of_a_server(queue, ticket, clock, board):
    import asyncio

    queue.file(ticket())
    clock.pass_(61)
    async with Background(queue, every=0.01).lifespan(None):
        for _ in range(1000):
            if board("alarms.standing"):
                break
            await asyncio.sleep(0.01)
    assert standing(board) == {"unclaimed": 1, "nobody": 1}


def test_each_day_is_told_once(store_url, sealer, ticket, clock, caplog):
    desks = [SqlDesk(engine(store_url), sealer, clock=clock) for _ in range(1 if store_url == "memory:" else 2)]
    desks[0].file(ticket())
    clock.pass_(30)
    desks[0].resolve("rb-1", kind="decline", by="ana")
    desks[0].answer("rb-1", 1)
    clock.pass_(DAY)
    with caplog.at_level(logging.INFO, "langgraph_readback.handoff"):
        told = [day for _ in range(2) for desk in desks if (day := Watch(desk).round()["day"])]
    assert [(day["filed"], day["resolved"], day["close_median"]) for day in told] == [(1, 1, 30)]
    said = (
        "1 filed, 1 resolved, 0 returned, 0 expired, 0 waiting, 0 late, picked up in 30 s (95 %: 30 s), closed in 30 s"
    )
    assert [said in record.message for record in caplog.records if ": 1 filed" in record.message] == [True]
    clock.pass_(DAY)
    assert Watch(desks[0]).round()["day"] is None  # nothing was filed
    for desk in desks:
        desk.close()
