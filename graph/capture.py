"""build_capture_graph: the read-back loop over a list of fields, served, embedded, or blocking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, StateGraph
from langgraph.graph.state import CompiledStateGraph

from langgraph_readback.context import CaptureContext
from langgraph_readback.fields import CrossRule, FieldSpec, Lookup, hear
from langgraph_readback.fields.rules import check_together
from langgraph_readback.graph.defaults import default_marks, place
from langgraph_readback.graph.loop import add_field_loop, add_shared_nodes, onward
from langgraph_readback.graph.routes import LISTEN
from langgraph_readback.nodes import Kit
from langgraph_readback.ports import Desk, HighWater, Prefill
from langgraph_readback.seal import Sealer
from langgraph_readback.state import CaptureOutput, CaptureState, EmbeddedInput, ServedInput
from langgraph_readback.tracing import mask

__all__ = ["build_capture_graph", "make_kit"]

Saver = BaseCheckpointSaver[Any] | bool | None


def build_capture_graph(  # noqa: PLR0913 - the builder's ports, all by name
    fields: Sequence[FieldSpec],
    *,
    checkpointer: Saver = None,
    desk: Desk | None = None,
    lookups: Mapping[str, Lookup] | None = None,
    prefill: Mapping[str, Prefill] | None = None,
    rules: Sequence[CrossRule] = (),
    embedded: bool = False,
    turns: Literal["message", "interrupt"] = "message",
    sealer: Sealer | None = None,
    highwater: HighWater | None = None,
    name: str = "capture",
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The graph that captures ``fields``, in their order.

    ``checkpointer``  where threads are kept. Embedded it is True by default: a sub-graph without memory of its own
                      forgets what it heard when a message comes at the wrong moment.
    ``desk``          where hand-offs are filed (``langgraph_readback.handoff``). None: they stay in the thread.
    ``lookups``       by field name; they win over ``FieldSpec.lookup``.
    ``prefill``       by field name: what your systems know of this session (``FieldSpec.prefill`` says what it means).
    ``rules``         what several fields must be together.
    ``embedded``      to be added to a parent as one node; then ``captures`` is input too (the seals protect it).
    ``turns``         ``message``: a run ends when it is the user's turn. ``interrupt``: it interrupts in LISTEN.
    ``sealer``, ``highwater``  by default from the environment and the database it names (``READBACK_DATABASE_URL``).

    Raises ValueError for no fields, two of one name, or an embedded graph without memory. A graph that is not built
    with ``embedded=True`` and runs inside another one raises NestingError in its second turn.
    """
    kit = make_kit(
        fields, checkpointer=checkpointer, desk=desk, lookups=lookups, prefill=prefill, rules=rules, sealer=sealer,
        highwater=highwater,
    )  # fmt: skip
    if embedded and checkpointer is None:
        checkpointer = True
    if embedded and checkpointer is False:
        raise ValueError("an embedded capture needs memory of its own: leave checkpointer out, or pass True")
    kit = replace(kit, remembers=embedded)
    blocking = turns == "interrupt"
    if turns not in ("message", "interrupt"):
        raise ValueError(f"turns must be 'message' or 'interrupt', got {turns!r}")
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(
        CaptureState,
        context_schema=CaptureContext,
        input_schema=EmbeddedInput if embedded else ServedInput,
        output_schema=CaptureOutput,
    )
    then = onward(kit, wait=LISTEN if blocking else END)
    add_shared_nodes(builder, kit, then, blocking=blocking)
    for spec in kit.specs.values():
        add_field_loop(builder, spec, kit=kit, then=then)
    return builder.compile(checkpointer=checkpointer, name=name)


def make_kit(
    fields: Sequence[FieldSpec],
    *,
    checkpointer: Saver = None,
    desk: Desk | None = None,
    lookups: Mapping[str, Lookup] | None = None,
    prefill: Mapping[str, Prefill] | None = None,
    rules: Sequence[CrossRule] = (),
    sealer: Sealer | None = None,
    highwater: HighWater | None = None,
) -> Kit:
    """What the nodes share, with defaults for what is None. Raises ValueError as ``build_capture_graph`` does."""
    specs = {spec.name: spec for spec in fields}
    if not specs:
        raise ValueError("no fields to capture: pass at least one FieldSpec, e.g. [catalogue['email']]")
    if len(specs) != len(fields):
        raise ValueError("two fields have the same name: give one of them another with dataclasses.replace")
    for what, named in (("lookups", lookups), ("prefill", prefill)):
        if stray := sorted(set(named or {}) - set(specs)):
            raise ValueError(f"{what} for {', '.join(stray)}: no such field")
    check_together(specs, rules)
    for spec in fields:
        _check(spec)
    mask(specs)
    url = place(checkpointer)
    return Kit(
        specs=specs,
        sealer=sealer or Sealer.from_env(url),
        marks=highwater or default_marks(url),
        desk=desk,
        lookups=dict(lookups or {}),
        prefill=dict(prefill or {}),
        rules=tuple(rules),
    )


def _check(spec: FieldSpec) -> None:
    """Hear something with it, so that a type or a pattern that cannot work fails here and not in front of a user."""
    try:
        hear(spec, "a1")
    except (KeyError, ValueError) as error:
        raise ValueError(f"field {spec.name!r}: {error.args[0] if error.args else error}") from None
