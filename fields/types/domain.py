r"""Domain names, lower case, without "www." and scheme; internationalised ones (RFC 5890) in their own script.

>>> from langgraph_readback.fields import catalogue, hear
>>> hear(catalogue["domain"], "maplebikes dot shop, no w w w").value
'maplebikes.shop'
>>> hear(catalogue["domain"], "maplebikes", channel="chat").reason.code
'no_tld'
>>> hear(catalogue["domain"], "p\u0430ypal.com", channel="chat").reason.code
'lookalike_script'
"""

from __future__ import annotations

import regex

from langgraph_readback.fields.hearing import words
from langgraph_readback.fields.hearing.lexer import NOTE, Utterance
from langgraph_readback.fields.readback import Chunk
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import online
from langgraph_readback.fields.types.common import failed, incomplete, nothing, spelled_share
from langgraph_readback.fields.types.online import SUBJECT
from langgraph_readback.outcome import Evidence, Reading, Reason, Verdict

__all__ = ["ASKS", "SUBJECT", "check", "hear", "say"]

ASKS = ("natural", "groups")
TYPED = regex.compile(
    r"(?<![\w@.-])(?:https?://)?((?:[\p{L}\p{M}\p{N}-]+\.)+[\p{L}\p{M}\p{N}-]{2,})\.?(?:/\S*)?(?![\w@])"
)
GLUE = ".-"


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """A domain typed as such, else one said in words."""
    text = NOTE.sub("", utterance.text)
    found = list(dict.fromkeys(_bare(m[1].lower()) for m in TYPED.finditer(text)))
    if len(found) > 1:
        return failed("two_values", candidates=tuple(found))
    if found:
        return _accepted(found[0], "literal", spec, ask)
    if "@" in text:
        return failed("bad_syntax")
    return _said(utterance, spec, ask)


def _bare(host: str) -> str:
    return online.in_script(host.removeprefix("www."))


def _said(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    utterance = online.quiet(utterance)
    first = online.start(utterance)
    read = words.read(utterance, first, online.end(utterance, first), latin=True)
    if read.doubt:
        return failed(read.doubt)
    items = list(read.items)
    dots = [k for k, item in enumerate(items) if item.kind == "symbol" and item.text == "."]
    if not dots:
        content = any(i.kind != "symbol" for i in items)
        if not content:
            return nothing()
        return incomplete("no_tld") if utterance.voice and len(items) <= 3 else failed("no_tld")
    if any(i.kind == "symbol" and i.text not in GLUE for i in items):
        return failed("bad_character")
    last = dots[-1] + 1
    rest = items[last + 1 :]
    if rest and (not rest[0].pause or any(i.kind != "word" for i in rest)):
        return failed("bad_syntax")
    items = items[: last + 1]
    if last >= len(items):
        return incomplete("no_tld") if utterance.voice else failed("no_tld")
    value = "".join(online.piece(i, GLUE) for i in items).lower()
    if (doubt := online.doubt(utterance, tuple(items), value)) is not None:
        return failed(doubt)
    return _accepted(_bare(value), spelled_share(items), spec, ask)


def _accepted(value: str, evidence: Evidence, spec: FieldSpec, ask: Ask) -> Reading:
    reason = check(value, spec, ask).reason
    return Reading(reason=reason) if reason is not None else Reading(value=value, evidence=evidence)


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """Syntax only; whether it resolves is a lookup."""
    if value != value.lower() or value != _bare(value):
        return Verdict(reason=Reason(code="bad_syntax"))
    return Verdict(reason=online.host_refusal(value))


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """Spelled, label by label."""
    said: list[Chunk] = []
    for label in value.split("."):
        said += [Chunk("chars", ".")] if said else []
        said += online.chunks(label, ask)
    return tuple(said)
