"""At most once (law 7): intent in the ledger before the effect, outcome after it, and no blind second try.

What may be found for a key, and what is then done::

    nothing, or FAILED   claim it, run it
    DONE                 give the same receipt again, run nothing
    INTENT, being run    wait for its outcome a while, then say so
    INTENT, abandoned    the worker died, or its lease is over: as UNKNOWN
    UNKNOWN              ask the action's `check`; without an answer raise an alarm and refuse

A `check` that finds nothing is believed only when the attempt is certainly over: its function returned, its worker is
dead, or its lease has ended. An effect may still be on its way to the world when a time limit strikes.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from sqlalchemy.exc import SQLAlchemyError

from langgraph_readback.tools.actions import Action, Alarm, Compared, NotDone, Receipt, Refusal, Services
from langgraph_readback.tools.admit import refusal
from langgraph_readback.tools.alarms import raise_alarm
from langgraph_readback.tools.blind import mask_values
from langgraph_readback.tools.ledger import Claim, Entry, Mark, State

__all__ = ["CURRENT", "Order", "carry_out", "working"]

_LOG = logging.getLogger("langgraph_readback.tools")
_GRACE = 5.0  # seconds a lease outlasts the action's own time limit
_POLL = 0.05  # seconds between looks at an action that runs elsewhere
_ROUNDS = 3  # claims in one call; each further one follows a `check` that found nothing done

Effect = Callable[[Action], Awaitable[Any]]


@dataclass(frozen=True, kw_only=True)
class Order:
    """One action to be carried out with confirmed values. ``timeout`` in seconds."""

    key: str
    name: str
    thread: str
    values: Mapping[str, Any]
    marks: tuple[Mark, ...]
    run: Effect
    check: Effect | None
    timeout: float

    def __repr__(self) -> str:
        """Show no value."""
        return f"Order({self.name!r}, key={self.key!r})"


async def carry_out(order: Order, services: Services) -> Receipt | Refusal:
    """Run it, or say what came of it when it ran before. Raises nothing but cancellation."""
    with working() as owner:  # before the claim: who sees the intent must see its worker alive
        for _ in range(_ROUNDS):
            try:
                claim = await asyncio.to_thread(_claim, order, owner, services)
            except SQLAlchemyError as error:
                what = (type(error).__name__, order.name)
                _LOG.error("the ledger failed with %s: action %s was not started", *what)
                return _refuse(order, "unavailable")
            if claim.stale:
                return refusal(order.name, "superseded", claim.stale[0])
            if claim.mine and claim.entry is not None:
                return await _execute(order, claim.entry, services)
            if claim.entry is not None and (outcome := await _found(order, claim.entry, services)) is not None:
                return outcome
        return _refuse(order, "in_progress")


def _claim(order: Order, owner: str, services: Services) -> Claim:
    now = services.ledger.now()  # whose clock all workers share: one that is ahead would take a lease for over
    intent = Entry(
        key=order.key,
        thread=order.thread,
        action=order.name,
        revisions={mark.field: mark.revision for mark in order.marks},
        state=State.INTENT,
        attempt=1,
        owner=owner,
        lease_until=now + order.timeout + _GRACE,
        started_at=now,
    )
    return services.ledger.claim(intent, order.marks)


async def _found(order: Order, entry: Entry, services: Services) -> Receipt | Refusal | None:
    """What to say of an earlier attempt; None: it did nothing, so the key may be claimed again."""
    entry = await _wait(entry, services)
    if entry.state is State.DONE:
        return _again(entry)
    if entry.state is State.FAILED:
        return None
    alive = await _alive(entry, services)
    if alive and entry.state is State.INTENT:
        return _refuse(order, "in_progress")
    return await _ask(order, entry, services, over=not alive)


async def _execute(order: Order, entry: Entry, services: Services) -> Receipt | Refusal:
    """The effect, between intent and outcome. A cancellation leaves the intent as it is: abandoned."""
    action = Action(key=order.key, name=order.name, thread=order.thread, attempt=entry.attempt)
    try:
        async with asyncio.timeout(order.timeout):
            result = await order.run(action)
    except NotDone as error:
        text = mask_values(str(error), order.values)
        await _settle(order, entry, services, State.FAILED, Receipt(text=text))
        return _refuse(order, "not_done", text)
    except Exception as error:  # noqa: BLE001 - whatever it was, the effect may have happened
        _LOG.error("action %s failed with %s; its outcome is unknown", order.name, type(error).__name__)
        over = not isinstance(error, TimeoutError)
    else:
        return await _done(order, entry, services, _receipt(result))
    await _settle(order, entry, services, State.UNKNOWN, Receipt())
    return await _ask(order, entry, services, over=over) or _refuse(order, "not_done")


async def _ask(order: Order, entry: Entry, services: Services, *, over: bool) -> Receipt | Refusal | None:
    """Ask `check` what became of an attempt. None: certainly nothing, and the ledger says so now."""
    action = Action(key=order.key, name=order.name, thread=order.thread, attempt=entry.attempt)
    if order.check is not None:
        try:
            async with asyncio.timeout(order.timeout):
                found = await order.check(action)
        except Exception as error:  # noqa: BLE001 - a check that fails has found nothing out
            _LOG.error("the check of action %s failed with %s", order.name, type(error).__name__)
        else:
            if found is not None:
                return await _done(order, entry, services, _receipt(found), repeated=True)
            if not over:
                return _refuse(order, "in_progress")
            await _settle(order, entry, services, State.FAILED, Receipt(), by="check")
            return None
    await _settle(order, entry, services, State.UNKNOWN, Receipt())
    await raise_alarm(Alarm(kind="unknown", action=order.name, thread=order.thread, key=order.key), services)
    return _refuse(order, "unknown")


async def _done(
    order: Order, entry: Entry, services: Services, receipt: Receipt, *, repeated: bool = False
) -> Receipt:  # fmt: skip
    """Compare what was executed with what was confirmed, write the outcome, and hand out the masked receipt."""
    differing = tuple(sorted(f for f, v in receipt.executed.items() if f in order.values and v != order.values[f]))
    whole = bool(order.values) and order.values.keys() <= receipt.executed.keys()
    compared: Compared = "different" if differing else "same" if whole else "not_reported"
    masked = replace(
        receipt,
        reference=mask_values(receipt.reference, order.values),
        text=mask_values(receipt.text, order.values),
        executed={},
        compared=compared,
        repeated=repeated,
        key=order.key,
    )
    await _settle(order, entry, services, State.DONE, masked, by="check" if repeated else "gate")
    if differing:
        alarm = Alarm(kind="different", action=order.name, thread=order.thread, key=order.key, fields=differing)
        await raise_alarm(alarm, services, order.values, receipt.executed)
    return masked


async def _settle(
    order: Order, entry: Entry, services: Services, state: State, receipt: Receipt, *, by: str = "gate"
) -> None:
    outcome = {"reference": receipt.reference, "text": receipt.text, "compared": receipt.compared, "by": by}
    settle = services.ledger.settle
    try:
        await asyncio.to_thread(settle, order.key, entry.attempt, state, now=services.clock(), **outcome)
    except SQLAlchemyError as error:  # the intent stays: the next call, or a person, settles it
        what = (type(error).__name__, order.name, order.key, state)
        _LOG.error("the ledger failed with %s: action %s, key %s is %s", *what)


async def _wait(entry: Entry, services: Services) -> Entry:
    """The entry once its outcome is known, or as it is when patience or its worker ends."""
    loop = asyncio.get_running_loop()
    end = loop.time() + services.patience
    while entry.state is State.INTENT and loop.time() < end and await _alive(entry, services):
        await asyncio.sleep(_POLL)
        with suppress(SQLAlchemyError):  # a ledger that is away is asked again
            seen = await asyncio.to_thread(services.ledger.entry, entry.key)
            entry = entry if seen is None else seen
    return entry


def _again(entry: Entry) -> Receipt:
    compared = cast("Compared", entry.compared)
    return Receipt(reference=entry.reference, text=entry.text, compared=compared, repeated=True, key=entry.key)


def _refuse(order: Order, code: Any, detail: str = "") -> Refusal:
    words = {
        "in_progress": f"{order.name} was started already and is not over yet; nothing was started a second time",
        "not_done": f"{order.name} was not done: {detail or 'it failed, and certainly changed nothing'}",
        "unavailable": f"{order.name} was not started: the ledger cannot be reached; try again in a moment",
        "unknown": f"it is not known whether {order.name} took effect; a colleague looks into it. Do not call it again",
    }
    return Refusal(action=order.name, code=code, text=words[code])


def _receipt(result: Any) -> Receipt:
    """What a function returned, as a receipt. The effect has happened: whatever it is, it does not fail here."""
    if isinstance(result, Receipt):
        return result
    if isinstance(result, Mapping):
        executed = result.get("executed")
        return Receipt(
            reference=str(result.get("reference", "")),
            text=str(result.get("text", "")),
            executed=executed if isinstance(executed, Mapping) else {},
        )
    return Receipt(text="" if result is None else str(result))


# -- who runs what: an intent whose worker is gone is known to be abandoned, and not waited for

_WORKING: Counter[str] = Counter()
CURRENT: ContextVar[str] = ContextVar("langgraph_readback_owner")
"""Who carries out the action of this task or thread."""


@contextmanager
def working(owner: str = "") -> Iterator[str]:
    """While in it, an owner (a new one by default) counts as alive in this process."""
    owner = owner or f"{_PLACE}#{os.getpid()}#{uuid.uuid4().hex}"
    _WORKING[owner] += 1
    token = CURRENT.set(owner)
    try:
        yield owner
    finally:
        CURRENT.reset(token)
        _WORKING[owner] -= 1
        if not _WORKING[owner]:
            del _WORKING[owner]


def _place() -> str:
    """Names the machine and its process table, where a process number means one process; empty if it cannot."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{socket.gethostname()}|{boot}|{os.readlink('/proc/self/ns/pid')}"  # noqa: PTH115 - not a path
    except OSError:
        return ""


_PLACE = _place()
"""Read once: an event loop must not wait for it."""


async def _alive(entry: Entry, services: Services) -> bool:
    """Whether an attempt may still be running, or on its way to the world."""
    place, _, rest = entry.owner.partition("#")
    number = rest.partition("#")[0]
    if place and place == _PLACE and number.isdecimal():
        if int(number) == os.getpid():
            working_here = entry.owner in _WORKING
            return working_here or (entry.state is State.UNKNOWN and await _leased(entry, services))
        try:
            os.kill(int(number), 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
    return await _leased(entry, services)


async def _leased(entry: Entry, services: Services) -> bool:
    """Whether its lease lasts, by the ledger's clock. A ledger that cannot be asked has ended none."""
    try:
        return await asyncio.to_thread(services.ledger.now) < entry.lease_until
    except SQLAlchemyError:
        return True
