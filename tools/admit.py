"""The walls of the gate: from a record to a value that may be used, or the reason why not (law 1).

Nothing here trusts a record. Its status can only refuse; what admits is the seal, for this thread, field, value and
revision. Whether that revision is still the newest is asked of SQL at the moment of the claim (``Ledger.claim``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from langgraph_readback.fields import FieldSpec, check
from langgraph_readback.seal import SealCode, Sealer
from langgraph_readback.tools.actions import Refusal, RefusalCode, Services
from langgraph_readback.tools.ledger import Mark

__all__ = ["Admitted", "MinVerified", "admit", "stands"]

MinVerified = Literal["format", "world", "human"]

_STRENGTH = {"format": 0, "world": 1, "human": 2}

_STATUS: dict[Any, RefusalCode] = {"HANDOFF": "with_human", "DECLINED": "declined", "RETRY": "in_doubt"}

_SEAL: dict[SealCode, RefusalCode] = {"unsealed": "unsealed", "other_thread": "other_thread", "expired": "expired"}

WORDS: dict[RefusalCode, str] = {
    "not_confirmed": "{field} is not confirmed; call capture_details",
    "in_doubt": "{field} is in doubt and is being asked for again; call capture_details",
    "with_human": "{field} is with a colleague; wait for their answer, and tell the user so",
    "declined": "the user gave no {field}; without it {action} cannot be done",
    "unsealed": "{field} is not confirmed by the user; call capture_details",
    "tampered": "{field} is not what the user confirmed; call capture_details",
    "other_thread": "{field} was confirmed in another conversation, not in this one; call capture_details",
    "expired": "{field} was confirmed too long ago; call capture_details",
    "unfit": "{field} does not have the form that {action} needs; call capture_details",
    "superseded": "{field} has been taken back or confirmed anew since; call capture_details",
    "not_agreed": "nobody has said that {field} is right, and {action} needs that; a colleague has to check it",
    "too_weak": "{field} could only be checked for its form, and {action} needs more; a colleague has to check it",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Admitted:
    """A value that may be used, if ``mark`` is still the newest; None for an optional field that was declined."""

    value: str | None
    mark: Mark

    def __repr__(self) -> str:
        """Show no value."""
        return f"Admitted(mark={self.mark.field!r})"


def admit(
    spec: FieldSpec,
    captures: Any,
    *,
    action: str,
    thread: str,
    sealer: Sealer,
    now: float,
    min_verified: MinVerified,
    agreed: bool = False,
) -> Admitted | Refusal:
    """What the record of ``spec`` is worth in this conversation, now."""
    record = captures.get(spec.name) if isinstance(captures, Mapping) else None
    if not isinstance(record, Mapping):
        return refusal(action, "not_confirmed", spec.name)
    status = record.get("status")
    if status != "CONFIRMED":
        known = _STATUS.get(status) if isinstance(status, str) else None
        return refusal(action, known or "not_confirmed", spec.name)
    value, revision = record.get("value"), record.get("revision")
    if type(value) is not str or type(revision) is not int:  # a sub-class can show itself as another text
        return refusal(action, "tampered", spec.name)
    facts: dict[str, Any] = {"thread": thread, "field": spec.name, "value": value, "revision": revision}
    verdict = sealer.verify(record.get("seal"), **facts, max_age=spec.max_age, now=now)
    if not verdict.ok:
        return refusal(action, _SEAL.get(verdict.code, "tampered"), spec.name)
    if spec.pattern is not None and check(spec, value).reason is not None:  # sealed by another graph, with other rules
        return refusal(action, "unfit", spec.name)
    if _STRENGTH.get(verdict.verified or "format", 0) < _STRENGTH[min_verified]:
        return refusal(action, "too_weak", spec.name)
    if agreed and not verdict.agreed:
        return refusal(action, "not_agreed", spec.name)
    mark = Mark(field=spec.name, revision=revision, fingerprints=sealer.fingerprints(**facts))
    return Admitted(value=value, mark=mark)


async def stands(spec: FieldSpec, captures: Any, thread: str, services: Services) -> bool:
    """Whether the gate would take this field's value now."""
    now, sealer = services.clock(), services.sealer
    admitted = admit(spec, captures, action="", thread=thread, sealer=sealer, now=now, min_verified="format")
    if isinstance(admitted, Refusal):
        return False
    return await asyncio.to_thread(services.ledger.newest, thread, admitted.mark)


def refusal(action: str, code: RefusalCode, field: str) -> Refusal:
    """A refusal about one field, with its words."""
    return Refusal(action=action, code=code, text=WORDS[code].format(field=field, action=action), fields=(field,))
