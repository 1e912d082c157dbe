"""Kit: what all nodes of one loop share. Made once by the builder; a run's input cannot change it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from langgraph_readback.fields import CrossRule, FieldSpec, Lookup
from langgraph_readback.ports import Desk, HighWater, Prefill
from langgraph_readback.seal import Sealer
from langgraph_readback.state import Record

__all__ = ["Kit"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Kit:
    """The specs in the order they are asked for, and the ports.

    ``lookups`` win over ``FieldSpec.lookup``. Without a ``desk`` a hand-off stays in the thread: it is logged, and a
    person's answer has no way back but a resume whose value the user must confirm. ``remembers``: the graph was built
    to be embedded, with memory of its own. ``prefill``: by field, what the session knows; ``rules``: over several.
    """

    specs: Mapping[str, FieldSpec]
    sealer: Sealer
    marks: HighWater
    desk: Desk | None = None
    lookups: Mapping[str, Lookup] = field(default_factory=dict)
    prefill: Mapping[str, Prefill] = field(default_factory=dict)
    rules: Sequence[CrossRule] = ()
    remembers: bool = False

    def lookup(self, spec: FieldSpec) -> Lookup | None:
        """Who is asked about this field's values."""
        return self.lookups.get(spec.name, spec.lookup)

    def blamed_by(self, name: str) -> frozenset[str]:
        """The other fields that a rule may blame when this one is read."""
        return frozenset(rule.blames for rule in self.rules if name in rule.fields) - {name}

    def sealed(self, name: str, record: Record, thread: str) -> bool:
        """Whether the record is CONFIRMED with a seal that holds for this thread, value and revision."""
        seal, value = record.get("seal"), record.get("value")
        if record.get("status") != "CONFIRMED" or not isinstance(seal, str) or not isinstance(value, str):
            return False
        return _holds(self.sealer, seal, thread, name, value, record.get("revision", 0))

    def settled(self, name: str, record: Record | None, thread: str) -> bool:
        """Whether the field needs nothing more from the user. A CONFIRMED without a seal that holds is not settled."""
        status = record.get("status") if record else None
        if record is None or status in (None, "ASK", "VALIDATE", "READBACK", "RETRY"):
            return False
        return status in ("HANDOFF", "DECLINED") or self.sealed(name, record, thread)


@lru_cache(maxsize=512)
def _holds(sealer: Sealer, seal: str, thread: str, name: str, value: str, revision: int) -> bool:
    """A seal never changes its mind, and routes ask about every field in every turn."""
    return sealer.verify(seal, thread=thread, field=name, value=value, revision=revision).ok
