"""Blindness as a middleware of LangChain's ``create_agent`` (extra ``middleware``).

For agents beside the capture: another agent of a swarm, a specialist under a supervisor. The agent that captures and
acts takes ``langgraph_readback.graph.middleware.ReadbackMiddleware``, which is blind as well. A supervisor made with
``create_supervisor`` takes ``langgraph_readback.tools.blind_hook`` as its ``pre_model_hook``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Annotated, Any, NotRequired, cast

from langchain_core.messages import BaseMessage

from langgraph_readback.fields import Ask, FieldSpec
from langgraph_readback.state import Record, forward
from langgraph_readback.tools.blind import blind, paired

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
except ImportError as error:  # pragma: no cover - what a project without the extra is told
    raise ImportError("the middleware needs langchain: pip install 'langgraph-readback[middleware]'") from error

__all__ = ["BlindState", "Blindness"]


class BlindState(AgentState[Any]):
    """The agent's state with the records, as a parent graph passes them down."""

    captures: NotRequired[Annotated[dict[str, Record], forward]]


class Blindness(AgentMiddleware[Any, Any, Any]):
    """The model of this agent sees placeholders instead of the details ``specs``.

    ``ask``: the circumstances (locale, channel, region) in which volunteered values are heard.
    """

    state_schema = BlindState

    def __init__(self, specs: Iterable[FieldSpec], *, ask: Ask | None = None) -> None:
        super().__init__()
        self.specs = {spec.name: spec for spec in specs}
        self.ask = ask

    def seen(self, request: ModelRequest[Any]) -> list[BaseMessage]:
        """What the model may see of the conversation so far."""
        captures = request.state.get("captures")
        records = captures if isinstance(captures, Mapping) else {}
        return paired(blind(request.messages, records, self.specs.values(), ask=self.circumstances(request.state)))

    def circumstances(self, state: Mapping[str, Any]) -> Ask | None:  # noqa: ARG002 - for sub-classes
        """How volunteered values are heard."""
        return self.ask

    def shown(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        """The request as the model gets it."""
        return request.override(messages=cast("Any", self.seen(request)))

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Show the model placeholders."""
        return handler(self.shown(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """As ``wrap_model_call``."""
        return await handler(self.shown(request))
