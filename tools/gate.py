"""The gate: an action that runs only with values the user confirmed in this conversation, and only once.

    @gated(EMAIL, ORDER_ID)                      # hidden from the model's schema, injected from sealed records
    async def refund(email: str, order_id: str, reason: str, *, action: Action) -> Receipt: ...

The model sees ``reason``. ``refund`` is now a ``GatedAction``: bind ``refund.tool_schema`` to a model, and carry out
its tool calls with ``await refund.run(args, captures=..., thread=..., services=...)``.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, NoReturn, get_args, get_origin, get_type_hints

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from langgraph_readback.fields import FieldSpec
from langgraph_readback.tools.actions import Action, Receipt, Refusal, Services
from langgraph_readback.tools.admit import Admitted, MinVerified, admit
from langgraph_readback.tools.ledger import Mark
from langgraph_readback.tools.once import CURRENT, Effect, Order, carry_out, working

__all__ = ["GatedAction", "gated"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_TIMEOUT = 30.0
_LOG = logging.getLogger("langgraph_readback.tools")
_ATTACKS = frozenset({"tampered", "other_thread"})
"""Refusals that the product itself never gives rise to: somebody wrote where they should not."""


def gated(
    *specs: FieldSpec,
    check: Callable[[Action], Any] | None = None,
    min_verified: MinVerified = "format",
    agreed: bool = False,
    once_per: tuple[str, ...] = (),
    timeout: float = _TIMEOUT,
    name: str | None = None,
) -> Callable[[Callable[..., Any]], GatedAction]:
    """Put a function behind the gate. It may be sync (it is run in a thread) or async, and returns a Receipt.

    ``specs``         fields whose confirmed values the function gets, by parameters of their names.
    ``check``         ``check(action) -> Receipt | None``, sync or async: after a crash, whether the effect with
                      ``action.key`` happened (its receipt) or certainly not (None). Raising means: still unknown.
    ``min_verified``  refuse values that were checked less than this: ``format``, ``world`` or ``human``.
    ``agreed``        refuse values that no person said yes to: trusted from the session, or sealed without a read-back.
    ``once_per``      the action runs once for the same confirmed values, whatever else the model passes. Name here the
                      parameters that make it another action (the slot of an appointment; not the reason of a refund).
    ``timeout``       seconds the function and the check may take.

    Raises TypeError, when the function is defined, for parameters that do not fit.
    """

    def decorate(function: Callable[..., Any]) -> GatedAction:
        options: dict[str, Any] = {
            "check": check,
            "min_verified": min_verified,
            "agreed": agreed,
            "once_per": once_per,
            "timeout": timeout,
        }
        return GatedAction(function=function, specs=specs, name=name or function.__name__, **options)

    return decorate


@dataclass(frozen=True, kw_only=True)
class GatedAction:
    """A function behind the gate; made by ``gated``, whose docstring explains the options."""

    name: str
    function: Callable[..., Any] = field(repr=False)
    specs: tuple[FieldSpec, ...] = field(repr=False)
    check: Callable[[Action], Any] | None = field(default=None, repr=False)
    min_verified: MinVerified = "format"
    agreed: bool = False
    once_per: tuple[str, ...] = ()
    timeout: float = _TIMEOUT

    def __post_init__(self) -> None:
        """Check what the function takes. Raises TypeError with what to change."""
        parameters = inspect.signature(self.function).parameters
        if not _NAME.fullmatch(self.name):
            raise TypeError(f"a model cannot call an action named {self.name!r}: use letters, digits and _")
        for parameter in parameters.values():
            if parameter.kind in {parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}:
                raise TypeError(f"{self.name}: parameter {parameter.name!r} cannot be passed by name")
        if "action" in self.fields:
            raise TypeError(f"{self.name}: 'action' is what the gate passes itself; give the field another name")
        for wanted in [spec.name for spec in self.specs] + list(self.once_per):
            if wanted not in parameters:
                raise TypeError(f"{self.name} is gated on {wanted!r} but has no parameter of that name")
        for listed in self.once_per:
            if listed not in self.arguments:
                raise TypeError(f"{self.name}: once_per names {listed!r}, which is confirmed by the user anyway")

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse: a gated action has no way around the gate. Tests of the bare function use ``.function``."""
        raise TypeError(f"{self.name} is gated: await {self.name}.run(args, captures=..., thread=..., services=...)")

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields it needs."""
        return tuple(spec.name for spec in self.specs)

    @cached_property
    def arguments(self) -> dict[str, tuple[Any, Any]]:
        """What the model passes: by name, the type and the default (``...``: none)."""
        parameters = inspect.signature(self.function).parameters
        told = [name for name in parameters if name not in {*self.fields, "action"}]
        hints = _hints(self.function, told)
        defaults = {name: parameters[name].default for name in told}
        return {
            name: (hints[name], ... if defaults[name] is inspect.Parameter.empty else defaults[name]) for name in told
        }

    @cached_property
    def schema(self) -> type[BaseModel]:
        """The model's arguments; no others are allowed."""
        config = ConfigDict(extra="forbid", hide_input_in_errors=True)
        made: type[BaseModel] = create_model(f"{self.name}_arguments", __config__=config, **self.arguments)  # type: ignore[call-overload]
        return made

    @cached_property
    def tool_schema(self) -> BaseTool:
        """The tool to bind to a model: name, description and arguments. Invoking it by itself is an error."""

        def only_through_the_gate(**_: Any) -> NoReturn:
            raise ToolException(f"{self.name} runs only through the gate")

        words = inspect.getdoc(self.function) or self.name.replace("_", " ")
        if self.specs:
            words += f" Uses {', '.join(self.fields)} as confirmed by the user: never pass or ask for them yourself."
        return StructuredTool(name=self.name, description=words, args_schema=self.schema, func=only_through_the_gate)

    async def run(
        self, args: Mapping[str, Any], *, captures: Mapping[str, Any], thread: str, services: Services
    ) -> Receipt | Refusal:
        """Carry it out for a model's tool call, or say why not. ``captures`` are the graph's records.

        ``thread`` is the conversation's id as the graph runs it, never as a message tells it. Raises nothing but
        cancellation.
        """
        answer = await self._run(args, captures, thread, services)
        if isinstance(answer, Refusal):
            level = logging.WARNING if answer.code in _ATTACKS else logging.INFO
            _LOG.log(level, "action %s refused: %s (%s)", self.name, answer.code, ", ".join(answer.fields))
        return answer

    async def _run(
        self, args: Mapping[str, Any], captures: Mapping[str, Any], thread: str, services: Services
    ) -> Receipt | Refusal:
        if not thread:  # all such conversations would share their seals and their keys
            words = f"{self.name} was not started: this conversation has no id (checkpointer and thread_id)"
            return Refusal(action=self.name, code="other_thread", text=words)
        passed = self._passed(args)
        if isinstance(passed, Refusal):
            return passed
        values: dict[str, str] = {}
        marks: list[Mark] = []
        now = services.clock()
        for spec in self.specs:
            admitted = self._admit(spec, captures, thread, services, now)
            if isinstance(admitted, Refusal):
                return admitted
            marks.append(admitted.mark)
            if admitted.value is not None:
                values[spec.name] = admitted.value
        key = self._key(thread, marks, passed)
        order = Order(
            key=key,
            name=self.name,
            thread=thread,
            values=values,
            marks=tuple(marks),
            run=self._effect({**passed, **values}),
            check=_called(self.check) if self.check else None,
            timeout=self.timeout,
        )
        return await carry_out(order, services)

    def _passed(self, args: Mapping[str, Any]) -> dict[str, Any] | Refusal:
        """The model's own arguments, checked; a captured one among them is refused, not ignored."""
        if not isinstance(args, Mapping):
            return self._refuse_arguments("its arguments must be an object")
        for name in args:
            if name in self.fields:
                return self._refuse_arguments(f"do not pass {name}: it is taken from what the user confirmed")
            if name not in self.arguments:
                return self._refuse_arguments(f"its arguments are: {', '.join(self.arguments) or 'none'}")
        try:
            checked = self.schema.model_validate(dict(args))
        except ValidationError as error:
            wrong = {str(e["loc"][0]) if e["loc"] else "arguments": e["msg"] for e in error.errors(include_input=False)}
            return self._refuse_arguments("; ".join(f"{name}: {message}" for name, message in wrong.items()))
        return {name: getattr(checked, name) for name in self.arguments}

    def _refuse_arguments(self, detail: str) -> Refusal:
        return Refusal(action=self.name, code="bad_arguments", text=f"{self.name} was not called: {detail}")

    def _admit(
        self, spec: FieldSpec, captures: Mapping[str, Any], thread: str, services: Services, now: float
    ) -> Admitted | Refusal:
        weakest = self.min_verified
        admitted = admit(
            spec, captures, action=self.name, thread=thread, sealer=services.sealer, now=now, min_verified=weakest,
            agreed=self.agreed,
        )  # fmt: skip
        parameter = inspect.signature(self.function).parameters[spec.name]
        may_lack = spec.optional and parameter.default is not parameter.empty
        if isinstance(admitted, Refusal) and admitted.code == "declined" and may_lack:
            return Admitted(value=None, mark=Mark(field=spec.name, revision=0, fingerprints=()))
        return admitted

    def _key(self, thread: str, marks: list[Mark], passed: dict[str, Any]) -> str:
        """The same for every attempt at one confirmed intent, and without anything that could be read back."""
        told = self.schema.model_construct(**passed).model_dump(mode="json", include=set(self.once_per))
        content = [thread, self.name, sorted((mark.field, mark.revision) for mark in marks), sorted(told.items())]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def _effect(self, arguments: dict[str, Any]) -> Effect:
        wants_action = "action" in inspect.signature(self.function).parameters

        def bound(action: Action) -> Any:
            return self.function(**arguments, **({"action": action} if wants_action else {}))

        return _called(bound, is_async=inspect.iscoroutinefunction(self.function))


def _called(function: Callable[[Action], Any], *, is_async: bool | None = None) -> Effect:
    """An async form of a function: a plain one runs in a thread, and counts as working until that thread ends."""
    if inspect.iscoroutinefunction(function) if is_async is None else is_async:
        return function

    async def call(action: Action) -> Any:
        owner = CURRENT.get()

        def in_thread() -> Any:
            with working(owner):
                return function(action)

        result = await asyncio.to_thread(in_thread)
        return await result if inspect.isawaitable(result) else result

    return call


def _hints(function: Callable[..., Any], names: list[str]) -> dict[str, Any]:
    """The types of these parameters only: those of the hidden ones may not even be importable. Text by default."""
    bare = inspect.unwrap(function)
    annotations = {name: getattr(bare, "__annotations__", {}).get(name, str) for name in names}
    holder = type("parameters", (), {"__annotations__": annotations})
    hints = get_type_hints(holder, globalns=getattr(bare, "__globals__", None), include_extras=True)
    return {name: _described(hint) for name, hint in hints.items()}


def _described(hint: Any) -> Any:
    """Take ``Annotated[str, "what it is"]`` as the description of an argument, as LangChain does."""
    if get_origin(hint) is not Annotated:
        return hint
    kind, *notes = get_args(hint)
    described = tuple(Field(description=note) if isinstance(note, str) else note for note in notes)
    return Annotated[kind, *described]
