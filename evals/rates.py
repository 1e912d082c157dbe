"""The rates of the simulated line and what symbols are taken for (``data/channel.toml``, ``data/confusions.json``)."""

from __future__ import annotations

import json
import random
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any

E_SET = frozenset("bcdegptvz")
VOWELS = frozenset("aeiouy")
DIGITS = frozenset("0123456789")


@lru_cache(maxsize=4096)
def hazard(rate: float) -> float:
    """The hazard that gives ``rate`` on average over calls whose multiplier is gamma distributed with mean 1."""
    spread = float(rates()["call"]["total_variance"])
    return float(((1 - rate) ** -spread - 1) / spread)


@lru_cache(maxsize=1)
def rates() -> dict[str, Any]:
    """``data/channel.toml``."""
    return tomllib.loads(_data("channel.toml"))


@lru_cache(maxsize=1)
def confusions() -> dict[str, Any]:
    """``data/confusions.json``."""
    table: dict[str, Any] = json.loads(_data("confusions.json"))
    return table


@lru_cache(maxsize=512)
def _choices(symbol: str, how: str, only: frozenset[str]) -> tuple[list[str], list[float]]:
    """Weighted alternatives of a symbol: the counts, and one more for each symbol of its class."""
    counts: dict[str, float] = {
        k.lower(): float(v)
        for k, v in confusions()[how].get(symbol.upper() or "EMPTY", {}).items()
        if len(k) == 1 and k.isalnum() and k.isascii()
    }
    if symbol:
        for other in _class(symbol) - {symbol}:
            counts[other] = counts.get(other, 0.0) + 1.0
    kept = {k: v for k, v in sorted(counts.items()) if k != symbol and (not only or k in only)}
    return list(kept), list(kept.values())


def pick(rng: random.Random, symbol: str, how: str, only: frozenset[str] = frozenset()) -> str:
    """What a symbol is taken for; for the empty symbol, what is heard that was not said."""
    names, weights = _choices(symbol.lower(), how, only)
    return rng.choices(names, weights)[0] if names else symbol


@lru_cache(maxsize=64)
def weight(symbol: str) -> float:
    """How much worse than its class a symbol is (shrunk to 1 by fifty observations)."""
    table = confusions()["per_symbol_first_spelled_hearing"]
    mates = [table[c.upper()] for c in _class(symbol) if c.upper() in table]
    mine = table.get(symbol.upper())
    if not mine or not mates:
        return 1.0
    mean = sum(m["local_errors"] for m in mates) / sum(m["n"] for m in mates)
    return float((mine["local_errors"] + 50 * mean) / (mine["n"] + 50) / mean)


def _class(symbol: str) -> frozenset[str]:
    if symbol in DIGITS:
        return DIGITS
    if symbol in E_SET:
        return E_SET
    return VOWELS if symbol in VOWELS else frozenset("fhjklmnqrswx")


def _data(name: str) -> str:
    return files("langgraph_readback.evals").joinpath("data", name).read_text(encoding="utf-8")
