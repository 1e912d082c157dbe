r"""A builder's pattern as the reader needs it: what may come next after a beginning.

Asking a regular expression "is this a beginning of a match?" costs microseconds, and the reader asks hundreds of
times. Most characters are alike to a pattern (``\d{6}`` does not tell 3 from 4), so a beginning is remembered by
its representatives: every character stands for all that the pattern's atoms treat the same way. What is remembered
therefore says nothing of what anyone said.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import regex

SEPARATORS = " -./_:,'"
"""Characters that a pattern may put between groups and that people leave out."""
LOOKALIKES = {"o": "0", "q": "0", "0": "O", "i": "1", "l": "1", "1": "IL", "s": "5", "5": "S", "b": "8", "8": "B"}
"""What a typed character may stand for where it does not fit itself; only a single choice is taken."""
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


class Node:
    """A beginning of a value, by its representatives: two beginnings with one node go on alike.

    ``taken`` is the reader's: what it found this node to take for a character.
    """

    __slots__ = ("_forced", "_next", "_whole", "form", "taken", "text")

    def __init__(self, form: Shape, text: str) -> None:
        self.form, self.text = form, text
        self.taken: dict[str, Any] = {}
        self._next: dict[str, Node | None] = {}
        self._whole: bool | None = None
        self._forced: str | None = None

    def step(self, char: str) -> Node | None:
        """The node after one more character, or None when no value goes on like that."""
        try:
            return self._next[char]
        except KeyError:
            found = self._next[char] = self.form.after(self, char)
            return found

    def walk(self, text: str) -> Node | None:
        """The node after more characters."""
        node: Node | None = self
        for char in text:
            if node is None:
                return None
            node = node.step(char)
        return node

    @property
    def whole(self) -> bool:
        """Whether a whole value ends here."""
        if self._whole is None:
            self._whole = self.form.regex.fullmatch(self.text) is not None
        return self._whole

    @property
    def forced(self) -> str:
        """The one letter or digit that may follow (its separator passed over), as a capital; or an empty string."""
        if self._forced is None:
            after = [self, *(n for s in self.form.literals if (n := self.step(s)) is not None)]
            fitting = {c.upper() for c in ALPHABET for n in after if n.step(c) is not None}
            self._forced = fitting.pop() if len(fitting) == 1 else ""
        return self._forced


class Shape:
    """A compiled pattern. ``literals``: separators it may write by itself, where the caller left them out.

    ``atoms``: the pieces of the pattern that match one character; None where beginnings may not be remembered.
    """

    def __init__(
        self, compiled: regex.Pattern[str], literals: str, atoms: tuple[regex.Pattern[str], ...] | None
    ) -> None:
        self.regex, self.literals, self.atoms = compiled, literals, atoms
        self.ignores_case = bool(compiled.flags & regex.IGNORECASE)
        """Whether the whole pattern ignores case; its values are then written in capitals."""
        self._stand_ins: dict[str, str] = {}
        self._held: dict[str, bool] = {}
        self._first: dict[tuple[bool, ...], str] = {}
        self._nodes: dict[str, Node] = {}
        self._root = Node(self, "")

    def root(self) -> Node:
        """Where every value begins."""
        if self.atoms is None:
            return Node(self, "")
        if len(self._nodes) > REMEMBERED or len(self._stand_ins) > REMEMBERED:
            self._stand_ins, self._held, self._nodes, self._root = {}, {}, {}, Node(self, "")
        return self._root

    def after(self, node: Node, char: str) -> Node | None:
        """The node of a node's text and one more character; None when that begins no value."""
        text = node.text + (char if self.atoms is None else self._stand_ins.get(char) or self._stand_in(char))
        if self.atoms is not None and text in self._nodes:
            return self._nodes[text]
        if self.regex.fullmatch(text, partial=True) is None:
            return None
        found = Node(self, text)
        if self.atoms is not None:
            self._nodes[text] = found
        return found

    def _stand_in(self, char: str) -> str:
        """The first character seen that every atom treats like this one."""
        marks = tuple(atom.fullmatch(char) is not None for atom in self.atoms or ())
        found = self._stand_ins[char] = self._first.setdefault(marks, char)
        return found

    def holds(self, char: str) -> bool:
        """Whether a character, or one that it may be typed for, may stand somewhere in a value; False is sure."""
        found = self._held.get(char)
        if found is None:
            alike = {char, char.upper(), char.lower(), *LOOKALIKES.get(char.lower(), "")}
            found = self._held[char] = (
                self.atoms is None
                or not alike.isdisjoint(SEPARATORS)
                or any(atom.fullmatch(c) for atom in self.atoms[:-1] for c in alike)
            )
        return found

    def begins(self, text: str) -> bool:
        """Whether ``text`` is a proper beginning of a value, or a whole one."""
        return self.root().walk(text) is not None

    def whole(self, text: str) -> bool:
        """Whether ``text`` is a whole value."""
        return self.regex.fullmatch(text) is not None


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
        made.root().step(char)
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
    signs = ("(", ")", "|", "?", "*", "+", "^", "$")
    return tuple(regex.compile(piece, flags=flags) for piece in [*pieces, r"\w"] if piece not in signs)
