"""Routes: they choose and never write. Each gives a node's name, or WAIT (the user's turn) or DONE.

``arrive`` decides where a run's message goes; ``onward`` what comes after a field; the rest follow one node each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, cast

from langchain_core.messages import BaseMessage
from langgraph.config import get_config

from langgraph_readback.errors import NestingError
from langgraph_readback.graph.addressed import addressed
from langgraph_readback.nodes import Kit
from langgraph_readback.nodes.prefill import may_trust
from langgraph_readback.nodes.view import Look, look
from langgraph_readback.state import MARK, OPEN, CaptureState, Record, Records, entry, mine

__all__ = [
    "AGAIN", "DONE", "HUMAN", "LISTEN", "WAIT", "after_ask", "after_confirmed", "after_handoff", "after_readback",
    "after_retry", "after_validate", "arrive", "next_field", "onward",
]  # fmt: skip

WAIT, DONE, HUMAN, LISTEN, AGAIN = "wait", "done", "HUMAN", "LISTEN", "AGAIN"

Route = Callable[..., str]


def next_field(kit: Kit, run: Look) -> str | None:
    """The first field that still needs the user: of ``session["wanted"]`` in its order, when set; else of all."""
    wanted = run.session.get("wanted")
    names = [n for n in wanted if isinstance(n, str) and n in kit.specs] if isinstance(wanted, list) else kit.specs
    return next((n for n in names if not kit.settled(n, run.records.get(n), run.thread)), None)


def onward(kit: Kit) -> Route:
    """What comes when a field is settled: the next open one; else a hand-off's person; else nothing more."""

    def route(state: Records) -> str:
        return _onward(kit, look(state))

    return route


def _onward(kit: Kit, run: Look) -> str:
    if (name := next_field(kit, run)) is not None:
        return f"{name}.ASK"
    return HUMAN if _handed_off(kit, run) else DONE


def _handed_off(kit: Kit, run: Look) -> list[str]:
    return [n for n in kit.specs if run.records.get(n, {}).get("status") == "HANDOFF"]


def arrive(kit: Kit) -> Route:
    """Where a run begins: the field that is addressed, else the one that waits, else the next one."""

    def route(state: CaptureState) -> str:
        run = look(state)
        _check_memory(kit, run)
        if run.repeated:
            return AGAIN
        if (name := _unsealed(kit, run)) is not None:
            return f"{name}.ASK"
        waiting = _waiting(kit, run)
        if not run.pending:
            return _broken_off(kit, run, waiting) or (WAIT if waiting else _onward(kit, run))
        if (name := addressed(kit, run, waiting)) is not None:
            return f"{name}.RETRY"
        if waiting is not None:
            record = run.records[waiting]
            return (
                f"{waiting}.{'READBACK' if record.get('status') == 'READBACK' and record.get('read') else 'VALIDATE'}"
            )
        if (name := next_field(kit, run)) is not None:
            return f"{name}.ASK"
        pending = _handed_off(kit, run)
        return f"{pending[0]}.HANDOFF" if pending else DONE

    return route


def _broken_off(kit: Kit, run: Look, waiting: str | None) -> str | None:
    """The node that a run was on its way to when its worker died: its message is taken, so it comes again for nothing.

    Each node leaves facts that the next one clears, so a thread at rest shows none of these.
    """
    for name in _handed_off(kit, run):
        if not run.records[name].get("ticket"):
            return f"{name}.HANDOFF"
    if waiting is None:
        return None
    record = run.records[waiting]
    status, cause = record.get("status"), record.get("cause")
    if record.get("agreed"):
        return f"{waiting}.CONFIRMED"
    if cause:
        return None if cause == "hangup" else f"{waiting}.RETRY"
    unsaid = {"READBACK": not record.get("read"), "ASK": run.unheard, "VALIDATE": True}
    return f"{waiting}.{status}" if unsaid.get(str(status)) else None


def _unsealed(kit: Kit, run: Look) -> str | None:
    """A field whose record says CONFIRMED with a seal that does not hold: forged, or its key is gone."""
    for name in kit.specs:
        record = run.records.get(name, {})
        if record.get("status") == "CONFIRMED" and not kit.sealed(name, record, run.thread):
            return name
    return None


def _check_memory(kit: Kit, run: Look) -> None:
    """A sub-graph without memory would ask the same question for ever: say so instead. Raises NestingError."""
    if not run.session.get("seen") and not kit.remembers:  # a client may forge the mark of a line
        asked = any(mine(m) and _field_of(m) in kit.specs for m in run.messages)
        if asked and "|" in str(get_config()["configurable"].get("checkpoint_ns", "")):
            raise NestingError(
                "this capture graph is a node of another graph and has lost its last turn: build it with "
                "build_capture_graph(..., embedded=True)"
            )


def _field_of(message: BaseMessage) -> str:
    mark = message.additional_kwargs[MARK]
    return str(mark.get("field")) if isinstance(mark, Mapping) else ""


def _waiting(kit: Kit, run: Look) -> str | None:
    """The field that has the floor and waits for the user."""
    floor = run.floor
    record = run.records.get(floor or "", {})
    return floor if floor in kit.specs and record.get("status") in OPEN else None


def _record(state: Mapping[str, Any], name: str) -> Record:
    return cast("Record", entry(state.get("captures"), name))


def after_ask(name: str) -> Route:
    """VALIDATE when words were taken, else the user's turn."""

    def route(state: Records) -> str:
        return f"{name}.VALIDATE" if _record(state, name).get("status") == "VALIDATE" else WAIT

    return route


def after_validate(name: str, kit: Kit) -> Route:
    """READBACK with a candidate; RETRY without; CONFIRMED when a person at the desk vouches, or nobody need agree.

    CONFIRMED itself looks at the seals: what is written in the state can only make it ask.
    """
    spec = kit.specs[name]
    straight = spec.confirm == "none"

    def route(state: Records) -> str:
        if _record(state, name).get("cause"):
            return f"{name}.RETRY"
        heard = entry(state.get("heard"), name)
        trusted = heard.get("known") and may_trust(spec, heard.get("verified"))
        return f"{name}.CONFIRMED" if heard.get("desk") or straight or trusted else f"{name}.READBACK"

    return route


def after_readback(name: str) -> Route:
    """CONFIRMED on a yes, RETRY on anything else, the user's turn after a read-back."""

    def route(state: Records) -> str:
        record = _record(state, name)
        if record.get("agreed"):
            return f"{name}.CONFIRMED"
        return f"{name}.RETRY" if record.get("cause") else WAIT

    return route


def after_retry(name: str, then: Route, blamed: Collection[str] = ()) -> Route:
    """ASK, READBACK or HANDOFF, as RETRY decided; first those of a field that is ``blamed`` for a clash.

    Onward from DECLINED; nowhere when the user has hung up.
    """

    def route(state: Records) -> str:
        record = _record(state, name)
        if record.get("status") == "DECLINED":
            return then(state)
        other = entry(state.get("heard"), name).get("blames")
        if other in blamed and (status := str(_record(state, str(other)).get("status"))) in ("ASK", "HANDOFF"):
            return f"{other}.{status}"
        return WAIT if record.get("cause") == "hangup" else f"{name}.{record.get('status', 'ASK')}"

    return route


def after_confirmed(name: str, then: Route) -> Route:
    """Onward; back to ASK when there was nothing to seal."""

    def route(state: Records) -> str:
        return then(state) if _record(state, name).get("status") == "CONFIRMED" else f"{name}.ASK"

    return route


def after_handoff(name: str, then: Route) -> Route:
    """Onward; to ASK when the desk has answered with a value or with another try."""

    def route(state: Records) -> str:
        return f"{name}.ASK" if _record(state, name).get("status") == "ASK" else then(state)

    return route
