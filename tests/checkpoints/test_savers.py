"""Savers by URL: one object for plain and asynchronous code, on every store."""

from __future__ import annotations

import asyncio
import os
import sys
import textwrap

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from langgraph_readback.checkpoints import PostgresStore, SqliteStore, open_saver
from langgraph_readback.checkpoints.server import checkpointer
from langgraph_readback.context import CaptureContext
from langgraph_readback.database import database_url, is_memory
from langgraph_readback.errors import DatabaseUrlError
from langgraph_readback.fields import catalogue
from langgraph_readback.graph import build_capture_graph
from langgraph_readback.ports import MemoryHighWater

CONFIG = {"configurable": {"thread_id": "t"}}


@pytest.fixture
def graph(store, sealer):
    return build_capture_graph([catalogue["email"]], checkpointer=store, sealer=sealer, highwater=MemoryHighWater())


async def test_plain_and_awaited_turns_mix(graph):
    """Turns of one thread may be invoked and awaited by turns."""
    context = CaptureContext(channel="chat")
    await graph.ainvoke({"messages": []}, CONFIG, context=context)
    await asyncio.to_thread(graph.invoke, {"messages": [HumanMessage("kim.lee@example.com")]}, CONFIG, context=context)
    result = await graph.ainvoke({"messages": [HumanMessage("yes")]}, CONFIG, context=context)
    assert result["captures"]["email"]["value"] == "kim.lee@example.com"
    history = [state async for state in graph.aget_state_history(CONFIG)]
    assert len(history) == len(list(graph.get_state_history(CONFIG)))


def test_each_loop_can_await_it(graph):
    """A saver is bound to no event loop."""
    for turn in (None, "kim.lee@example.com", "yes"):
        sent = {"messages": [HumanMessage(turn)] if turn else []}
        result = asyncio.run(graph.ainvoke(sent, CONFIG, context=CaptureContext(channel="chat")))
    assert result["captures"]["email"]["status"] == "CONFIRMED"


async def test_deleting_a_thread(graph, store):
    await graph.ainvoke({"messages": []}, CONFIG)
    await store.adelete_thread("t")
    assert (await graph.aget_state(CONFIG)).values == {}


def test_a_thread_outlives_its_process(tmp_path):
    """Three processes, one conversation; the context is told once."""
    url = f"sqlite:///{tmp_path / 'x.db'}"
    script = textwrap.dedent("""
        import sys
        from langchain_core.messages import HumanMessage
        from langgraph_readback.checkpoints import open_saver
        from langgraph_readback.fields import catalogue
        from langgraph_readback.graph import CaptureContext, build_capture_graph
        with open_saver() as saver:
            graph = build_capture_graph([catalogue["phone"]], checkpointer=saver)
            sent = [HumanMessage(text) for text in sys.argv[1:]]
            context = None if sent else CaptureContext(locale="en-GB", channel="chat")
            config = {"configurable": {"thread_id": "t"}}
            result = graph.invoke({"messages": sent}, config, context=context)
        print(result["captures"]["phone"]["status"], result["captures"]["phone"]["value"])
    """)

    async def run(*words):
        env = {**os.environ, "READBACK_DATABASE_URL": url}
        done = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            script,
            *words,
            env=env,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, error = await done.communicate()
        assert done.returncode == 0, error.decode()
        return out.decode().split()

    assert asyncio.run(run()) == ["ASK", "None"]
    assert asyncio.run(run("07400 123456")) == ["READBACK", "None"]
    assert asyncio.run(run("yes")) == ["CONFIRMED", "+447400123456"]


@pytest.mark.parametrize("url", ["memory:", "memory://"])
def test_memory(url):
    with open_saver(url) as saver:
        assert isinstance(saver, InMemorySaver)


def test_sqlite_makes_its_folder(tmp_path):
    with open_saver(f"sqlite:///{tmp_path}/a/b/c.db") as saver:
        assert isinstance(saver, SqliteStore)
    assert (tmp_path / "a/b/c.db").exists()


def test_postgres(postgres_url):
    with open_saver(postgres_url) as saver:
        assert isinstance(saver, PostgresStore)
        assert saver.url == postgres_url


def test_the_default_is_the_users_data_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert database_url() == f"sqlite:///{tmp_path}/langgraph-readback/readback.db"
    monkeypatch.setenv("READBACK_DATABASE_URL", "postgresql://u@h/d")
    assert database_url() == "postgresql://u@h/d"
    assert database_url("memory:") == "memory:"


@pytest.mark.parametrize("url", ["mysql://u@h/d", "readback.db", "sqlite:////proc/no/such/file.db"])
def test_a_strange_url_says_what_to_write(url):
    with pytest.raises((DatabaseUrlError, OSError)) as caught, open_saver(url):
        pass
    assert "sqlite:///" in str(caught.value) or "/proc" in str(caught.value)


@pytest.mark.parametrize(
    ("url", "memory"),
    [(None, True), ("memory:", True), ("sqlite://", True), ("sqlite:///:memory:", True), ("sqlite:///", True), ("sqlite:///a.db", False),
     ("postgresql://u@h/d", False)],
)  # fmt: skip
def test_what_is_in_memory(url, memory):
    assert is_memory(url) == memory


async def test_the_servers_saver(monkeypatch, tmp_path):
    monkeypatch.setenv("READBACK_DATABASE_URL", f"sqlite:///{tmp_path}/s.db")
    async with checkpointer() as saver:
        assert [c async for c in saver.alist(CONFIG)] == []
