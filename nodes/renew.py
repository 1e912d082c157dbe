"""A confirmed value whose seal does not count any more is proposed again: read back, and confirmed anew.

It may come from a thread that was copied, be older than the spec allows, or be sealed with a key that is lost. What was
taken back, or what somebody wrote into the state, is not proposed.
"""

from __future__ import annotations

from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.view import View

__all__ = ["proposed_again"]


def proposed_again(view: View, kit: Kit) -> str | None:
    """The value of a record that says CONFIRMED, if it may be read back again; None: the user has to be asked.

    Either we sealed it ourselves and nothing newer is known of this field; or its key is unknown, and the high-water
    mark of this thread says that the user did confirm something at exactly this revision. A key can be invented, so
    the second way believes a forger who kept the revision: the user then hears the forged value, and says no.
    """
    record, name = view.record, view.spec.name
    value, seal, revision = record.get("value"), record.get("seal"), record.get("revision", 0)
    if not isinstance(value, str) or not isinstance(seal, str):
        return None
    highest = kit.marks.highest(view.thread, name)
    if kit.sealer.made(seal, field=name, value=value, revision=revision):
        return value if highest <= revision else None
    return value if kit.sealer.foreign(seal) and highest == revision else None
