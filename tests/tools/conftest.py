"""Databases for the ledger: SQLite in memory and in a file, and a real PostgreSQL."""

from __future__ import annotations

import pytest

from langgraph_readback.tools import Ledger


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def url(request, tmp_path):
    """The URL of an empty database of each kind."""
    if request.param == "memory":
        return "sqlite://"
    return f"sqlite:///{tmp_path}/ledger.db" if request.param == "sqlite" else request.getfixturevalue("postgres_url")


@pytest.fixture
def ledger(url):
    """An empty ledger on each kind of database."""
    ledger = Ledger.from_url(url)
    yield ledger
    ledger.close()
