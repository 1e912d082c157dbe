"""CrossRule: what several details must be together, such as a postcode and the address it belongs to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

from langgraph_readback.fields.deadline import in_time
from langgraph_readback.fields.spec import FieldSpec
from langgraph_readback.outcome import Reason, Verdict

__all__ = ["CrossRule", "Together", "check_together", "verdict_of"]

Together = Callable[[Mapping[str, str], Mapping[str, Any]], Awaitable[Verdict] | Verdict]
"""``(values by field, context) -> Verdict``, async or plain. ``context`` is plain data: locale, region, channel."""


@dataclass(frozen=True, kw_only=True)
class CrossRule:
    """A check over the values of several fields. It runs when the last of them is read, before that is confirmed.

    ``fields``    whose values it needs. While one of them has none, the rule waits.
    ``check``     says whether they go together. Slow (``deadline`` seconds) or failing: nobody is blamed.
    ``blames``    the field that is asked for again when they do not.
    ``words``     what the user is told then, in the user's language; by default the locale's "do not go together".
    """

    fields: tuple[str, ...]
    check: Together
    blames: str
    words: str | None = None
    deadline: float = 3.0

    def __post_init__(self) -> None:
        """Raises ValueError for a rule over fewer than two fields, or one that blames another field."""
        if len(set(self.fields)) < 2:
            raise ValueError("a cross-field rule needs at least two fields; for one, use FieldSpec.lookup")
        if self.blames not in self.fields:
            raise ValueError(f"a cross-field rule can only blame one of its fields, not {self.blames!r}")


async def verdict_of(rule: CrossRule, values: Mapping[str, str], context: Mapping[str, Any]) -> Reason | None:
    """Why the values do not go together; None when they do, or when nobody can say."""
    told = {name: values[name] for name in rule.fields}
    found = await in_time(rule.check, told, context, deadline=rule.deadline, what="a cross-field rule")
    return found.reason if isinstance(found, Verdict) else None


def check_together(specs: Mapping[str, FieldSpec], rules: Sequence[CrossRule]) -> None:
    """Raises ValueError for rules and dependencies over fields that are not there, or that go round in a circle."""
    for rule in rules:
        if stray := [name for name in rule.fields if name not in specs]:
            raise ValueError(f"a cross-field rule names {', '.join(stray)}: no such field")
    for spec in specs.values():
        if stray := [name for name in spec.depends_on if name not in specs]:
            raise ValueError(f"field {spec.name!r} depends on {', '.join(stray)}: no such field")
    try:
        TopologicalSorter({spec.name: spec.depends_on for spec in specs.values()}).prepare()
    except CycleError as error:
        raise ValueError(f"fields depend on each other in a circle: {' -> '.join(error.args[1])}") from None
