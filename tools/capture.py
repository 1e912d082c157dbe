"""capture_details: the tool by which a model says which details are needed. It never sees their values.

The call is answered at once; the loop itself is routing. A tool that waited for the user would leave tool calls
unanswered, which providers reject.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, ConfigDict, Field

from langgraph_readback.fields import FieldSpec
from langgraph_readback.tools.actions import Services
from langgraph_readback.tools.admit import stands

__all__ = ["CAPTURE", "Request", "capture_tool", "request"]

CAPTURE = "capture_details"

_STANDING = {"CONFIRMED": "confirmed", "HANDOFF": "with a colleague", "DECLINED": "the user has none"}


class CaptureArguments(BaseModel):
    """What the model passes."""

    model_config = ConfigDict(extra="forbid")
    fields: list[str] = Field(description="Names of the details that are needed, in the order to ask for them.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """A checked call: the fields that will be asked for now, and the words that answer the call."""

    fields: tuple[str, ...]
    text: str


def capture_tool(specs: Sequence[FieldSpec]) -> BaseTool:
    """The tool to bind to a model. It only describes: ``request`` answers its calls."""
    names = ", ".join(spec.name for spec in specs)
    words = (
        "Have details captured exactly: the user is asked for each, hears it read back and confirms it. "
        f"You never see the values and never ask for them yourself. Details that can be captured: {names}."
    )

    def only_answered_by_the_graph(**_: Any) -> NoReturn:
        raise ToolException(f"{CAPTURE} is answered by the graph")

    return StructuredTool(
        name=CAPTURE, description=words, args_schema=CaptureArguments, func=only_answered_by_the_graph
    )


async def request(
    args: Any, specs: Mapping[str, FieldSpec], captures: Mapping[str, Any], *, thread: str, services: Services
) -> Request:
    """Answer a model's call. ``captures``: the records, of which only the status is told.

    A record that says CONFIRMED but would not pass the gate (no seal that holds, too old, not the newest) is captured
    anew.
    """
    asked = args.get("fields") if isinstance(args, Mapping) else None
    names = [asked] if isinstance(asked, str) else asked if isinstance(asked, list) else []
    known = [name for name in dict.fromkeys(n for n in names if isinstance(n, str)) if name in specs]
    if not known:
        return Request(fields=(), text=f"nothing was captured: pass fields, some of {', '.join(specs)}")
    standing = {name: await _standing(specs[name], captures, thread, services) for name in known}
    open_ = tuple(name for name in known if standing[name] is None)
    done = [f"{name}: {words}" for name, words in standing.items() if words]
    unknown = len(names) - len(known)
    parts = [f"capturing {', '.join(open_)}"] if open_ else []
    parts += done + ([f"{unknown} of the fields cannot be captured"] if unknown else [])
    return Request(fields=open_, text="; ".join(parts))


async def _standing(
    spec: FieldSpec, captures: Mapping[str, Any], thread: str, services: Services
) -> str | None:  # fmt: skip
    """Where a field stands, in words; None when the user has to be asked."""
    record = captures.get(spec.name)
    status = str(record.get("status")) if isinstance(record, Mapping) else ""
    if status == "CONFIRMED" and not await stands(spec, captures, thread, services):
        return None
    return _STANDING.get(status)
