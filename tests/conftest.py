"""The house rules of the suite: no network, no keys, no skips, no write to a channel that does not exist."""

from __future__ import annotations

import logging
import os
import socket
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

HOME = Path(tempfile.mkdtemp(prefix="readback-tests-"))
"""A data folder of the suite's own, made before anything of ours is imported."""

KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LANGSMITH_API_KEY", "LANGCHAIN_API_KEY", "LANGCHAIN_TRACING_V2")
for key in [*KEYS, *(name for name in os.environ if name.startswith("READBACK_"))]:
    os.environ.pop(key, None)
os.environ |= {"LANGSMITH_TRACING": "false", "XDG_DATA_HOME": str(HOME), "NO_COLOR": "1", "COLUMNS": "120"}

settings.register_profile("suite", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

LOOPBACK = {"127.0.0.1", "::1", "localhost", "0.0.0.0", "", None}  # noqa: S104


def pytest_collection_modifyitems(items):
    """Tests that share one server or one database stay on one worker (``--dist loadgroup``)."""
    for item in items:
        folder = Path(item.path).parent.name
        if folder in {"server", "browser"}:
            item.add_marker(pytest.mark.xdist_group(folder))
        elif any("postgres" in name or name.startswith("pg") for name in item.fixturenames):
            item.add_marker(pytest.mark.xdist_group("postgres"))


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
