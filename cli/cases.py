"""From a row (or options) to the field spec and the circumstances that `hear`, `reply` and `replay` share."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast, get_args

from langgraph_readback.cli.lines import BadLineError, Row, take
from langgraph_readback.context import CaptureContext
from langgraph_readback.errors import ContextError

if TYPE_CHECKING:
    from langgraph_readback.fields import FieldSpec


def spec(name: str, *, pattern: str | None = None, checksum: str | None = None) -> FieldSpec:
    """The catalogue's spec of that name; with a pattern, an id spec named as given.

    Raises BadLineError that lists the catalogue for an unknown name, and says what is wrong with a pattern.
    """
    from langgraph_readback.fields import Checksum, catalogue

    rule = cast("Checksum | None", checksum)
    if rule is not None and rule not in get_args(Checksum):
        raise BadLineError(f"unknown checksum {checksum!r}: use one of {', '.join(get_args(Checksum))}")
    if pattern is None:
        if name not in catalogue:
            known = ", ".join(sorted(catalogue))
            raise BadLineError(f"unknown field {name!r}: use one of {known}, or give a pattern")
        base = catalogue[name]
        return replace(base, checksum=rule) if rule else base
    try:
        re.compile(pattern)
    except re.error as error:
        raise BadLineError(f"the pattern is no regular expression: {error.msg}") from None
    try:
        return replace(catalogue["id"], name=name, pattern=pattern, checksum=rule)
    except ValueError as error:
        raise BadLineError(str(error)) from None


def circumstances(row: Row) -> CaptureContext:
    """Locale, region, channel and today of a row. Raises BadLineError."""
    try:
        return CaptureContext(
            locale=row.get("locale") or "en-US",
            region=row.get("region"),
            channel=row.get("channel") or "voice",
            today=take(row, "context", dict, default={}).get("today"),
        )
    except ContextError as error:
        raise BadLineError(str(error)) from None


def where(context: CaptureContext) -> dict[str, Any]:
    """The same as keyword arguments of ``hear`` and ``classify_reply``."""
    return {name: getattr(context, name) for name in ("locale", "region", "channel", "today")}
