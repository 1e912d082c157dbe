"""Locale data: one folder a language, one TOML file a subject, ``<REGION>`` tables as overlays.

``section("en-GB", "reply")`` reads ``locales/en/reply.toml`` and lays its ``[region.GB]`` table over it.
A language without a file falls back to English for words the product says, never for words it hears.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any

FALLBACK = "en"


def language(tag: str) -> str:
    """``pt-BR`` -> ``pt``."""
    return tag.replace("_", "-").split("-")[0].lower()


def region(tag: str) -> str | None:
    """``pt-BR`` -> ``BR``; None when the tag has no region."""
    parts = tag.replace("_", "-").split("-")
    return next((p.upper() for p in parts[1:] if len(p) == 2 and p.isalpha()), None)


@lru_cache(maxsize=256)
def section(tag: str, name: str) -> dict[str, Any]:
    """The data of one subject for a locale tag, region overlay applied; empty when there is none."""
    path = files(__name__) / language(tag) / f"{name}.toml"
    if not path.is_file():
        return {}
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    overlays = data.pop("region", {})
    where = region(tag)
    return merge(data, overlays.get(where, {})) if where else data


def merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """``over`` laid on ``base``: tables merge, lists append, everything else replaces. Neither is changed."""
    out = dict(base)
    for key, value in over.items():
        old = out.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            out[key] = merge(old, value)
        elif isinstance(old, list) and isinstance(value, list):
            out[key] = [*old, *value]
        else:
            out[key] = value
    return out


def languages() -> list[str]:
    """The languages that have a folder here."""
    return sorted(p.name for p in files(__name__).iterdir() if p.is_dir() and not p.name.startswith("_"))
