"""What several field types share."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import regex

from langgraph_readback.fields.hearing.accents import fold
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.words import Item
from langgraph_readback.outcome import Evidence, Reading, Reason, Span

LATIN = regex.compile(r"\p{Latin}")
OTHER = regex.compile(r"[\p{L}--\p{Latin}]", regex.V1)


def failed(code: str, *, candidates: tuple[str, ...] = (), **params: object) -> Reading:
    """A reading without a value: ask again."""
    return Reading(reason=Reason(code=code, params=params), candidates=candidates)


def incomplete(code: str, **params: object) -> Reading:
    """A proper beginning of a value: say "go on"."""
    return Reading(reason=Reason(code=code, params=params), complete=False)


def nothing(code: str = "nothing_heard") -> Reading:
    """The utterance held nothing like a value."""
    return Reading(reason=Reason(code=code), intent="none")


def mixed_scripts(text: str) -> bool:
    """Whether Latin letters stand with letters of another script (look-alikes)."""
    return not text.isascii() and bool(LATIN.search(text)) and bool(OTHER.search(text))


def spelled_share(items: Sequence[Item]) -> Evidence:
    """How the pieces were heard, all together."""
    kinds = {i.kind for i in items if i.kind != "symbol"}
    if kinds <= {"spelled", "digits"}:
        return "spelled"
    return "mixed" if "spelled" in kinds else "literal"


def once(items: Sequence[Item]) -> tuple[Item, ...]:
    """Without what is only said again beside the whole: "Bond, James Bond", "Thomas Clarke, Clarke with an e".

    Clauses are what pauses set apart. Of what is spelled both times nothing is left out: that is how a name with the
    same word twice is read back.
    """
    clauses: list[list[Item]] = []
    for item in items:
        if item.pause or not clauses:
            clauses.append([])
        clauses[-1].append(item)
    out: list[list[Item]] = []
    for clause in clauses:
        out[-1:] = _merged(out[-1], clause) if out else [clause]
    return tuple(item for clause in out for item in clause)


def _merged(before: list[Item], after: list[Item]) -> list[list[Item]]:
    """Two clauses, or the longer one alone when it begins or ends with the other."""
    short, long = sorted((before, after), key=len)
    for part in (long[: len(short)], long[len(long) - len(short) :]):
        pairs = list(zip(short, part, strict=True))
        same = all(fold(a.text) == fold(b.text) for a, b in pairs)
        if same and not any(a.kind == b.kind == "spelled" for a, b in pairs):
            return [long]
    return [before, after]


def bare(text: str) -> str:
    """Letters and digits only, accents kept."""
    return "".join(c for c in unicodedata.normalize("NFC", text) if c.isalnum())


def spans_of(utterance: Utterance, value: str, items: Sequence[Item]) -> tuple[Span, ...]:
    """Where the pieces of a value were said. Capitals do not matter."""
    found: list[Span] = []
    lower, at = value.casefold(), 0
    for item in items:
        text = item.text.casefold()
        index = lower.find(text, at) if text else -1
        if index >= 0:
            start, end = utterance.origin(item.first, item.last)
            found.append(Span(index=index, length=len(text), start=start, end=end))
            at = index + len(text)
    return tuple(found)
