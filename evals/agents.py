"""Agents that are LangGraph graphs: ours, a builder's (``module:graph``), or one on a LangGraph server.

A session sends plain messages and reads back what any agent of that kind shows: its new AI messages, and what it
stored (``captures`` in the state, a plain ``{field: value}`` dict in it, or the arguments of a tool call).
"""

from __future__ import annotations

import importlib
import sys
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from langgraph_readback.context import CaptureContext, Channel
from langgraph_readback.evals.intent import Line
from langgraph_readback.evals.play import Session, Stored, Turn
from langgraph_readback.evals.specs import TODAY, spec_of, supported
from langgraph_readback.evals.tasks import Item, Task
from langgraph_readback.evals.world import Counter, World, registered
from langgraph_readback.fields import FieldSpec
from langgraph_readback.graph import build_capture_graph
from langgraph_readback.ports import MemoryHighWater
from langgraph_readback.seal import Sealer

TERMINAL = frozenset({"CONFIRMED", "HANDOFF", "DECLINED"})
_KEY = "the-yardstick-seals-nothing-of-worth"
_COUNTER = Counter()

Graph = CompiledStateGraph[Any, Any, Any, Any]


@dataclass(slots=True)
class GraphSession:
    """A conversation with a compiled graph. ``opening``: the caller's first words; empty: a run without a message."""

    graph: Graph
    task: Task
    channel: str = "voice"
    opening: str = ""
    context: bool = True
    thread: str = field(default_factory=lambda: str(uuid.uuid4()))
    seen: int = 0
    state: Mapping[str, Any] = field(default_factory=dict)

    def open(self) -> Turn:
        """The first run."""
        return self._run([HumanMessage(self.opening, id=str(uuid.uuid4()))] if self.opening else [])

    def send(self, text: str, marks: Mapping[str, Any]) -> Turn:
        """One message of the caller."""
        return self._run([HumanMessage(text, id=str(uuid.uuid4()), additional_kwargs=dict(marks))])

    def stored(self) -> Mapping[str, Stored]:
        """What the graph holds now."""
        return holdings(self.state, self.state.get("messages", ()), self.task.items)

    def _run(self, messages: list[HumanMessage]) -> Turn:
        before = _COUNTER.asked
        config: RunnableConfig = {"configurable": {"thread_id": self.thread}}
        more: dict[str, Any] = {"durability": "exit"}  # one checkpoint a turn: nothing crashes here
        if self.context:
            channel: Channel = "chat" if self.channel == "chat" else "voice"
            more["context"] = CaptureContext(locale=self.task.locale, channel=channel, today=TODAY)
        self.state = self.graph.invoke({"messages": messages}, config, **more) or {}
        every = list(self.state.get("messages", ()))
        new, self.seen = every[self.seen :], len(every)
        done = "__interrupt__" in self.state or finished(self.stored(), self.task.items)
        return Turn(lines_of(new), done=done, tools=_COUNTER.asked - before + tool_calls(new))


def lines_of(messages: Iterable[Any]) -> tuple[Line, ...]:
    """What an agent said in some messages (objects or the server's dictionaries)."""
    out = []
    for message in messages:
        plain = message if isinstance(message, Mapping) else message.model_dump()
        if plain.get("type") not in ("ai", "AIMessageChunk"):
            continue
        text = _text(plain.get("content"))
        if text.strip():
            out.append(Line(text, dict((plain.get("additional_kwargs") or {}).get("readback") or {})))
    return tuple(out)


def tool_calls(messages: Iterable[Any]) -> int:
    """How many tools an agent used in some messages."""
    return sum(len(_calls(m)) for m in messages)


def holdings(state: Mapping[str, Any], messages: Iterable[Any], items: Sequence[Item]) -> dict[str, Stored]:
    """What an agent holds for the fields of a task, wherever it keeps it.

    Looked for in this order: ``captures`` (records with a status, or plain values), any other dict of the state that
    has the field, the state itself, and the arguments of the last tool call that has it. A value without a status was
    stored on the agent's own judgement and counts as CONFIRMED: it is what an action would use.
    """
    out: dict[str, Stored] = {}
    calls = [c for m in messages for c in _calls(m)]
    places: list[Any] = [state.get("captures"), *(v for k, v in state.items() if k != "captures"), state]
    places += [c.get("args") for c in reversed(calls)]
    for item in items:
        for place in places:
            found = _stored(place.get(item.field)) if isinstance(place, Mapping) and item.field in place else None
            if found is not None:
                out[item.field] = found
                break
    return out


def finished(stored: Mapping[str, Stored], items: Sequence[Item]) -> bool:
    """Whether every field of a task has come to an end."""
    return all(i.field in stored and stored[i.field].status in TERMINAL for i in items)


def _stored(entry: Any) -> Stored | None:
    if isinstance(entry, Mapping):
        value = entry.get("value")
        status = str(entry.get("status") or ("CONFIRMED" if value else ""))
        return Stored(status, value if isinstance(value, str) else None)
    return Stored("CONFIRMED", entry) if isinstance(entry, str) and entry else None


def _calls(message: Any) -> list[Mapping[str, Any]]:
    if isinstance(message, AIMessage):
        return [dict(c) for c in message.tool_calls]
    return list(message.get("tool_calls") or []) if isinstance(message, Mapping) else []


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return " ".join(b if isinstance(b, str) else str(b.get("text", "")) for b in blocks if isinstance(b, str | Mapping))


# --- our loop ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Loop:
    """Makes sessions with the full loop. ``world``: the registers of its lookups; None: format only."""

    world: World | None = None

    def __call__(self, task: Task, channel: str) -> Session:
        """One conversation. Raises KeyError for a type the product does not have (see ``can_play``)."""
        return GraphSession(_loop_graph(task, self.world), task, channel)


_GRAPHS: dict[Any, Graph] = {}


def _loop_graph(task: Task, world: World | None) -> Graph:
    """One compiled graph for the same fields and world; calls are threads of it."""
    parts = tuple((i.field, i.spec, i.pattern, i.checksum, i.type) for i in task.items)
    key = (parts, id(world))
    if key not in _GRAPHS:
        specs: list[FieldSpec] = [spec_of(i) for i in task.items]
        asked = {i.field: world.lookup(i.type, _COUNTER) for i in task.items if registered(i.type)} if world else None
        _GRAPHS[key] = build_capture_graph(
            specs, checkpointer=InMemorySaver(), lookups=asked, sealer=Sealer([_KEY]), highwater=MemoryHighWater()
        )
    return _GRAPHS[key]


def can_play(task: Task) -> bool:
    """Whether the product has the types of all fields."""
    return all(supported(i) for i in task.items)


# --- a builder's agent ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Module:
    """Makes sessions with a builder's graph: ``module:graph`` (compiled, or a function that makes one)."""

    path: str
    opening: str = "Hello."

    def __call__(self, task: Task, channel: str) -> Session:
        """One conversation."""
        graph = load(self.path)
        context = getattr(graph, "context_schema", None) is CaptureContext
        return GraphSession(graph, task, channel, opening=self.opening, context=context)


@lru_cache(maxsize=4)
def load(path: str) -> Graph:
    """The graph that ``module:name`` names, with a saver in memory when it has none.

    Raises ValueError with what to change when it cannot be used.
    """
    module, colon, name = path.partition(":")
    if not colon or not name:
        raise ValueError(f"--agent needs module:graph or http://..., got {path!r}")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(importlib.import_module(module.removesuffix(".py").replace("/", ".")), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"--agent: cannot load {path!r}: {error}") from error
    made = found() if callable(found) and not hasattr(found, "invoke") else found
    if not isinstance(made, CompiledStateGraph):
        raise ValueError(  # noqa: TRY004 - the option is what is wrong
            f"--agent: {path!r} is not a compiled graph, but {type(made).__name__}: export graph = builder.compile()"
        )
    return made if made.checkpointer else made.copy(update={"checkpointer": InMemorySaver()})


@dataclass(frozen=True, slots=True)
class Server:
    """Makes sessions with an assistant on a LangGraph server. ``url#assistant`` names one; ``agent`` by default."""

    url: str
    opening: str = "Hello."

    def __call__(self, task: Task, channel: str) -> Session:
        """One conversation."""
        return ServerSession(self.url, task, channel, opening=self.opening)


@dataclass(slots=True)
class ServerSession:
    """A thread on a LangGraph server, through langgraph-sdk."""

    url: str
    task: Task
    channel: str
    opening: str = "Hello."
    thread: str = ""
    seen: int = 0
    state: Mapping[str, Any] = field(default_factory=dict)

    def open(self) -> Turn:
        """Make a thread and say the opening words."""
        self.thread = str(self._client().threads.create()["thread_id"])
        return self._run([{"type": "human", "content": self.opening}] if self.opening else [])

    def send(self, text: str, marks: Mapping[str, Any]) -> Turn:
        """One message of the caller."""
        return self._run([{"type": "human", "content": text, "additional_kwargs": dict(marks)}])

    def stored(self) -> Mapping[str, Stored]:
        """What the thread's state holds."""
        return holdings(self.state, self.state.get("messages", ()), self.task.items)

    def _run(self, messages: list[dict[str, Any]]) -> Turn:
        assistant = self.url.partition("#")[2] or "agent"
        context = {"locale": self.task.locale, "channel": self.channel, "today": TODAY.isoformat()}
        answer = self._client().runs.wait(self.thread, assistant, input={"messages": messages}, context=context)
        self.state = answer if isinstance(answer, Mapping) else {}
        every = list(self.state.get("messages", ()))
        new, self.seen = every[self.seen :], len(every)
        done = "__interrupt__" in self.state or finished(self.stored(), self.task.items)
        return Turn(lines_of(new), done=done, tools=tool_calls(new))

    def _client(self) -> Any:
        return _client(self.url.partition("#")[0])


@lru_cache(maxsize=4)
def _client(url: str) -> Any:
    from langgraph_sdk import get_sync_client  # noqa: PLC0415 - only when a server is measured

    return get_sync_client(url=url)


def agent_of(text: str, opening: str) -> Module | Server:
    """``module:graph`` or ``http://host:port#assistant``."""
    return Server(text, opening) if text.startswith(("http://", "https://")) else Module(text, opening)
