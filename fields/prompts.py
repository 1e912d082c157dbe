"""What the product says: one sentence from the locale's ``prompts.toml``, by key, filled in.

A key is a path (``ask.email.spelled``, ``reason.too_short``). An entry is a sentence or a list of them; of a list,
those whose places ``{...}`` can all be filled compete, the ones that say most win, and ``n`` walks through equals, so
that a retry does not sound like the attempt before it. A missing key falls back: to the generic entry of the same
group (``ask.generic.spelled``), to its plainest form (``ask.generic.natural``), then to English. It never fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from string import Formatter
from typing import Any

from langgraph_readback.fields.locales import FALLBACK, language, section

_PARSER = Formatter()


def sentence(locale: str, key: str, **params: Any) -> str:
    """The sentence of ``key`` with ``params`` filled in.

    ``n`` (a number from 0) picks among equal variants. ``label`` is taken from the locale's labels when the key names a
    type (``ask.email...``) and none is given. Unknown keys give the locale's generic line; nothing is ever raised.
    """
    turn = params.pop("n", 0)
    turn = turn if isinstance(turn, int) else 0
    filled = {k: v for k, v in params.items() if v not in (None, "")}
    if "label" not in filled:
        filled["label"] = label(locale, key.split(".")[1] if key.startswith("ask.") else "generic")
    for tag in dict.fromkeys((locale, FALLBACK)):
        for path in _paths(key):
            said = _choose(_variants(tag, path), filled, turn)
            if said:
                return said
    return str(filled["label"])


def label(locale: str, kind: str) -> str:
    """What a detail of this type is called in front of the user; its own name, spaced, when no label is known."""
    for tag in dict.fromkeys((locale, FALLBACK)):
        found = section(tag, "prompts").get("labels", {}).get(kind)
        if isinstance(found, str):
            return found
    return kind.replace("_", " ")


@lru_cache(maxsize=64)
def aliases(locale: str) -> Mapping[str, tuple[str, ...]]:
    """The words by which a user refers to each type ("phone", "mobile number" ...), English ones included."""
    out: dict[str, tuple[str, ...]] = {}
    for tag in dict.fromkeys((locale, FALLBACK)):
        for kind, words in section(tag, "prompts").get("aliases", {}).items():
            out[kind] = tuple(dict.fromkeys((*out.get(kind, ()), *words)))
    return out


def keys(locale: str) -> Iterator[str]:
    """Every key of a language's own file, fallbacks not counted (for checks and translators)."""
    yield from _walk(section(language(locale), "prompts"), "")


def _walk(table: Mapping[str, Any], prefix: str) -> Iterator[str]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _walk(value, f"{prefix}{name}.")
        else:
            yield prefix + name


@lru_cache(maxsize=1024)
def _paths(key: str) -> tuple[str, ...]:
    """The key itself, then what may stand for it, nearest first."""
    parts = key.split(".")
    out = [key]
    if len(parts) == 3:
        group, _, form = parts
        out += [f"{group}.generic.{form}", f"{group}.{parts[1]}.natural", f"{group}.generic.natural"]
    if len(parts) >= 2:
        out.append(f"{parts[0]}.generic")
    return tuple(dict.fromkeys(out))


@lru_cache(maxsize=4096)
def _variants(tag: str, path: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The sentences at a path, each with the names of its places."""
    found: Any = section(tag, "prompts")
    for part in path.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    texts = [found] if isinstance(found, str) else found if isinstance(found, list) else []
    if "" in texts:  # a region's list that replaces the language's begins with an empty string
        texts = texts[len(texts) - texts[::-1].index("") :]
    return tuple((text, frozenset(name for _, name, _, _ in _PARSER.parse(text) if name)) for text in texts)


def _choose(variants: tuple[tuple[str, frozenset[str]], ...], params: Mapping[str, Any], turn: int) -> str | None:
    """Of the variants that can be filled, the ones with most places; among equals, the ``turn``-th."""
    fits = [v for v in variants if v[1] <= params.keys()]
    if not fits:
        return None
    most = max(len(places) for _, places in fits)
    best = [text for text, places in fits if len(places) == most]
    return best[turn % len(best)].format_map(params)
