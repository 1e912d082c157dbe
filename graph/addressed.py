"""Who is addressed: whether a message takes back a field that is settled, instead of answering the one that waits.

"Actually, my phone is wrong", "no wait, first the email, it should be ...", or a value that only that field hears.
Politeness never reopens anything: without a denial, a correction or another value the answer is None.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from langgraph_readback.fields import FieldSpec, classify_reply
from langgraph_readback.fields.dictation import Answer, after_echo, group
from langgraph_readback.fields.remarks import mentions
from langgraph_readback.nodes import Kit
from langgraph_readback.nodes.offers import heard_as, is_loose
from langgraph_readback.nodes.view import Look, words
from langgraph_readback.outcome import Reply
from langgraph_readback.state import Record, entry

__all__ = ["addressed"]

_SAME = 0.8
"""Share of characters that two values have in common when they may be one, misheard."""
_TRIED = frozenset(
    {"ambiguous_am_pm", "checksum", "in_the_future", "no_domain", "no_such_day", "no_tld", "not_possible_number",
     "too_long", "too_short"}
)  # fmt: skip
"""Reasons of a detail that was given, and was not right."""
_REOPENS = ("no", "correction")


def addressed(kit: Kit, run: Look, waiting: str | None) -> str | None:
    """The settled field the user takes back; None when the message is for the field that waits, or for nobody."""
    settled = {n: r for n in kit.specs if n != waiting and _can_reopen(kit, run, n, r := run.records.get(n, {}))}
    text = words(run.pending[-1:])
    if not settled or not text:
        return None
    if waiting is not None and _answers(kit.specs[waiting], run, waiting, text):
        return None
    grouped = waiting is not None and _is_group(kit.specs[waiting], run, waiting, text)
    spoken_of = mentions(text, locale=run.ask.locale)
    named = [n for n in settled if _names(kit.specs[n], spoken_of, text) and not (grouped and is_loose(kit.specs[n]))]
    if len(named) == 1:
        return named[0] if _takes_back(kit.specs[named[0]], settled[named[0]], run, text) else None
    if named or grouped or (waiting is not None and _goes_on(run, waiting, text, kit.specs[waiting])):
        return None
    other = [n for n in settled if _only_hears(kit.specs[n], settled[n], run, text, unasked=waiting is None)]
    return other[0] if len(other) == 1 else None


def _can_reopen(kit: Kit, run: Look, name: str, record: Record) -> bool:
    return record.get("status") == "DECLINED" or kit.sealed(name, record, run.thread)


def _answers(spec: FieldSpec, run: Look, name: str, text: str) -> bool:
    """Whether the waiting field has a use for the message, so that nobody else need be thought of."""
    if run.records[name].get("status") == "READBACK":
        return _replies(spec, run, name, text)
    reading = heard_as(spec, text, run.ask)
    usable = reading.value is not None or not reading.complete or reading.intent not in ("value", "none")
    return usable and not _mentions_other(spec, run, text)


def _is_group(spec: FieldSpec, run: Look, name: str, text: str) -> bool:
    """Whether the waiting field is being dictated, and this is a group ("hotel" is a letter then)."""
    record, parts = run.records[name], entry(run.state.get("heard"), name).get("parts")
    if record.get("status") == "READBACK" or record.get("form") != "groups" or run.ask.channel != "voice":
        return False
    answer = after_echo(text, run.ask) if parts else Answer("group", text)
    return answer.kind == "done" or group(spec, answer.text, run.ask, first=not parts) is not None


def _goes_on(run: Look, name: str, text: str, spec: FieldSpec) -> bool:
    """Whether the waiting field is in the middle of something, or was tried: then nobody else is guessed at."""
    if run.records[name].get("status") == "READBACK":
        reply = _reply(spec, run, name, text)
        return reply is not None and (reply.kind == "no" or reply.value is not None)
    if entry(run.state.get("heard"), name).get("parts"):  # a pause in the middle, or groups
        return True
    reading = heard_as(spec, text, run.ask)  # a number that is too long or too short is no other detail
    return reading.reason is not None and reading.reason.code in _TRIED


def _replies(spec: FieldSpec, run: Look, name: str, text: str) -> bool:
    """Whether it is a plain yes to the read-back; anything else may be about another field."""
    reply = _reply(spec, run, name, text)
    return reply is not None and reply.kind == "yes"


def _reply(spec: FieldSpec, run: Look, name: str, text: str) -> Reply | None:
    value, ask = entry(run.state.get("heard"), name).get("value"), run.ask
    if not isinstance(value, str):
        return None
    return classify_reply(
        text, spec=spec, value=value, locale=ask.locale, region=ask.region, channel=ask.channel, today=ask.today
    )


def _mentions_other(spec: FieldSpec, run: Look, text: str) -> bool:
    found = mentions(text, locale=run.ask.locale)
    return bool(found) and spec.type not in found


def _names(spec: FieldSpec, spoken_of: tuple[str, ...], text: str) -> bool:
    """Whether the user speaks of this detail, by its own label or by a word of the locale for its type."""
    if spec.label and re.search(rf"\b{re.escape(spec.label.casefold())}\b", text.casefold()):
        return True
    return spec.type in spoken_of


def _takes_back(spec: FieldSpec, record: Record, run: Look, text: str) -> bool:
    value = record.get("value")
    if value is None:  # declined before; now there is one
        return heard_as(spec, text, run.ask).value is not None
    ask = run.ask
    reply = classify_reply(
        text, spec=spec, value=value, locale=ask.locale, region=ask.region, channel=ask.channel, today=ask.today
    )
    return reply.kind in _REOPENS or heard_as(spec, text, ask).value not in (None, value)


def _alike(value: str | None, other: str) -> bool:
    """Whether by voice it is more likely the same value, said once more in the wrong place and heard a little wrong."""
    return value is not None and SequenceMatcher(None, value, other, autojunk=False).ratio() >= _SAME


def _only_hears(spec: FieldSpec, record: Record, run: Look, text: str, *, unasked: bool) -> bool:
    """Whether the message holds another value of this field, surely enough without naming it."""
    value = record.get("value")
    reading = heard_as(spec, text, run.ask)
    if reading.value not in (None, value) and reading.complete and not is_loose(spec):
        said_no = unasked or after_echo(text, run.ask).kind != "group"
        return said_no or run.ask.channel != "voice" or not _alike(value, str(reading.value))
    if not unasked or value is None:
        return False
    ask = run.ask
    reply = classify_reply(
        text, spec=spec, value=value, locale=ask.locale, region=ask.region, channel=ask.channel, today=ask.today
    )
    sure = not is_loose(spec) or reading.evidence != "literal"
    return reply.kind == "correction" and reply.value is not None and sure
