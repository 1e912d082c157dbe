"""The shop's world: one SQLite file with orders in it, and what was done about them.

Every effect stores the action's idempotency key in a UNIQUE column, in the same transaction as the effect itself. That
is all ``check`` needs after a crash: the row is there, or it is not.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langgraph_readback.outcome import LookupOutcome

SCHEMA = Path(__file__).with_name("shop.sql")


class Shop:
    """The shop's database. ``Shop(path)`` opens it, and makes it with its example rows when it is new."""

    def __init__(self, path: str | Path = "shop.db") -> None:
        """Open or make the file at ``path``."""
        self.path = Path(path)
        with self.transaction() as db:
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'orders'").fetchone():
                for statement in SCHEMA.read_text("utf-8").split(";\n"):
                    db.execute(statement)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing; one writer at a time, other processes included."""
        db = sqlite3.connect(self.path, isolation_level=None, timeout=30)
        db.row_factory = sqlite3.Row
        try:
            db.execute("BEGIN IMMEDIATE")
            yield db
            db.execute("COMMIT")
        finally:
            db.close()  # what is not committed is gone

    def rows(self, table: str, **where: Any) -> list[dict[str, Any]]:
        """Rows of a table (for a person who wants to see what happened, and for tests)."""
        if table not in {"orders", "refunds", "appointments", "receipts"}:
            raise ValueError(f"the shop has no table {table!r}")
        query = f"SELECT * FROM {table}"  # noqa: S608 - the name is one of four
        if where:
            query += " WHERE " + " AND ".join(f"{column} = ?" for column in where)
        with self.transaction() as db:
            return [dict(row) for row in db.execute(query, list(where.values()))]

    async def find_order(self, value: str, context: Mapping[str, Any]) -> LookupOutcome:
        """The lookup for order numbers: whether there is such an order, and whether it is this customer's.

        ``context["values"]`` holds what is confirmed already.
        """
        rows = await asyncio.to_thread(self.rows, "orders", id=value)
        if not rows:
            return LookupOutcome.NOT_FOUND
        email = context.get("values", {}).get("email")
        return LookupOutcome.FOUND if email in {None, rows[0]["email"]} else LookupOutcome.OTHER_OWNER
