"""Traces in LangSmith: spans a person can find a failure by, with shapes instead of inputs and outputs.

``mask`` puts a mask in front of this process's LangSmith client, whatever it is: one that ``langsmith.configure`` was
given (its own anonymizer still runs, on what the mask leaves), or the one LangSmith makes when it first needs it, so
that nothing is made while tracing is off. All runs of the process pass it, the root's and a parent graph's too:
``TracePolicy`` would cover neither. The builders call ``mask``. ``READBACK_TRACE_VALUES=1`` lets everything through.

``watched`` wraps a node so that its span says field, node, outcome, attempts, reason, form and seconds.
"""

from __future__ import annotations

import functools
import logging
import os
import threading
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar, cast

import langsmith
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tracers.langchain import LangChainTracer
from langgraph.config import get_config
from langsmith import run_trees
from langsmith.run_helpers import get_current_run_tree

from langgraph_readback import summary
from langgraph_readback.state import MARK, message_list

__all__ = ["VALUES_VARIABLE", "MaskedClient", "mask", "shows_values", "watched"]

_LOG = logging.getLogger("langgraph_readback.tracing")

VALUES_VARIABLE = "READBACK_TRACE_VALUES"
"""Set to 1, traces hold what users said and confirmed."""

_PASS = frozenset({
    "id", "run_id", "name", "run_type", "start_time", "end_time", "parent_run_id", "trace_id", "dotted_order",
    "session_name", "session_id", "project_name", "reference_example_id", "address", "revision_id", "ls_agent_id",
    "api_key", "api_url", "service_key", "tenant_id", "authorization", "cookie", "_replica_auths",
})  # fmt: skip
"""Arguments of a run that say where it belongs. Anything else that is not masked below is left out."""


def shows_values() -> bool:
    """Whether this process was told to trace values."""
    return os.environ.get(VALUES_VARIABLE) == "1"


class MaskedClient:
    """A LangSmith client whose runs carry shapes instead of values; everything else is the client's own.

    ``client``  what sends; None: LangSmith's default client, made when it is first needed.
    ``keep``    metadata keys and tags of yours that may be traced as they are.

    Pass one where you pass clients yourself: ``tracing_context(client=MaskedClient(yours))``.
    """

    def __init__(self, client: langsmith.Client | None = None, *, keep: Collection[str] = ()) -> None:
        self._client, self._keep, self._lock = client, set(keep), threading.Lock()

    @property
    def client(self) -> langsmith.Client:
        """The client behind the mask."""
        with self._lock:
            if self._client is None:
                self._client = langsmith.Client()
            return self._client

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_client", "_lock", "_keep"):  # a copy that is not filled yet
            raise AttributeError(name)
        return getattr(self.client, name)

    def keep(self, names: Iterable[str]) -> None:
        """More metadata keys and tags that may be traced."""
        self._keep.update(names)

    def create_run(self, name: str, inputs: Any, run_type: str, **run: Any) -> None:
        """As ``langsmith.Client.create_run``, masked."""
        if not shows_values():
            inputs, run = summary.payload(inputs), self._masked(run)
        self.client.create_run(name, inputs, cast("Any", run_type), **run)

    def update_run(self, run_id: Any, **run: Any) -> None:
        """As ``langsmith.Client.update_run``, masked."""
        self.client.update_run(run_id, **(run if shows_values() else self._masked(run)))

    def _masked(self, run: Mapping[str, Any]) -> dict[str, Any]:
        out = {key: value for key, value in run.items() if key in _PASS}
        for key in ("inputs", "outputs"):
            if run.get(key) is not None:
                out[key] = summary.payload(run[key])
        if run.get("error") is not None:
            out["error"] = summary.error(run["error"])
        if run.get("tags") is not None:
            out["tags"] = summary.tags(run["tags"], self._keep)
        if run.get("events"):
            out["events"] = [{k: e[k] for k in ("name", "time") if k in e} for e in run["events"]]
        extra = run.get("extra")
        if isinstance(extra, Mapping):
            out["extra"] = {"metadata": summary.metadata(extra.get("metadata"), self._keep)}
            out["extra"] |= {"runtime": extra["runtime"]} if "runtime" in extra else {}
        return out


def mask(fields: Iterable[str] = (), *, keep: Iterable[str] = ()) -> None:
    """Mask what this process traces. Idempotent; the builders call it, with the names of their fields.

    ``keep``: metadata keys and tags of yours that may be traced. After ``langsmith.configure(client=...)`` call it
    again: the mask is then put in front of that client.
    """
    summary.known(fields)
    with _lock:
        client: Any = run_trees._CLIENT  # noqa: SLF001 - get_cached_client() would make one though tracing is off
        if not isinstance(client, MaskedClient):
            if client is not None and not shows_values():
                _LOG.info("the LangSmith client of this process is masked; %s=1 shows values", VALUES_VARIABLE)
            client = MaskedClient(client)
            langsmith.configure(client=cast("Any", client))
        client.keep(keep)


_lock = threading.Lock()


# -- what a node's span says

N = TypeVar("N", bound="Callable[..., Any] | RunnableLambda[Any, Any]")


def watched(node: N, name: str, *, field: str | None = None) -> N:
    """``node`` with metadata on its span. Without a trace it costs one look at a context variable."""
    if isinstance(node, RunnableLambda):
        afunc = _async(cast("Any", node.afunc), name, field)
        return cast("N", RunnableLambda(_plain(node.func, name, field), afunc=afunc, name=node.name))
    return cast("N", _plain(node, name, field))


def _plain(node: Callable[..., Any], name: str, field: str | None) -> Callable[..., Any]:
    @functools.wraps(node)
    def run(*args: Any, **kwargs: Any) -> Any:
        if get_current_run_tree() is None:
            return node(*args, **kwargs)
        began, update = time.perf_counter(), None
        try:
            update = node(*args, **kwargs)
        finally:
            _note(name, field, update, time.perf_counter() - began)
        return update

    return run


def _async(node: Callable[..., Awaitable[Any]], name: str, field: str | None) -> Callable[..., Awaitable[Any]]:
    @functools.wraps(node)
    async def run(*args: Any, **kwargs: Any) -> Any:
        if get_current_run_tree() is None:
            return await node(*args, **kwargs)
        began, update = time.perf_counter(), None
        try:
            update = await node(*args, **kwargs)
        finally:
            _note(name, field, update, time.perf_counter() - began)
        return update

    return run


def _note(name: str, field: str | None, update: Any, seconds: float) -> None:
    facts = {"node": name, "seconds": round(seconds, 6)} | _facts(field, update if isinstance(update, Mapping) else {})
    for run in _spans():
        extra = run.extra or {}
        run.extra = {**extra, "metadata": {**(extra.get("metadata") or {}), **facts}}  # a copy: runs share theirs


def _facts(field: str | None, update: Mapping[str, Any]) -> dict[str, Any]:
    """What came of it: of a field its record, of the model's turn and the actions their marks."""
    if field is None:
        codes = [code for m in message_list(update.get("messages")) if (code := _came_of(m))]
        return {"outcome": "+".join(codes)} if codes else {}
    record = update.get("captures", {}).get(field, {})
    facts = {"outcome": record.get("status"), **{key: record.get(key) for key in ("attempts", "reason", "form")}}
    return {"field": field} | {key: value for key, value in facts.items() if value is not None}


def _came_of(message: Any) -> str | None:
    mark = message.additional_kwargs.get(MARK)
    if not isinstance(mark, Mapping):
        return None
    if isinstance(message, AIMessage):
        return "calls" if message.tool_calls else "says"
    return str(mark.get("code") or "asked")


def _spans() -> list[run_trees.RunTree]:
    """The span of this node; both of them, when a runnable inside the node has one of the same name."""
    run = get_current_run_tree()
    if run is None:
        return []
    handlers = getattr(get_config().get("callbacks"), "handlers", [])
    tracer = next((h for h in handlers if isinstance(h, LangChainTracer)), None)
    if tracer is None:
        return [run]
    _guard(tracer)
    outer = tracer.run_map.get(str(run.parent_run_id))
    return [run, outer] if outer is not None and outer.name == run.name else [run]


def _guard(tracer: LangChainTracer) -> None:
    """A client that somebody passed to one run is theirs; that it shows values is said once."""
    if isinstance(tracer.client, MaskedClient) or shows_values():
        return
    _warn_once()
    mask()


@functools.cache
def _warn_once() -> None:
    _LOG.warning(
        "a run is traced by a LangSmith client without our mask: its traces hold what users say. "
        "Pass langgraph_readback.tracing.MaskedClient(client), or call tracing.mask() after langsmith.configure()"
    )
