"""Ports: what the graph needs from outside. Builders pass implementations; a run's input never does.

All methods are synchronous; the graph calls them from worker threads under ``ainvoke``.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, NotRequired, Protocol, TypedDict

__all__ = ["Answer", "AnswerKind", "Desk", "HighWater", "MemoryHighWater", "Prefill", "Ticket"]


Prefill = Callable[[Mapping[str, Any]], Awaitable[str | None] | str | None]
"""``(context) -> value``: what the builder's own systems know of the person in this session, before they are asked.

``context`` is plain data: ``thread``, ``user`` (whom the server has authenticated, else None), ``locale``, ``region``,
``channel`` and ``values`` (other fields' confirmed values). None: not known. Async, or plain and run in a thread.
"""


class HighWater(Protocol):
    """The highest revision of each field of each thread, outside the checkpoints (SQL in production, law 5).

    A record that a fork, an old ``checkpoint_id`` or ``__overwrite__`` brought back is older than the mark, and the
    gate refuses it.
    """

    def raise_to(self, thread: str, field: str, revision: int, *, fingerprint: str | None = None) -> bool:
        """Raise the mark to ``revision``; atomic. True when the revision is now this caller's.

        Without a fingerprint the revision is only opened: whatever was confirmed before is disavowed. With one
        (``Sealer.fingerprint``) it is claimed for exactly one value. True: the mark was lower; or equal and not
        claimed yet; or claimed with the same fingerprint (a re-run). False, and nothing changes: the mark is higher,
        or equal and claimed for another value. The caller then takes ``highest() + 1``.
        """
        ...

    def highest(self, thread: str, field: str) -> int:
        """The mark; 0 when there is none."""
        ...


class MemoryHighWater:
    """Marks that live as long as the process: for memory savers and tests."""

    def __init__(self) -> None:
        self._marks: dict[tuple[str, str], tuple[int, str | None]] = {}
        self._lock = threading.Lock()

    def raise_to(self, thread: str, field: str, revision: int, *, fingerprint: str | None = None) -> bool:
        """See ``HighWater.raise_to``."""
        with self._lock:
            mark, claimed = self._marks.get((thread, field), (0, None))
            if revision < mark or (revision == mark and claimed is not None and claimed != fingerprint):
                return False
            self._marks[thread, field] = (revision, fingerprint)
            return True

    def highest(self, thread: str, field: str) -> int:
        """See ``HighWater.highest``."""
        return self._marks.get((thread, field), (0, None))[0]


class Ticket(TypedDict):
    """One hand-off as it is filed. ``attempts`` and ``conversation`` hold captured values: the desk's eyes only.

    ``conversation``  the last lines, ``{"who": "user"|"agent", "text", "act"?, "field"?}``.
    ``rules``         what the desk checks a typed value with: ``type``, ``pattern``, ``checksum``, ``options``.
    ``priority``      0 is ordinary; higher is more urgent. ``due_in``: seconds until it is overdue.
    """

    id: str
    thread: str
    field: str
    revision: int
    label: str
    locale: str
    reason: str
    attempts: list[dict[str, Any]]
    purpose: NotRequired[str | None]
    told: NotRequired[str]
    region: NotRequired[str | None]
    channel: NotRequired[str]
    conversation: NotRequired[list[dict[str, Any]]]
    rules: NotRequired[dict[str, Any]]
    priority: NotRequired[int]
    due_in: NotRequired[float]


AnswerKind = Literal["value", "retry", "decline"]


class Answer(TypedDict):
    """What an authenticated desk wrote: a value, another try, or no value. ``by`` names the person.

    ``advice``  words for the user that come with another try; they hold no value.
    """

    ticket: str
    revision: int
    kind: AnswerKind
    value: str | None
    by: str
    at: float
    advice: NotRequired[str | None]


class Desk(Protocol):
    """The hand-off desk's queue (law 8)."""

    def file(self, ticket: Ticket) -> None:
        """Put the ticket in the durable queue. Idempotent by ``ticket["id"]``."""
        ...

    def answer(self, ticket: str, revision: int) -> Answer | None:
        """The authenticated answer to exactly this ticket and revision, or None while there is none."""
        ...

    def withdraw(self, ticket: str, outcome: str) -> None:
        """Close a ticket that the conversation settled by itself. Unknown or closed: nothing happens."""
        ...


def is_answer(answer: Mapping[str, Any] | None, ticket: str, revision: int) -> bool:
    """Whether a row answers this ticket at this revision; a stale one does not."""
    return answer is not None and answer.get("ticket") == ticket and answer.get("revision") == revision
