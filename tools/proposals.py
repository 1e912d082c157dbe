"""Proposals: values in running text that nobody has asked for yet. Found by code, before any model sees the text.

``find_proposals`` masks what it finds (``<email offered>``) and gives the piece of the text, which the capture may
start from. It errs on the side of masking: what is dictated letter by letter, long runs of digits and anything around
an "at ... dot" are masked even when no field makes a value of them (``<details>``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from langgraph_readback.fields import Ask, FieldSpec, hear
from langgraph_readback.fields.hearing.lexer import lex
from langgraph_readback.fields.hearing.tokens import Kind, Token
from langgraph_readback.fields.remarks import mentions

__all__ = ["Proposals", "find_proposals"]

_WORD = regex.compile(r"\S+")
_CLAUSE = regex.compile(r"(?<=[.!?;:,])\s+|\n+|\s+[-\u2013\u2014]\s+")
_PROBES = ("purple garden", "the weather today")
"""Ordinary words that are no detail of any kind. A field that hears a value in them hears one in anything."""

_DICTATED = frozenset({Kind.LETTER, Kind.SPELL, Kind.DIGIT, Kind.NUMBER, Kind.SCALE, Kind.LITERAL})
_BETWEEN = frozenset({Kind.SYMBOL, Kind.REPEAT, Kind.HINT, Kind.CLASSIFIER, Kind.CASE, Kind.REPAIR})
_FEWEST_WRITTEN = 5
"""Characters a run of dictation writes before it is masked: "one or two" and "in 2026" stay."""
_FEWEST_LETTERS = 3
_JOINTS = frozenset("@._-+")


@dataclass(frozen=True, slots=True)
class Proposals:
    """The text without details, and by field the piece of the text that holds its value."""

    masked: str
    pieces: dict[str, str]

    def __repr__(self) -> str:
        """Show no piece: they hold values."""
        return f"Proposals({self.masked!r}, fields={sorted(self.pieces)})"


def find_proposals(text: str, specs: Iterable[FieldSpec], ask: Ask | None = None) -> Proposals:
    """Mask and collect what ``specs`` hear in ``text`` in these circumstances. Total: any text, no exceptions."""
    return _find(text, tuple(_Key(spec) for spec in specs), ask or Ask())


class _Key:
    """A FieldSpec that can be a cache key: specs hold mappings and functions."""

    def __init__(self, spec: FieldSpec) -> None:
        self.spec = spec
        self._same = (spec.name, spec.type, spec.pattern, spec.checksum, spec.label, repr(spec.options))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._same == other._same

    def __hash__(self) -> int:
        return hash(self._same)


@dataclass(frozen=True, slots=True)
class _Hit:
    start: int
    end: int
    field: str


@lru_cache(maxsize=1024)
def _find(text: str, keys: tuple[_Key, ...], ask: Ask) -> Proposals:
    hits: list[_Hit] = []
    specs = sorted((key.spec for key in keys), key=is_loose)  # who takes any word comes last
    for spec in specs:
        for start, end in _segments(text, ask, fine=is_loose(spec)):
            for first, last in _free(start, end, hits):
                found = _window(text, first, last, spec, ask)
                if found is not None:
                    hits.append(_Hit(*found, spec.name))
    pieces = {hit.field: text[hit.start : hit.end] for hit in reversed(hits)}
    for start, end in list(_free(0, len(text), hits)):
        hits += [_Hit(start + first, start + last, "") for first, last in _dictation(text[start:end], ask)]
    return Proposals(_masked(text, hits), pieces)


def _segments(text: str, ask: Ask, *, fine: bool) -> list[tuple[int, int]]:
    """The whole text and each of its clauses; ``fine``: the clauses first, and cut at every "and" too."""
    cuts = [0, *(place for match in _CLAUSE.finditer(text) for place in match.span()), len(text)]
    clauses = list(zip(cuts[::2], cuts[1::2], strict=True))
    if not fine:
        return list(dict.fromkeys([(0, len(text)), *clauses]))
    heard = lex(text, ask.locale, ask.channel)
    ands = [heard.origin(n, n + 1) for n, token in enumerate(heard.tokens) if Kind.AND in token.kinds]
    inner: list[tuple[int, int]] = []
    for start, end in clauses:
        edges = [start, *(place for span in ands if start < span[0] and span[1] < end for place in span), end]
        inner += zip(edges[::2], edges[1::2], strict=True)
    return list(dict.fromkeys([*inner, *clauses, (0, len(text))]))


def _free(start: int, end: int, hits: Sequence[_Hit]) -> Iterator[tuple[int, int]]:
    """What of a segment is not masked yet."""
    for hit in sorted(hits, key=lambda hit: hit.start):
        if hit.end <= start or hit.start >= end:
            continue
        if hit.start > start:
            yield start, hit.start
        start = hit.end
    if start < end:
        yield start, end


def _window(text: str, start: int, end: int, spec: FieldSpec, ask: Ask) -> tuple[int, int] | None:
    """The shortest run of words between ``start`` and ``end`` in which the field hears what it hears in all of them."""
    words = [match.span() for match in _WORD.finditer(text, start, end)]
    value = _certain(spec, text[start:end], ask)
    if value is None or not words:
        return None
    last = len(words)
    first = next(n for n in range(last - 1, -1, -1) if n == 0 or _heard(spec, text[words[n][0] : end], ask) == value)
    last = next(
        n for n in range(first + 1, last + 1)
        if n == last or _heard(spec, text[words[first][0] : words[n - 1][1]], ask) == value
    )  # fmt: skip
    while first > 0 and _heard(spec, text[words[first - 1][0] : words[last - 1][1]], ask) == value:
        if not any(
            _writes_something(token) for token in lex(text[slice(*words[first - 1])], ask.locale, "voice").tokens
        ):
            break
        first -= 1  # "oh four one two": a leading zero that the value does not need is said with it
    found = words[first][0], words[last - 1][1]
    if is_loose(spec) and not _meant(spec, text[start:end], text[slice(*found)], first, ask):
        return None
    return found


def _certain(spec: FieldSpec, text: str, ask: Ask) -> str | None:
    """The value of a complete answer; None for remarks and beginnings."""
    reading = hear(spec, text, locale=ask.locale, region=ask.region, channel=ask.channel, today=ask.today)
    if reading.value is None or not reading.complete or reading.intent not in {"value", "none"}:
        return None
    return reading.value


def _meant(spec: FieldSpec, clause: str, piece: str, before: int, ask: Ask) -> bool:
    """Whether ordinary words are this detail: it is named, or spelled, or comes as a name does after "I'm ..."."""
    if spec.type in mentions(clause, locale=ask.locale):
        return True
    reading = hear(spec, piece, locale=ask.locale, region=ask.region, channel=ask.channel, today=ask.today)
    return reading.evidence != "literal" or (before > 0 and all(word[:1].isupper() for word in piece.split()))


def _heard(spec: FieldSpec, text: str, ask: Ask) -> str | None:
    return hear(spec, text, locale=ask.locale, region=ask.region, channel=ask.channel, today=ask.today).value


def is_loose(spec: FieldSpec) -> bool:
    """Whether the field takes ordinary words for a value, as a name or a company does."""
    return _loose(spec.type, spec.pattern, spec.checksum)


@lru_cache(maxsize=256)
def _loose(kind: str, pattern: str | None, checksum: str | None) -> bool:
    probe = FieldSpec(name="probe", type=kind, pattern=pattern, checksum=checksum)  # type: ignore[arg-type]
    return any(hear(probe, words, locale="en-US").value is not None for words in _PROBES)


# -- dictation that no field understood


def _dictation(text: str, ask: Ask) -> Iterator[tuple[int, int]]:
    """Stretches of letters, digits and symbols that are dictated, whatever they are."""
    heard = lex(text, ask.locale, "voice")
    tokens = heard.tokens
    at = [token for token in tokens if _writes(token, "@")]
    address = any(token.raw == "@" for token in at) or (bool(at) and any(_writes(token, ".") for token in tokens))
    run: list[int] = []
    for index in [*range(len(tokens)), -1]:
        if index >= 0 and _belongs(tokens, index, address=address):
            run.append(index)
            continue
        while run and not _writes_something(tokens[run[-1]]) and not _joined(tokens, run[-1], address=address):
            run.pop()
        if run and (_long(tokens[run[0] : run[-1] + 1]) or (address and len(run) > 1)):
            yield heard.origin(run[0], run[-1] + 1)
        run = []


def _belongs(tokens: Sequence[Token], index: int, *, address: bool) -> bool:
    token = tokens[index]
    between = bool(token.kinds & _BETWEEN) and not token.pause
    return _writes_something(token) or between or _joined(tokens, index, address=address)


def _joined(tokens: Sequence[Token], index: int, *, address: bool) -> bool:
    """Whether a word stands beside a symbol that makes it part of an address, spoken or written."""
    near = [tokens[n] for n in (index - 1, index + 1) if 0 <= n < len(tokens)]
    glued = (tokens[index].glued, index + 1 < len(tokens) and tokens[index + 1].glued)
    return any(_writes(token, "@._") for token in near) if address else any(glued)


def _writes_something(token: Token) -> bool:
    return any(meaning.kind in _DICTATED and meaning.cost == 0 for meaning in token.meanings)


def _writes(token: Token, symbols: str) -> bool:
    meaning = token.get(Kind.SYMBOL)
    return meaning is not None and meaning.out in symbols and meaning.out in _JOINTS


def _long(tokens: Sequence[Token]) -> bool:
    written = [max((len(m.out) for m in t.meanings if m.kind in _DICTATED and m.cost == 0), default=0) for t in tokens]
    letters = sum(
        1 for token in tokens if Kind.LETTER in token.kinds and len(token.text) == 1 and _writes_something(token)
    )
    return sum(written) >= _FEWEST_WRITTEN or letters >= _FEWEST_LETTERS


def _masked(text: str, hits: Sequence[_Hit]) -> str:
    out, at = [], 0
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if hit.end <= at:
            continue
        out += [text[at : max(at, hit.start)], f"<{hit.field} offered>" if hit.field else "<details>"]
        at = hit.end
    return "".join([*out, text[at:]])
