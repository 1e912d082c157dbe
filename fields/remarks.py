"""What the whole of an utterance does when it is not an answer: decline, hand off, ask, wait, start over.

Closed vocabularies (``reply.toml``), no guessing: an utterance that may hold a value is left to the hearing.
"""

from __future__ import annotations

from functools import lru_cache

from langgraph_readback.fields.phrases import Labelled, lexicon
from langgraph_readback.fields.prompts import aliases
from langgraph_readback.outcome import Intent

LONGEST = 2000
"""Characters. A longer utterance is no remark."""

_INTENTS: tuple[Intent, ...] = ("handoff", "decline", "restart", "repeat", "question", "wait", "silence")


def remark(utterance: str, *, locale: str) -> Intent | None:
    """The intent of an utterance that says nothing but that; None when it is an answer, or anything else.

    Emptiness and bare punctuation are ``silence``, a bare question mark is ``repeat``.
    """
    if len(utterance) > LONGEST:
        return None
    said = lexicon(locale).read(utterance)
    if not said.tokens:
        return "repeat" if said.asks else "silence"
    for intent in _INTENTS:
        if said.has(intent, strong=bool(said.leftover)) and not _holds_value(said, locale):
            return intent
    return None


def mentions(utterance: str, *, locale: str) -> tuple[str, ...]:
    """The field types an utterance speaks of ("actually, my phone is wrong" -> phone), as named in ``prompts.toml``."""
    words = [t.text for t in lexicon(locale).read(utterance).tokens]
    found: dict[tuple[int, int], list[str]] = {}
    for kind, parts in _aliases(locale):
        for at in range(len(words) - len(parts) + 1):
            if words[at : at + len(parts)] == parts:
                found.setdefault((at, at + len(parts)), []).append(kind)
    spans = [s for s in found if not any(o != s and o[0] <= s[0] and s[1] <= o[1] for o in found)]
    return tuple(dict.fromkeys(kind for span in sorted(spans) for kind in found[span]))


@lru_cache(maxsize=64)
def _aliases(locale: str) -> tuple[tuple[str, list[str]], ...]:
    """Each type with the words of one of its names, cut once: every turn asks."""
    cut = lexicon(locale).cut
    named = ((kind, [t.text for t in cut(name)]) for kind, names in aliases(locale).items() for name in names)
    return tuple((kind, parts) for kind, parts in named if parts)


def _holds_value(said: Labelled, locale: str) -> bool:
    """Whether the words that are left over look like dictation: addresses, digits, letters one by one, symbols."""
    pieces = lexicon(locale).pieces
    words = [t.text for s in said.leftover for t in said.tokens[s.first : s.last]]
    dictated = sum(1 for w in words if "@" in w or any(c.isdigit() for c in w) or w in pieces)
    return any("@" in w for w in words) or dictated >= 3
