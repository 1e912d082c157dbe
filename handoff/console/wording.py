"""Wording: what the pages say, from ``locales/<language>.toml``. A language without a sentence says it in English.

A key is a path (``desk.claim``); ``{...}`` are filled in. A table with ``one`` and ``other`` is chosen by ``n``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

__all__ = ["FALLBACK", "Words", "available", "best"]

FALLBACK = "en"
_WISH = re.compile(r"\s*([A-Za-z]{2,3})(?:-[A-Za-z0-9-]+)?\s*(?:;\s*q=([0-9.]+))?\s*", re.ASCII)


@lru_cache(maxsize=32)
def _table(language: str) -> Mapping[str, Any]:
    path = files(__package__) / "locales" / f"{language}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


@lru_cache(maxsize=1)
def available() -> tuple[str, ...]:
    """The languages that have a file here, by code."""
    folder = files(__package__) / "locales"
    return tuple(sorted(path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml")))


def best(accept: str | None) -> str:
    """The language of ours that an ``Accept-Language`` header likes best; English when there is none."""
    wishes = [match for part in (accept or "").split(",") if (match := _WISH.fullmatch(part))]
    for match in sorted(wishes, key=lambda match: -_weight(match[2])):
        if match[1].lower() in available() and _weight(match[2]) > 0:  # 0: anything but this
            return match[1].lower()
    return FALLBACK


def _weight(text: str | None) -> float:
    try:
        return float(text) if text else 1.0
    except ValueError:
        return 0.0


class Words:
    """The sentences of one language: ``words("desk.claim")``."""

    def __init__(self, language: str = FALLBACK) -> None:
        """Take a language code; one without a file is English."""
        self.language = language if language in available() else FALLBACK

    def __call__(self, key: str, **params: Any) -> str:
        """The sentence of a key, filled in. A key that no language has is given back: a page never fails for it."""
        return self.get(key, **params) or key

    def get(self, key: str, **params: Any) -> str | None:
        """As a call; None for a key that no language has."""
        for language in dict.fromkeys((self.language, FALLBACK)):
            found: Any = _table(language)
            for part in key.split("."):
                found = found.get(part) if isinstance(found, Mapping) else None
            if isinstance(found, Mapping):
                found = found.get("one" if params.get("n") == 1 else "other")
            if isinstance(found, str):
                return found.format_map(params) if params else found
        return None

    def group(self, key: str) -> dict[str, str]:
        """All sentences below a key, English ones where this language has none: what a page's script needs."""
        out: dict[str, str] = {}
        for language in dict.fromkeys((FALLBACK, self.language)):
            found: Any = _table(language)
            for part in key.split("."):
                found = found.get(part, {}) if isinstance(found, Mapping) else {}
            out |= {name: text for name, text in found.items() if isinstance(text, str)}
        return out
