"""ACT: carries out the model's tool calls. Gated actions run only through the gate; captures are only asked for.

Every call is answered, in order, so that the model's transcript is whole. Only calls that ``converse`` sealed count.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableLambda

from langgraph_readback.nodes.converse import Crew
from langgraph_readback.nodes.turns import calls_of, tool_line, write
from langgraph_readback.nodes.view import Look, Update, look
from langgraph_readback.nodes.world import submit
from langgraph_readback.state import CaptureState
from langgraph_readback.tools import CAPTURE, Receipt, Refusal, Services, request

__all__ = ["ANEW", "act", "stale", "told"]

ANEW = frozenset({"unsealed", "tampered", "other_thread", "expired", "superseded", "unfit"})
"""Refusals of a record that says CONFIRMED: its field is captured anew."""


def act(crew: Crew, services: Services) -> RunnableLambda[CaptureState, Update]:
    """The shared node ``act``, for ``invoke`` and ``ainvoke``."""

    async def anode(state: CaptureState) -> Update:
        run = look(state)
        return await _carry_out(crew, services, run)

    def node(state: CaptureState) -> Update:
        run = look(state)
        future, _ = submit(_carry_out(crew, services, run))
        return future.result()

    return RunnableLambda(node, afunc=anode, name="act")


async def _carry_out(crew: Crew, services: Services, run: Look) -> Update:
    lines: list[ToolMessage] = []
    before = run.session.get("wanted")
    wanted = [n for n in before if isinstance(n, str) and n in crew.kit.specs] if isinstance(before, list) else []
    redo: dict[str, Any] = {}
    for call in calls_of(crew.kit.sealer, run):
        if call["name"] == CAPTURE:
            asked = await request(call["args"], crew.kit.specs, run.records, thread=run.thread, services=services)
            wanted = [*asked.fields, *(name for name in wanted if name not in asked.fields)]
            redo |= stale(run.records, asked.fields)
            lines.append(tool_line(call, asked.text))
        elif (action := crew.actions.get(call["name"])) is not None:
            answer = await action.run(call["args"], captures=run.records, thread=run.thread, services=services)
            if isinstance(answer, Refusal) and answer.code in ANEW:
                redo |= stale(run.records, answer.fields)
            lines.append(tool_line(call, *told(answer)))
        else:
            lines.append(
                tool_line(call, f"there is no tool of that name; there are {CAPTURE}, {', '.join(crew.actions)}")
            )
    return write(run, lines, {"wanted": wanted, "redo": redo or None})


def stale(records: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Fields whose record claims to be confirmed and is not accepted, with the revision to leave behind."""
    return {n: records[n].get("revision") for n in names if records.get(n, {}).get("status") == "CONFIRMED"}


def told(answer: Receipt | Refusal) -> tuple[str, str]:
    """What the model reads of an answer, and its code."""
    if isinstance(answer, Refusal):
        return f"refused: {answer.text}", answer.code
    text = answer.text or answer.reference or "carried out"
    if answer.compared == "different":
        return f"carried out with other details than were confirmed, a colleague corrects it: {text}", "different"
    return (f"done already, nothing ran now: {text}", "repeated") if answer.repeated else (f"done: {text}", "done")
