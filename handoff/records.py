"""What the desk gives: tickets, holds, audit entries and figures. Plain data; times are seconds since 1970 (UTC)."""

from __future__ import annotations

import re
from typing import Any, Literal, NotRequired, TypedDict, cast

from sqlalchemy import RowMapping

from langgraph_readback.ports import Ticket

__all__ = [
    "CALLBACK",
    "CLOSED",
    "WAITING",
    "Callback",
    "Entry",
    "Filed",
    "Hold",
    "Row",
    "TicketStatus",
    "mask",
    "masked",
    "row",
]

TicketStatus = Literal["OPEN", "CLAIMED", "RESOLVED", "RETURNED", "EXPIRED"]
"""OPEN: waits. CLAIMED: somebody holds it, until the lease ends. RESOLVED: closed with a value, or with the word that
there is none. RETURNED: closed because the conversation goes on with it (another try, or the user settled it).
EXPIRED: closed because nobody is left to answer (the user hung up, the conversation is gone)."""

WAITING: tuple[TicketStatus, ...] = ("OPEN", "CLAIMED")
CLOSED: tuple[TicketStatus, ...] = ("RESOLVED", "RETURNED", "EXPIRED")

CALLBACK = "call-back"
"""The field of a ticket that asks for a call. No field can have this name: it is no identifier."""

_SIGN = re.compile(r"\w")
_SECRET = ("utterance", "value", "read_back", "reply")
_SAFE_ACTS = frozenset({"ask", "inform"})


class Callback(TypedDict):
    """A call that the user wants. ``time``: HH:MM in ``zone``, None for as soon as possible; ``at``: when it is due.

    ``about``  the tickets it is about.
    """

    name: str | None
    phone: str
    time: str | None
    zone: str
    at: float
    about: list[str]


class Filed(Ticket):
    """A ticket with everything in it, captured values too. ``outcome``: how it was closed."""

    status: TicketStatus
    filed_at: float
    closed_at: NotRequired[float | None]
    outcome: NotRequired[str | None]
    due_at: NotRequired[float | None]
    claimed_by: NotRequired[str | None]
    lease_until: NotRequired[float | None]
    closed_by: NotRequired[str | None]
    picked_at: NotRequired[float | None]
    callback: NotRequired[Callback]


class Row(TypedDict):
    """A ticket in a listing: nothing in it was captured. ``age`` and ``waits`` in seconds.

    ``attempts`` is how many there were; ``waits`` how long until it is due (negative: overdue since).
    """

    id: str
    thread: str
    field: str
    label: str
    locale: str
    channel: str
    reason: str
    revision: int
    status: TicketStatus
    priority: int
    filed_at: float
    due_at: float | None
    age: float
    waits: float | None
    overdue: bool
    attempts: int
    claimed_by: str | None
    lease_until: float | None
    closed_at: float | None
    closed_by: str | None
    outcome: str | None


class Hold(TypedDict):
    """A claim: who holds which ticket, at which revision, until when."""

    ticket: str
    revision: int
    by: str
    until: float


class Entry(TypedDict):
    """One line of a ticket's audit trail. ``note`` never holds a captured value."""

    ticket: str
    at: float
    who: str
    what: str
    note: str


def effective(data: RowMapping, now: float) -> TicketStatus:
    """The status as it counts now: a claim whose lease has ended is open again."""
    lapsed = data["status"] == "CLAIMED" and (data["lease_until"] or 0) <= now
    return "OPEN" if lapsed else cast("TicketStatus", data["status"])


def filed(data: RowMapping, now: float) -> Filed:
    """A row of the table as a whole ticket."""
    keys = ("filed_at", "closed_at", "outcome", "due_at", "claimed_by", "lease_until", "closed_by", "picked_at")
    return cast("Filed", {**data["content"], **{k: data[k] for k in keys}, "status": effective(data, now)})


def row(data: RowMapping, now: float) -> Row:
    """A row of the table as a listing shows it."""
    content, status, due = data["content"], effective(data, now), data["due_at"]
    end = data["closed_at"] or now
    held = status == "CLAIMED"
    return Row(
        id=data["id"], thread=data["thread"], field=data["field"], label=content["label"], locale=content["locale"],
        channel=content.get("channel", "voice"), reason=content["reason"], revision=data["revision"], status=status,
        priority=data["priority"], filed_at=data["filed_at"], due_at=due, age=end - data["filed_at"],
        waits=None if due is None else due - end, overdue=due is not None and due < end,
        attempts=len(content["attempts"]), claimed_by=data["claimed_by"] if held else None,
        lease_until=data["lease_until"] if held else None, closed_at=data["closed_at"], closed_by=data["closed_by"],
        outcome=data["outcome"],
    )  # fmt: skip


def mask(text: Any) -> str | None:
    """A text with every letter and digit hidden; its length and punctuation stay. None stays None."""
    return None if text is None else _SIGN.sub("•", str(text))


def masked(ticket: Filed) -> Filed:
    """A ticket whose captured values are hidden: in the attempts, and in what was said around them."""
    attempts = [{k: mask(v) if k in _SECRET else v for k, v in one.items()} for one in ticket["attempts"]]
    lines = [
        line if line.get("who") == "agent" and line.get("act") in _SAFE_ACTS else {**line, "text": mask(line["text"])}
        for line in ticket.get("conversation", [])
    ]
    hidden: dict[str, Any] = {"attempts": attempts, "conversation": lines}
    if wish := ticket.get("callback"):
        hidden["callback"] = {**wish, "name": mask(wish["name"]), "phone": mask(wish["phone"])}
    return cast("Filed", {**ticket, **hidden})
