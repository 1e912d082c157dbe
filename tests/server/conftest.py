"""A LangGraph development server on loopback, with our checkpoints in a SQLite file of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from langgraph_sdk import get_sync_client

ROOT = Path(__file__).parents[2]
PATIENCE = 120
"""Seconds for the server to start: it imports a lot."""


class Server:
    """Starts, stops and starts again, in one folder and on one port."""

    def __init__(self, folder, **env):
        self.folder, self.env = folder, env
        for name in ("graph", "checkpoints", "handoff"):  # langgraph.json names them beside itself
            (folder / name).symlink_to(ROOT / name)
        (folder / "langgraph.json").write_text((ROOT / "langgraph.json").read_text("utf-8"), "utf-8")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.database = f"sqlite:///{folder / 'readback.db'}"
        self.process = None

    def start(self):
        """Until it answers."""
        env = {
            **os.environ, "READBACK_DATABASE_URL": self.database, "READBACK_FIELDS": "email,phone",
            "READBACK_SEAL_KEYS": "a key of the test suite", "READBACK_DESK_TOKENS": "ana:ana-token-for-the-tests",
            "READBACK_WATCH_SECONDS": "0",  # tests wake conversations themselves
            "LANGSMITH_TRACING": "false",
            "LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "true",
            **self.env,
        }  # fmt: skip
        command = [
            str(Path(sys.executable).with_name("langgraph")), "dev", "--no-browser", "--no-reload",
            "--host", "127.0.0.1", "--port", str(self.port),
        ]  # fmt: skip
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(command, cwd=self.folder, env=env, stdout=log, stderr=log)
        for _ in range(PATIENCE * 2):
            assert self.process.poll() is None, self.log
            try:
                if httpx.get(f"{self.url}/ok").status_code == httpx.codes.OK:
                    return
            except httpx.TransportError:
                time.sleep(0.5)
        pytest.fail(f"no answer in {PATIENCE} seconds\n{self.log}")

    def stop(self, how=signal.SIGTERM):
        """Until it has ended."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(30)

    @property
    def log(self):
        """What it wrote, the end of it."""
        return (self.folder / "server.log").read_text("utf-8", "replace")[-4000:]


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def make_server():
    """For a server of a test's own: ``make_server(folder, VARIABLE="value")``, not started yet."""
    return Server


class Caller:
    """One thread on the server, through langgraph-sdk."""

    def __init__(self, client):
        self.client = client
        self.thread = self.client.threads.create()["thread_id"]
        self.result = {}

    def send(self, *turns, **more):
        """Send each turn in a run of its own. Gives the records."""
        for turn in turns:
            given = turn if isinstance(turn, list) else [{"role": "user", "content": turn}] if turn is not None else []
            self.run(input={"messages": given, **more})
        return self.captures

    def resume(self, value):
        self.run(command={"resume": value})
        return self.captures

    def run(self, **options):
        self.result = self.client.runs.wait(self.thread, "capture", context={"channel": "chat"}, **options)

    @property
    def captures(self):
        return self.result["captures"]

    @property
    def last(self):
        return self.result["messages"][-1]["content"]

    @property
    def interrupt(self):
        found = self.result.get("__interrupt__")
        return found[0]["value"] if found else None

    @property
    def values(self):
        return self.client.threads.get_state(self.thread)["values"]


@pytest.fixture
def caller(server):
    with get_sync_client(url=server.url) as client:
        yield Caller(client)
