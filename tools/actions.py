"""What a gated action is given and gives back: Action, Receipt, Refusal, Services. None of them shows a value."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from langgraph_readback.ports import Desk
from langgraph_readback.seal import Sealer
from langgraph_readback.tools.ledger import Ledger

__all__ = ["Action", "Alarm", "Compared", "NotDone", "Receipt", "Refusal", "RefusalCode", "Services"]

_LOG = logging.getLogger("langgraph_readback.tools")


@dataclass(frozen=True, kw_only=True, slots=True)
class Action:
    """One carrying-out of an action: given to a function that has a parameter ``action``, and to its ``check``.

    ``key`` is the idempotency key: the same for every attempt at one confirmed intent. Give it to the payment
    provider, or store it in a unique column beside the effect, so that ``check`` can find it again.
    ``attempt`` counts from 1 and grows only after an attempt that certainly did nothing.
    """

    key: str
    name: str
    thread: str
    attempt: int


class NotDone(Exception):  # noqa: N818 - said of an action, as in `raise NotDone("the order is closed")`
    """Raised by an action that certainly changed nothing; its words go to the model, with captured values masked.

    Any other exception leaves the outcome unknown: `check` settles it, or a human.
    """


Compared = Literal["same", "different", "not_reported"]
"""What was executed against what was confirmed. ``not_reported``: the receipt did not say."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Receipt:
    """What an action returns.

    ``reference``  the world's own number for what happened ("R-1007").
    ``text``       words for the model to pass on; captured values in it are masked before it sees them.
    ``executed``   by field name, the value the effect was carried out with, read back from the world: the gate
                   compares it with what was confirmed. It is not kept.
    ``compared``, ``repeated``, ``key`` are set by the gate; ``repeated``: it had been done before, nothing ran now.
    """

    reference: str = ""
    text: str = ""
    executed: Mapping[str, Any] = field(default_factory=dict, repr=False)
    compared: Compared = "not_reported"
    repeated: bool = False
    key: str = ""


RefusalCode = Literal[
    "not_confirmed", "in_doubt", "with_human", "declined", "unsealed", "tampered", "other_thread", "expired",
    "superseded", "unfit", "too_weak", "not_agreed", "bad_arguments", "in_progress", "not_done", "unknown",
    "unavailable",
]  # fmt: skip
"""Why nothing ran; or, for ``unknown``, why it is not run again. ``unavailable``: the ledger could not be reached."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """Why an action did not run, in words a model can act on. ``fields`` are what needs the user again."""

    action: str
    code: RefusalCode
    text: str
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Alarm:
    """Something a person must look at: an unknown outcome, or an effect that differs from what was confirmed."""

    kind: Literal["unknown", "different"]
    action: str
    thread: str
    key: str
    fields: tuple[str, ...] = ()


def log_alarm(alarm: Alarm) -> None:
    """Log an alarm as an error: what happened, which key to look for, no value."""
    what = {
        "unknown": "may or may not have taken effect: look for it by its key, then settle it in the ledger",
        "different": "was carried out with other details than were confirmed: correct it by hand",
    }
    fields = f" ({', '.join(alarm.fields)})" if alarm.fields else ""
    _LOG.error("action %s, key %s: %s%s", alarm.action, alarm.key, what[alarm.kind], fields)


@dataclass(frozen=True, kw_only=True)
class Services:
    """What the gate works with. Given by whoever builds the graph, never by a run.

    ``alarm`` is called (in a thread) when a person must look; by default it logs an error. ``clock`` is in seconds
    since 1970. ``patience``: how many seconds a call waits for the same action already running elsewhere.
    ``desk``: where every alarm files a ticket, so that a person looks; without one only ``alarm`` is called.
    """

    sealer: Sealer
    ledger: Ledger
    alarm: Callable[[Alarm], None] = log_alarm
    desk: Desk | None = None
    clock: Callable[[], float] = time.time
    patience: float = 5.0

    @classmethod
    def from_url(cls, database_url: str | None = None, **options: Any) -> Services:
        """Keys and ledger for a database; None keeps both in this process's memory."""
        sealer = Sealer.from_env(database_url)
        return cls(sealer=sealer, ledger=Ledger.from_url(database_url), **options)
