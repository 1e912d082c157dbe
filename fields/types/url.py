"""Web addresses (RFC 3986, http and https): scheme and host lower case, the path as typed; no scheme is invented.

>>> from langgraph_readback.fields import catalogue, hear
>>> hear(catalogue["url"], "w w w dot maplebikes dot shop forward slash help").value
'www.maplebikes.shop/help'
>>> hear(catalogue["url"], "h t t p s colon slash slash maplebikes dot shop").value
'https://maplebikes.shop'
>>> hear(catalogue["url"], "maplebikes dot shop slash summer sale").reason.code
'space_inside'
"""

from __future__ import annotations

from itertools import pairwise

import regex

from langgraph_readback.fields.hearing import words
from langgraph_readback.fields.hearing.lexer import NOTE, Utterance
from langgraph_readback.fields.hearing.tokens import Kind
from langgraph_readback.fields.readback import Chunk
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import online
from langgraph_readback.fields.types.common import failed, incomplete, nothing, spelled_share
from langgraph_readback.fields.types.online import SUBJECT
from langgraph_readback.outcome import Evidence, Reading, Reason, Verdict

__all__ = ["ASKS", "SUBJECT", "check", "hear", "say"]

ASKS = ("natural", "groups")
HOST = r"(?:[\p{L}\p{M}\p{N}-]+\.)+[\p{L}\p{M}\p{N}-]{2,}"
TAIL = r"[\w.~%/?#=&+:@,*'!$();-]*"
TYPED = regex.compile(rf"(?<![\w@.-])(?:[a-zA-Z][a-zA-Z0-9+.-]*://)?{HOST}(?::\d{{1,5}})?(?:[/?#]{TAIL})?(?![\w@])")
VALUE = regex.compile(rf"(?:(https?)://)?({HOST})(:\d{{1,5}})?([/?#]{TAIL})?")
SYMBOLS = frozenset(".-_/:?=&#%~+,*'@")
TRAILING = ".,;:!?)'"
LONGEST = 300


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """An address typed as such, else one said in words."""
    text = NOTE.sub("", utterance.text)
    found = list(dict.fromkeys(_shaped(m[0].rstrip(TRAILING)) for m in TYPED.finditer(text)))
    if len({v.rstrip("/") for v in found}) > 1:
        return failed("two_values", candidates=tuple(found))
    if found and not _goes_on(utterance, found[0]):
        return _accepted(found[0], "literal", spec, ask)
    if not utterance.voice and "@" in text:
        return failed("bad_syntax")
    return _said(utterance, spec, ask)


def _goes_on(utterance: Utterance, value: str) -> bool:
    """Whether symbols are said beside a typed address ("maplebikes.shop slash help")."""
    names = [t for t in utterance.tokens if Kind.SYMBOL in t.kinds and t.raw.isalpha()]
    return utterance.voice and bool(names)


def _shaped(text: str) -> str:
    """Scheme and host in lower case, everything behind them as it is."""
    scheme, colon, rest = text.partition("://")
    if not colon:
        scheme, rest = "", text
    cut = next((i for i, c in enumerate(rest) if c in "/?#"), len(rest))
    host, port, number = rest[:cut].lower().partition(":")
    return scheme.lower() + colon + online.in_script(host) + port + number + rest[cut:]


def _said(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    utterance = online.quiet(utterance)
    first = online.start(utterance)
    read = words.read(utterance, first, online.end(utterance, first), latin=True)
    if read.doubt:
        return failed(read.doubt)
    items = _without_talk(list(read.items))
    if not items:
        return nothing()
    if any(i.kind == "symbol" and i.text not in SYMBOLS and set(i.text) - SYMBOLS for i in items):
        return failed("bad_character")
    value = _shaped("".join(i.text if i.kind == "symbol" else online.piece(i, "".join(SYMBOLS)) for i in items))
    host = value.partition("://")[2] or value
    if "." not in host:
        return incomplete("no_tld") if utterance.voice and len(items) <= 12 else failed("no_tld")
    if _spaced(utterance, items):
        return failed("space_inside")
    if (doubt := online.doubt(utterance, tuple(items), value)) is not None:
        return failed(doubt)
    return _accepted(value, spelled_share(items), spec, ask)


def _without_talk(items: list[words.Item]) -> list[words.Item]:
    """Without the words behind the last symbol that a pause sets off."""
    marks = [k for k, item in enumerate(items) if item.kind == "symbol"]
    after = (marks[-1] if marks else 0) + 1
    cut = next((k for k in range(after + 1, len(items)) if items[k].pause and _is_word(items[k])), len(items))
    return items[:cut]


def _is_word(item: words.Item) -> bool:
    return item.kind == "word" and len(item.text) > 1


def _spaced(utterance: Utterance, items: list[words.Item]) -> bool:
    """Whether two words stand side by side behind the host, where a hyphen or nothing may be meant."""
    if any(Kind.JOIN in t.kinds for t in utterance.tokens):
        return False
    text, path = "", False
    for this, after in pairwise(items):
        text += this.text
        host = text.partition("://")[2] if "://" in text else text
        path = path or (this.kind == "symbol" and this.text in "/?#" and "." in host)
        last_label = "." in host and not path
        words_here = _is_word(this) and _is_word(after)
        if words_here and (path or (last_label and not _dot_follows(items, after))):
            return True
    return False


def _dot_follows(items: list[words.Item], item: words.Item) -> bool:
    """Whether the label that an item stands in is followed by another one."""
    for later in items[items.index(item) + 1 :]:
        if later.kind == "symbol" and later.text in "./:?#":
            return later.text == "."
    return False


def _accepted(value: str, evidence: Evidence, spec: FieldSpec, ask: Ask) -> Reading:
    reason = check(value, spec, ask).reason
    return Reading(reason=reason) if reason is not None else Reading(value=value, evidence=evidence)


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """Syntax only; whether it answers is a lookup."""
    if len(value) > LONGEST:
        return Verdict(reason=Reason(code="too_long"))
    match = VALUE.fullmatch(value)
    if match is None or value != _shaped(value):
        return Verdict(reason=Reason(code="bad_syntax"))
    if online.imitates(match[4] or ""):
        return Verdict(reason=Reason(code="lookalike_script"))
    return Verdict(reason=online.host_refusal(match[2]))


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """Character by character, cut at the symbols; capitals are named."""
    return tuple(c for part in regex.findall(r"[^\W_]+|[\W_]", value) for c in online.chunks(part, ask, "exact"))
