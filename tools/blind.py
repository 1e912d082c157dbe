"""Blindness (law 6): text without captured values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

__all__ = ["mask_values"]

_SHORTEST_LOOSE = 4
"""Characters a value needs before its spelled-out forms are looked for: shorter ones occur in any text."""


def mask_values(text: str, values: Mapping[str, Any]) -> str:
    """``text`` with every captured value replaced by ``<field>``, however it is spaced, hyphenated or capitalised."""
    for field, value in sorted(values.items(), key=lambda item: -len(str(item[1]))):
        if isinstance(value, str) and value.strip():
            text = _finder(value).sub(f"<{field}>", text)
            mailbox, at, _ = value.partition("@")
            if at and len(mailbox) >= _SHORTEST_LOOSE:
                text = _finder(mailbox).sub(f"<{field}>", text)
    return text


@lru_cache(maxsize=256)
def _finder(value: str) -> re.Pattern[str]:
    """Finds a value as it is; and, when it is long enough, its letters and digits with anything else in between."""
    exact = re.escape(value.strip())
    kept = [re.escape(letter) for letter in value if letter.isalnum()]
    loose = r"[\W_]*".join(kept)
    pattern = f"{exact}|(?<![^\\W_]){loose}(?![^\\W_])" if len(kept) >= _SHORTEST_LOOSE else rf"(?<!\w){exact}(?!\w)"
    return re.compile(pattern, re.IGNORECASE)
