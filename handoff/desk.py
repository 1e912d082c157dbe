"""The desk: hand-off tickets in SQL, and the answers that authenticated people wrote to them.

A ticket waits (OPEN, or CLAIMED under a lease) until it closes, exactly once: a person resolves it or returns it to
the conversation, the conversation settles it by itself, or it expires. An answer is signed with the seal keys when it
is written and verified when the graph reads it, so a row that somebody else put into the table is no answer. Attempts
hold captured values: who can read this table reads them.
"""

from __future__ import annotations

import logging
import re
from typing import Any, cast

import sqlalchemy as sa

from langgraph_readback.handoff.alarms import Alarms
from langgraph_readback.handoff.claims import closed, current, named
from langgraph_readback.handoff.closing import Closing
from langgraph_readback.handoff.figures import Reporting
from langgraph_readback.handoff.gauges import timed
from langgraph_readback.handoff.records import CALLBACK, WAITING, Filed, TicketStatus
from langgraph_readback.handoff.tables import ANSWERS, TICKETS
from langgraph_readback.handoff.waking import Waking
from langgraph_readback.ports import Answer, AnswerKind, Ticket

__all__ = ["Filed", "SqlDesk", "TicketStatus"]

_LOG = logging.getLogger("langgraph_readback.handoff")
_GONE = frozenset({"hangup", "orphaned", "overdue"})
"""Outcomes of tickets that nobody is left to answer."""
_CONVERSATION = "conversation"
_LONGEST_ADVICE = 500
_FLAT = re.compile(r"\W+")


class SqlDesk(Closing, Alarms, Reporting, Waking):
    """The ``Desk`` port over a SQL database; and what a person at the desk does with it."""

    # -- what the graph does

    def file(self, ticket: Ticket) -> None:
        """Put a ticket in the queue; one that is there already stays as it is.

        It takes the place of older tickets of the same field and thread that still wait.
        """
        now = self.now()
        channel = ticket.get("channel", "voice")
        due = ticket.get("due_in") or self._due.get(channel, min(self._due.values(), default=900.0))
        row = {
            "id": ticket["id"], "thread": ticket["thread"], "field": ticket["field"], "revision": ticket["revision"],
            "status": "OPEN", "filed_at": now, "due_at": now + due, "priority": ticket.get("priority", 0),
            "reason": ticket["reason"], "locale": ticket["locale"], "content": dict(ticket),
        }  # fmt: skip
        with self.transaction() as db:
            if db.execute(sa.select(TICKETS.c.id).where(TICKETS.c.id == ticket["id"])).first() is not None:
                return
            try:
                with db.begin_nested():
                    db.execute(sa.insert(TICKETS).values(row))
            except sa.exc.IntegrityError:
                _LOG.debug("ticket %s was filed by another worker", ticket["id"])
                return
            self.note(db, ticket["id"], _CONVERSATION, "filed", ticket["reason"])
            self._supersede(db, ticket)

    def answer(self, ticket: str, revision: int) -> Answer | None:
        """The answer to this ticket at this revision whose signature holds."""
        with self.transaction() as db:
            row = db.execute(sa.select(ANSWERS).where(ANSWERS.c.ticket == ticket)).mappings().first()
            if row is None or row["revision"] != revision:
                return None
            said = _said(row["kind"], row["value"], row["advice"])
            verdict = self._sealer.verify_answer(row["token"], ticket=ticket, revision=revision, answer=said)
            if not verdict.ok or verdict.by != row["by"]:
                _LOG.error("the answer to ticket %s is not the desk's (%s): ignored", ticket, verdict.code)
                return None
            new = (TICKETS.c.id == ticket) & TICKETS.c.taken_at.is_(None)
            if db.execute(sa.update(TICKETS).where(new).values(taken_at=self.now())).rowcount:
                self.note(db, ticket, _CONVERSATION, "taken up")
        return Answer(
            ticket=ticket, revision=revision, kind=cast("AnswerKind", row["kind"]), value=row["value"],
            by=row["by"], at=row["at"], advice=row["advice"],
        )  # fmt: skip

    def withdraw(self, ticket: str, outcome: str) -> None:
        """Close a waiting ticket from the side of the conversation: ``hangup`` expires it, else it is returned."""
        self._end(ticket, outcome, by=_CONVERSATION)

    def gone(self, ticket: str) -> bool:
        """Whether the ticket closed without an answer: a user who comes back needs a new one."""
        with self.transaction() as db:
            row = db.execute(sa.select(TICKETS.c.status).where(TICKETS.c.id == ticket)).scalar()
        return row == "EXPIRED"

    # -- what a person does

    def resolve(
        self, ticket: str, *, kind: AnswerKind, by: str, value: str | None = None, advice: str | None = None,
        revision: int | None = None,
    ) -> Answer:  # fmt: skip
        """Answer a ticket as ``by``, exactly once. The conversation reads the answer when it is next woken.

        ``kind``      ``value``: RESOLVED with a value; ``decline``: RESOLVED, there is none; ``retry``: RETURNED.
        ``advice``    words for the user with another try ("it is on your receipt"); never with a captured value.
        ``revision``  what the person saw; StaleTicketError when it is not the ticket's.

        Raises TicketClosedError, TicketTakenError when somebody else holds it, TicketError when there is none, and
        ValueError for an answer that makes no sense.
        """
        if (kind == "value") != bool(value and value.strip()):
            raise ValueError("an answer of kind 'value' needs a value, and the others have none")
        by, now, filed = named(by), self.now(), self.ticket(ticket)
        if filed["field"] == CALLBACK:
            raise ValueError("a callback takes no answer: say that it was made, or put it off")
        advice = _advice(kind, advice, filed)
        current(filed["revision"], revision, ticket)
        said = _said(kind, value, advice)
        token = self._sealer.sign_answer(ticket=ticket, revision=filed["revision"], answer=said, by=by, at=now)
        answer = Answer(ticket=ticket, revision=filed["revision"], kind=kind, value=value, by=by, at=now, advice=advice)
        with self.transaction() as db:
            self.seen(db, by)
            status: TicketStatus = "RETURNED" if kind == "retry" else "RESOLVED"
            if not self._shut(db, ticket, self._free(by, now), status=status, outcome=kind, by=by):
                self._refuse(db, ticket)
            db.execute(sa.insert(ANSWERS).values({**answer, "token": token}))
        self._time(filed, kind, now)
        return answer

    def expire(self, ticket: str, outcome: str = "orphaned", *, by: str = "watch") -> None:
        """Close a waiting ticket that nobody is left to answer. Raises TicketError when unknown or closed."""
        with self.transaction() as db:
            self.found(db, ticket)
        if not self._end(ticket, outcome, by=by, status="EXPIRED"):
            raise closed(ticket)

    # -- how

    def _time(self, filed: Filed, outcome: str, now: float) -> None:
        """How long it took a person, for the metrics."""
        channel, took = filed.get("channel"), now - filed["filed_at"]
        if filed.get("picked_at") is None:
            timed("pick_up", took, channel=channel)
        timed("close", took, channel=channel, outcome=outcome)

    def _end(self, ticket: str, outcome: str, *, by: str, status: TicketStatus | None = None) -> bool:
        with self.transaction() as db:
            end = status or ("EXPIRED" if outcome in _GONE else "RETURNED")
            return self._shut(db, ticket, sa.true(), status=end, outcome=outcome, by=by)

    def _supersede(self, db: sa.Connection, ticket: Ticket) -> None:
        """Close what the conversation left behind: older tickets of the same field."""
        same = (TICKETS.c.thread == ticket["thread"]) & (TICKETS.c.field == ticket["field"])
        older = same & (TICKETS.c.revision < ticket["revision"]) & TICKETS.c.status.in_(WAITING)
        for old in db.execute(sa.select(TICKETS.c.id).where(older)).scalars().all():
            self._shut(db, old, sa.true(), status="RETURNED", outcome="superseded", by=_CONVERSATION)


def _said(kind: str, value: str | None, advice: str | None) -> dict[str, Any]:
    """What an answer's signature covers."""
    return {"kind": kind, "value": value} | ({"advice": advice} if advice else {})


def _advice(kind: str, advice: str | None, ticket: Filed) -> str | None:
    """Advice as it is kept. Raises ValueError where it does not belong, is too long, or repeats a captured value."""
    text = (advice or "").strip()
    if not text:
        return None
    if kind != "retry":
        raise ValueError("an answer of kind 'retry' may have advice, the others have none")
    if len(text) > _LONGEST_ADVICE:
        raise ValueError(f"an answer's advice has at most {_LONGEST_ADVICE} characters")
    flat = _flat(text)
    captured = (_flat(str(a.get("value") or "")) for a in ticket["attempts"])
    if any(value and value in flat for value in captured):
        raise ValueError("an answer's advice must not repeat a captured value: the model may read it")
    return text


def _flat(text: str) -> str:
    return _FLAT.sub("", text).casefold()
