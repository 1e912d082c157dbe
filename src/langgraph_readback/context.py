"""CaptureContext: who speaks, where, on which channel and when. Plain data that a client of the server may send.

Context is not persisted by LangGraph and is absent on a resume from another process, so the first node of a run
writes it into the ``session`` channel (``state.py``) and every later run reads it there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, get_args

from langgraph_readback.errors import ContextError

__all__ = ["CaptureContext", "Channel"]

Channel = Literal["voice", "chat"]
_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}")
_REGION = re.compile(r"[A-Za-z]{2}")


@dataclass(frozen=True, kw_only=True)
class CaptureContext:
    """The circumstances of a conversation. What is None is taken from the session, else from the defaults.

    ``locale``   BCP 47 tag, ``en-US`` by default; decides hearing, prompts and read-backs.
    ``region``   ISO 3166 alpha-2, when it is not the locale's (a visitor's phone number).
    ``channel``  ``voice`` (default) or ``chat``.
    ``today``    the date relative dates count from; an ISO 8601 string is fine. The machine's date by default.

    Raises ContextError, naming the key, for anything else.
    """

    locale: str | None = None
    region: str | None = None
    channel: Channel | None = None
    today: date | str | None = None

    def __post_init__(self) -> None:
        """Check each key. The server passes whatever a client sent."""
        if self.locale is not None and not _matches(_TAG, self.locale):
            raise ContextError("context.locale must be a BCP 47 tag such as 'en-AU'")
        if self.region is not None and not _matches(_REGION, self.region):
            raise ContextError("context.region must be a two-letter country code such as 'AU'")
        if self.channel is not None and self.channel not in get_args(Channel):
            raise ContextError("context.channel must be 'voice' or 'chat'")
        if isinstance(self.today, str):
            object.__setattr__(self, "today", _day(self.today))
        elif self.today is not None and not isinstance(self.today, date):
            raise ContextError("context.today must be a date or text like '2026-11-30'")

    def plain(self) -> dict[str, Any]:
        """What was given, as JSON data for the session channel."""
        today = self.today.isoformat() if isinstance(self.today, date) else None
        given = {"locale": self.locale, "region": self.region, "channel": self.channel, "today": today}
        return {key: value for key, value in given.items() if value is not None}


def given(context: CaptureContext | Mapping[str, Any] | None) -> dict[str, Any]:
    """The plain data of a run's context, however LangGraph hands it over; empty when there is none."""
    if context is None:
        return {}
    if isinstance(context, CaptureContext):
        return context.plain()
    if isinstance(context, Mapping):
        known = {key: context[key] for key in ("locale", "region", "channel", "today") if key in context}
        return CaptureContext(**known).plain()
    return {}  # a parent graph's own context: the session and the defaults decide


def _matches(pattern: re.Pattern[str], text: Any) -> bool:
    return isinstance(text, str) and pattern.fullmatch(text) is not None


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ContextError("context.today must be a date or text like '2026-11-30'") from None
