"""Strengths of medications: "two fifty over one twenty five milligrams", "0,5 mg", "one hundred units per mil".

Not a field type. A dose is never guessed: a number that can be cut in two ways, a comma that may be a point, a
fraction that may be a combination are all doubts. Source for the ways of writing: ISMP, "List of Error-Prone
Abbreviations, Symbols, and Dose Designations" (no trailing zero, always a leading one, no naked decimal point).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph_readback.fields.hearing.accents import fold
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.lexicon import SYLLABIC
from langgraph_readback.fields.hearing.tokens import Kind, Token
from langgraph_readback.fields.hearing.words import Item

DECIMAL_COMMA = frozenset({"de", "es", "pt", "fr", "it"})
"""Languages whose decimal mark is the comma."""
USUAL = frozenset({"0", "5"})
"""Digits that before another number are no hundreds for sure: "five ten" is 5/10 to many."""
SINGLE_FORM = 3
"""A unit word longer than this has a plural; "mg" has none."""


@dataclass(frozen=True, slots=True)
class Dose:
    """A strength as it is written, and the items it was heard in (``last`` exclusive)."""

    text: str
    first: int
    last: int
    doubt: str | None = None


@dataclass(frozen=True, slots=True)
class Amount:
    """A number: ``text`` in canonical form. ``split``: it was said in several numbers, so it may be several."""

    text: str
    last: int
    split: bool = False
    doubt: str | None = None


class Doses:
    """Finds and reads strengths among the items of an utterance."""

    def __init__(
        self,
        items: Sequence[Item],
        utterance: Utterance,
        data: dict[str, Any],
        language: str,
        spelled: Collection[str] = (),
    ) -> None:
        self.items, self.tokens, self.text = items, utterance.tokens, utterance.text
        self.spelled = spelled
        self.data, self.comma = data, language in DECIMAL_COMMA
        self.units = {p: unit for unit, phrases in data.get("units", {}).items() for p in (*phrases, fold(unit))}

    def find(self, start: int = 0) -> Dose | None:
        """The first strength from item ``start`` on."""
        for i in range(start, len(self.items)):
            if (dose := self.at(i)) is not None:
                return dose
        return None

    def at(self, i: int) -> Dose | None:
        """The strength that starts at item ``i``, or None."""
        amount = self.amount(i)
        if amount is None:
            return None
        doubts = [amount.doubt]
        parts = [amount.text]
        unit, end = self._unit(amount.last)
        split = amount.split
        while (more := self._combined(end)) is not None:
            if unit and more[1] and more[1] != unit:
                break
            parts.append(more[0].text)
            doubts += [more[0].doubt, more[3]]
            unit, end, split = more[1] or unit, more[2], split or more[0].split
            if more[1]:
                break
        if not unit:
            return None
        if len(parts) == 2 and self._fraction(parts):
            doubts.append("ambiguous")
        if split and self._countable(end):
            doubts.append("ambiguous")
        text, end = self._per(f"{'/'.join(parts)} {unit}", end, doubts)
        return Dose(text, i, end, next((d for d in doubts if d), None))

    def word(self, i: int) -> str:
        """An item as folded text, as it was said. A word said and spelled is part of a name, and no word of doses."""
        if not 0 <= i < len(self.items):
            return ""
        item = self.items[i]
        if item.kind == "spelled" and fold(item.text) in self.spelled:
            return ""
        if item.kind != "symbol":
            return fold(item.text)
        said = self.tokens[item.first].text
        return fold(said.replace(" ", "") if SYLLABIC.match(said) else said)

    # --- numbers ------------------------------------------------------------------------------------------------------

    def amount(self, i: int) -> Amount | None:
        """The number that starts at item ``i``."""
        if self.word(i) in self.data.get("half", ()) or self.word(i) in self.data.get("quarter", ()):
            return self._half(i)
        groups: list[list[str]] = [[]]
        doubt, j, pointed = None, i, False
        while j < len(self.items):
            if self._digits(j):
                doubt = self._take(groups, j, first=j == i, pointed=pointed) or doubt
                pointed = False
            elif self._point(j) and "." not in groups[-1]:
                if self.items[j].pause and groups[-1]:
                    groups.append([])
                doubt = doubt or self._glued_point(j, first=not groups[-1])
                groups[-1].append(".")
                pointed = True
            else:
                break
            j += 1
        groups = [g for g in groups if g]
        return self._settled(groups, j, doubt) if groups else None

    def _take(self, groups: list[list[str]], j: int, *, first: bool, pointed: bool) -> str | None:
        """Put digits to the number they go on with, or to a new one behind a pause; a doubt when a mark is unclear."""
        item = self.items[j]
        link = "" if first else self._link(j)
        if link == "?":
            return "ambiguous"
        if link == "." or (first and self._naked(j)):
            groups[-1] += [".", item.text]
        elif link:
            groups[-1][-1] += item.text
        else:
            if groups[-1] and (item.pause or item.told) and not pointed:
                groups.append([])
            groups[-1].append(item.text)
        return None

    def _digits(self, i: int) -> bool:
        return i < len(self.items) and self.items[i].kind == "digits"

    def _point(self, i: int) -> bool:
        """Whether the item is a decimal point, said or written."""
        return (
            self.word(i) in (*self.data.get("point", ()), ".")
            and self.items[i].kind in ("symbol", "word")
            and self._digits(i + 1)
        )

    def _glued_point(self, i: int, *, first: bool) -> str | None:
        """A written point behind a word may be the end of a sentence."""
        token = self.tokens[self.items[i].first]
        return "ambiguous" if token.text == "." and first and token.glued else None

    def _literal(self, i: int) -> Token | None:
        token = self.tokens[self.items[i].first]
        return token if Kind.LITERAL in token.kinds else None

    def _naked(self, i: int) -> bool:
        """Whether digits stand behind a bare decimal mark: ".5 mg"."""
        token = self._literal(i)
        if token is None or token.start < 1 or not token.glued:
            return False
        return self.text[token.start - 1] in (".,·" if self.comma else ".·")

    def _link(self, i: int) -> str:
        """How written digits go on with those before: "" not at all, "000" thousands, "." decimals, "?" who knows."""
        token, before = self._literal(i), self.tokens[self.items[i - 1].last - 1]
        if token is None or Kind.LITERAL not in before.kinds or token.start - before.end != 1:
            return ""
        mark = self.text[before.end]
        if mark not in ",.'":
            return ""
        if mark == "," and self.comma:
            return "."
        return "000" if len(token.text) == 3 and len(before.text) <= 3 else "?"

    def _settled(self, groups: list[list[str]], last: int, doubt: str | None) -> Amount | None:
        """Groups set apart by pauses say the same number again, or are a doubt."""
        read = [_number(g, comma=self.comma) for g in groups]
        doubt = doubt or self._stacked(last)
        if any(r is None for r in read):
            return Amount("", last, doubt="ambiguous")
        values = [r for r in read if r is not None]
        if len({v.text for v in values}) > 1:
            doubt = doubt or "ambiguous"
        text, last, more = self._and_half(values[-1].text, last)
        doubt = doubt or next((v.doubt for v in values if v.doubt), None) or more
        return Amount(text, last, all(v.split for v in values), doubt)

    def _stacked(self, end: int) -> str | None:
        """A doubt about "fifty five hundred": 5500, or fifty and five hundred."""
        for item in self.items[max(end - 3, 0) : end]:
            tokens = self.tokens[item.first : item.last]
            if (
                item.kind == "digits"
                and len(tokens) > 2
                and Kind.SCALE in tokens[2].kinds
                and Kind.SCALE not in tokens[1].kinds
            ):
                return "ambiguous"
        return None

    def _and_half(self, text: str, i: int) -> tuple[str, int, str | None]:
        """As in "two and a half"."""
        said = ""
        for end in range(i, min(i + 3, len(self.items))):
            said = f"{said} {self.word(end)}".strip()
            if said in self.data.get("and_half", ()):
                return f"{text}.5", end + 1, "ambiguous" if "." in text else None
        return text, i, None

    def _half(self, i: int) -> Amount | None:
        """As in "half a milligram". Half of something that is counted is no strength."""
        text = "0.5" if self.word(i) in self.data.get("half", ()) else "0.25"
        end = i + 1
        while self.word(end) in self.data.get("article", ()):
            end += 1
        return (
            Amount(text, end, doubt=None if self._unit(end)[0] else "ambiguous")
            if self._unit(end)[0] or self._digits(end)
            else None
        )

    # --- units --------------------------------------------------------------------------------------------------------

    def _unit(self, i: int) -> tuple[str, int]:
        """The unit at item ``i`` and where it ends; "" when there is none."""
        for count in (2, 1):
            phrase = " ".join(self.word(i + k) for k in range(count)).strip()
            if i + count <= len(self.items) and phrase in self.units:
                return self.units[phrase], i + count
        if i < len(self.items) and self.items[i].text == "%":
            return "%", i + 1
        return "", i

    def _combined(self, i: int) -> tuple[Amount, str, int, str | None] | None:
        """What a slash or "over" adds: (amount, its unit, end, doubt)."""
        link = self.word(i)
        if link not in self.data.get("over", ()) and link not in ("-", *self.data.get("range", ())):
            return None
        amount = self.amount(i + 1)
        if amount is None or amount.last == i + 1:
            return None
        unit, end = self._unit(amount.last)
        said = self.items[i].text
        doubt = None if said == "/" or link in self.data.get("sure_over", ()) else "two_values"
        return amount, unit, end, doubt

    def _fraction(self, parts: list[str]) -> bool:
        """Whether two numbers may be a fraction: "1/2 mg"."""
        return parts[0] in ("1", "3") and parts[1] in ("2", "3", "4", "8")

    def _countable(self, end: int) -> bool:
        """Whether what follows can be counted: "five | thirty milligram tablets"."""
        word = self.word(end - 1)
        singular = len(word) > SINGLE_FORM and word in self.units and self.units.get(word + "s") == self.units[word]
        return singular or any(self.word(k) in self.data.get("counted", ()) for k in (end, end + 1))

    def _per(self, text: str, end: int, doubts: list[str | None]) -> tuple[str, int]:
        """As in "per mil", "per five mils", "a dose", "/5 mL"."""
        at = end
        linked = self.word(at) in self.data.get("per", ()) or (at < len(self.items) and self.items[at].text == "/")
        at += linked
        while self.word(at) in self.data.get("article", ()):
            at, linked = at + 1, linked or self._unit(at + 1)[0] in ("dose", "mL")
        if not linked:
            return text, end
        amount = self.amount(at)
        unit, last = self._unit(amount.last if amount else at)
        if not unit:
            return text, end
        if amount is not None:
            doubts += [amount.doubt, "ambiguous" if amount.split else None]
        number = f"{amount.text} " if amount and amount.text != "1" else ""
        return f"{text}/{number}{unit}", last


def _number(parts: list[str], *, comma: bool) -> Amount | None:
    """Numbers said one after another as one number; ``split`` when they might be several."""
    whole, fraction, split, doubt = parts, [], False, None
    if "." in parts:
        at = parts.index(".")
        whole, fraction = parts[:at], parts[at + 1 :]
    digits, split, sure = _joined(whole)
    if not sure:
        doubt = "ambiguous"
    tail = "".join(fraction)
    if len(fraction) == 1 and len(tail) == 3 and whole not in ([], ["0"]):
        if comma:
            digits, tail = digits + tail, ""
        elif tail.endswith("0"):
            doubt = "ambiguous"
    if len(digits) > 1 and digits.startswith("0"):
        doubt = "ambiguous"
    text = digits.lstrip("0") or "0"
    tail = tail.rstrip("0")
    if "." in parts and not (fraction or whole):
        return None
    text = f"{text}.{tail}" if tail else text
    if text == "0":
        doubt = "ambiguous"
    return Amount(text, 0, split and not tail, doubt)


def _joined(parts: list[str]) -> tuple[str, bool, bool]:
    """(digits, may be several numbers, sure). Digits one by one, or a digit before a number below a hundred."""
    text = "".join(parts)
    if len(parts) < 2:
        return text, False, True
    if all(len(p) == 1 for p in parts):
        return text, len(parts) == 2, True
    if len(parts[0]) == 1 and parts[0] not in USUAL and len(parts) == 2 and len(parts[1]) == 2:
        return text, True, True
    return text, True, False
