"""What the whole of an utterance does when it is not an answer: decline, hand off, ask, wait, start over.

Closed vocabularies (``reply.toml``), no guessing: an utterance that may hold a value is left to the hearing.
"""

from __future__ import annotations

from functools import lru_cache

from langgraph_readback.fields.phrases import Labelled, lexicon
from langgraph_readback.fields.prompts import aliases
from langgraph_readback.outcome import Intent

LONGEST = 600
"""Characters. A longer utterance is no remark, whatever is in it."""

_DICTATED = 3
"""Words that look like parts of a value; from so many on, an utterance is an answer even if it also asks something."""

_IDLE = frozenset({"filler", "wait", "repeat"})
"""Phrases in which the word for a detail means nothing ("have a nice day")."""

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
    return mentioned(lexicon(locale).read(utterance), locale)


def mentioned(said: Labelled, locale: str) -> tuple[str, ...]:
    """``mentions`` for an utterance that is labelled already."""
    words = [t.text for t in said.tokens]
    named = _aliases(locale)
    found: dict[tuple[int, int], list[str]] = {}
    for at, word in enumerate(words):
        for kind, parts in named.get(word, ()):
            if len(parts) == 1 or words[at : at + len(parts)] == parts:
                found.setdefault((at, at + len(parts)), []).append(kind)
    if not found:
        return ()
    idle = [(s.first, s.last) for s in said.segments if s.label in _IDLE]
    spans = [s for s in found if not any(o != s and o[0] <= s[0] and s[1] <= o[1] for o in (*found, *idle))]
    return tuple(dict.fromkeys(kind for span in sorted(spans) for kind in found[span]))


@lru_cache(maxsize=64)
def _aliases(locale: str) -> dict[str, list[tuple[str, list[str]]]]:
    """By first word: each type with the words of one of its names, cut once, since every turn asks."""
    cut = lexicon(locale).cut
    found: dict[str, list[tuple[str, list[str]]]] = {}
    for kind, names in aliases(locale).items():
        for name in names:
            if parts := [t.text for t in cut(name)]:
                found.setdefault(parts[0], []).append((kind, parts))
    return found


def _holds_value(said: Labelled, locale: str) -> bool:
    """Whether the words that are left over look like dictation: addresses, digits, letters one by one, symbols."""
    spare = said.spare
    return lexicon(locale).dictated(spare) >= _DICTATED or any("@" in word for word in spare)
