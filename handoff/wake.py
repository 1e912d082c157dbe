"""Wake: closing a ticket resumes its conversation, wherever it runs. The resume carries no answer: it only wakes HUMAN.

A waker knows where conversations run: ``GraphWaker`` in this process (also as a node of a parent graph),
``ServerWaker`` on a LangGraph server, ``LoopbackWaker`` inside that server. ``wake_due`` lets any number of processes
wake what is due: each conversation by one at a time, again after a crash, until it has read the answer.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, Protocol, cast

from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from langgraph_readback.handoff.waking import Outcome, Sleeper, Waking

__all__ = ["AsyncWaker", "GraphWaker", "LoopbackWaker", "ServerWaker", "Waker", "awake_due", "wake_due"]

_LOG = logging.getLogger("langgraph_readback.handoff")
_LEASE = 120.0

Step = Literal["resume", "go on", "settled", "waiting"]


class Waker(Protocol):
    """Wakes one conversation."""

    def wake(self, sleeper: Sleeper, *, inherited: bool) -> Outcome:
        """Resume the interrupt that waits for this ticket, when there is one. Anything raised means ``failed``."""
        ...


class AsyncWaker(Protocol):
    """The same, awaited."""

    async def wake(self, sleeper: Sleeper, *, inherited: bool) -> Outcome:
        """See ``Waker.wake``."""
        ...


class GraphWaker:
    """Conversations of a compiled graph in this process: ours, or a parent that has ours as a node."""

    def __init__(self, graph: CompiledStateGraph[Any, Any, Any, Any], config: Mapping[str, Any] | None = None) -> None:
        """``config``: what every run needs besides the thread (``recursion_limit``, callbacks)."""
        self._graph, self._config = graph, dict(config or {})

    def wake(self, sleeper: Sleeper, *, inherited: bool) -> Outcome:
        """See ``Waker.wake``."""
        config = self._of(sleeper["thread"])
        state = self._graph.get_state(config)
        if state.created_at is None:
            return "gone"
        step, which = _next(_pairs(state.interrupts), sleeper, tasks=bool(state.tasks), inherited=inherited)
        if step in ("settled", "waiting"):
            return cast("Outcome", step)
        self._graph.invoke(Command(resume={which: _wakes(sleeper)}) if which else None, config)
        after = self._graph.get_state(config)
        return _outcome(_pairs(after.interrupts), sleeper, tasks=bool(after.tasks))

    def exists(self, thread: str) -> bool:
        """Whether there is such a conversation."""
        return self._graph.get_state(self._of(thread)).created_at is not None

    def _of(self, thread: str) -> Any:
        given = {**self._config.get("configurable", {}), "thread_id": thread}
        return {**self._config, "configurable": given}


class ServerWaker:
    """Conversations on a LangGraph server, through its API."""

    def __init__(self, url: str, *, api_key: str | None = None, headers: Mapping[str, str] | None = None) -> None:
        """``headers``: what the server's authentication asks for."""
        from langgraph_sdk import get_sync_client  # noqa: PLC0415 - loads httpx and more

        self._client = get_sync_client(url=url, api_key=api_key, headers=dict(headers or {}))

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()

    def exists(self, thread: str) -> bool:
        """Whether there is such a conversation."""
        from langgraph_sdk.errors import NotFoundError  # noqa: PLC0415

        try:
            self._client.threads.get(thread)
        except NotFoundError:
            return False
        return True

    def wake(self, sleeper: Sleeper, *, inherited: bool) -> Outcome:
        """See ``Waker.wake``. Runs of the conversation that are under way go first."""
        from langgraph_sdk.errors import NotFoundError  # noqa: PLC0415

        threads, thread = self._client.threads, sleeper["thread"]
        try:
            about: Any = threads.get(thread)
        except NotFoundError:
            return "gone"
        plan = _plan(about, threads.get_state(thread), sleeper, inherited=inherited)
        if isinstance(plan, str):
            return plan
        self._client.runs.wait(thread, _assistant(about), **plan)
        return _after(threads.get_state(thread), sleeper)


class LoopbackWaker:
    """Conversations of the LangGraph server this code runs in (its ``http.app``), past its authentication."""

    async def wake(self, sleeper: Sleeper, *, inherited: bool) -> Outcome:
        """See ``Waker.wake``."""
        from langgraph_sdk import get_client  # noqa: PLC0415
        from langgraph_sdk.errors import NotFoundError  # noqa: PLC0415

        client, thread = get_client(), sleeper["thread"]
        try:
            about: Any = await client.threads.get(thread)
        except NotFoundError:
            return "gone"
        plan = _plan(about, await client.threads.get_state(thread), sleeper, inherited=inherited)
        if isinstance(plan, str):
            return plan
        await client.runs.wait(thread, _assistant(about), **plan)
        return _after(await client.threads.get_state(thread), sleeper)


def wake_due(desk: Waking, waker: Waker, *, limit: int = 100, lease: float = _LEASE) -> dict[str, Outcome]:
    """Wake the conversations whose answer was not read yet. Gives what came of each ticket tried.

    Safe from many processes and threads at once. ``lease``: seconds without a sign of life after which a waker counts
    as dead; one that lives keeps it, however long a run takes. A conversation that was taken over from a dead waker is
    looked at once more when another lease has gone by.
    """
    owner, tried = uuid.uuid4().hex, dict[str, Outcome]()
    for one in desk.sleepers(limit):
        begun = desk.begin_wake(one["thread"], owner, lease=lease)
        if begun is None:
            continue
        outcome: Outcome = "failed"
        again = lease if begun == "inherited" else None
        try:
            now = desk.sleeper(one["ticket"])  # another waker may have been faster
            with _alive(desk, one["thread"], owner, lease):
                outcome = waker.wake(now, inherited=begun == "inherited") if now else "settled"
        except Exception as error:  # noqa: BLE001 - whatever the graph or the network raised: tried again later
            _failed(one, error)
        finally:
            desk.end_wake(one["thread"], owner, one["ticket"], outcome, again_in=again)
        tried[one["ticket"]] = outcome
    return tried


async def awake_due(desk: Waking, waker: AsyncWaker, *, limit: int = 100, lease: float = _LEASE) -> dict[str, Outcome]:
    """``wake_due`` for an event loop: the database is asked in threads."""
    owner, tried = uuid.uuid4().hex, dict[str, Outcome]()
    for one in await asyncio.to_thread(desk.sleepers, limit):
        begun = await asyncio.to_thread(desk.begin_wake, one["thread"], owner, lease=lease)
        if begun is None:
            continue
        outcome: Outcome = "failed"
        again = lease if begun == "inherited" else None
        try:
            now = await asyncio.to_thread(desk.sleeper, one["ticket"])
            with _alive(desk, one["thread"], owner, lease):
                outcome = await waker.wake(now, inherited=begun == "inherited") if now else "settled"
        except Exception as error:  # noqa: BLE001 - as in wake_due
            _failed(one, error)
        finally:
            await asyncio.to_thread(desk.end_wake, one["thread"], owner, one["ticket"], outcome, again_in=again)
        tried[one["ticket"]] = outcome
    return tried


@contextmanager
def _alive(desk: Waking, thread: str, owner: str, lease: float) -> Iterator[None]:
    """Keep the lease of a wake while it runs, from a thread of its own."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(lease / 3):
            try:
                desk.keep_wake(thread, owner, lease=lease)
            except Exception as error:  # noqa: BLE001 - the next beat tries again; without one the lease runs out
                _LOG.warning("the lease of a wake could not be kept (%s)", type(error).__name__)

    beating = threading.Thread(target=beat, daemon=True, name="readback-wake")
    beating.start()
    try:
        yield
    finally:
        over.set()
        beating.join()


def _failed(one: Sleeper, error: Exception) -> None:
    """Only the kind of error: its words may quote a value."""
    _LOG.warning(
        "ticket %s: its conversation could not be woken (%s), try %d", one["ticket"], type(error).__name__,
        one["tries"] + 1,
    )  # fmt: skip


# -- what to do with a conversation


def _wakes(sleeper: Sleeper) -> dict[str, Any]:
    """What a resume holds: which ticket it is about, and no answer."""
    return {"ticket": sleeper["ticket"]}


def _next(interrupts: Mapping[str, Any], sleeper: Sleeper, *, tasks: bool, inherited: bool) -> tuple[Step, str | None]:
    """What the conversation needs, and the id of the interrupt to resume.

    ``tasks``: some are left. A state's ``next`` would not do: it is empty too when a task has written and its
    process died before the checkpoint that follows.
    """
    if which := _waits_for(interrupts, sleeper):
        return "resume", which
    under_way = tasks and not interrupts
    if under_way and inherited:
        return "go on", None  # the waker before died in the middle of the run
    return ("settled" if sleeper["taken"] and not under_way else "waiting"), None


def _outcome(interrupts: Mapping[str, Any], sleeper: Sleeper, *, tasks: bool) -> Outcome:
    """What came of the run: it must have ended, or wait for something else."""
    half_way = tasks and not interrupts
    return "failed" if half_way or _waits_for(interrupts, sleeper) else "resumed"


def _waits_for(interrupts: Mapping[str, Any], sleeper: Sleeper) -> str | None:
    """The interrupt that lists this ticket."""
    for which, value in interrupts.items():
        listed = value.get("tickets") if isinstance(value, Mapping) else None
        for one in listed if isinstance(listed, list) else []:
            if isinstance(one, Mapping) and one.get("ticket") == sleeper["ticket"]:
                return which
    return None


def _pairs(interrupts: Iterable[Any]) -> dict[str, Any]:
    return {one.id: one.value for one in interrupts}


def _served(state: Any) -> dict[str, Any]:
    """The open interrupts of a served conversation, by id."""
    found = [one for task in state.get("tasks") or () for one in task.get("interrupts") or ()]
    return {one.get("id") or one.get("interrupt_id"): one.get("value") for one in found}


def _plan(about: Any, state: Any, sleeper: Sleeper, *, inherited: bool) -> Outcome | dict[str, Any]:
    """The arguments of the run that wakes a served conversation, or why there is none."""
    if about.get("status") == "busy":
        return "waiting"
    step, which = _next(_served(state), sleeper, tasks=bool(state.get("tasks")), inherited=inherited)
    if step in ("settled", "waiting"):
        return cast("Outcome", step)
    command = {"command": {"resume": {which: _wakes(sleeper)}}} if which else {"input": None}
    return {**command, "multitask_strategy": "enqueue"}


def _after(state: Any, sleeper: Sleeper) -> Outcome:
    return _outcome(_served(state), sleeper, tasks=bool(state.get("tasks")))


def _assistant(about: Any) -> str:
    known = about.get("metadata") or {}
    return str(known.get("assistant_id") or known.get("graph_id"))
