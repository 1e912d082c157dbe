"""Delivery: a server that died brings a run again, and with it words that were taken already.

Messages without an id get a new one each time, so LangGraph cannot tell. Its server says which run it is, the same at
each try, and which try. Without a server nothing is said, and every message counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2s
from typing import Any

from langchain_core.messages import HumanMessage

__all__ = ["Delivery", "delivery"]

_MOST = 12
"""Runs a thread remembers. A server falls back by a few seconds at most: LangGraph's saves its queue every ten."""


@dataclass(frozen=True)
class Delivery:
    """What a server says of a run. ``run``: its id, the same at each try; ``attempt`` counts from 1."""

    run: str | None = None
    attempt: int = 1

    def once(self, messages: Sequence[HumanMessage]) -> list[HumanMessage]:
        """The messages of the last try: an earlier one had stored them, and died before anybody heard them."""
        texts = [m.text for m in messages]
        for size in range(1, len(texts) // 2 + 1):
            times, rest = divmod(len(texts), size)
            if not rest and times <= self.attempt and texts[:size] * times == texts:
                return list(messages[-size:])
        return list(messages)

    def mark(self, messages: Sequence[HumanMessage]) -> str | None:
        """A short mark of these words in this run; None outside a server, and for no words."""
        if self.run is None or not messages:
            return None
        facts = "\0".join((self.run, *(m.text for m in messages)))
        return blake2s(facts.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()

    def taken(self, session: Mapping[str, Any], messages: Sequence[HumanMessage]) -> bool:
        """Whether this run has brought these words before, and they were taken."""
        mark = self.mark(messages)
        return mark is not None and mark in _marks(session)

    def noted(self, session: Mapping[str, Any], messages: Sequence[HumanMessage]) -> dict[str, Any]:
        """The session's new entry when these words are taken."""
        mark = self.mark(messages)
        return {} if mark is None else {"taken": [*_marks(session), mark][-_MOST:]}


def _marks(session: Mapping[str, Any]) -> list[str]:
    marks = session.get("taken")
    return [m for m in marks if isinstance(m, str)] if isinstance(marks, list) else []


def delivery(config: Mapping[str, Any]) -> Delivery:
    """What LangGraph server put into a run's config."""
    run, attempt = (config.get("configurable") or {}).get("run_id"), (config.get("metadata") or {}).get("run_attempt")
    return Delivery(run=str(run) if run else None, attempt=attempt if isinstance(attempt, int) else 1)
