"""Compare: what was heard at each attempt, side by side, with the characters that differ and why the ear errs there.

Values are aligned column by column (least edits, each against what the earlier ones have in common). A column differs
when its rows do not agree. What sounds or looks alike comes from the locale's ``readback.toml`` (``alike``, ``notes``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from langgraph_readback.fields.readback import voice_words

__all__ = ["GAP", "Column", "Doubt", "compare", "doubts"]

GAP = ""
"""What stands in a row that has no character in a column."""
_LONGEST = 200
"""Characters of a value that are compared; no detail is longer."""


@dataclass(frozen=True)
class Column:
    """One place in the aligned values: a character of each, or ``GAP``."""

    chars: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """Whether the attempts disagree here; a capital and its small letter agree."""
        return len({char.lower() for char in self.chars}) > 1


@dataclass(frozen=True)
class Doubt:
    """Why two characters at one place may have been taken for each other.

    ``kind``: ``sounds`` (alike on a telephone) or ``looks`` (alike in writing). ``pairs``: each character with the word
    or note that tells it from the others.
    """

    kind: str
    chars: tuple[str, ...]
    hints: tuple[str, ...]


def compare(values: Sequence[str]) -> list[Column]:
    """The values as columns, in order; empty for no values. Leave out empty ones: they are rows of gaps."""
    columns: list[list[str]] = []
    for number, value in enumerate(value[:_LONGEST] for value in values):
        _lay(columns, value, number)
    return [Column(tuple(chars)) for chars in columns]


def _lay(columns: list[list[str]], value: str, number: int) -> None:
    """Lay one more value along the columns; where it has more, a column is added with gaps in the rows before."""
    common = "".join(_common(chars) for chars in columns)
    out: list[list[str]] = []
    for step in Levenshtein.opcodes(_plain(common), _plain(value)):
        for at in range(step.src_start, step.src_end):
            gone = step.tag == "delete"
            out.append([*columns[at], GAP if gone else value[step.dest_start + at - step.src_start]])
        if step.tag == "insert":
            out += [[GAP] * number + [char] for char in value[step.dest_start : step.dest_end]]
    columns[:] = out


def _plain(text: str) -> str:
    """Small letters, each at its place: what would become two characters stays as it is."""
    return "".join(small if len(small := char.lower()) == 1 else char for char in text)


def _common(chars: Sequence[str]) -> str:
    """The character that most rows have."""
    return Counter(char for char in chars if char).most_common(1)[0][0]


def doubts(columns: Sequence[Column], locale: str) -> list[Doubt]:
    """Why the attempts may differ, one for each set of characters, in the order of their places."""
    words = voice_words(locale)
    found: dict[tuple[str, ...], Doubt] = {}
    for column in columns:
        if not column.differs:
            continue
        chars = tuple(dict.fromkeys(char for char in column.chars if char))
        sounding = [[c for c in chars if c.lower() in group] for group in words.get("alike", [])]
        for some in (tuple(some) for some in sounding if len({c.lower() for c in some}) > 1):
            hints = tuple(str(words.get("spelling", {}).get(c.lower(), "")) for c in some)
            found.setdefault(("sounds", *some), Doubt("sounds", some, hints))
        looking = tuple(c for c in chars if c in words.get("notes", {}))
        if len(looking) > 1:
            hints = tuple(str(words["notes"][c]) for c in looking)
            found.setdefault(("looks", *looking), Doubt("looks", looking, hints))
    return list(found.values())
