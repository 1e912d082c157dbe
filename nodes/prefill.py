"""Prefill: what the builder's systems know of the person in this session, as a proposal or, by the spec, trusted.

The port is an argument of the builder. What it gives is sealed at once, since a client may write what was heard: only
a value with that seal is taken for the session's.
"""

from __future__ import annotations

import time

from langgraph.runtime import get_runtime

from langgraph_readback.fields import FieldSpec
from langgraph_readback.fields.deadline import in_time
from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.view import View
from langgraph_readback.nodes.world import Question, circumstances, confirmed_beside
from langgraph_readback.outcome import LookupOutcome
from langgraph_readback.seal import SealVerdict

__all__ = ["SESSION", "is_trusted", "known_from", "may_trust", "sealed_known", "what_is_known"]

SESSION = "session:"
"""How the confirmer of a value begins that the session vouches for, and nobody else."""
_KNOWN = "known:"
"""Prefix of what such a value is sealed for. No field's name has a colon."""
_LONGEST = 2_000


def what_is_known(spec: FieldSpec, kit: Kit, view: View) -> Question[str | None]:
    """The question what the session knows of this field, not yet asked. Slow, failing or empty: None."""
    port = kit.prefill.get(spec.name)
    if port is None or view.record.get("status"):  # only before the first question
        return Question(None, 0, None)
    server = getattr(get_runtime(), "server_info", None)
    user = getattr(getattr(server, "user", None), "identity", None)
    told = {**circumstances(view), "thread": view.thread, "user": user, "values": confirmed_beside(kit, view)}

    async def ask() -> str | None:
        found = await in_time(port, told, deadline=spec.lookup_deadline, what="a prefill")
        fits = isinstance(found, str) and found is not LookupOutcome.UNAVAILABLE
        return found.strip()[:_LONGEST] or None if fits else None

    return Question(ask, spec.lookup_deadline, None)


def sealed_known(kit: Kit, view: View, value: str, revision: int) -> str:
    """The proof that the session gave this value, for what was heard."""
    source = getattr(kit.prefill.get(view.spec.name), "__name__", "prefill")
    by = SESSION + (source if source.isidentifier() else "prefill")
    return kit.sealer.seal(
        thread=view.thread, field=_KNOWN + view.spec.name, value=value, revision=revision, by=by, at=time.time()
    )


def known_from(kit: Kit, view: View) -> str | None:
    """``session:<source>`` when the words being captured are what the session gave; the state's word is not enough."""
    parts, seal = view.heard.get("parts", []), view.heard.get("known")
    if len(parts) != 1 or not isinstance(seal, str):
        return None
    proof = kit.sealer.verify(
        seal, thread=view.thread, field=_KNOWN + view.spec.name, value=parts[0], revision=view.record.get("revision", 1)
    )
    return proof.by if proof.ok else None


def is_trusted(view: View, vet: SealVerdict) -> bool:
    """Whether the candidate needs no yes: the session gave it, the spec trusts that, and the stakes allow it."""
    return vet.ok and str(vet.by).startswith(SESSION) and may_trust(view.spec, vet.verified)


def may_trust(spec: FieldSpec, verified: str | None) -> bool:
    """Whether the spec trusts a value of the session that was checked so far. High stakes need more than its form."""
    weak = spec.high_stakes and verified in (None, "format")
    return spec.prefill == "trust" and spec.confirm != "challenge" and not weak
