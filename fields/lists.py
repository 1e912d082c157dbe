"""A builder's own list of values: ``options={"values": ["Nuvio Labs", ...]}``.

The list is only used to validate or to ask. A value that is in it (case, accents and punctuation aside) passes; one
that is near an entry is a question about that entry; nothing heard is ever changed into an entry of the list.
"""

from __future__ import annotations

from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import JaroWinkler

from langgraph_readback.fields.hearing.accents import fold
from langgraph_readback.fields.spec import FieldSpec
from langgraph_readback.outcome import Reading, Reason

NEAR = 0.86
"""Similarity (Jaro-Winkler, 0 to 1) from which an entry is worth a question."""
AS_NEAR = 0.02
"""Entries this close to the nearest one are asked about too."""
ASKED = 2


def bare(text: str) -> str:
    """Letters and digits, case and accents aside: what two ways of writing one name share."""
    return "".join(c for c in fold(text) if c.isalnum())


@lru_cache(maxsize=64)
def _table(values: tuple[str, ...]) -> dict[str, str]:
    return {bare(v): v for v in values}


def near(text: str, values: tuple[str, ...], limit: int = ASKED) -> tuple[str, ...]:
    """The entries most like a text, nearest first: the exact one alone, or those that are about equally near."""
    table = _table(values)
    key = bare(text)
    if key in table:
        return (table[key],)
    found = process.extract(key, list(table), scorer=JaroWinkler.similarity, score_cutoff=NEAR, limit=limit)
    best = found[0][1] if found else 0.0
    return tuple(table[k] for k, score, _ in found if score >= best - AS_NEAR)


def settle(value: str, spec: FieldSpec, part: str | None = None) -> Reading | None:
    """None when the spec has no list or the value is in it; else the question or the refusal.

    ``part``: what is looked up, when that is not the whole value (the name of a medication).
    """
    values = tuple((spec.options or {}).get("values", ()))
    if not values:
        return None
    looked = value if part is None else part
    found = near(looked, values)
    if found and bare(found[0]) == bare(looked):
        return None
    if not found:
        return Reading(reason=Reason(code="not_found"))
    tail = value[len(looked) :] if part is not None else ""
    return Reading(reason=Reason(code="ambiguous"), candidates=tuple(f + tail for f in found))
