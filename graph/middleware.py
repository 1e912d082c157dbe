"""ReadbackMiddleware: capture, gate and blindness inside LangChain's ``create_agent`` (extra ``middleware``).

    readback = ReadbackMiddleware([EMAIL, ORDER_ID], actions=[refund])
    agent = create_agent(model, tools=[], middleware=[readback], checkpointer=saver)

Before each turn of the model the read-back loop looks at the user's message. While a detail is being captured the loop
answers and the model is not called; else the model is, with placeholders instead of details, ``capture_details`` and
the gated actions. The loop is a sub-graph with memory of its own, so the agent needs a checkpointer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, NotRequired, cast

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.graph import END, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command
from typing_extensions import TypedDict

from langgraph_readback.context import CaptureContext, given
from langgraph_readback.fields import Ask, CrossRule, FieldSpec, Lookup
from langgraph_readback.graph import routes
from langgraph_readback.graph.agent import by_name
from langgraph_readback.graph.capture import Saver, make_kit
from langgraph_readback.graph.defaults import default_ledger, place
from langgraph_readback.graph.loop import add_arrival, add_field_loop, onward
from langgraph_readback.nodes import Kit, human
from langgraph_readback.nodes.act import ANEW, stale, told
from langgraph_readback.nodes.converse import RULES, standing
from langgraph_readback.nodes.turns import tool_line
from langgraph_readback.nodes.view import look
from langgraph_readback.nodes.world import submit
from langgraph_readback.ports import Desk, Prefill
from langgraph_readback.seal import Sealer
from langgraph_readback.state import OPEN, CaptureState, Messages, Record, entries, forward, mine, overlay
from langgraph_readback.tools import CAPTURE, Alarm, GatedAction, Ledger, Refusal, Services, capture_tool
from langgraph_readback.tools import request as capture_request
from langgraph_readback.tools.actions import log_alarm
from langgraph_readback.tools.middleware import Blindness
from langgraph_readback.tracing import watched

try:
    from langchain.agents.middleware import AgentState, ModelRequest, hook_config
    from langchain.agents.middleware.types import OmitFromInput, PrivateStateAttr, ToolCallRequest
except ImportError as error:  # pragma: no cover - as in tools/middleware.py
    raise ImportError("the middleware needs langchain: pip install 'langgraph-readback[middleware]'") from error

__all__ = ["ReadbackMiddleware", "ReadbackState"]

_ABOUT = ("locale", "region", "channel", "today")


def _merged(old: dict[str, Any] | None, new: dict[str, Any] | None) -> dict[str, Any] | None:
    """Requests of one message of the model, which may call several tools at once. None: they were taken up."""
    if new is None or old is None:
        return new
    fields = dict.fromkeys([*old["fields"], *new["fields"]])
    return {"fields": list(fields), "redo": {**old["redo"], **new["redo"]}}


class ReadbackState(AgentState[Any]):
    """The agent's state. ``captures``: the public records; clients cannot write them through the input."""

    captures: NotRequired[Annotated[dict[str, Record], OmitFromInput, forward]]
    readback_request: NotRequired[Annotated[dict[str, Any] | None, PrivateStateAttr, _merged]]
    readback_about: NotRequired[Annotated[dict[str, Any], PrivateStateAttr, overlay]]


class ReadbackMiddleware(Blindness):
    """The read-back loop over ``fields`` and the gate in front of ``actions``, for one ``create_agent``.

    ``actions``  made with ``@gated``; every field they need must be among ``fields``.
    ``context``  locale, region, channel and today, where a run's own context does not say.
    ``lookups``, ``prefill``, ``rules``, ``desk``, ``sealer``, ``ledger``, ``alarm``  as for ``build_agent``.
    ``checkpointer``: the agent's, to keep seals and marks in the same database (default: that of the environment).

    Raises what ``build_agent`` does.
    """

    state_schema = ReadbackState

    def __init__(  # noqa: PLR0913 - the builder's ports, all by name
        self,
        fields: Sequence[FieldSpec],
        *,
        actions: Sequence[GatedAction] = (),
        context: CaptureContext | None = None,
        lookups: Mapping[str, Lookup] | None = None,
        prefill: Mapping[str, Prefill] | None = None,
        rules: Sequence[CrossRule] = (),
        desk: Desk | None = None,
        checkpointer: Saver = None,
        sealer: Sealer | None = None,
        ledger: Ledger | None = None,
        alarm: Callable[[Alarm], None] | None = None,
    ) -> None:
        super().__init__(fields)
        ledger = ledger or default_ledger(place(checkpointer))
        kit = make_kit(
            fields, checkpointer=checkpointer, desk=desk, lookups=lookups, prefill=prefill, rules=rules, sealer=sealer,
            highwater=ledger,
        )  # fmt: skip
        self.context = context or CaptureContext()
        self.actions = by_name(actions, kit)
        self.services = Services(sealer=kit.sealer, ledger=ledger, alarm=alarm or log_alarm, desk=desk)
        self.tools = [capture_tool(list(fields)), *(action.tool_schema for action in actions)]
        self.loop = _loop(kit)

    # -- the user's message: the loop's, or the model's

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Let the loop take the message; when it waits for the user, the model is not called."""
        work = _work(state)
        return None if work is None else _after(state, self.loop.invoke(work, context=self._context(runtime)))

    @hook_config(can_jump_to=["end"])
    async def abefore_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """As ``before_model``."""
        work = _work(state)
        return None if work is None else _after(state, await self.loop.ainvoke(work, context=self._context(runtime)))

    def _context(self, runtime: Runtime[Any]) -> CaptureContext:
        return CaptureContext(**{**self.context.plain(), **given(runtime.context)})

    # -- what the model sees

    def circumstances(self, state: Mapping[str, Any]) -> Ask:
        """Those of the conversation, as the loop has noted them."""
        now = CaptureContext(**{**self.context.plain(), **(state.get("readback_about") or {})})
        return Ask(locale=now.locale or "en-US", region=now.region, channel=now.channel or "voice")

    def shown(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        """The transcript with placeholders, and how to go about details."""
        records, locale = entries(request.state.get("captures")), self.circumstances(request.state).locale
        now = f"Locale: {locale}. Details now: {standing(records, self.specs)}."
        own = [request.system_message.text] if request.system_message else []
        system = SystemMessage("\n\n".join([RULES, *own, now]))
        return request.override(messages=cast("Any", self.seen(request)), system_message=system)

    # -- what the model calls

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Answer ``capture_details``, carry gated actions out through the gate; leave other tools alone."""
        if not self._is_ours(request):
            return handler(request)
        future, _ = submit(self._answer(request))
        return future.result()

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        """As ``wrap_tool_call``."""
        return await self._answer(request) if self._is_ours(request) else await handler(request)

    def _is_ours(self, request: ToolCallRequest) -> bool:
        return request.tool_call["name"] in {CAPTURE, *self.actions}

    async def _answer(self, request: ToolCallRequest) -> Command[Any]:
        call, records = cast("dict[str, Any]", request.tool_call), entries(request.state.get("captures"))
        thread = str(request.runtime.config.get("configurable", {}).get("thread_id") or "")
        code: str | None = None
        wanted: tuple[str, ...] = ()
        redo: dict[str, Any] = {}
        if call["name"] == CAPTURE:
            asked = await capture_request(call["args"], self.specs, records, thread=thread, services=self.services)
            text, wanted, redo = asked.text, asked.fields, stale(records, asked.fields)
        else:
            action = self.actions[call["name"]]
            answer = await action.run(call["args"], captures=records, thread=thread, services=self.services)
            text, code = told(answer)
            if isinstance(answer, Refusal) and answer.code in ANEW:
                wanted, redo = answer.fields, stale(records, answer.fields)
        update: dict[str, Any] = {"messages": [tool_line(call, text, code)]}
        if wanted:
            update["readback_request"] = {"fields": list(wanted), "redo": redo}
        return Command(update=update)


# -- the loop: the capture graph, which here asks only for what the model has asked for


class _Input(TypedDict, total=False):
    messages: Messages
    session: Annotated[dict[str, Any], overlay]


class _Output(TypedDict, total=False):
    messages: Messages
    captures: Annotated[dict[str, Record], forward]
    session: Annotated[dict[str, Any], overlay]


def _work(state: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the loop is given: the user's new message, or the model's request; None when there is neither."""
    messages: list[BaseMessage] = state["messages"]
    request = state.get("readback_request")
    if request:
        session = {"request": True, "wanted": request["fields"], "redo": request["redo"]}
    elif messages and isinstance(messages[-1], HumanMessage):
        session = {"request": None, "redo": None}
    else:
        return None
    return {"messages": messages, "session": session}


def _after(state: Mapping[str, Any], out: Mapping[str, Any]) -> dict[str, Any]:
    """The agent's update: the loop's lines and records; the end of the run when the user is to answer."""
    known = {message.id for message in state["messages"]}
    session = out.get("session") or {}
    update: dict[str, Any] = {
        "messages": [line for line in out.get("messages", []) if mine(line) and line.id not in known],
        "captures": out.get("captures", {}),
        "readback_request": None,
        "readback_about": {key: session[key] for key in _ABOUT if key in session},
    }
    record = entries(out.get("captures")).get(str(session.get("floor")), {})
    return update | ({"jump_to": "end"} if record.get("status") in OPEN else {})


def _loop(kit: Kit) -> CompiledStateGraph[Any, Any, Any, Any]:
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(
        CaptureState, context_schema=CaptureContext, input_schema=_Input, output_schema=_Output
    )
    then = onward(kit)
    nodes = [f"{name}.{node}" for name in kit.specs for node in ("ASK", "VALIDATE", "READBACK", "RETRY", "HANDOFF")]
    arrivals = {node: node for node in nodes} | then.targets | {routes.WAIT: END}
    add_arrival(builder, kit, _arrive(kit), arrivals)
    builder.add_node(routes.HUMAN, watched(human(kit), routes.HUMAN))
    builder.add_conditional_edges(routes.HUMAN, then.route, cast("Any", then.targets))
    for spec in kit.specs.values():
        add_field_loop(builder, spec, kit=kit, then=then)
    return builder.compile(checkpointer=True, name="capture")


def _arrive(kit: Kit) -> Callable[..., str]:
    """To the field that waits or is addressed; to ASK only when the model has asked for details."""
    base = routes.arrive(kit)

    def route(state: CaptureState) -> str:
        run = look(state)
        if not run.session.get("request"):
            target = base(state)
            return routes.WAIT if target == routes.DONE or target.endswith(".ASK") else target
        redo = run.session.get("redo")
        for name, revision in redo.items() if isinstance(redo, Mapping) else ():
            if name in kit.specs and run.records.get(name, {}).get("revision") == revision:
                return f"{name}.ASK"
        name = routes.next_field(kit, run)
        return routes.WAIT if name is None else f"{name}.ASK"

    return route
