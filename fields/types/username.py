"""User names and handles, lower case: letters, digits, underscore, dot and hyphen, two to thirty-two of them.

No authority rules them; the alphabet is what the large services have in common. A spec's ``pattern`` narrows it.

>>> from langgraph_readback.fields import catalogue, hear
>>> hear(catalogue["username"], "pixel fox forty two, no spaces").value
'pixelfox42'
>>> hear(catalogue["username"], "fox for you").reason.code
'ambiguous'
>>> hear(catalogue["username"], "pixel fox", channel="chat").reason.code
'space_inside'
"""

from __future__ import annotations

import regex

from langgraph_readback.fields.hearing import words
from langgraph_readback.fields.hearing.lexer import NOTE, Utterance
from langgraph_readback.fields.hearing.tokens import Kind
from langgraph_readback.fields.readback import Chunk
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import online
from langgraph_readback.fields.types.common import failed, nothing, spelled_share
from langgraph_readback.fields.types.online import SUBJECT
from langgraph_readback.outcome import Evidence, Reading, Reason, Verdict

__all__ = ["ASKS", "SUBJECT", "check", "hear", "say"]

ASKS = ("natural", "groups")
VALUE = regex.compile(r"[a-z0-9_][a-z0-9._-]{0,30}[a-z0-9_]")
HANDLE = regex.compile(r"(?<![\w.@])@([\w.-]+)")
GLUE = "._-"
WORDS = 3
"""More words than these, without "one word" or "no spaces", are talk and no name."""
GRAMMAR = frozenset({Kind.PROSE, Kind.HINT, Kind.NOT, Kind.WITH, Kind.AND, Kind.OR, Kind.CARRIER})


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """A handle typed as one, else words, spellings and symbols joined."""
    text = NOTE.sub("", utterance.text).strip().strip(online.EDGES + " ")
    handles = list(dict.fromkeys(m[1].strip(online.EDGES).lower() for m in HANDLE.finditer(text)))
    if len(handles) > 1:
        return failed("two_values", candidates=tuple(handles))
    if handles or (not utterance.voice and not any(c.isspace() for c in text)):
        return _accepted(handles[0] if handles else text.lower(), "literal", spec, ask)
    if not utterance.voice and (typed := _typed(utterance)) is not None:
        return _accepted(typed.lower(), "literal", spec, ask)
    return _said(utterance, spec, ask)


def _typed(utterance: Utterance) -> str | None:
    """The one piece that stands behind what introduces it, as typed; None when there are more."""
    tokens = utterance.tokens
    first = online.start(utterance)
    last = len(tokens)
    while (
        last > first + 1 and tokens[last - 1].kinds & {Kind.FILLER, Kind.END} and not online.glued(utterance, last - 1)
    ):
        last -= 1
    if first >= last:
        return None
    text = utterance.text[tokens[first].start : tokens[last - 1].end]
    return None if any(c.isspace() for c in text) else text.strip(online.EDGES)


def _said(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    utterance = online.quiet(utterance)
    first = online.start(utterance)
    first += online.is_symbol(utterance, first, "@")
    last = online.end(utterance, first)
    read = words.read(utterance, first, last, latin=True)
    if read.doubt:
        return failed(read.doubt)
    joined = any(Kind.JOIN in t.kinds for t in utterance.tokens)
    plain = [i for i in read.items if i.kind == "word"]
    if any(i.kind == "symbol" and i.text not in GLUE for i in read.items):
        return failed("bad_character")
    value = "".join(online.piece(i, GLUE) for i in read.items).lower()
    if not value:
        return nothing()
    if not joined and (_talk(utterance, plain) or len(plain) > WORDS):
        return failed("not_understood")
    dictated = joined or any(i.kind in ("spelled", "symbol") for i in read.items)
    if not utterance.voice and len(read.items) > 1 and not dictated:
        return failed("space_inside")
    if (doubt := online.doubt(utterance, read.items, value)) is not None:
        return failed(doubt)
    return _accepted(value, spelled_share(read.items), spec, ask)


def _talk(utterance: Utterance, plain: list[words.Item]) -> bool:
    """Whether the words are those of a sentence ("same as my email")."""
    kinds = [utterance.tokens[i.first].kinds for i in plain if i.last == i.first + 1]
    return any(k & GRAMMAR and not k & {Kind.DIGIT, Kind.LETTER} for k in kinds)


def _accepted(value: str, evidence: Evidence, spec: FieldSpec, ask: Ask) -> Reading:
    reason = check(value, spec, ask).reason
    return Reading(reason=reason) if reason is not None else Reading(value=value, evidence=evidence)


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """The alphabet and the length, and the spec's own pattern."""
    if online.imitates(value):
        return Verdict(reason=Reason(code="lookalike_script"))
    if len(value) > 32:
        return Verdict(reason=Reason(code="too_long"))
    if len(value) < 2:
        return Verdict(reason=Reason(code="too_short"))
    if not VALUE.fullmatch(value):
        return Verdict(reason=Reason(code="bad_character"))
    if spec.pattern and not regex.fullmatch(spec.pattern, value):
        return Verdict(reason=Reason(code="bad_pattern"))
    return Verdict()


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """Character by character."""
    return tuple(online.chunks(value, ask))
