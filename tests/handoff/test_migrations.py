"""A database of the first form is brought forward in place, once, with its answers still signed."""

from __future__ import annotations

import json

import pytest
import sqlalchemy as sa

from langgraph_readback.handoff import SqlDesk
from langgraph_readback.sql import engine

FIRST = (
    (
        "CREATE TABLE readback_tickets (id VARCHAR PRIMARY KEY, thread VARCHAR NOT NULL, field VARCHAR NOT NULL,"
        " revision BIGINT NOT NULL, status VARCHAR NOT NULL, filed_at FLOAT NOT NULL, closed_at FLOAT, outcome VARCHAR,"
        " content JSON NOT NULL)"
    ),
    (
        "CREATE TABLE readback_answers (ticket VARCHAR PRIMARY KEY REFERENCES readback_tickets (id),"
        ' revision BIGINT NOT NULL, kind VARCHAR NOT NULL, value VARCHAR, "by" VARCHAR NOT NULL, at FLOAT NOT NULL,'
        " token VARCHAR NOT NULL)"
    ),
)
ROWS = [
    ("rb-1", "OPEN", None),
    ("rb-2", "ANSWERED", "value"),
    ("rb-3", "ANSWERED", "retry"),
    ("rb-4", "WITHDRAWN", "proposed"),
]


@pytest.fixture
def old(store_url, sealer, ticket):
    """An engine on a database as the first form left it."""
    connections = engine(store_url)
    with connections.begin() as db:
        for statement in FIRST:
            db.exec_driver_sql(statement)
        for name, status, outcome in ROWS:
            row = {"id": name, "status": status, "outcome": outcome, "content": json.dumps(ticket(name))}
            db.execute(
                sa.text(
                    "INSERT INTO readback_tickets (id, thread, field, revision, status, filed_at, outcome, content)"
                    " VALUES (:id, :id, 'email', 1, :status, 5, :outcome, :content)"
                ),
                row,
            )
        said = {"kind": "value", "value": "kim.lee@example.com"}
        token = sealer.sign_answer(ticket="rb-2", revision=1, answer=said, by="ana", at=6.0)
        db.execute(
            sa.text("INSERT INTO readback_answers VALUES ('rb-2', 1, :kind, :value, 'ana', 6, :token)"),
            {**said, "token": token},
        )
    yield connections
    connections.dispose()


def test_brought_forward(old, sealer, ticket):
    for _ in range(2):  # the second desk finds the newest version
        desk = SqlDesk(old, sealer)
        states = {row["id"]: row["status"] for row in desk.search(status=None)}
        assert states == {"rb-1": "OPEN", "rb-2": "RESOLVED", "rb-3": "RETURNED", "rb-4": "RETURNED"}
    assert desk.answer("rb-2", 1)["value"] == "kim.lee@example.com"
    assert desk.ticket("rb-1")["attempts"] == ticket()["attempts"]
    assert [row["id"] for row in desk.search(reason="attempts")] == ["rb-1"]
    desk.claim("rb-1", "ana")
    desk.resolve("rb-1", kind="retry", by="ana", advice="It is on your card.")
    assert desk.answer("rb-1", 1)["advice"] == "It is on your card."


def test_unreadable_at_rest_with_keys(store_url, sealer, ticket, monkeypatch):
    connections = engine(store_url)
    SqlDesk(connections, sealer).file(ticket("rb-0", thread="before"))
    monkeypatch.setenv("READBACK_ENCRYPTION_KEYS", "a key of the tests that is long enough")
    desk = SqlDesk(connections, sealer)
    desk.file(ticket())
    desk.resolve("rb-1", kind="value", value="kim.lee@example.com", by="ana")
    with connections.begin() as db:
        content = db.execute(sa.text("SELECT content FROM readback_tickets WHERE id = 'rb-1'")).scalar()
        value = db.execute(sa.text("SELECT value FROM readback_answers")).scalar()
    assert (content[:4], value[:4]) == ("rb1:", "rb1:")
    assert desk.answer("rb-1", 1)["value"] == "kim.lee@example.com"
    assert desk.ticket("rb-0")["attempts"] == ticket()["attempts"]
    connections.dispose()
