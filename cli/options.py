"""Options that several commands share: lists with commas, and NAME=VALUE pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langgraph_readback.cli.cases import spec
from langgraph_readback.cli.lines import BadLineError, fail

if TYPE_CHECKING:
    from langgraph_readback.fields import FieldSpec


def names(text: str) -> list[str]:
    """``email, phone`` -> ``["email", "phone"]``. Exits with code 2 for none or one twice."""
    found = [name.strip() for name in text.split(",") if name.strip()]
    if not found:
        fail("--fields needs at least one name, e.g. --fields email,phone")
    if twice := sorted({name for name in found if found.count(name) > 1}):
        fail(f"--fields names {', '.join(twice)} twice")
    return found


def pairs(given: list[str] | None, option: str, *, of: list[str]) -> dict[str, list[str]]:
    """``["id=A", "id=B"]`` -> ``{"id": ["A", "B"]}``. Exits with code 2 for one without ``=`` or for no field."""
    out: dict[str, list[str]] = {}
    for text in given or []:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            fail(f"{option} needs NAME=VALUE, e.g. {option} order_id=...")
        if name not in of:
            fail(f"{option} names {name}, which --fields does not")
        out.setdefault(name, []).append(value)
    return out


def specs(fields: list[str], patterns: dict[str, list[str]]) -> list[FieldSpec]:
    """The specs of those names; a name with a pattern is an id. Exits with code 2 for an unknown name."""
    try:
        return [spec(name, pattern=patterns.get(name, [None])[-1]) for name in fields]
    except BadLineError as error:
        fail(f"--fields: {error}")
