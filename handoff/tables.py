"""The desk's tables and their migrations: small, numbered, and run once by whichever process comes first.

A database of the first form (tickets and answers alone) is brought forward in place. Times are seconds since 1970
(UTC). ``content`` and ``readback_answers.value`` hold captured values, unreadable at rest when
``READBACK_ENCRYPTION_KEYS`` is set; no other column does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.schema import CreateColumn

from langgraph_readback.sql import Encrypted

__all__ = ["ANSWERS", "AUDIT", "DAYS", "LINKS", "PRESENCE", "TICKETS", "WAKES", "migrate"]

_ROOM = "handoff"
_NOW = sa.MetaData()
_FIRST = sa.MetaData()

TICKETS = sa.Table(
    "readback_tickets",
    _NOW,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("thread", sa.String, nullable=False, index=True),
    sa.Column("field", sa.String, nullable=False),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("status", sa.String, nullable=False, index=True),
    sa.Column("filed_at", sa.Float, nullable=False),
    sa.Column("closed_at", sa.Float),
    sa.Column("outcome", sa.String),
    sa.Column("content", Encrypted("readback_tickets.content", json=True), nullable=False),
    sa.Column("reason", sa.String, nullable=False, server_default=""),
    sa.Column("locale", sa.String, nullable=False, server_default=""),
    sa.Column("priority", sa.Integer, nullable=False, server_default="0"),
    sa.Column("due_at", sa.Float),
    sa.Column("claimed_by", sa.String),
    sa.Column("lease_until", sa.Float),
    sa.Column("picked_at", sa.Float),  # when somebody first claimed it, or closed it without a claim
    sa.Column("closed_by", sa.String),
    sa.Column("taken_at", sa.Float),  # when the conversation first read the answer
    sa.Column("woken_at", sa.Float),  # when the conversation needed no more waking
    sa.Column("wake_tries", sa.Integer, nullable=False, server_default="0"),
    sa.Column("wake_next", sa.Float),
    sa.Column("alarms", sa.String, nullable=False, server_default=""),  # kinds that were raised, with commas
)
ANSWERS = sa.Table(
    "readback_answers",
    _NOW,
    sa.Column("ticket", sa.String, sa.ForeignKey("readback_tickets.id"), primary_key=True),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("value", Encrypted("readback_answers.value")),
    sa.Column("by", sa.String, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("token", sa.String, nullable=False),
    sa.Column("advice", Encrypted("readback_answers.advice")),
)
AUDIT = sa.Table(
    "readback_audit",
    _NOW,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("ticket", sa.String, nullable=False, index=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("who", sa.String, nullable=False),
    sa.Column("what", sa.String, nullable=False),
    sa.Column("note", sa.String, nullable=False, server_default=""),
)
PRESENCE = sa.Table(
    "readback_presence",
    _NOW,
    sa.Column("who", sa.String, primary_key=True),
    sa.Column("seen_at", sa.Float, nullable=False),
)
WAKES = sa.Table(
    "readback_wakes",
    _NOW,
    sa.Column("thread", sa.String, primary_key=True),
    sa.Column("owner", sa.String, nullable=False),
    sa.Column("until", sa.Float, nullable=False),
)
LINKS = sa.Table(
    "readback_links",
    _NOW,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("ticket", sa.String, nullable=False, index=True),
    sa.Column("made_at", sa.Float, nullable=False),
    sa.Column("expires_at", sa.Float, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
    sa.Column("used_at", sa.Float),
)
DAYS = sa.Table(
    "readback_days",  # whose figures were told
    _NOW,
    sa.Column("day", sa.String, primary_key=True),
    sa.Column("told_at", sa.Float, nullable=False),
)
_VERSIONS = sa.Table(
    "readback_versions",
    sa.MetaData(),
    sa.Column("room", sa.String, primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
)
_SINCE_2 = {TICKETS: list(TICKETS.c)[9:], ANSWERS: list(ANSWERS.c)[7:]}
"""What the second version added to the tables of the first."""


def _as_first(table: sa.Table) -> sa.Table:
    old = [c for c in table.c if c.name not in {new.name for new in _SINCE_2[table]}]
    return sa.Table(table.name, _FIRST, *(_copy(c) for c in old))


def _copy(column: sa.Column[Any]) -> sa.Column[Any]:
    targets = [sa.ForeignKey(str(key.target_fullname)) for key in column.foreign_keys]
    return sa.Column(
        column.name, column.type, *targets, primary_key=column.primary_key, nullable=column.nullable, index=column.index
    )


for _table in _SINCE_2:
    _as_first(_table)


def _version_1(db: sa.Connection) -> None:
    _FIRST.create_all(db)


def _version_2(db: sa.Connection) -> None:
    """Claims, leases, due times, the audit trail; the states' names."""
    for table, columns in _SINCE_2.items():
        for column in columns:
            db.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {CreateColumn(column).compile(db)}")
    if db.dialect.name == "postgresql":  # the first form kept JSON, which takes no encrypted text
        db.exec_driver_sql(f"ALTER TABLE {TICKETS.name} ALTER COLUMN content TYPE TEXT")
    for ticket, content in db.execute(sa.select(TICKETS.c.id, TICKETS.c.content)).all():
        known = {key: content.get(key, "") for key in ("reason", "locale")}
        db.execute(sa.update(TICKETS).where(TICKETS.c.id == ticket).values(known))
    _NOW.create_all(db)
    status, outcome = TICKETS.c.status, TICKETS.c.outcome
    for old, of, new in (
        ("ANSWERED", outcome == "retry", "RETURNED"),
        ("ANSWERED", sa.true(), "RESOLVED"),
        ("WITHDRAWN", sa.true(), "RETURNED"),
    ):
        db.execute(sa.update(TICKETS).where((status == old) & of).values(status=new))


def _version_3(db: sa.Connection) -> None:
    """The days whose figures were told."""
    DAYS.create(db, checkfirst=True)


_MIGRATIONS: tuple[Callable[[sa.Connection], None], ...] = (_version_1, _version_2, _version_3)


def migrate(db: sa.Connection) -> int:
    """Bring the tables to the newest version, inside the caller's transaction. Gives the version."""
    _VERSIONS.create(db, checkfirst=True)
    here = _VERSIONS.c.room == _ROOM
    have = db.execute(sa.select(_VERSIONS.c.version).where(here)).scalar()
    for number, step in enumerate(_MIGRATIONS, start=1):
        if number > (have or 0):
            step(db)
    newest = len(_MIGRATIONS)
    if have is None:
        db.execute(sa.insert(_VERSIONS).values(room=_ROOM, version=newest))
    elif have < newest:
        db.execute(sa.update(_VERSIONS).where(here).values(version=newest))
    return max(newest, have or 0)
