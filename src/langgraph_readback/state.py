"""The graph's state: plain JSON data in four channels, each with a reducer that cannot be talked backwards.

``messages``  the conversation. Append-only; only human messages and the loop's own lines get in (``keep``).
``captures``  one public Record a field: what parents, clients and the gate see. It holds a value only when confirmed.
``heard``     one private Heard a field: utterances, candidates, rejected values. Never part of an output.
``session``   circumstances of the conversation: locale, channel, who has the floor, the last message seen.

Values live in dict channels only: with an encrypting serializer, PostgreSQL keeps top-level strings in the clear.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeGuard, cast, get_args

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage, convert_to_messages
from langgraph.channels import DeltaChannel
from typing_extensions import TypedDict  # pydantic, which makes the server's schemas, needs it before Python 3.12

__all__ = [
    "MARK", "OPEN", "CaptureOutput", "CaptureState", "EmbeddedInput", "Heard", "Messages", "Record", "Records",
    "ServedInput", "Status", "Verified", "entries", "entry", "forward", "keep", "message_list", "mine", "overlay",
    "session_of",
]  # fmt: skip

Status = Literal["ASK", "VALIDATE", "READBACK", "RETRY", "CONFIRMED", "HANDOFF", "DECLINED"]
Verified = Literal["format", "world", "human"]

OPEN = frozenset({"ASK", "VALIDATE", "READBACK", "RETRY"})
"""Statuses of a capture that still needs the user."""

MARK = "readback"
"""The key in ``additional_kwargs`` that marks the loop's own lines, and what voice clients say of a message."""

_LARGEST = 2**53
_HONEST = 2**48
"""Revisions and steps that no conversation reaches. A record beyond was forged: it is ordered, but never read."""
_LONE = re.compile("[\ud800-\udfff]")
_SNAPSHOT = 25
"""Writes to ``messages`` between two whole copies: what is loaded at each turn, against what is stored."""
_SPACE = uuid.UUID("6f1d3a52-55a8-4c52-a6f0-0d7f0c0b8f43")


class Record(TypedDict, total=False):
    """One field's public record. ``value`` is set only while the status is CONFIRMED.

    ``revision``  grows with every new capture of the field; ``step`` with every write. Together they order copies.
    ``attempts``  failed attempts (not understood, not found, said no) of this revision.
    ``reason``    code of the last failure, or of the hand-off.
    ``verified``  how far the confirmed value was checked; ``by``, ``at``, ``seal``: who confirmed it, when, sealed.
    ``budgets``   spent silences, unclear replies, questions and continuations of this revision.
    ``form``      how the value is asked for: natural, typed, spelled, words, keypad.
    ``said``      how often each form was used; ``read`` whether the read-back was said; ``cause`` what RETRY decides.
    ``notice``    what the next line begins with: a key of ``prompts.toml`` and its parameters.
    ``last``      id of the last message this record consumed. ``ticket``: of the open hand-off.
    ``reopened``  how often the user took a confirmed value back. ``unchecked``: the lookup was unavailable.
    ``before``    value, verified and revision that stood until the user took it back; gone with the next confirmation.
    """

    status: Status
    value: str | None
    attempts: int
    reason: str | None
    revision: int
    step: int
    seal: str | None
    verified: Verified | None
    by: str | None
    at: float | None
    budgets: dict[str, int]
    form: str
    said: dict[str, int]
    read: bool
    cause: str | None
    agreed: bool
    notice: dict[str, Any] | None
    last: str | None
    ticket: str | None
    reopened: int
    before: dict[str, Any] | None
    unchecked: bool


class Heard(TypedDict, total=False):
    """What was heard for one field, in step with its Record. Private.

    ``parts``     the utterance being captured, with its continuations. ``waiting``: an utterance to capture next.
    ``value``     the candidate, ``vet`` the proof that VALIDATE accepted it, ``verified`` how far.
    ``rejected``  values the user said no to, each time. ``history``: every failed attempt, for the desk.
    ``proposal``  the capture began with something said before it was asked for: not an attempt.
    ``desk``      the person at the desk who gave the value. ``candidates``: values that fit equally well.
    ``event``     silence or hangup, when a voice client says so of an empty message.
    ``told``      the proof that READBACK read this value back; ``yes`` that the user agreed to it. Both are seals.
    ``confidence`` the recogniser's, 0 to 1, of the words being captured; None when the client does not say.
    ``known``     the proof that the session gave the words being captured (prefill), and not the user.
    ``blames``    another field with which this value, waiting, does not go; that one is asked for again first.
    ``echo``      in grouped dictation, the words of the last group as it was heard, to be said back.
    """

    revision: int
    step: int
    parts: list[str]
    waiting: str | None
    alternatives: list[str]
    value: str | None
    vet: str | None
    verified: Verified | None
    rejected: list[str]
    history: list[dict[str, Any]]
    proposal: bool
    desk: str | None
    candidates: list[str]
    event: str | None
    told: str | None
    yes: str | None
    echo: str | None
    known: str | None
    blames: str | None
    confidence: float | None


def forward(old: Any, new: Any) -> dict[str, Any]:
    """Merge copies of records so that none ever goes back (law 5).

    Copies of a field are in a total order: revision, then step, then (for the rare two writes of one step) the more
    cautious status, then their text. The higher one stays, so merging is commutative, associative and idempotent:
    stale, replayed, nested and concurrent copies can come in any order. What is not a record is ignored.
    """
    out = dict(old) if isinstance(old, Mapping) else {}
    for name, record in new.items() if isinstance(new, Mapping) else ():
        if not _is_record(record):
            continue
        have = out.get(name)
        if have is None or not _is_record(have) or _is_later(record, have):
            out[name] = record
    return out


def _is_record(record: Any) -> bool:
    """Whether it is a record a reducer can order."""
    if not isinstance(record, Mapping):
        return False
    revision, step = record.get("revision"), record.get("step")
    return type(revision) is type(step) is int and 0 <= revision <= _LARGEST and 0 <= step <= _LARGEST


def _is_later(record: Mapping[str, Any], have: Mapping[str, Any]) -> bool:
    order, before = ((one["revision"], one["step"]) for one in (record, have))
    return order > before or (order == before and _tie(record) > _tie(have))


def _tie(record: Mapping[str, Any]) -> tuple[int, str]:
    cautious = 0 if record.get("status") == "CONFIRMED" else 1
    try:
        text = json.dumps(record, sort_keys=True, default=str)
    except (TypeError, ValueError, RecursionError):  # keys of several kinds, or endless: no record of ours
        text = ""
    return cautious, text


def overlay(old: Any, new: Any) -> dict[str, Any]:
    """Lay new session entries over old ones; None deletes."""
    out = dict(old) if isinstance(old, Mapping) else {}
    for key, value in new.items() if isinstance(new, Mapping) else ():
        if value is None:
            out.pop(key, None)
        else:
            out[key] = value
    return out


def keep(state: Any, writes: Sequence[Any]) -> list[BaseMessage]:
    """Append what is new: human messages, and lines that carry the loop's mark.

    Nothing is ever removed or replaced: a message whose id is known is a duplicate or an edit, and both are ignored,
    like a client's ``ai``, ``tool``, ``system`` and ``remove`` messages. Total: what is no message is
    ignored too, since a reducer that raises makes the thread unreadable.
    """
    out: list[BaseMessage] = message_list(state)
    known = {message.id for message in out}
    for write in writes:
        for item in write if isinstance(write, list) else [write]:
            message = _message(item)
            if message is None or not (isinstance(message, HumanMessage) or mine(message)):
                continue
            message = _storable(message)
            if not message.id:  # objects get ids from LangGraph; tuples and strings need one that replays alike
                message.id = str(uuid.uuid5(_SPACE, f"{len(out)}:{message.text}"))
            if message.id not in known:
                known.add(message.id)
                out.append(message)
    return out


def _message(item: Any) -> BaseMessage | None:
    if isinstance(item, BaseMessage):
        return item
    try:
        return convert_to_messages([item])[0]
    except Exception:  # noqa: BLE001  # whatever a client sent: it is no message
        return None


def _storable(message: BaseMessage) -> BaseMessage:
    """Without lone surrogates, which no database, model or renderer takes: they become U+FFFD."""
    clean = _whole(message.content)
    return message if clean == message.content else message.model_copy(update={"content": clean})


def _whole(content: Any) -> Any:
    if isinstance(content, str):
        return _LONE.sub("\ufffd", content)
    if isinstance(content, Mapping):
        return {key: _whole(value) for key, value in content.items()}
    return [_whole(part) for part in content] if isinstance(content, list) else content


def mine(message: BaseMessage) -> bool:
    """Whether a message carries the loop's mark (a client may forge it: see ``nodes.view``)."""
    return isinstance(message, AIMessage | ToolMessage) and MARK in message.additional_kwargs


def message_list(messages: Any) -> list[BaseMessage]:
    """The messages of a channel, whatever was written over it."""
    return [m for m in messages if isinstance(m, BaseMessage)] if isinstance(messages, list) else []


def entries(channel: Any) -> dict[str, Any]:
    """The records of a channel that can be read as records, whatever was written over it.

    Of a record, what is not of its kind (an ``attempts`` that is text) is left out, as if it had never been written.
    """
    if not isinstance(channel, Mapping):
        return {}
    return {k: _well_kept(v) for k, v in channel.items() if isinstance(k, str) and _readable(v)}


def entry(channel: Any, name: str) -> dict[str, Any]:
    """One record of a channel, as ``entries`` reads it; empty when there is none."""
    record = channel.get(name) if isinstance(channel, Mapping) else None
    return cast("dict[str, Any]", _well_kept(record)) if _readable(record) else {}


def _readable(record: Any) -> TypeGuard[Mapping[str, Any]]:
    return _is_record(record) and record["revision"] <= _HONEST and record["step"] <= _HONEST


def _well_kept(record: Mapping[str, Any]) -> Mapping[str, Any]:
    wrong = [k for k, v in record.items() if v.__class__ is not _PLAIN.get(k) and not _fits(k, v)]
    return {k: v for k, v in record.items() if k not in wrong} if wrong else record


def _fits(key: str, value: Any) -> bool:
    kind = _KINDS.get(key)
    if kind is None or (value is None and kind not in _NEVER_NONE):
        return True
    return kind(value)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _LARGEST


def _counts(value: Any) -> bool:
    return isinstance(value, Mapping) and all(_text(key) and _count(one) for key, one in value.items())


def _status(value: Any) -> bool:
    return _text(value) and value in get_args(Status)


def _verified(value: Any) -> bool:
    return _text(value) and value in get_args(Verified)


def _facts(value: Any) -> bool:
    return isinstance(value, Mapping) and all(_text(key) for key in value)


def _notice(value: Any) -> bool:
    if not (_facts(value) and _text(value.get("key"))):
        return False
    params = value.get("params", {})
    return _facts(params) and not params.keys() & {"run", "spec", "key", "locale"}


def _history(value: Any) -> bool:
    return isinstance(value, list) and all(_facts(one) for one in value)


_KINDS: dict[str, Callable[[Any], bool]] = {
    "status": _status, "value": _text, "attempts": _count, "reason": _text, "seal": _text, "verified": _verified,
    "by": _text, "budgets": _counts, "form": _text, "said": _counts, "cause": _text, "notice": _notice, "last": _text,
    "ticket": _text, "reopened": _count, "before": _facts, "parts": _texts, "waiting": _text, "alternatives": _texts,
    "vet": _text, "rejected": _texts, "history": _history, "desk": _text, "candidates": _texts, "event": _text,
    "told": _text, "yes": _text, "known": _text,
    "blames": _text,
}  # fmt: skip
"""What the entries of a Record and a Heard are, when they are not None."""
_NEVER_NONE = frozenset({_texts, _count, _counts, _history})


_PLAIN: dict[str, type] = {key: str for key, kind in _KINDS.items() if kind is _text}
"""Entries whose kind is a type: looked at first, since records are read at every step."""


def session_of(state: Mapping[str, Any]) -> dict[str, Any]:
    """The session, whatever was written over it."""
    session = state.get("session")
    return dict(session) if isinstance(session, Mapping) else {}


Messages = Annotated[list[AnyMessage], cast("Any", DeltaChannel(keep, snapshot_frequency=_SNAPSHOT))]
Captures = Annotated[dict[str, Record], forward]


class CaptureState(TypedDict, total=False):
    """Everything the graph keeps."""

    messages: Messages
    captures: Captures
    heard: Annotated[dict[str, Heard], forward]
    session: Annotated[dict[str, Any], overlay]


class Records(TypedDict, total=False):
    """The part of the state that routes after a node read: LangGraph reads the state anew for each of them."""

    captures: Captures
    heard: Annotated[dict[str, Heard], forward]
    session: Annotated[dict[str, Any], overlay]


class ServedInput(TypedDict, total=False):
    """What a run may bring when the graph is served: messages, nothing else."""

    messages: Messages


class EmbeddedInput(TypedDict, total=False):
    """What a parent graph passes down: messages and its copy of the records (the seals protect them)."""

    messages: Messages
    captures: Captures


class CaptureOutput(TypedDict, total=False):
    """What a run gives: the conversation and the public records, nothing of what was heard."""

    messages: Messages
    captures: Captures
