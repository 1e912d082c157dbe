"""Budgets: how often a user may do what is not an answer, in one revision of a field, before a person takes over.

Failed attempts have ``FieldSpec.retries``. Every user turn either moves a capture forward or spends one of these, so
every capture ends (law 4; ``langgraph_readback.graph.bound`` adds them up).
"""

from __future__ import annotations

from typing import Final, Literal

__all__ = ["BUDGETS", "COST", "FAILS", "PER_ATTEMPT", "REFUSED", "REOPENINGS", "Budget"]

Budget = Literal["silence", "unclear", "question", "continuation", "echo", "group", "doubt", "retries"]

BUDGETS: Final[dict[str, int]] = {
    "silence": 3,
    "unclear": 3,
    "question": 4,
    "continuation": 3,
    "echo": 10,
    "group": 20,
    "doubt": 2,
}
"""Uses before the hand-off. Those in PER_ATTEMPT count within one attempt, and their end is a failed attempt.

``group``: groups of a dictation, more than the longest value has; ``echo``: groups that were heard wrong. ``doubt``:
answers that the recogniser is too unsure of to be worth a read-back.
"""

PER_ATTEMPT: Final = frozenset({"continuation", "echo", "group"})
FAILS: Final = PER_ATTEMPT | {"doubt"}
"""Budgets whose end is a failed attempt, not a hand-off."""

REFUSED: Final = frozenset({"invalid", "not_found", "clash"})
"""Causes that VALIDATE has words for: the value was never read back."""

REOPENINGS: Final = 3
"""How often a user may take a confirmed value back; the next time a person takes over."""

COST: Final[dict[str, Budget]] = {
    "silence": "silence",
    "hangup": "silence",
    "unclear": "unclear",
    "barge_in": "unclear",
    "question": "question",
    "repeat": "question",
    "wait": "question",
    "restart": "question",
    "incomplete": "continuation",
    "group": "group",
    "misheard": "echo",
    "doubt": "doubt",
    "invalid": "retries",
    "not_found": "retries",
    "clash": "retries",
    "no": "retries",
    "correction": "retries",
    "challenge": "retries",
    "lost": "retries",
}
"""What each cause spends. ``decline``, ``handoff`` and ``unavailable`` spend nothing: they end the capture at once."""
