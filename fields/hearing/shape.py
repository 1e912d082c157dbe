"""A builder's pattern as the reader needs it: what may come next after a beginning.

Asking a regular expression "is this a beginning of a match?" costs microseconds, and the reader asks hundreds of
times. Most characters are alike to a pattern (``\\d{6}`` does not tell 3 from 4), so a beginning is remembered by
its representatives: every character stands for all that the pattern's atoms treat the same way. What is remembered
therefore says nothing of what anyone said.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import regex

SEPARATORS = " -./_:,'"
"""Characters that a pattern may put between groups and that people leave out."""
REMEMBERED = 20_000
"""Beginnings a pattern keeps in memory before it forgets them all."""
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

_QUANTIFIER = regex.compile(r"(?<!\\)\{\d*,?\d*\}")
_GROUP = regex.compile(r"\(\?(?:P?<\w+>|P?<?[=!]|[:|>]|[aiLmsux]+\))")
_CLASS = r"\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]"
_ATOM = regex.compile(rf"\\[pP]\{{[^}}]*\}}|\\x[0-9A-Fa-f]{{2}}|\\u[0-9A-Fa-f]{{4}}|\\.|{_CLASS}|[^\\]", regex.DOTALL)
_CLASSES = regex.compile(_CLASS)
_REMEMBERS = regex.compile(r"\\[1-9]|\(\?P=|\\[gkLX]|\(\?[aiLmsux]*-|\(\?[aiLmsux]+:|\(\?[R&(]|\{[a-z]")
"""Signs that a character's fate hangs on more than the atoms it meets: back-references, scoped flags, recursion."""


@dataclass(frozen=True, eq=False)
class Shape:
    """A compiled pattern. ``literals``: separators it may write by itself, where the caller left them out."""

    regex: regex.Pattern[str]
    literals: str
    atoms: tuple[regex.Pattern[str], ...] | None
    _known: dict[str, bool] = field(default_factory=dict)
    _stand_ins: dict[str, str] = field(default_factory=dict)
    _first: dict[tuple[bool, ...], str] = field(default_factory=dict)
    _forced: dict[str, str] = field(default_factory=dict)

    def state(self, text: str) -> str:
        """A beginning by its representatives; two beginnings with one state go on alike."""
        if self.atoms is None:
            return text
        known = self._stand_ins
        return "".join([known.get(c) or self._stand_in(c) for c in text])

    def _stand_in(self, char: str) -> str:
        """The first character seen that every atom treats like this one."""
        if len(self._stand_ins) > REMEMBERED:
            self._stand_ins.clear()
        marks = tuple(atom.fullmatch(char) is not None for atom in self.atoms or ())
        found = self._first.setdefault(marks, char)
        self._stand_ins[char] = found
        return found

    def starts(self, state: str) -> bool:
        """Whether a state is that of a proper beginning, or of a whole value."""
        known = self._known.get(state)
        if known is None:
            known = self.regex.fullmatch(state, partial=True) is not None
            if self.atoms is not None:
                if len(self._known) > REMEMBERED:
                    self._known.clear()
                self._known[state] = known
        return known

    def begins(self, text: str) -> bool:
        """Whether ``text`` is a proper beginning of a value, or a whole one."""
        return self.starts(self.state(text))

    def whole(self, text: str) -> bool:
        """Whether ``text`` is a whole value."""
        return self.regex.fullmatch(text) is not None

    def forced(self, state: str) -> str:
        """The one letter or digit that may follow a state (its separator passed over), or an empty string."""
        found = self._forced.get(state)
        if found is None:
            after = [state, *(state + s for s in map(self.state, self.literals) if self.starts(state + s))]
            fitting = {c.upper() for c in ALPHABET for s in after if self.starts(s + self.state(c))}
            found = fitting.pop() if len(fitting) == 1 else ""
            if self.atoms is not None:
                self._forced[state] = found
        return found

    @property
    def ignores_case(self) -> bool:
        """Whether the whole pattern ignores case; its values are then written in capitals."""
        return bool(self.regex.flags & regex.IGNORECASE)


@lru_cache(maxsize=512)
def shape(pattern: str) -> Shape:
    """Compile a builder's pattern. Raises ValueError when it is no regular expression."""
    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        raise ValueError(f"pattern {pattern!r} is not a regular expression: {error}") from None
    plain = _QUANTIFIER.sub("", pattern)
    made = Shape(compiled, _literals(plain), None if _REMEMBERS.search(pattern) else _atoms(plain, compiled.flags))
    for char in ALPHABET + SEPARATORS:
        made.state(char)
    return made


def _literals(plain: str) -> str:
    """Separators that stand in the pattern by themselves, not among letters or digits in a class."""
    small = {c for found in _CLASSES.findall(plain) if not regex.search(r"[^\W_]", found) for c in found[1:-1]}
    rest = _CLASSES.sub("", _GROUP.sub("", plain))
    rest = regex.sub(r"\\s", " ", rest)
    bare = {m[-1] for m in regex.findall(r"\\[^A-Za-z0-9]|[^\\.]", rest)} | small
    return "".join(c for c in SEPARATORS if c in bare)


def _atoms(plain: str, flags: int) -> tuple[regex.Pattern[str], ...]:
    """Every piece of the pattern that matches one character."""
    pieces = dict.fromkeys(_ATOM.findall(_GROUP.sub("", plain)))
    found = []
    for piece in [*pieces, r"\w"]:
        if piece not in ("(", ")", "|", "?", "*", "+", "^", "$"):
            found.append(regex.compile(piece, flags=flags))
    return tuple(found)
