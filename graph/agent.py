"""build_agent: a model that converses, the read-back loop that captures, and a gate in front of every action."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.graph import END, StateGraph
from langgraph.graph.state import CompiledStateGraph

from langgraph_readback.context import CaptureContext
from langgraph_readback.fields import CrossRule, FieldSpec, Lookup
from langgraph_readback.graph import routes
from langgraph_readback.graph.capture import Saver, make_kit
from langgraph_readback.graph.defaults import default_ledger, place
from langgraph_readback.graph.loop import Onward, add_arrival, add_field_loop, field_nodes
from langgraph_readback.nodes import Kit, act, converse, human
from langgraph_readback.nodes.converse import Crew
from langgraph_readback.nodes.turns import calls_of, snapshot
from langgraph_readback.nodes.view import Look, look
from langgraph_readback.ports import Desk, Prefill
from langgraph_readback.seal import Sealer
from langgraph_readback.state import CaptureOutput, CaptureState, ServedInput
from langgraph_readback.tools import Alarm, GatedAction, Ledger, Services
from langgraph_readback.tools.actions import log_alarm
from langgraph_readback.tracing import watched

__all__ = ["build_agent", "by_name"]

CONVERSE, ACT = "converse", "act"


def build_agent(  # noqa: PLR0913 - the builder's ports, all by name
    fields: Sequence[FieldSpec],
    *,
    actions: Sequence[GatedAction] = (),
    model: BaseChatModel | None = None,
    lookups: Mapping[str, Lookup] | None = None,
    prefill: Mapping[str, Prefill] | None = None,
    rules: Sequence[CrossRule] = (),
    desk: Desk | None = None,
    checkpointer: Saver = None,
    sealer: Sealer | None = None,
    ledger: Ledger | None = None,
    alarm: Callable[[Alarm], None] | None = None,
    instructions: str = "",
    model_seconds: float = 30.0,
    name: str = "agent",
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The agent over ``fields`` and ``actions``.

    ``actions``       made with ``@gated``; every field they need must be among ``fields``.
    ``model``         any LangChain chat model that can call tools; None: an embedded planner, no network.
    ``model_seconds`` the model's time for one turn; then, or when it fails, the planner takes the turn and says so.
    ``instructions``  for the model: whom it works for, and how it talks.
    ``ledger``        high-water marks, intents and outcomes; ``alarm`` is called when a person must look at an action.
    ``lookups``, ``prefill``, ``rules``, ``desk``, ``checkpointer``, ``sealer``  as for ``build_capture_graph``.

    Raises ValueError when a field is missing or named twice, TypeError for an action that is not gated.
    """
    url = place(checkpointer)
    ledger = ledger or default_ledger(url)
    kit = make_kit(
        fields, checkpointer=checkpointer, desk=desk, lookups=lookups, prefill=prefill, rules=rules, sealer=sealer,
        highwater=ledger,
    )  # fmt: skip
    crew = Crew(kit=kit, actions=by_name(actions, kit), model=model, seconds=model_seconds, instructions=instructions)
    services = Services(sealer=kit.sealer, ledger=ledger, alarm=alarm or log_alarm, desk=desk)
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(
        CaptureState, context_schema=CaptureContext, input_schema=ServedInput, output_schema=CaptureOutput
    )
    then = Onward(route=_onward(kit), targets=_targets(kit), wait=END)
    add_arrival(builder, kit, _arrive(kit), _arrivals(kit) | then.targets)
    builder.add_node(CONVERSE, watched(converse(crew), CONVERSE))
    builder.add_node(ACT, watched(act(crew, services), ACT))
    after: dict[Hashable, str] = {ACT: ACT, routes.HUMAN: routes.HUMAN, routes.DONE: END}
    builder.add_conditional_edges(CONVERSE, _after_converse(kit), after)
    builder.add_conditional_edges(ACT, _after_act(kit), _asks(kit) | {CONVERSE: CONVERSE})  # type: ignore[arg-type]
    builder.add_node(routes.HUMAN, watched(human(kit), routes.HUMAN))
    builder.add_conditional_edges(routes.HUMAN, then.route, then.targets)  # type: ignore[arg-type]
    for spec in kit.specs.values():
        add_field_loop(builder, spec, kit=kit, then=then)
    return builder.compile(checkpointer=checkpointer, name=name)


def by_name(actions: Sequence[GatedAction], kit: Kit) -> dict[str, GatedAction]:
    """The actions by name, checked against the fields. Raises TypeError and ValueError with what to change."""
    for action in actions:
        if not isinstance(action, GatedAction):
            raise TypeError(f"{getattr(action, '__name__', action)!r} is not gated: put @gated(...) on the function")
        if missing := [name for name in action.fields if name not in kit.specs]:
            raise ValueError(f"{action.name} needs {', '.join(missing)}: add the spec to the agent's fields")
    by_name = {action.name: action for action in actions}
    if len(by_name) != len(actions):
        raise ValueError("two actions have the same name: give one of them another with @gated(..., name=...)")
    return by_name


# -- routes: they choose and never write


def _asks(kit: Kit) -> dict[str, str]:
    return {f"{name}.ASK": f"{name}.ASK" for name in kit.specs}


def _targets(kit: Kit) -> dict[str, str]:
    return _asks(kit) | {routes.HUMAN: routes.HUMAN, CONVERSE: CONVERSE, routes.DONE: END}


def _arrivals(kit: Kit) -> dict[str, str]:
    return {node: node for name in kit.specs for node in field_nodes(name)} | {routes.WAIT: END}


def _arrive(kit: Kit) -> Callable[..., str]:
    """To the field that waits or is addressed, as in the capture graph; everything else is the model's."""
    base = routes.arrive(kit)

    def route(state: CaptureState) -> str:
        target, run = base(state), look(state)
        nobody_asked = run.pending or not isinstance(run.session.get("wanted"), list)
        return CONVERSE if target == routes.DONE or (target.endswith(".ASK") and nobody_asked) else target

    return route


def _onward(kit: Kit) -> Callable[..., str]:
    """After a field: the next one that was asked for; the model, when something has changed; else a person, or END."""

    def route(state: CaptureState) -> str:
        run = look(state)
        if isinstance(run.session.get("wanted"), list) and (name := routes.next_field(kit, run)) is not None:
            return f"{name}.ASK"
        return CONVERSE if snapshot(run) != run.session.get("known") else _rest(kit, run)

    return route


def _rest(kit: Kit, run: Look) -> str:
    """Nothing left to ask: wait for a person when something was handed off."""
    return routes.HUMAN if any(run.records.get(n, {}).get("status") == "HANDOFF" for n in kit.specs) else routes.DONE


def _after_converse(kit: Kit) -> Callable[..., str]:
    def route(state: CaptureState) -> str:
        run = look(state)
        return ACT if calls_of(kit.sealer, run) else _rest(kit, run)

    return route


def _after_act(kit: Kit) -> Callable[..., str]:
    """The fields that were asked for; the model, when there is none."""

    def route(state: CaptureState) -> str:
        run = look(state)
        redo = run.session.get("redo")
        for name, revision in redo.items() if isinstance(redo, Mapping) else ():
            if name in kit.specs and run.records.get(name, {}).get("revision") == revision:
                return f"{name}.ASK"
        name = routes.next_field(kit, run)
        return f"{name}.ASK" if name is not None else CONVERSE

    return route
