"""CONVERSE: the model's turn. It plans and talks; it sees no value, words no read-back and moves no status.

Whatever goes wrong with the model (down, slow, empty, too many rounds), the planner takes the turn and says so:
captures go on without a model.

A model whose LangChain profile says ``tool_calling: False`` only talks: the planner plans, and the model speaks when
there is nothing to do. What it says starts no capture, calls no action and is read by nobody but the user.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
import uuid
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, get_args

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableLambda

from langgraph_readback.fields import sentence
from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.planner import Plan, plan
from langgraph_readback.nodes.turns import model_line, snapshot, transcript, write
from langgraph_readback.nodes.view import Look, Update, look
from langgraph_readback.state import CaptureState, Status
from langgraph_readback.tools import GatedAction, capture_tool

__all__ = ["RULES", "Crew", "converse", "standing"]

_LOG = logging.getLogger("langgraph_readback.agent")
_MOST_CALLS = 8
"""Tool calls of one message that are carried out."""
_MOST_ROUNDS = 8
"""Turns of the model in one run; a model that never stops calling tools is stopped."""

Bound = Runnable[LanguageModelInput, AIMessage]

RULES = """You talk with a user and get things done with the tools.
Personal details are captured by the program, never by you: you see placeholders such as <email offered>,
<answer about email> or <email read back> instead of them. Never ask for a detail, never repeat, guess or write one,
never say that one is right or wrong. When details are needed call capture_details with their names; the program then
asks the user, reads back and confirms. Call an action only when its details are confirmed; it takes them from the
program. When a tool refuses, follow what it says. Say only what tools have told you about what was done. Be brief.
Answer in the user's language."""

TALK = """You talk with a user; a program does the work. It asks for details, reads them back and carries things out.
Never ask for a detail, never repeat, guess or write one, never say that something was done. Answer the user's last
words in one or two short sentences, in the user's language."""
"""The rules of a model that only talks."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Crew:
    """What converse works with. ``model`` None: the planner alone. ``seconds``: the model's time for one turn."""

    kit: Kit
    actions: Mapping[str, GatedAction]
    model: BaseChatModel | None = None
    seconds: float = 30.0
    instructions: str = ""

    @property
    def talks_only(self) -> bool:
        """Whether the model is known to call no tools."""
        profile = None if self.model is None else self.model.profile
        return profile is not None and profile.get("tool_calling") is False

    def bound(self) -> Bound | None:
        """The model with its tools; without them, when it cannot call any."""
        if self.model is None or self.talks_only:
            return self.model
        tools = [capture_tool(list(self.kit.specs.values())), *(a.tool_schema for a in self.actions.values())]
        return self.model.bind_tools(tools)


def converse(crew: Crew) -> RunnableLambda[CaptureState, Update]:
    """The shared node ``converse``, for ``invoke`` and ``ainvoke``."""
    model = crew.bound()

    def node(state: CaptureState) -> Update:
        run = look(state)
        seen = transcript(run, crew.kit.specs)
        if model is None or _rounds(run) > _MOST_ROUNDS or _has_work(crew, run, seen):
            return _planned(crew, run, seen)
        try:
            answer = _within(crew.seconds, model, _prompt(crew, run, seen))
            return _answered(crew, run, seen, answer)
        except Exception as error:  # noqa: BLE001 - a model may fail in any way; the conversation goes on
            return _down(crew, run, seen, error)

    async def anode(state: CaptureState) -> Update:
        run = look(state)
        seen = transcript(run, crew.kit.specs)
        if model is None or _rounds(run) > _MOST_ROUNDS or _has_work(crew, run, seen):
            return _planned(crew, run, seen)
        try:
            async with asyncio.timeout(crew.seconds):
                answer = await model.ainvoke(_prompt(crew, run, seen))
            return _answered(crew, run, seen, answer)
        except Exception as error:  # noqa: BLE001 - as above
            return _down(crew, run, seen, error)

    return RunnableLambda(node, afunc=anode, name="converse")


def _within(seconds: float, model: Bound, prompt: list[BaseMessage]) -> AIMessage:
    """Invoke in a thread that is left behind when it takes too long. Raises TimeoutError, and what the model raises."""
    future: Future[AIMessage] = Future()
    context = contextvars.copy_context()

    def call() -> None:
        try:
            future.set_result(context.run(model.invoke, prompt))
        except Exception as error:  # noqa: BLE001 - handed to the waiting thread
            future.set_exception(error)
        except BaseException as error:  # noqa: BLE001 - an exit asked for here would end the caller's process
            future.set_exception(RuntimeError(type(error).__name__))

    threading.Thread(target=call, name="readback-model", daemon=True).start()
    return future.result(seconds)


def _prompt(crew: Crew, run: Look, seen: Sequence[BaseMessage]) -> list[BaseMessage]:
    now = standing(run.records, crew.kit.specs)
    parts = [TALK if crew.talks_only else RULES, crew.instructions, f"Locale: {run.ask.locale}. Details now: {now}."]
    return [SystemMessage("\n\n".join(part for part in parts if part)), *(_words(seen) if crew.talks_only else seen)]


def _words(seen: Sequence[BaseMessage]) -> list[BaseMessage]:
    """What was said, without tools: a server for a model that calls none may not even take them."""
    told = [AIMessage(m.text, id=m.id) if isinstance(m, AIMessage) else m for m in seen if m.type != "tool"]
    return [m for m in told if m.text or not isinstance(m, AIMessage)]


def standing(records: Mapping[str, Any], names: Iterable[str]) -> str:
    """Each field's status in words of ours: what a client wrote over it never gets into the prompt."""
    known = {name: records.get(name, {}).get("status") for name in names}
    return "; ".join(f"{n}: {s if s in get_args(Status) else 'not asked yet'}" for n, s in known.items())


def _answered(crew: Crew, run: Look, seen: Sequence[BaseMessage], answer: Any) -> Update:
    """The model's message, rebuilt from its text and calls: nothing else of it is kept."""
    if not isinstance(answer, AIMessage):
        return _down(crew, run, seen, TypeError("no message"))
    calls = [
        {"name": str(call["name"]), "args": call["args"], "id": call["id"] or f"call_{uuid.uuid4().hex}"}
        for call in ([] if crew.talks_only else answer.tool_calls[:_MOST_CALLS])
    ]
    if not calls and not answer.text.strip():
        return _down(crew, run, seen, ValueError("an empty answer"))
    message = model_line(crew.kit.sealer, run, answer.text, calls)
    return write(run, [message], _session(run, down=False))


def _has_work(crew: Crew, run: Look, seen: Sequence[BaseMessage]) -> bool:
    """Whether the planner must take the turn of a model that can only talk."""
    return crew.talks_only and not plan(run, crew.kit, crew.actions, seen).idle


def _planned(crew: Crew, run: Look, seen: Sequence[BaseMessage], *, first: str = "") -> Update:
    made: Plan = plan(run, crew.kit, crew.actions, seen)
    text = " ".join(part for part in (first, made.text) if part)
    message = model_line(crew.kit.sealer, run, text, made.calls)
    return write(run, [message], {**_session(run, down=bool(first) or None), "plan": made.memory})


def _down(crew: Crew, run: Look, seen: Sequence[BaseMessage], error: BaseException) -> Update:
    """The planner's turn instead; the user is told the first time."""
    _LOG.warning("the model failed with %s: the planner takes this turn", type(error).__name__)
    first = "" if run.session.get("model_down") else sentence(run.ask.locale, "agent.model_down")
    update = _planned(crew, run, seen, first=first)
    update["session"]["model_down"] = True
    return update


def _rounds(run: Look) -> int:
    """Which turn of the model this is since the user last spoke."""
    rounds = run.session.get("rounds")
    return 1 if run.pending or not isinstance(rounds, int) else rounds + 1


def _session(run: Look, *, down: bool | None) -> dict[str, Any]:
    new: dict[str, Any] = {"rounds": _rounds(run), "known": snapshot(run), "floor": None}
    if not isinstance(run.session.get("wanted"), list):
        new["wanted"] = []  # without a list the loop would ask for every field
    if down is not None:
        new["model_down"] = down or None
    return new
