"""The words of which values are made when they are said: digits, letters, spelling words, symbols, carriers, dates.

Taken from what the hearing knows of a locale (and of English), by type. Used where it matters that *nothing else* was
said: the hearing finds a value among other words, but only a value by itself can confirm.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from langgraph_readback.fields.locales import FALLBACK, section
from langgraph_readback.fields.phrases import lexicon

_SUBJECTS = ("hearing", "readback", "terms", "online", "codes")
_OF_TYPE = {
    **dict.fromkeys(("date", "dob", "time", "amount"), ("quantities",)),
    **dict.fromkeys(("name", "address", "company", "property", "medication"), ("texts",)),
}
_TALK = frozenset({"prose", "unsure", "repairs", "restarts", "or", "not", "approximate", "doubt"})
"""Tables of words that stand around a value, or call it off."""


@lru_cache(maxsize=256)
def material(locale: str, kind: str) -> frozenset[str]:
    """The words, folded as ``fields/phrases.py`` folds them, of which a value of this type may be made."""
    fold = lexicon(locale).fold
    texts = (
        text
        for tag in dict.fromkeys((locale, FALLBACK))
        for subject in (*_SUBJECTS, *_OF_TYPE.get(kind, ()))
        for text in _texts(section(tag, subject))
    )
    return frozenset(word for text in texts for word in fold.words(text)) | lexicon(locale).pieces


@lru_cache(maxsize=64)
def prose(locale: str) -> frozenset[str]:
    """Words of ordinary sentences, folded: where they stand among free text, it is talk and no value."""
    fold = lexicon(locale).fold
    return frozenset(word for text in section(locale, "hearing").get("prose", ()) for word in fold.words(text))


def _texts(found: Any) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, list):
        for item in found:
            yield from _texts(item)
    elif isinstance(found, dict):
        for name, item in found.items():
            if name not in _TALK:
                yield name
                yield from _texts(item)
