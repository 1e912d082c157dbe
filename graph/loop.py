"""The loop of one field: six nodes and their edges, added flat to any builder whose state is a CaptureState."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from langgraph.graph import END, START, StateGraph

from langgraph_readback.fields import FieldSpec
from langgraph_readback.graph import routes
from langgraph_readback.graph.routes import AGAIN, DONE, HUMAN, LISTEN, WAIT
from langgraph_readback.metrics import counted
from langgraph_readback.nodes import Kit, again, ask, confirmed, handoff, human, listen, readback, retry, validate
from langgraph_readback.tracing import watched

__all__ = ["Onward", "add_arrival", "add_field_loop", "add_shared_nodes", "field_nodes", "onward"]

Builder = StateGraph[Any, Any, Any, Any]


@dataclass(frozen=True, kw_only=True)
class Onward:
    """Where a settled field leads: a route and every node it may name. ``wait`` is where the user's turn begins."""

    route: Callable[..., str]
    targets: dict[str, str]
    wait: str = END


def onward(kit: Kit, *, wait: str = END, done: str = END) -> Onward:
    """The usual way: the next open field, then HUMAN when something was handed off, then ``done``."""
    return Onward(route=routes.onward(kit), targets=_targets(kit.specs) | {DONE: done}, wait=wait)


def _targets(names: Iterable[str]) -> dict[str, str]:
    return {f"{name}.ASK": f"{name}.ASK" for name in names} | {HUMAN: HUMAN}


def field_nodes(name: str) -> list[str]:
    """The names of a field's six nodes."""
    return [f"{name}.{node}" for node in ("ASK", "VALIDATE", "READBACK", "RETRY", "CONFIRMED", "HANDOFF")]


def add_field_loop(builder: Builder, spec: FieldSpec, *, kit: Kit, then: Onward) -> None:
    """Add ``<name>.ASK`` ... ``<name>.HANDOFF``. ``then`` says where a settled field leads.

    Every conditional edge has an explicit map, so that a route that names no node fails when the graph is compiled.
    """
    name = spec.name
    to = {short: f"{name}.{short}" for short in ("ASK", "VALIDATE", "READBACK", "RETRY", "CONFIRMED", "HANDOFF")}

    def only(*shorts: str) -> dict[str, str]:
        return {to[s]: to[s] for s in shorts}

    wait = {WAIT: then.wait}
    blamed = {node: node for other in kit.blamed_by(name) for node in (f"{other}.ASK", f"{other}.HANDOFF")}
    for short, factory in (
        ("ASK", ask), ("VALIDATE", validate), ("READBACK", readback), ("RETRY", retry), ("CONFIRMED", confirmed),
        ("HANDOFF", handoff),
    ):  # fmt: skip
        builder.add_node(to[short], watched(counted(factory(spec, kit), name), to[short], field=name))
    edges: list[tuple[str, Callable[..., str], dict[str, str]]] = [
        ("ASK", routes.after_ask(name), only("VALIDATE") | wait),
        ("VALIDATE", routes.after_validate(name, kit), only("READBACK", "RETRY", "CONFIRMED")),
        ("READBACK", routes.after_readback(name), only("CONFIRMED", "RETRY") | wait),
        (
            "RETRY",
            routes.after_retry(name, then.route, kit.blamed_by(name)),
            only("ASK", "READBACK", "HANDOFF") | blamed | wait | then.targets,
        ),
        ("CONFIRMED", routes.after_confirmed(name, then.route), only("ASK") | then.targets),
        ("HANDOFF", routes.after_handoff(name, then.route), only("ASK") | then.targets),
    ]
    for short, route, targets in edges:
        builder.add_conditional_edges(to[short], route, targets)  # type: ignore[arg-type]


def add_arrival(builder: Builder, kit: Kit, route: Callable[..., str], targets: dict[str, str]) -> None:
    """Add where a run begins, and AGAIN, from which it begins once more without the words that came twice."""
    ends: Any = targets | {AGAIN: AGAIN}
    builder.add_node(AGAIN, watched(again(kit), AGAIN))
    for source in (START, AGAIN):
        builder.add_conditional_edges(source, route, ends)


def add_shared_nodes(builder: Builder, kit: Kit, then: Onward, *, blocking: bool = False) -> None:
    """Add the arrival and HUMAN; with ``blocking``, LISTEN too, where the graph waits for the user's words."""
    arrivals = {target: target for name in kit.specs for target in field_nodes(name)}
    arrivals |= then.targets | {WAIT: then.wait}
    add_arrival(builder, kit, routes.arrive(kit), arrivals)
    builder.add_node(HUMAN, watched(human(kit), HUMAN))
    builder.add_conditional_edges(HUMAN, then.route, then.targets)  # type: ignore[arg-type]
    if blocking:
        builder.add_node(LISTEN, watched(listen(kit), LISTEN))
        builder.add_conditional_edges(LISTEN, routes.arrive(kit), arrivals | {AGAIN: AGAIN})  # type: ignore[arg-type]
