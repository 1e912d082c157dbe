"""A builder's own fields: a Python file with FieldSpecs in it."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping
from pathlib import Path

from langgraph_readback.fields import FieldSpec


def own_specs(path: Path) -> dict[str, FieldSpec]:
    """The FieldSpecs of a file, by name: its module-level specs, and those in module-level lists and dicts.

    Raises ValueError with what to change when there are none or the file cannot be read.
    """
    spec = importlib.util.spec_from_file_location("readback_own_fields", path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise ValueError(f"--fields: {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = {s.name: s for value in vars(module).values() for s in _specs(value)}
    if not found:
        raise ValueError(
            f"--fields: {path} defines no FieldSpec, e.g. ORDER = FieldSpec(name='order', pattern='HL-[0-9]+')"
        )
    return found


def _specs(value: object) -> Iterable[FieldSpec]:
    if isinstance(value, FieldSpec):
        return [value]
    if isinstance(value, Mapping):
        return [v for v in value.values() if isinstance(v, FieldSpec)]
    return [v for v in value if isinstance(v, FieldSpec)] if isinstance(value, list | tuple) else []
