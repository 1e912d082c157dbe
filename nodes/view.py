"""View: what a node sees of its field in one step, and how it writes.

Every node reads through ``look`` and writes through ``View.write``, so that revision, step, floor and the last
message seen are kept in one place. A client may have written any channel: everything read here is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.config import get_config
from langgraph.runtime import Runtime, get_runtime
from langgraph.types import Overwrite

from langgraph_readback.context import CaptureContext, given
from langgraph_readback.errors import ContextError
from langgraph_readback.fields import Ask, FieldSpec
from langgraph_readback.nodes.delivery import Delivery, delivery
from langgraph_readback.state import (
    MARK,
    CaptureState,
    Heard,
    Record,
    Records,
    entries,
    entry,
    forward,
    message_list,
    session_of,
)  # fmt: skip

__all__ = ["NOTHING", "Look", "Update", "View", "also", "begun", "confidence", "look", "marks", "words"]

Update = dict[str, Any]
_BY_FIELD = ("captures", "heard")

NOTHING: Update = {
    "parts": [], "waiting": None, "alternatives": [], "value": None, "vet": None, "verified": None,
    "proposal": False, "candidates": [], "event": None, "told": None, "yes": None, "echo": None,
    "confidence": None, "known": None, "blames": None,
}  # fmt: skip
"""A Heard without a capture; what was rejected, the history and the desk's mark stay."""


@dataclass(frozen=True)
class Look:
    """A run's circumstances: the session as it will be, what is new, who has the floor. Shared by nodes and routes."""

    state: Mapping[str, Any]
    session: Mapping[str, Any]
    context: Mapping[str, Any]
    thread: str
    delivery: Delivery

    @cached_property
    def ask(self) -> Ask:
        """The circumstances of hearing and speaking. What a client wrote over them and cannot be used is left out."""
        try:
            now = CaptureContext(**{key: self.session.get(key) for key in ("locale", "region", "channel", "today")})
        except ContextError:
            now = CaptureContext()
        today = now.today if isinstance(now.today, date) else None
        return Ask(locale=now.locale or "en-US", region=now.region, channel=now.channel or "voice", today=today)

    @cached_property
    def records(self) -> dict[str, Record]:
        """The readable records, by field."""
        return cast("dict[str, Record]", entries(self.state.get("captures")))

    @cached_property
    def messages(self) -> list[BaseMessage]:
        """The conversation."""
        return message_list(self.state.get("messages"))

    @property
    def floor(self) -> str | None:
        """The field that spoke last and waits for an answer."""
        floor = self.session.get("floor")
        return floor if isinstance(floor, str) else None

    @cached_property
    def fresh(self) -> list[BaseMessage]:
        """The messages that came in since a node last wrote."""
        ids = (self.session.get("seen"), *(r.get("last") for r in self.records.values()))
        seen = {one for one in ids if isinstance(one, str)}
        for at in range(len(self.messages) - 1, -1, -1):
            if self.messages[at].id in seen:
                return self.messages[at + 1 :]
        return self.messages[-1:] if seen else self.messages

    @cached_property
    def pending(self) -> list[HumanMessage]:
        """The user's messages that no node has taken yet."""
        return self.delivery.once([m for m in self.fresh if isinstance(m, HumanMessage)])

    @property
    def repeated(self) -> bool:
        """Whether a server brings words again that a node has taken."""
        return self.delivery.taken(self.session, self.pending)

    @property
    def repeats(self) -> list[str]:
        """The ids of messages that came a second time under a new id."""
        ids = self.session.get("repeats")
        return [one for one in ids if isinstance(one, str)] if isinstance(ids, list) else []

    @property
    def unheard(self) -> bool:
        """Whether nothing was said since the user last spoke."""
        return isinstance(next((m for m in reversed(self.messages) if m.id not in self.repeats), None), HumanMessage)

    @cached_property
    def early(self) -> list[str]:
        """What the user said before any question, newest first, and nobody took."""
        ids = self.session.get("early")
        known = {one for one in ids if isinstance(one, str)} if isinstance(ids, list) else set()
        unasked = self.pending if self.floor is None else []
        earlier = [m for m in self.messages if isinstance(m, HumanMessage) and m.id in known]
        return list(dict.fromkeys(m.text for m in reversed([*earlier, *unasked])))


@dataclass(frozen=True)
class View(Look):
    """A Look from the side of one field."""

    spec: FieldSpec
    record: Record
    heard: Heard

    def write(
        self,
        *,
        record: Mapping[str, Any] | None = None,
        heard: Mapping[str, Any] | None = None,
        say: Sequence[AIMessage] = (),
        session: Mapping[str, Any] | None = None,
        take: bool = False,
    ) -> Update:
        """The update of a node: its record and what it heard, one step on; its lines; the session.

        ``take``: the pending messages are consumed by this field. ``record`` may raise the revision, never lower it.
        """
        new = cast("Record", {**self.record, **(record or {}), "step": self.record.get("step", 0) + 1})
        new.setdefault("revision", 1)
        if take and self.pending:
            new["last"] = self.pending[-1].id
        mine = {**self.heard, **(heard or {}), "revision": new["revision"], "step": new["step"]}
        update: Update = {"captures": self._put("captures", new), "heard": self._put("heard", mine)}
        update |= self._messages(say)
        return update | self._session(say, session or {}, take=take)

    def _put(self, channel: str, new: Mapping[str, Any]) -> Any:
        """What goes into a channel: the entry. Over a forged one that orders after it, the channel without that."""
        name, have = self.spec.name, self.state.get(channel)
        old = have.get(name) if isinstance(have, Mapping) else None
        kept = channel == "captures" and name in self.records
        if kept or old is None or forward({name: old}, {name: new})[name] is new:
            return {name: new}
        return Overwrite({**cast("Mapping[str, Any]", have), name: new})

    def _messages(self, say: Sequence[AIMessage]) -> Update:
        """The lines; with them, what a client put between the user's messages is thrown out."""
        strays = [m for m in self.fresh if not isinstance(m, HumanMessage)]
        if strays:
            ids = {m.id for m in strays}
            return {"messages": Overwrite([*(m for m in self.messages if m.id not in ids), *say])}
        return {"messages": list(say)} if say else {}

    def _session(self, say: Sequence[AIMessage], session: Mapping[str, Any], *, take: bool) -> Update:
        users = [m.id for m in self.pending]
        kept = session_of(self.state)
        new = {k: v for k, v in self.context.items() if kept.get(k) != v}
        if say or take:
            new["seen"] = say[-1].id if say else users[-1] if users else self.session.get("seen")
            new |= self.delivery.noted(kept, self.pending)
        if users and self.floor is None:  # said before any question: a later field may find its value there
            known = self.session.get("early")
            new["early"] = [*(known if isinstance(known, list) else []), *users][-10:]
        new |= session
        return {"session": new} if new else {}


def look(state: CaptureState | Records) -> Look:
    """A run's Look. Raises ContextError for a context that cannot be used."""
    runtime: Runtime[CaptureContext] | None = get_runtime(
        CaptureContext
    )  # an argument would be missing when a client updates the state
    context = given(None if runtime is None else runtime.context)
    session = {**session_of(state), **context}
    config = get_config()
    thread = str(config.get("configurable", {}).get("thread_id") or "")
    return Look(state=state, session=session, context=context, thread=thread, delivery=delivery(config))


def begun(spec: FieldSpec, state: CaptureState) -> View:
    """A field's View."""
    run = look(state)
    blank = {"revision": 1, "step": 0, "value": None, "attempts": 0, "reason": None, "verified": None}
    record = cast("Record", dict(entry(state.get("captures"), spec.name) or blank))
    heard = cast("Heard", dict(entry(state.get("heard"), spec.name)))
    if heard.get("revision") != record.get("revision"):  # another revision's words: not ours
        heard = {"history": heard.get("history", []), "rejected": heard.get("rejected", [])}
    return View(
        state=run.state, session=run.session, context=run.context, thread=run.thread,
        delivery=run.delivery, spec=spec, record=record, heard=heard,
    )  # fmt: skip


def also(view: View, update: Update, spec: FieldSpec, write: Callable[[View], Update]) -> Update:
    """``update``, and in the same step what ``write`` makes of another field's record. Only records are written."""
    ahead = {name: _laid(view.state.get(name), update[name]) for name in _BY_FIELD}
    second = write(begun(spec, cast("CaptureState", {**view.state, **ahead})))
    return update | {name: _joined(update[name], second[name]) for name in _BY_FIELD}


def _laid(have: Any, new: Any) -> Any:
    """A channel as it will be."""
    return new.value if isinstance(new, Overwrite) else {**(have if isinstance(have, Mapping) else {}), **new}


def _joined(first: Any, second: Any) -> Any:
    """Two writes of a channel as one; the second knows of the first."""
    if isinstance(second, Overwrite):
        return second
    return Overwrite({**first.value, **second}) if isinstance(first, Overwrite) else {**first, **second}


def words(messages: Sequence[HumanMessage]) -> str:
    """What the user said in one turn: the texts of its messages, joined. Empty is silence."""
    return ", ".join(text for m in messages if (text := m.text.strip()))


def marks(messages: Sequence[HumanMessage], key: str = MARK) -> dict[str, Any]:
    """What the client says of a turn under ``key`` (``readback``: barge_in, event; ``asr``: confidence, nbest)."""
    found: dict[str, Any] = {}
    for message in messages:
        given_ = message.additional_kwargs.get(key)
        found |= given_ if isinstance(given_, dict) else {}
    return found


def confidence(asr: Mapping[str, Any]) -> float | None:
    """How sure the recogniser is of a turn, 0 to 1; None when the client does not say."""
    sure = asr.get("confidence")
    return float(sure) if isinstance(sure, int | float) and not isinstance(sure, bool) else None
