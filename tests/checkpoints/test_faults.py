"""Stores when something around them fails: clocks that disagree, a database that was started again, a full disk."""

from __future__ import annotations

import sqlite3
import time

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.base import id as ids

from langgraph_readback.checkpoints import open_saver
from langgraph_readback.fields import catalogue
from langgraph_readback.graph import CaptureContext, build_capture_graph
from langgraph_readback.tools import Ledger

CHAT = CaptureContext(locale="en-US", channel="chat")
CONFIG = {"configurable": {"thread_id": "t"}}


def say(graph, text):
    sent = {"messages": [HumanMessage(text, id=text)] if text else []}
    record = graph.invoke(sent, CONFIG, context=CHAT)["captures"]["email"]
    return record["status"], record["value"], record["attempts"]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_worker_whose_clock_is_behind_goes_on_where_the_others_are(kind, request, tmp_path, monkeypatch, sealer):
    """LangGraph's ids are made of the time, and the highest is the newest: turns must not land below earlier ones."""
    url = f"sqlite:///{tmp_path / 'x.db'}" if kind == "sqlite" else request.getfixturevalue("postgres_url")
    real = time.time_ns
    with open_saver(url) as saver:
        graph = build_capture_graph([catalogue["email"]], checkpointer=saver, sealer=sealer)
        seen = []
        for hours, turn in ((5, None), (-5, "kim.lee@example.com"), (2, "no"), (-3, "kim.li@example.com"), (0, "yes")):
            monkeypatch.setattr(time, "time_ns", lambda hours=hours: real() + hours * 3600 * 10**9)
            monkeypatch.setattr(ids, "_last_v6_timestamp", None)  # as in another process
            seen.append(say(graph, turn))
    assert seen[1:] == [
        ("READBACK", None, 0), ("ASK", None, 1), ("READBACK", None, 1), ("CONFIRMED", "kim.li@example.com", 1),
    ]  # fmt: skip


def test_connections_that_a_restart_has_closed_are_found_at_once(postgres_url):
    """However many a process had open, the first turn afterwards does not wait for them one by one."""
    import psycopg

    with open_saver(postgres_url) as saver:
        held = [saver.pool.getconn() for _ in range(8)]
        for connection in held:
            saver.pool.putconn(connection)
        with psycopg.connect(postgres_url, autocommit=True) as db:
            db.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        start = time.monotonic()
        assert saver.get_tuple(CONFIG) is None
        assert time.monotonic() - start < 3


def test_leases_are_told_by_the_clock_that_all_workers_share(postgres_url, monkeypatch):
    real = time.time()
    monkeypatch.setattr(time, "time", lambda: real + 6 * 3600)
    ledger = Ledger.from_url(postgres_url)
    assert abs(ledger.now() - real) < 60
    ledger.close()


def test_a_full_disk_loses_nothing(tmp_path, sealer):
    """The run fails and says why; with room again the same message finishes the turn, and no attempt was counted twice."""
    url = f"sqlite:///{tmp_path / 'x.db'}"
    with open_saver(url) as saver:
        graph = build_capture_graph([catalogue["email"]], checkpointer=saver, sealer=sealer)
        for turn in (None, "kim.lee@example.com", "no"):
            say(graph, turn)
        for turn, after in (
            ("kim.li@example.com", ("READBACK", None, 1)),
            ("yes", ("CONFIRMED", "kim.li@example.com", 1)),
        ):
            failed = []
            for spare in range(40):  # the disk is full at another place each time
                [pages] = saver.conn.execute("PRAGMA page_count").fetchone()
                saver.conn.execute(f"PRAGMA max_page_count={pages + spare // 8}")
                try:
                    say(graph, turn)
                except sqlite3.OperationalError as error:
                    failed.append(str(error))
                else:
                    break
            assert set(failed) == {"database or disk is full"}
            saver.conn.execute("PRAGMA max_page_count=1073741823")
            assert say(graph, turn) == after
