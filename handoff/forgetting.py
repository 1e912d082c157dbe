"""Forgetting: what the desk keeps of a conversation is deleted; that it was handled, and by whom, stays."""

from __future__ import annotations

import sqlalchemy as sa

from langgraph_readback.handoff.store import Store
from langgraph_readback.handoff.tables import ANSWERS, AUDIT, LINKS, TICKETS, WAKES

__all__ = ["forget_tickets"]


def forget_tickets(desk: Store, thread: str) -> int:
    """Delete a thread's tickets, waiting ones too, with attempts, conversation and answers. Gives how many.

    The audit trail stays, with one line more: who did what when to which ticket, never a value.
    """
    with desk.transaction() as db:
        ids = list(db.execute(sa.select(TICKETS.c.id).where(TICKETS.c.thread == thread)).scalars())
        for table in (ANSWERS, LINKS):
            db.execute(sa.delete(table).where(table.c.ticket.in_(ids)))
        for table in (TICKETS, WAKES):
            db.execute(sa.delete(table).where(table.c.thread == thread))
        rows = [{"ticket": one, "at": desk.now(), "who": "retention", "what": "forgotten", "note": ""} for one in ids]
        if rows:
            db.execute(sa.insert(AUDIT), rows)
    return len(ids)
