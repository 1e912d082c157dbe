"""The pieces of an address between two pauses: house numbers, units, ordinal streets, words.

Not a field type. Numbers are digits ("two fifty west" -> 250 West), a street's ordinal keeps its ending (51st; first
to ninth stay words, as in "Fifth Avenue", the usage of the Associated Press). What can be cut in two ways, such as
"two twenty second street" (2 22nd, 220 Second), is a doubt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph_readback.fields.hearing.accents import fold
from langgraph_readback.fields.hearing.tokens import Kind, Token
from langgraph_readback.fields.hearing.words import Item
from langgraph_readback.fields.types.casing import capital, elided

ENDINGS = {1: "st", 2: "nd", 3: "rd"}
AS_WORD = 9
"""Ordinals up to this one stay words."""
STATE = 3
"""Letters; a longer spelling is a word."""
COUNTED = frozenset({Kind.LITERAL, Kind.NUMBER, Kind.DIGIT, Kind.SCALE})


@dataclass(frozen=True, slots=True)
class Segment:
    """What stood between two pauses, as written. ``words``: its folded words. ``first``: its first token."""

    text: str
    words: tuple[str, ...]
    first: int

    @property
    def numbered(self) -> bool:
        """Whether it holds a digit."""
        return any(c.isdigit() for c in self.text)


def ordinal(number: int) -> str:
    """``51`` -> ``51st``."""
    teen = 10 < number % 100 < 14
    return f"{number}{'th' if teen else ENDINGS.get(number % 10, 'th')}"


def usual(word: str, data: dict[str, Any], *, inside: bool, ends: bool) -> tuple[str, str]:
    """How a word is written that is only said, and that is spelled too. ``inside``, ``ends``: where in its part."""
    address, low = data.get("address", {}), fold(word)
    small = inside and not ends and low in data.get("small", ())
    told = low if small or (inside and low in address.get("lower", ())) else elided(word, data, first=not inside)
    number = address.get("ordinals", {}).get(low)
    return (told if number is None else street_number(number, address["ordinals"])), told


def street_number(number: int, ordinals: Mapping[str, int]) -> str:
    """The name of a street that is numbered: Fifth, 51st."""
    if number > AS_WORD:
        return ordinal(number)
    return next(capital(w) for w, value in ordinals.items() if value == number)


class Writer:
    """Writes the items of an address as segments."""

    def __init__(
        self, items: Sequence[Item], tokens: tuple[Token, ...], data: dict[str, Any], *, number_last: bool
    ) -> None:
        self.items, self.tokens, self.data = items, tokens, data
        self.address: dict[str, Any] = data.get("address", {})
        self.streets = self.address.get("streets", frozenset())
        self.ordinals: dict[str, int] = self.address.get("ordinals", {})
        self.doubt: str | None = None
        self.counted = self.housed = False
        self.number_last = number_last

    def segments(self) -> list[Segment]:
        """All segments; a lone number and a lone street type belong to what stands beside them."""
        cuts = [n for n, item in enumerate(self.items) if n == 0 or self._starts(n)]
        out: list[Segment] = []
        for start, end in zip(cuts, [*cuts[1:], len(self.items)], strict=False):
            text = self._written(start, end)
            if not text:
                continue
            if out and out[-1].numbered and len(out[-1].words) == 1 and not self.number_last:
                text = f"{out[-1].text} {text}"
                first = out.pop().first
            else:
                first = self.items[start].first
            words = tuple(fold(w) for w in text.split())
            out.append(Segment(text, words, first))
            numbered = any(c.isdigit() for c in text)
            self.counted = self.counted or numbered
            self.housed = self.housed or (numbered and words[0] not in self.address.get("units", ()))
        return out

    def _starts(self, n: int) -> bool:
        """Whether a segment starts at an item."""
        item, before = self.items[n], self.items[n - 1]
        if not item.pause or item.kind == "symbol" or before.kind == "symbol":
            return False
        number_before = before.kind == "digits" and not self._after(n - 1) and (n == 1 or self._starts(n - 1))
        if number_before and item.kind != "digits":
            return False
        return not (self._street(n) and before.kind == "spelled")

    def _after(self, n: int) -> bool:
        """Whether the house number stands behind its street here, so that item ``n`` ends something."""
        return n > 0 and self.number_last

    def _street(self, n: int) -> bool:
        return n < len(self.items) and self.items[n].kind == "word" and fold(self.items[n].text) in self.streets

    def _written(self, start: int, end: int) -> str:
        out: list[str] = []
        glue = False
        n = start
        while n < end:
            item = self.items[n]
            if item.kind == "digits":
                piece, n = self._number(n, start, end, bool(out) and not glue)
            elif item.kind == "symbol":
                n += 1
                if item.text in "/-'&.":
                    glue = item.text != "&"
                    out = [*out[:-1], out[-1] + item.text] if out and glue else [*out, item.text] if not glue else out
                continue
            else:
                piece, n = self._word(n, end, bool(out)), n + 1
            if not piece:
                continue
            close = glue or self._range(n - 1, out)
            out = [*out[:-1], out[-1] + piece] if close and out else [*out, piece]
            glue = False
        return " ".join(out).strip(" -/.'")

    def _range(self, n: int, out: list[str]) -> bool:
        return bool(out) and out[-1].endswith("-") and self.items[n].kind == "digits"

    # --- numbers ------------------------------------------------------------------------------------------------------

    def _number(self, n: int, start: int, end: int, inside: bool) -> tuple[str, int]:  # noqa: FBT001
        """The number that starts at item ``n``, with its letter, or the ordinal street it runs into."""
        stop = n + 1
        while stop < end and self.items[stop].kind == "digits":
            stop += 1
        run = [i.text for i in self.items[n:stop]]
        first = self.items[n].first
        apart = first > 0 and (n == 0 or self.items[n - 1].last < first)
        said = self.tokens[first - 1] if apart else None
        if said is not None and said.text in self.address.get("number_words", ()) and (self.housed or inside):
            return f"{capital(said.text)} {''.join(run)}", stop
        unit = n > start and fold(self.items[n - 1].text) in self.address.get("units", ())
        if unit and stop - n > 1 and self._written_out(n):
            return run[0], n + 1
        if self.counted and not inside and self._plain(n, stop, end):
            return capital(self._raw(n, stop)), stop
        follows = self.items[stop] if stop < end else None
        if follows is None or follows.kind == "symbol":
            return "".join(run), stop
        word = fold(follows.text) if follows.kind == "word" else ""
        if word in self.address.get("measures", ()) or self._unit_and_house(n, stop, end):
            self.doubt = "ambiguous"
        if word in self.ordinals and not follows.pause:
            return self._ordinal(run, self.ordinals[word], n, stop, inside)
        glued = self.tokens[follows.first].glued
        letter = self._letter(stop, end, glued=glued)
        if letter:
            return "".join(run) + letter, stop + 1
        if word in self.address.get("ranges", ()) and stop + 1 < end and self.items[stop + 1].kind == "digits":
            return "".join(run) + "-", stop + 1
        return "".join(run), stop

    def _plain(self, n: int, stop: int, end: int) -> bool:
        """Whether a number word starts the name of a town ("seven oaks") once the house has its number."""
        words = [fold(i.text) for i in self.items[stop:end]]
        said = all(Kind.LITERAL not in self.tokens[i.first].kinds for i in self.items[n:stop])
        named = any(w in self.streets or w in self.address.get("units", ()) or w in self.ordinals for w in words)
        return said and stop - n == 1 and bool(words) and len(words[0]) > 1 and not named

    def _written_out(self, n: int) -> bool:
        """Whether a recogniser wrote a number in digits, apart from the next one."""
        return Kind.LITERAL in self.tokens[self.items[n].first].kinds

    def _unit_and_house(self, n: int, stop: int, end: int) -> bool:
        """Whether numbers run together that may be a unit's and a house's: "apartment two one main street"."""
        unit = n > 0 and fold(self.items[n - 1].text) in self.address.get("units", ())
        named = any(self._street(k) for k in range(stop + 1, end))
        written = Kind.LITERAL in self.tokens[self.items[n].first].kinds
        return unit and named and not written and (stop - n > 1 or self.items[n].last - self.items[n].first > 1)

    def _raw(self, n: int, stop: int) -> str:
        last = self.items[stop - 1].last
        return " ".join(t.raw for t in self.tokens[self.items[n].first : last] if t.kinds & COUNTED)

    def _letter(self, n: int, end: int, *, glued: bool) -> str:
        """The letter of a house or unit behind its number: 21B. A letter before a street type is the street's name."""
        item = self.items[n]
        following = self.items[n + 1] if n + 1 < end else None
        if glued and fold(item.text) in ("st", "nd", "rd", "th"):
            return fold(item.text)
        if len(item.text) != 1 or item.kind not in ("word", "spelled") or item.pause:
            name = self.tokens[item.first].get(Kind.LETTER)
            at_end = following is None and item.kind == "word" and not item.pause
            return name.out.upper() if at_end and name is not None and name.cost == 0 else ""
        if (
            not glued
            and following is not None
            and fold(item.text) in self.address.get("compass", ())
            and self._goes_west(n, end)
        ):
            return ""
        if not glued and self._street(n + 1) and following is not None and not following.pause:
            return ""
        return item.text.upper()

    def _goes_west(self, n: int, end: int) -> bool:
        """Whether a letter after a number is a direction: "250 W 51st", "250 W Main St"."""
        following = self.items[n + 1]
        written = Kind.LITERAL in self.tokens[self.items[n - 1].last - 1].kinds
        return following.kind == "digits" or (written and any(self._street(k) for k in range(n + 1, end)))

    def _ordinal(self, run: list[str], number: int, n: int, stop: int, inside: bool) -> tuple[str, int]:  # noqa: FBT001
        """Digits and the ordinal behind them: 51st, 407 Fourth, 250 51st."""
        tail = run[-1]
        whole = int(tail)
        if number >= 100 and whole % 10 == 1:
            self.doubt = "ambiguous"
        size = 10 if number < 10 else 100 if number < 100 else 1000
        joins = whole > 0 and whole % size == 0 and len(tail) > len(str(number))
        pauses = [k for k in range(n + 1, stop) if self.items[k].pause]
        if not joins:
            return f"{''.join(run)} {self._as_street(number)}", stop + 1
        split = pauses[-1] - n if pauses else None
        if split is not None and split == len(run) - 1:
            return f"{''.join(run[:-1])} {ordinal(whole + number)}", stop + 1
        if inside or (self.housed and len(run) == 1):
            return ordinal(int("".join(run)) + number), stop + 1
        if len(run) >= 3 and len(run[-2]) == 2:
            return f"{''.join(run[:-1])} {ordinal(whole + number)}", stop + 1
        self.doubt = "ambiguous"
        return f"{''.join(run)} {self._as_street(number)}", stop + 1

    def _as_street(self, number: int) -> str:
        return street_number(number, self.ordinals)

    # --- words --------------------------------------------------------------------------------------------------------

    def _door(self, n: int) -> str:
        """The letter whose name stands behind a floor ("tercero be"); empty when there is none."""
        name = self.tokens[self.items[n].first].get(Kind.LETTER)
        behind = fold(self.items[n - 1].text) in self.address.get("floors", ())
        return name.out.upper() if behind and name is not None and name.cost == 0 else ""

    def _word(self, n: int, end: int, inside: bool) -> str:  # noqa: FBT001, PLR0911 - one case a line
        item = self.items[n]
        low = fold(item.text)
        number = self.ordinals.get(low)
        if number is not None and item.kind == "word":
            return self._as_street(number)
        if item.kind == "spelled" and any(c.isupper() for c in item.text):
            return item.text
        if item.kind == "spelled" and not item.told and len(item.text) <= STATE:
            return item.text.upper()
        if len(item.text) <= STATE and item.text.isupper():
            return item.text
        if inside and low in self.address.get("lower", ()):
            return item.text.lower()
        if inside and n + 1 == end and (door := self._door(n)):
            return door
        counted = n + 1 < end and self.items[n + 1].kind == "digits" and not inside
        if counted and low in self.address.get("article", ()):
            return ""
        if counted and low in self.data.get("small", ()):
            self.doubt = "ambiguous"
        if inside and low in self.data.get("small", ()) and n + 1 < end and not (len(low) == 1 and self._street(n + 1)):
            return item.text.lower()
        return elided(item.text, self.data, first=not inside)
