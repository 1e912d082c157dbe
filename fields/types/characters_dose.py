"""Medications in characters: "阿莫西林胶囊五百毫克", "타이레놀 오백 밀리그램". Not a field type.

The same law as for other scripts (``doses.py``): a dose is never guessed or converted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langgraph_readback.fields.hearing import repairs
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.tokens import Kind
from langgraph_readback.fields.types import characters


@dataclass(frozen=True, slots=True)
class Found:
    """A name and a strength ("" when none was said), or a doubt (a reason code)."""

    name: str
    strength: str
    doubt: str | None = None


@dataclass(frozen=True, slots=True)
class _Dose:
    """A strength and its tokens."""

    text: str
    first: int
    last: int


def find(utterance: Utterance, data: dict[str, Any]) -> Found | None:
    """What was said; None where the locale or the utterance has no such characters."""
    known = characters.habits(utterance)
    if known is None:
        return None
    utterance = utterance.of(utterance.tokens[characters.beginning(utterance) :])
    return _Finder(utterance, known, data).found()


class _Finder:
    """Divides an utterance into name and strength."""

    def __init__(self, utterance: Utterance, known: Mapping[str, Any], data: dict[str, Any]) -> None:
        self.utterance, self.tokens, self.known, self.data = utterance, utterance.tokens, known, data
        named = data.get("units", {}).items()
        self.units = sorted(((w, u) for u, words in named for w in (*words, u.casefold())), key=lambda p: -len(p[0]))

    def found(self) -> Found | None:
        """The name and the strength, or the doubt; None for a name in Latin letters."""
        doses = self._doses()
        first, last = self._first_number(), doses[0].last if doses else len(self.tokens)
        spans = [(0, min(first, doses[0].first if doses else last)), (last, len(self.tokens))]
        span = next((s for s in spans if self._name(*s)), (0, 0))
        if span[1] and not characters.worded(self.tokens[slice(*span)]):
            return None
        doses, doubt = self._settled(doses)
        return Found(self._name(*span), doses[0].text if doses else "", doubt)

    def _settled(self, doses: list[_Dose]) -> tuple[list[_Dose], str | None]:
        """The dose that counts, and what speaks against it."""
        if self._says("approximate"):
            return doses, "approximate"
        if any(Kind.OR in t.kinds for t in self.tokens[1:]):
            return doses, "two_values"
        if any(repairs.is_repair(self.tokens, i) for i in range(len(self.tokens))):
            return doses[-1:], None if len(doses) > 1 else "ambiguous"
        if len({d.text for d in doses}) > 1:
            return doses, "two_values"
        loose = not doses and any(Kind.LITERAL in t.kinds for t in self.tokens)
        return doses, "ambiguous" if loose else None

    def _says(self, table: str) -> bool:
        return any(word in self.utterance.text for word in self.data.get(table, ()))

    def _first_number(self) -> int:
        """Where the first dose starts, taken back or not."""
        return next((i for i in range(len(self.tokens)) if self._dose(i) is not None), len(self.tokens))

    def _doses(self) -> list[_Dose]:
        found, i = [], 0
        while i < len(self.tokens):
            dose = self._dose(i)
            found += [dose] if dose is not None else []
            i = dose.last if dose is not None else i + 1
        return found

    def _dose(self, i: int) -> _Dose | None:
        """The strength that starts at token ``i``, with the volume it is in."""
        link = self._word(i, "per")
        start = i + link if link else i
        if link and (volume := self._amount(start, optional=True)) is not None:
            dose = self._amount(volume[2])
            return self._joined(dose, volume, i) if dose is not None and not dose[1].startswith("mL") else None
        dose = self._amount(i)
        if dose is None:
            return None
        if (behind := self._word(dose[2], "per_behind")) and (more := self._amount(dose[2] + behind)) is not None:
            return self._joined(more, dose, i, last=more[2])
        link = self._word(dose[2], "per")
        if link and (volume := self._amount(dose[2] + link, optional=True)) is not None:
            return self._joined(dose, volume, i, last=volume[2])
        return _Dose(f"{dose[0]} {dose[1]}", i, dose[2])

    def _joined(self, dose: tuple[str, str, int], volume: tuple[str, str, int], first: int, last: int = 0) -> _Dose:
        number = f"{volume[0]} " if volume[0] not in ("", "1") else ""
        return _Dose(f"{dose[0]} {dose[1]}/{number}{volume[1]}", first, last or dose[2])

    def _amount(self, i: int, *, optional: bool = False) -> tuple[str, str, int] | None:
        """(number, unit, end) from token ``i``; the number may be missing where ``optional``."""
        number = characters.number(self.tokens, i, self.utterance)
        if number is None and not optional:
            return None
        end = number.end if number is not None else i
        if end >= len(self.tokens):
            return None
        text = number.text if number is not None else ""
        over = self._word(end, "over")
        more = characters.number(self.tokens, end + over, self.utterance) if over else None
        if more is not None:
            text, end = f"{text}/{more.text}", more.end
        for word, unit in self.units:
            if (after := self._at(end, word)) is not None:
                return _plain(text), unit, after
        return None

    def _word(self, i: int, table: str) -> int:
        """How many tokens a word of a list takes from token ``i``; 0 for none."""
        for word in self.data.get(table, ()):
            if (after := self._at(i, word)) is not None:
                return after - i
        return 0

    def _at(self, i: int, word: str) -> int | None:
        """The token behind a word that starts at token ``i``, spaces aside."""
        if i >= len(self.tokens):
            return None
        left = word.replace(" ", "")
        for k in range(i, len(self.tokens)):
            said = self.tokens[k].text.replace(" ", "")
            if not left.startswith(said):
                return None
            left = left[len(said) :]
            if not left:
                return k + 1
        return None

    def _name(self, first: int, last: int) -> str:
        """The name among tokens: without the talk, counts and forms around it."""
        while first < last and self._leads(first):
            first += 1
        if first >= last:
            return ""
        text = " ".join(self.utterance.text[self.tokens[first].start : self.tokens[last - 1].end].split())
        endings = self.utterance.lexicon.data.get("endings", [])
        before = None
        while before != text:
            before = text
            text = characters.trimmed(text, [*endings, *self.data.get("forms", ()), *self.data.get("fill", ())])
            for word in self.data.get("lead", ()):
                text = text.removeprefix(word).strip()
        return text

    def _leads(self, i: int) -> bool:
        token = self.tokens[i]
        silent = bool(token.kinds & characters.SILENT) and (" " in token.text or token.pause)
        return characters.hesitates(self.tokens, i, self.known) or (
            silent and i + 1 < len(self.tokens) and self.tokens[i + 1].pause
        )


def _plain(number: str) -> str:
    """No leading zeros and no trailing ones behind the point."""
    parts = []
    for part in number.split("/"):
        whole, point, tail = part.partition(".")
        tail = tail.rstrip("0")
        parts.append((whole.lstrip("0") or "0") + (point + tail if tail else "") if part else "")
    return "/".join(parts)
