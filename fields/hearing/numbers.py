"""Number words to numbers: one small grammar, its habits given by the locale's ``[numbers]`` table.

``order``  how tens and units stand together: ``ten-unit`` (twenty one), ``unit-and-ten`` (einundzwanzig),
           ``closed`` (every number below a hundred is one word: Hindi).
``base``   the power of ten that starts a new group: 1000, or 10000 in Chinese and Korean.
``and``    words that may stand inside a number; ``and_after`` says where: ``scale``, ``ten``, ``hundred``.
``bare``   a scale is a number by itself ("mil", "cento").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from langgraph_readback.fields.hearing.tokens import Kind, Meaning, Token

OPEN = 10**18
GOES_ON = frozenset({Kind.SCALE, Kind.AND})
"""What may follow a unit inside a number."""


class Count:
    """A number being read. Feed it number words and scales; it refuses what cannot follow."""

    __slots__ = ("base", "group", "limit", "order", "pending", "top", "total", "unit")

    def __init__(self, habits: dict[str, Any]) -> None:
        self.order: str = habits.get("order", "ten-unit")
        self.base: int = habits.get("base", 1000)
        self.total = 0
        self.top = OPEN  # the last big scale: the next must be smaller
        self.group = 0
        self.limit = OPEN  # the next part of the group must be smaller than this
        self.pending = 0  # the last part below ten thousand, which a scale multiplies
        self.unit = 0  # a unit that waits for its ten ("ein und ...")

    @property
    def value(self) -> int:
        """The number so far."""
        return self.total + self.group

    def number(self, n: int) -> bool:
        """Take a number below a scale; False when it cannot follow."""
        if self.unit and self.order == "unit-and-ten" and n % 10 == 0 and 20 <= n < 100:
            self.group += n
            self.pending += n
            self.limit, self.unit = 1, 0
            return True
        if n >= self.limit or (n == 0 and self.limit != OPEN):
            return False
        self.group += n
        self.pending = n if self.limit > 99 or self.pending == 0 else self.pending + n
        joins = self.order == "ten-unit" and n % 10 == 0 and 20 <= n < 100
        self.unit = n if 0 < n < 10 and self.order == "unit-and-ten" else 0
        self.limit = self._rounded(n) if n >= 100 and n % 100 == 0 else 10 if joins else 1
        return True

    def _rounded(self, n: int) -> int:
        """What must be smaller to follow a round number written as one word: "tremila | cinquecento"."""
        return next((s for s in (self.base**2, self.base) if n >= s and n % s == 0), 100)

    def scale(self, s: int) -> bool:
        """Take a scale word; False when it cannot follow."""
        if s >= self.base:
            if s >= self.top:
                return False
            self.total += (self.group or 1) * s
            self.top, self.group, self.limit, self.pending, self.unit = s, 0, s, 0, 0
            return True
        times = self.pending
        above = self.group - times
        if times >= 100 or (above and above % (s * 10)) or (times == 0 and self.limit < s):
            return False
        if above + (times or 1) * s >= self.top:  # "a thousand, twelve hundred" are two numbers
            return False
        self.group = above + (times or 1) * s
        self.limit, self.pending, self.unit = s, 0, 0
        return True


def cardinals(tokens: Sequence[Token], start: int, habits: dict[str, Any]) -> Iterator[tuple[int, int]]:
    """Every (end, number) that a cardinal starting at ``start`` may have, shortest first."""
    count = Count(habits)
    after: list[str] = habits.get("and_after", ["scale"])
    index, last = start, ""
    while index < len(tokens):
        token = tokens[index]
        if index > start and token.pause and last != "big":
            return
        if index > start and token.text == "-" and token.glued and index + 1 < len(tokens) and tokens[index + 1].glued:
            index += 1
            continue
        number, scale = token.get(Kind.NUMBER), token.get(Kind.SCALE)
        if number is not None and count.number(number.number):
            n = number.number
            last = "hundred" if n >= 100 and n % 100 == 0 else "ten" if n >= 20 and n % 10 == 0 else "unit"
        elif scale is not None and count.scale(scale.number):
            last = "big" if scale.number >= count.base else "scale"
        elif Kind.AND in token.kinds and _joins(last, count, after):
            index += 1
            continue
        else:
            return
        index += 1
        yield index, count.value


def closes(n: int, after: Token, habits: dict[str, Any]) -> bool:
    """Whether a number that begins with ``n`` surely ends before the token after it: digits said one by one."""
    unit = 0 <= n < 10 and habits.get("order") != "unit-and-ten"
    return unit and Kind.NUMBER in after.kinds and after.kinds.isdisjoint(GOES_ON)


def _joins(last: str, count: Count, after: list[str]) -> bool:
    """Whether the word "and" may stand here inside a number."""
    if last in ("scale", "big"):
        return "scale" in after
    if last == "hundred":
        return "hundred" in after or "ten" in after
    if last == "ten":
        return "ten" in after
    return bool(count.unit)


def whole(parts: Sequence[Meaning], habits: dict[str, Any]) -> int | None:
    """The number that all parts of a glued number word make together, or None."""
    count = Count(habits)
    for part in parts:
        taken = (
            count.number(part.number)
            if part.kind is Kind.NUMBER
            else count.scale(part.number)
            if part.kind is Kind.SCALE
            else True
        )
        if not taken:
            return None
    return count.value
