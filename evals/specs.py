"""From a task's item to the product's FieldSpec, and whether the product has the type at all."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import cast

from langgraph_readback.evals.tasks import Item
from langgraph_readback.fields import Checksum, FieldSpec, catalogue

TODAY = date(2026, 11, 30)
_OWN: dict[str, FieldSpec] = {}


def use(specs: dict[str, FieldSpec]) -> None:
    """A builder's own specs (``--fields``), by name; they win over the catalogue."""
    _OWN.clear()
    _OWN.update(specs)
    spec_by.cache_clear()


def supported(item: Item) -> bool:
    """Whether the product has the type."""
    return item.spec in _OWN or item.spec in catalogue


def spec_of(item: Item) -> FieldSpec:
    """The spec a builder would write for the item. Raises KeyError for a type the product does not have."""
    return spec_by(item.field, item.spec, item.pattern, item.checksum)


@lru_cache(maxsize=256)
def spec_by(name: str, spec: str, pattern: str | None, checksum: str | None) -> FieldSpec:
    """As ``spec_of``, one object for the same answers."""
    if spec in _OWN:
        return _OWN[spec]
    if pattern:
        return FieldSpec(
            name=name, pattern=pattern, checksum=cast("Checksum | None", checksum), label=name.replace("_", " ")
        )
    return replace(catalogue[spec], name=name)
