"""Medications as ``Name strength unit``: ``Sertraline 50 mg``, ``Co-amoxiclav 250/125 mg``, ``Lantus 100 units/mL``.

The name is as said or spelled (nothing turns a brand into a generic), the strength is never guessed and never
converted. ``options``: ``{"strength": "optional"}``, ``{"values": [names]}``. Ways of writing: ISMP and the BNF.

>>> from langgraph_readback.fields import FieldSpec, hear
>>> medication = FieldSpec(name="medication")
>>> hear(medication, "digoxin point one two five milligrams").value
'Digoxin 0.125 mg'
>>> hear(medication, "sertraline, fifteen or fifty").reason.code
'two_values'
>>> hear(medication, "phenobarbital five thirty milligram tablets").reason.code
'ambiguous'
>>> hear(medication, "sertraline").reason.code
'needs_strength'
>>> hear(medication, "the little white ones").reason.code
'not_understood'
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise
from typing import Any

import regex

from langgraph_readback.fields import lists
from langgraph_readback.fields.hearing import asides, words, written
from langgraph_readback.fields.hearing.accents import fold
from langgraph_readback.fields.hearing.lexer import Utterance, plainly
from langgraph_readback.fields.hearing.lexicon import SYLLABIC
from langgraph_readback.fields.hearing.tokens import Kind
from langgraph_readback.fields.locales import language
from langgraph_readback.fields.readback import Chunk, spellable, voice_words
from langgraph_readback.fields.remarks import remark
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import characters_dose, wording
from langgraph_readback.fields.types.casing import texts
from langgraph_readback.fields.types.common import failed, incomplete, mixed_scripts, nothing, spans_of, spelled_share
from langgraph_readback.fields.types.doses import Doses
from langgraph_readback.outcome import Reading, Reason, Verdict

ASKS = ("natural", "groups")
SUBJECT = "texts"
NUMBER = r"(?:0|[1-9]\d*)(?:\.\d*[1-9])?"
UNIT = "(?:mg|mcg|g|units|mL|%)"
STRENGTH = regex.compile(rf"{NUMBER}(?:/{NUMBER})* {UNIT}(?:/(?:{NUMBER} )?(?:mL|dose|hour|g|mg|units))?")
NAME = regex.compile(r"[\p{L}\p{M}](?:[\p{L}\p{M}\p{N}'.,/&()\- ]*[\p{L}\p{M}\p{N})])?")
VALUE = regex.compile(rf"(.*?) ({STRENGTH.pattern})")
LONGEST = 80
LEAST = 3
"""Letters of a name."""
MOST_WORDS = 6
SHORT = 4
"""Letters of a release form that is an abbreviation (XR, HCT); "retard" and "forte" are words."""


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """The name and the strength, in either order."""
    utterance = written.bound(utterance) if utterance.voice else _named(utterance)
    if any(Kind.UNSURE in t.kinds for t in utterance.tokens):
        return failed("unsure")
    if (spec.options or {}).get("strength") == "optional" and (
        intent := remark(utterance.source.original, locale=ask.locale)
    ):
        return Reading(reason=Reason(code=intent), intent=intent)
    native = characters_dose.find(utterance, utterance.lexicon.data.get("medication", {}))
    if native is not None:
        return _native(native, spec, ask)
    first, last = wording.bounds(utterance)
    stripped, notes = asides.strip(wording.dictated_links(utterance), first, last)
    suffixes = texts(ask.locale).get("medication", {}).get("suffixes", ())
    stripped = wording.abbreviated(wording.sober(stripped), suffixes)
    found = words.read(stripped, 0, len(stripped.tokens))
    if found.doubt or notes.doubt:
        return failed(found.doubt or notes.doubt or "ambiguous")
    return Finder(stripped, found.items, spec, ask, written.spelled(utterance)).reading()


def _named(utterance: Utterance) -> Utterance:
    """A typed text whose number word with a capital right before a strength in digits is a name: "Eight 250 mg"."""
    starts = [
        token.start
        for token, after in pairwise(utterance.tokens)
        if Kind.NUMBER in token.kinds and token.raw.istitle() and Kind.LITERAL in after.kinds and not after.glued
    ]
    return plainly(utterance, starts) if starts else utterance


def _native(found: characters_dose.Found, spec: FieldSpec, ask: Ask) -> Reading:
    """The reading of a name and a strength in characters."""
    if found.doubt:
        return failed(found.doubt)
    vague = texts(ask.locale).get("medication", {}).get("vague", ())
    if not found.name or any(fold(word) in vague for word in (found.name, *found.name.split())):
        return nothing("not_understood")
    optional = (spec.options or {}).get("strength") == "optional"
    if not found.strength and not optional:
        return incomplete("needs_strength")
    value = f"{found.name} {found.strength}".strip()
    if (reason := check(value, spec, ask).reason) is not None:
        return Reading(reason=reason)
    return lists.settle(value, spec, found.name) or Reading(value=value, evidence="literal")


class Finder:
    """Divides the items into name, strength and what does not matter."""

    def __init__(
        self,
        utterance: Utterance,
        items: tuple[words.Item, ...],
        spec: FieldSpec,
        ask: Ask,
        spelled: frozenset[str] = frozenset(),
    ) -> None:
        self.utterance, self.spec, self.ask, self.spelled = utterance, spec, ask, spelled
        self.data: dict[str, Any] = texts(ask.locale).get("medication", {})
        self.items = self._lettered(wording.rejoined(items, utterance.tokens))
        self.doses = Doses(self.items, utterance, self.data, language(ask.locale), spelled)

    def reading(self) -> Reading:
        """The value, or why there is none."""
        if any(self.doses.word(i) in self.data.get("approximate", ()) for i in range(len(self.items))):
            return failed("approximate")
        dose = self.doses.find()
        if dose is None:
            return self._without(self._name(0, len(self.items)))
        if (doubt := dose.doubt or self._before(dose.first) or self._second(dose.last, dose.text)) is not None:
            return failed(doubt)
        before = name = self._name(0, dose.first)
        if not before:
            name = self._name(dose.last, len(self.items))
        elif suffix := self._suffix(dose.last):
            name = f"{name} {suffix}"
        if not name or self._vague(name):
            return nothing("not_understood")
        if self._apart(dose.first) or (before and self._another(dose.last)):
            return failed("two_values")
        return self._accepted(f"{name} {dose.text}", name)

    def _apart(self, end: int) -> bool:
        """Whether two names stand before the strength, a pause between them."""
        fill = self.data.get("fill", frozenset()) | self.data.get("forms", frozenset())
        named = [i for i in range(end) if self.items[i].kind in ("word", "spelled") and self.doses.word(i) not in fill]
        return self.utterance.voice and any(self.items[i].pause for i in named[1:] if self.items[i].kind == "word")

    def _another(self, start: int) -> bool:
        """Whether something that may be another name follows the strength."""
        names = ("fill", "forms", "often", "counts", "every", "vague", "suffixes", "article")
        known = {word for name in names for word in self.data.get(name, ())}
        release = " ".join(self.data.get("release", ())).split()
        rest = [i for i in self.items[start:] if i.kind in ("word", "spelled") and len(i.text) > 3]
        if any(Kind.PROSE in t.kinds for i in rest for t in self.utterance.tokens[i.first : i.last]):
            return False
        return any(fold(i.text) not in known and fold(i.text) not in release for i in rest)

    def _accepted(self, value: str, name: str) -> Reading:
        if (reason := check(value, self.spec, self.ask).reason) is not None:
            return Reading(reason=reason)
        listed = lists.settle(value, self.spec, name)
        spans = spans_of(self.utterance, value, self.items)
        return listed or Reading(value=value, evidence=spelled_share(self.items), spans=spans)

    def _without(self, name: str) -> Reading:
        """No strength was heard."""
        if not name or self._vague(name):
            return nothing("not_understood")
        numbers = [i for i in self.items if i.kind == "digits"]
        optional = (self.spec.options or {}).get("strength") == "optional"
        if optional and not numbers:
            return self._accepted(name, name)
        ended = any(Kind.END in t.kinds for t in self.utterance.tokens)
        if not self.utterance.voice or ended:
            return failed("needs_strength")
        return incomplete("needs_strength")

    def _second(self, start: int, text: str) -> str | None:
        """A doubt when another strength or a bare number follows."""
        again = self.doses.find(start)
        if again is not None:
            return None if again.text == text else "two_values"
        for i in range(start, len(self.items)):
            if self.items[i].kind == "digits" and not self._counts(i):
                return "two_values"
        return None

    def _before(self, end: int) -> str | None:
        """A doubt when a number that counts nothing stands before the strength."""
        loose = [i for i in range(end) if self.items[i].kind == "digits" and not self._counts(i)]
        return "ambiguous" if loose else None

    def _counts(self, i: int) -> bool:
        """Whether a number counts tablets or times: "two a day", "28 tablets", "every 4 hours"."""
        after = [self.doses.word(k) for k in (i + 1, i + 2)]
        known: frozenset[str] = self.data.get("forms", frozenset()) | self.data.get("counts", frozenset())
        daily = after[0] in self.data.get("article", ()) and after[1] in self.data.get("often", ())
        return after[0] in known or daily or self.doses.word(i - 1) in ("x", *self.data.get("every", ()))

    def _lettered(self, items: list[words.Item]) -> list[words.Item]:
        """The items with "vitamin d three" as words and the "oh" of "oh point one" as a digit."""
        out: list[words.Item] = []
        for n in range(len(items)):
            fresh = self._zero(items, n)
            if self._numbered(out, fresh, items[n + 1 : n + 2]):
                out[-1] = replace(out[-1], text=out[-1].text.upper() + fresh.text, kind="word", last=fresh.last)
            else:
                out.append(fresh)
        return out

    def _zero(self, items: list[words.Item], n: int) -> words.Item:
        zero = self.utterance.tokens[items[n].first].get(Kind.DIGIT)
        if zero is not None and zero.out == "0" and items[n].kind in ("word", "spelled") and follows_point(items, n):
            return replace(items[n], kind="digits", text="0")
        return items[n]

    def _numbered(self, out: list[words.Item], item: words.Item, following: list[words.Item]) -> bool:
        """Whether a small number belongs to the letter before it, with the strength still to come."""
        if len(out) < 2 or item.kind != "digits" or item.pause or not following or following[0].kind != "digits":
            return False
        return item.text in self.data.get("lettered", {}).get(fold(out[-1].text), ())

    def _name(self, first: int, last: int) -> str:
        """The name among items ``first`` to ``last``: without counts, forms and articles around it."""
        fill: frozenset[str] = self.data.get("fill", frozenset())
        forms: frozenset[str] = self.data.get("forms", frozenset())
        outside = fill | forms | self.data.get("often", frozenset()) | {",", "."}
        while first < last and (self.items[first].kind == "digits" or self.doses.word(first) in outside):
            first += 1
        end = first
        while end < last and self.items[end].kind != "digits" and self.doses.word(end) not in forms:
            end += 1
        while end > first and self.doses.word(end - 1) in outside:
            end -= 1
        return self._written(self.items[first:end])

    def _written(self, items: list[words.Item]) -> str:
        """Items as a name: ``Metformin XR``, ``Co-amoxiclav``."""
        if not items:
            return ""
        suffixes = self.data.get("suffixes", ())
        if not self.utterance.voice:
            tokens = self.utterance.tokens
            raw = self.utterance.text[tokens[items[0].first].start : tokens[items[-1].last - 1].end]
            raw = unicodedata.normalize("NFC", " ".join(raw.split())).strip(" ,;:")
            if not raw.islower() and not raw.isupper():
                head, *tail = raw.split(" ")
                return " ".join((head, *(w.upper() if w.lower() in suffixes and len(w) <= SHORT else w for w in tail)))
        text, glued = "", True
        for item in items:
            if item.kind == "symbol":
                text, glued = text.rstrip() + item.text, True
                continue
            dictated = item.kind == "spelled" and item.text != item.text.lower()
            exact = dictated or any(c.isdigit() for c in item.text)
            piece = item.text if exact else _usual(item.text, suffixes, inside=bool(text))
            text, glued = text + ("" if glued else " ") + piece, False
        text = " ".join(unicodedata.normalize("NFC", text).split())
        if text.startswith("co ") and text.count(" ") == 1:
            text = text.replace(" ", "-")
        return text[:1].upper() + text[1:]

    def _suffix(self, start: int) -> str:
        """The release form behind the strength: "500 mg XR", "500 mg extended release"."""
        suffixes, release = self.data.get("suffixes", ()), self.data.get("release", ())
        for i in range(start, len(self.items)):
            word, pair = self.doses.word(i), f"{self.doses.word(i)} {self.doses.word(i + 1)}"
            if pair in release or word in release:
                return pair if pair in release else word
            if word in suffixes and self.items[i].kind in ("spelled", "word"):
                return _usual(word, suffixes, inside=True)
        return ""

    def _vague(self, name: str) -> bool:
        """Whether a name is a description ("the little white ones")."""
        small = texts(self.ask.locale).get("small", frozenset())
        vague = self.data.get("vague", frozenset())
        said = [fold(w) for w in name.split()]
        meant = [w for w in said if w not in self.spelled]
        described = bool(meant) and all(w in vague for w in said)
        return len(said) > MOST_WORDS or described or any(w in vague and w not in small for w in meant)


def _usual(word: str, suffixes: Collection[str], *, inside: bool) -> str:
    """A word of a name in its usual capitals, the first one's left out."""
    low = word.lower()
    return low.upper() if inside and len(low) <= SHORT and (low in suffixes or len(low) == 1) else low


def follows_point(items: list[words.Item], n: int) -> bool:
    """Whether a decimal point and a digit follow item ``n``: "oh point one"."""
    return n + 2 < len(items) and items[n + 1].text == "." and items[n + 2].kind == "digits"


def _letters(name: str) -> int:
    """Letters of a name; a syllable or Han character holds as much as two."""
    return sum(1 + bool(SYLLABIC.match(c)) for c in name if c.isalpha())


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """A name, and a strength in canonical form unless the spec has made it optional."""
    match = VALUE.fullmatch(value)
    optional = (spec.options or {}).get("strength") == "optional"
    if match is None and not (optional and not any(c.isdigit() for c in value)):
        return Verdict(reason=Reason(code="needs_strength"))
    name = match[1] if match else value
    if len(value) > LONGEST:
        return Verdict(reason=Reason(code="too_long"))
    if not NAME.fullmatch(name) or _letters(name) < LEAST or unicodedata.normalize("NFC", value) != value:
        return Verdict(reason=Reason(code="bad_character"))
    if any(mixed_scripts(SYLLABIC.sub("", word)) for word in name.split()):
        return Verdict(reason=Reason(code="lookalike_script"))
    return Verdict()


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """The name said and spelled, then the strength digit by digit with its unit as a word."""
    match = VALUE.fullmatch(value)
    name = match[1] if match else value
    chunks: list[Chunk] = []
    if not spellable(name):
        chunks.append(Chunk("word", name))
    suffixes = texts(ask.locale).get("medication", {}).get("suffixes", ())
    for n, part in enumerate(name.split(" ") if not chunks else []):
        chunks += [Chunk("word", part)] if len(part) > 2 else [Chunk("chars", " ")] if n else []
        low = _usual(part, suffixes, inside=n > 0)
        chunks.append(Chunk("chars" if part == (low if n else low[:1].upper() + low[1:]) else "exact", part))
    if match:
        chunks.append(Chunk("said", strength_words(match[2], ask)))
    return tuple(chunks)


def strength_words(strength: str, ask: Ask) -> str:
    """``0.5 mg/5 mL`` -> "zero point five milligrams per five millilitres"."""
    said = texts(ask.locale).get("say", {})
    digits = voice_words(ask.locale)["digits"]
    numbers, _, unit = strength.partition(" ")
    unit, _, per = unit.partition("/")
    amount = f" {said.get('over', 'over')} ".join(_digits(n, digits, said) for n in numbers.split("/"))
    out = f"{amount} {_unit(unit, said, one=numbers == '1')}"
    if not per:
        return out
    count, _, volume = per.rpartition(" ")
    shown = f"{_digits(count, digits, said)} " if count else ""
    return f"{out} {said.get('per', 'per')} {shown}{_unit(volume, said, one=not count)}"


def _unit(unit: str, said: dict[str, Any], *, one: bool) -> str:
    return str((said.get("one", {}) if one else {}).get(unit) or said.get(unit, unit))


def _digits(number: str, digits: list[str], said: dict[str, Any]) -> str:
    return " ".join(str(digits[int(c)]) if c.isdigit() else str(said.get("point", "point")) for c in number)
