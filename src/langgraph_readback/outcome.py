"""What the rooms say to each other: Reading, Verdict, Reply, LookupOutcome and the reasons.

All are frozen, keyword-only and free of LangGraph. None of them ever enters the graph's state: nodes turn
them into the plain dictionaries of ``state.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

Intent = Literal["value", "none", "decline", "handoff", "question", "repeat", "wait", "silence", "restart"]
"""What the user did with their turn. ``value``: they (tried to) give the value."""

Evidence = Literal["spelled", "literal", "mixed"]
"""How the characters were heard: letter by letter, as whole words or typed, or both."""

ReplyKind = Literal["yes", "no", "correction", "unclear", "handoff", "decline", "repeat", "question", "silence"]
"""Kinds of reply to a read-back. ``correction`` may carry a new utterance; it never patches the old value."""


class LookupOutcome(StrEnum):
    """What the world says of a value. UNAVAILABLE never spends the user's attempts."""

    FOUND = "FOUND"
    NOT_FOUND = "NOT_FOUND"
    OTHER_OWNER = "OTHER_OWNER"
    UNAVAILABLE = "UNAVAILABLE"


@dataclass(frozen=True, kw_only=True, slots=True)
class Reason:
    """Why there is no value (or why a value was refused).

    ``code`` is stable and is what tests and metrics use (``too_short``, ``ambiguous``, ``two_values`` ...).
    ``params`` fill the sentence of the locale file (``{expected}`` ...) and never hold a captured value.
    """

    code: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """``value[index:index + length]`` was heard at ``utterance[start:end]``. All are character offsets."""

    index: int
    length: int
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What ``hear`` makes of one utterance (with its continuations): a value or a reason, never a guess.

    ``value``      the canonical value, or None.
    ``reason``     why there is none; None when there is a value.
    ``complete``   False when what was heard is a proper beginning of a value: say "go on" and hear
                   ``utterance + ", " + next utterance``. It is not a failed attempt.
    ``evidence``   how it was heard.
    ``intent``     what the user did with the turn; only ``value`` and ``none`` count as answers.
    ``candidates`` for ``ambiguous`` and ``two_values``: the values that fit equally well (for the settling
                   question only; they are captured values and are treated like them).
    ``spans``      where each character of the value came from.
    """

    value: str | None = None
    reason: Reason | None = None
    complete: bool = True
    evidence: Evidence = "literal"
    intent: Intent = "value"
    candidates: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether a whole value was heard."""
        return self.value is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What validation says of a canonical value: ``reason`` is None when it is accepted."""

    reason: Reason | None = None
    lookup: LookupOutcome | None = None

    @property
    def ok(self) -> bool:
        """Whether the value was accepted."""
        return self.reason is None


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What ``classify_reply`` makes of the answer to a read-back.

    ``value`` is the complete replacement when a correction holds one; it still needs a fresh read-back.
    ``utterance`` is what the correction said, for the fresh capture to hear; None when nothing new was said.
    """

    kind: ReplyKind
    value: str | None = None
    utterance: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Spoken:
    """One read-back: plain text and SSML of the same words.

    ``form`` says how it was said: ``natural``, ``spelled``, ``words``, ``groups`` or ``keypad``.
    """

    text: str
    ssml: str
    form: str
