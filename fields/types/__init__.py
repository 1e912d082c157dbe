"""Field types, one module each, with the same four verbs.

``hear(utterance, spec, ask) -> Reading``    from tokens to the canonical value, or a reason
``check(value, spec, ask) -> Verdict``       the format of a canonical value
``say(value, spec, ask) -> tuple[Chunk,...]``  the value cut into what is read back in one go, riskiest first
``ASKS``                                     the forms of asking by voice, one after another, the last one from then on
``ANY_WORD``                                 optional: True where any word may be a value, so that remarks come first

A builder's own type is a module or object with these verbs, given to ``register``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Protocol

from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.readback import Chunk
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.outcome import Reading, Verdict


class FieldType(Protocol):
    """What a type module offers."""

    hear: Callable[[Utterance, FieldSpec, Ask], Reading]
    check: Callable[[str, FieldSpec, Ask], Verdict]
    say: Callable[[str, FieldSpec, Ask], tuple[Chunk, ...]]
    ASKS: tuple[str, ...]


_own: dict[str, FieldType] = {}


def register(name: str, kind: FieldType) -> None:
    """Add a builder's own type under ``name``."""
    _own[name] = kind


def field_type(name: str) -> FieldType:
    """The type of that name. Raises KeyError with the way out when there is none."""
    return _own[name] if name in _own else _shipped(name)


@lru_cache(maxsize=64)
def _shipped(name: str) -> FieldType:
    if not name.isidentifier():
        raise KeyError(f"no field type {name!r}")
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{name}":
            raise
        raise KeyError(
            f"no field type {name!r}: use a catalogue name, give a pattern, or register() a type of your own"
        ) from None
