"""Postal addresses as said, in local order: ``250 West 51st Street, Apartment 9C, New York, New York 10019``.

The postcode stands where the country writes it, in its layout (``data/postcodes.toml``); a missing one is no error
unless ``options={"postcode": "required"}``. Directions alone are no address. Orders: Universal Postal Union,
"Postal addressing systems", and Google's libaddressinput data.

>>> from langgraph_readback.fields import FieldSpec, hear
>>> address = FieldSpec(name="address")
>>> hear(address, "rose cottage, church lane, there's no number, kendal, l a nine four a b", locale="en-GB").value
'Rose Cottage, Church Lane, Kendal LA9 4AB'
>>> hear(address, "opposite the temple, near the water tank, everyone knows it", locale="en-IN").reason.code
'needs_number'
>>> hear(address, "two twenty second street, denver").reason.code
'ambiguous'
>>> hear(address, "fourteen castle view").complete
False
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import replace

import regex

from langgraph_readback.fields.hearing import asides, words, written
from langgraph_readback.fields.hearing.accents import fold
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.lexicon import SYLLABIC, lexicon
from langgraph_readback.fields.hearing.tokens import Kind, Token
from langgraph_readback.fields.readback import Chunk, spellable, voice_words
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import characters_address, postal, wording
from langgraph_readback.fields.types.casing import elided, texts
from langgraph_readback.fields.types.common import failed, incomplete, mixed_scripts, nothing, spans_of, spelled_share
from langgraph_readback.fields.types.streets import Segment, Writer, usual
from langgraph_readback.outcome import Evidence, Reading, Reason, Span, Verdict

ASKS = ("natural", "groups")
SUBJECT = "texts"
VALUE = regex.compile(r"[\p{L}\p{M}\p{N}'&.,/()#\-: ]+")
STOPS = regex.compile(r"(?<=\p{L})\.(?=\s|,|$)")
SENTENCE = regex.compile(r"\.\s+(?=\p{Lu})")
"""Full stops of abbreviations, which an address does without."""
ORDINAL = regex.compile(r"\d+(st|nd|rd|th)")
LONGEST = 200
INITIALS = 3
"""Letters; so few are initials, written as they are said where their names are words of another script."""


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """Number, street, town and postcode, typed or said."""
    utterance = written.bound(utterance)
    if any(Kind.UNSURE in t.kinds for t in utterance.tokens):
        return failed("unsure")
    if (native := characters_address.hear(utterance, spec, ask)) is not None:
        reason = None if native.value is None else check(native.value, spec, ask).reason
        return native if reason is None else Reading(reason=reason)
    return _Voice(utterance, spec, ask).reading() if utterance.voice else _typed(utterance, spec, ask)


class _Voice:
    """One spoken address."""

    def __init__(self, utterance: Utterance, spec: FieldSpec, ask: Ask) -> None:
        self.spec, self.ask = spec, ask
        self.data = texts(ask.locale)
        self.address = self.data.get("address", {})
        first, last = wording.bounds(utterance)
        self.spelled = written.spelled(utterance)
        self.landmarks = 0
        kept = self._without_remarks(utterance, first, last)
        stripped, self.notes = asides.strip(wording.dictated_links(kept), 0, len(kept.tokens), repeats=False)
        self.utterance = wording.sober(postal.abbreviated(stripped, ask, self.address))

    def _without_remarks(self, utterance: Utterance, first: int, last: int) -> Utterance:
        """The clauses that are no remarks ("there's no number") and, outside India, no landmarks."""
        kept: list[Token] = []
        remarks = tuple(self.address.get("remarks", ()))
        marks = tuple(f"{mark} " for mark in self.address.get("landmarks", ()))
        talk = tuple(f"{word} " for word in self.address.get("talk", ()))
        for start, end in asides.clauses(utterance.tokens, first, last):
            tokens = utterance.tokens[start:end]
            said = fold(" ".join(t.text for t in tokens))
            remarked = said.startswith(remarks) or (kept and (self._prose(tokens) or said.startswith(talk)))
            marked = f"{said} ".startswith(marks)
            named = (remarked or marked) and fold(tokens[0].text) in self.spelled
            if remarked and not named:
                continue
            if marked and not named:
                self.landmarks += 1
                if not kept or postal.region(self.ask) != "IN":
                    continue
            kept += tokens
        return utterance.of(tuple(kept))

    def _prose(self, tokens: tuple[Token, ...]) -> bool:
        return Kind.PROSE in tokens[0].kinds and not any(t.kinds & {Kind.LITERAL, Kind.NUMBER} for t in tokens)

    def reading(self) -> Reading:
        """The value, or why there is none."""
        if not self.utterance.tokens:
            return failed("needs_number") if self.landmarks else nothing()
        self.utterance, code = postal.find(self.utterance, self.ask, self.address)
        if code.doubt:
            return failed(code.doubt, **code.params)
        parts = [self._part(0, code.first), self._part(code.last, len(self.utterance.tokens))]
        doubt = self.notes.doubt or next((d for _, _, d in parts if d), None)
        if doubt:
            return failed(doubt)
        before, after = parts[0][0], parts[1][0]
        if any(Kind.OR in t.kinds for t in self.utterance.tokens[1:]) or (before and any(s.numbered for s in after)):
            return failed("two_values")
        talk = self.address.get("talk", frozenset())
        if any(word in talk and word not in self.spelled for s in before + after for word in s.words):
            return failed("not_understood")
        found = _judged(before + after, code.value, self.spec, self.address, self.landmarks)
        if found is not None:
            return incomplete(found) if found == "incomplete" else failed(found)
        if code.value is None and self._cut_off(before):
            return incomplete("too_short")
        value = postal.placed([s.text for s in before], code, [s.text for s in after])
        reading = _accepted(value, spelled_share([*parts[0][1], *parts[1][1]]), self.spec, self.ask)
        return replace(reading, spans=self._spans(value, code, parts[0][1], parts[1][1])) if reading.ok else reading

    def _spans(
        self, value: str, code: postal.Code, before: tuple[words.Item, ...], after: tuple[words.Item, ...]
    ) -> tuple[Span, ...]:
        """Where the pieces were said: what stands before the postcode, the postcode, what stands behind it."""
        if code.value is None:
            return spans_of(self.utterance, value, before)
        whole = words.Item("spelled", code.value, code.first, code.last)
        return spans_of(self.utterance, value, (*before, whole, *after) if before else (*after, whole))

    def _part(self, first: int, last: int) -> tuple[list[Segment], tuple[words.Item, ...], str | None]:
        """The segments of tokens ``first`` to ``last``."""
        if first >= last:
            return [], (), None
        tokens = self.utterance.tokens
        found = words.read(self.utterance, first, last)
        items = tuple(_worded(i, tokens) for i in wording.rejoined(found.items, tokens))
        number_last = postal.region(self.ask) in postal.FIRST and not self.address.get("number_first", False)
        writer = Writer(items, tokens, self.data, number_last=number_last)
        segments = _unechoed(writer.segments(), items)
        return segments, items, found.doubt or writer.doubt

    def _cut_off(self, segments: list[Segment]) -> bool:
        """Whether the last words are letters and digits of a postcode that is not whole."""
        return postal.cut_off(self.utterance, self.ask, self.address) and len(segments) > 1


def _worded(item: words.Item, tokens: tuple[Token, ...]) -> words.Item:
    """Symbol words that no address bears are words: "Point Court"."""
    token = tokens[item.first]
    if item.kind == "spelled" and item.last == item.first + 1 and len(token.text) > 1 and Kind.SPELL not in token.kinds:
        return replace(item, kind="word", text=token.raw)  # "Bee Avenue"
    said = " ".join(t.raw for t in tokens[item.first : item.last])
    if item.kind == "spelled" and not item.told and len(item.text) <= INITIALS and not said.isascii():
        return replace(item, kind="word", text=said)  # "एम जी रोड"
    raw = token.raw if item.kind == "symbol" else ""
    return replace(item, kind="word", text=raw) if raw[:1].isalpha() and item.text not in "/-'& " else item


def _unechoed(segments: list[Segment], items: tuple[words.Item, ...]) -> list[Segment]:
    """Without a word said again to be spelled: "weigh house lane, weigh, w e i g h"."""
    spelled = {fold(i.text) for i in items if i.kind == "spelled" and i.told}
    said = {i.first for i in items if i.kind == "word"}
    seen: set[str] = set()
    out = []
    for segment in segments:
        again = len(segment.words) == 1 and segment.first in said and segment.words[0] in spelled & seen
        if not again:
            out.append(segment)
        seen.update(segment.words)
    return out


def _judged(
    segments: list[Segment], code: str | None, spec: FieldSpec, address: dict[str, object], landmarks: int
) -> str | None:
    """What is missing (a reason code), or None."""
    streets = frozenset(address.get("streets", ()))  # type: ignore[call-overload]
    houses = frozenset(address.get("houses", ()))  # type: ignore[call-overload]
    if not segments:
        return "incomplete" if code else "needs_number"
    endings = tuple(s for s in streets if len(s) > 3) if address.get("number_last") else ()
    typed = [
        any(w in streets or w.endswith(endings) for w in s.words) if endings else bool(streets & set(s.words))
        for s in segments
    ]
    named = (not typed[0] and any(typed[1:])) or (
        bool(segments[0].words) and segments[0].words[-1] in houses and len(segments) > 1
    )
    if not any(s.numbered for s in segments) and not named:
        lonely = len(segments) == 1 and not landmarks and code is None
        return "incomplete" if lonely and typed[0] else "needs_number"
    tail = len(segments) > 1 or code is not None or _goes_on(segments[0], streets)
    if not tail or ((spec.options or {}).get("postcode") == "required" and code is None):
        return "incomplete"
    return None


def _goes_on(segment: Segment, streets: frozenset[str]) -> bool:
    """Whether a town follows the street without a pause."""
    places = [n for n, w in enumerate(segment.words) if w in streets]
    return bool(places) and places[0] + 1 < len(segment.words) and places[0] > 0


def _typed(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """A typed address: white space and case folded where they mean nothing, the postcode in its layout."""
    first, last = wording.bounds(utterance)
    if first >= last:
        return nothing()
    text = _without_requests(
        utterance, _lines(utterance, utterance.tokens[first].start, utterance.tokens[last - 1].end)
    )
    address = texts(ask.locale).get("address", {})
    remarks = tuple(address.get("remarks", ()))
    clauses = [
        c for part in text.split(",") if (c := " ".join(part.split()).strip(" .;")) and not fold(c).startswith(remarks)
    ]
    marks = tuple(f"{m} " for m in address.get("landmarks", ()))
    if all(fold(c).startswith(marks) or fold(c).startswith("every") for c in clauses):
        return failed("needs_number")
    text = STOPS.sub("", ", ".join(clauses))
    before, code, after = postal.split(text, ask)
    if text.islower() or (text.isupper() and len(text) > 12):
        before, after = (_titled(t, ask) for t in (before, after))
    segments = [Segment(s, tuple(fold(s).split()), 0) for s in (before + ", " + after).split(", ") if s.strip(", ")]
    if (missing := _judged(segments, code, spec, address, 0)) is not None:
        return failed(missing)
    found = postal.Code(code, 0, 0, glued_after=not after.startswith(","))
    value = postal.placed([before.strip(" ,")], found, [after.strip(" ,")] if after.strip(" ,") else [])
    return _accepted(value, "literal", spec, ask)


def _without_requests(utterance: Utterance, text: str) -> str:
    """Without whole sentences of ordinary talk behind the address: "... 62701. Please leave with the doorman"."""
    first, *others = SENTENCE.split(text)
    kept = [first]
    for sentence in others:
        word = sentence.split(maxsplit=1)[0].casefold() if sentence.split() else ""
        talks = any(m.kind in (Kind.PROSE, Kind.FILLER) for m in utterance.lexicon.alone(word))
        if not talks or any(c.isdigit() for c in sentence):
            kept.append(sentence)
    return ". ".join(kept)


def _lines(utterance: Utterance, start: int, end: int) -> str:
    """The typed text from ``start`` to ``end``, line breaks as commas."""
    source = utterance.source
    out = [
        "," if c == " " and source.original[o : o + 1] in "\n\r" else c
        for c, o in zip(source.text[start:end], source.offsets[start:end], strict=True)
    ]
    return unicodedata.normalize("NFC", "".join(out))


def _titled(text: str, ask: Ask) -> str:
    data = texts(ask.locale)
    small = data.get("small", frozenset())
    parts = text.split(" ")
    return " ".join(
        p.lower() if n and fold(p) in small else p if any(c.isdigit() for c in p) else elided(p, data, first=n == 0)
        for n, p in enumerate(parts)
    )


def _accepted(value: str, evidence: Evidence, spec: FieldSpec, ask: Ask) -> Reading:
    reason = check(value, spec, ask).reason
    return Reading(reason=reason) if reason else Reading(value=value, evidence=evidence)


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """Characters that addresses hold, one script a word, a number or a house name, and a street and a place."""
    if len(value) > LONGEST:
        return Verdict(reason=Reason(code="too_long"))
    if not VALUE.fullmatch(value) or unicodedata.normalize("NFC", value) != value:
        return Verdict(reason=Reason(code="bad_character"))
    if any(mixed_scripts(SYLLABIC.sub("", word)) for word in value.split()):
        return Verdict(reason=Reason(code="lookalike_script"))
    return Verdict()


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """Each part said and its unusual words spelled; numbers digit by digit; the postcode character by character."""
    before, code, after = postal.split(value, ask)
    words_of = Counter(fold(word) for word in value.replace(",", "").split(" "))
    twice = frozenset(word for word, count in words_of.items() if count > 1)
    chunks = _parts(before.strip(" ,"), ask, twice)
    if code:
        said = texts(ask.locale).get("say", {})
        chunks += [Chunk("said", str(said.get("postcode", "postcode"))), *(Chunk("chars", c) for c in code.split(" "))]
    return (*chunks, *_parts(after.strip(" ,"), ask, twice))


def _parts(text: str, ask: Ask, twice: frozenset[str]) -> list[Chunk]:
    """Each part as it is said, then its unusual words, and those that are there ``twice``, spelled."""
    data = texts(ask.locale)
    said, digits = data.get("say", {}), voice_words(ask.locale)["digits"]
    chunks: list[Chunk] = []
    for part in text.split(", ") if text else []:
        aloud = (lambda w: w) if "characters" in data else lambda w: _aloud(w, digits, said)
        shown = " ".join(aloud(word) for word in part.split(" "))
        chunks.append(Chunk("said", shown))
        spelled = _spelled(part.split(" "), data, ask, twice)
        for n, chunk in enumerate(spelled):
            chunks += [Chunk("chars", " ")] if n else []
            chunks.append(chunk)
    return chunks


def _spelled(parts: list[str], data: dict[str, object], ask: Ask, twice: frozenset[str]) -> list[Chunk]:
    """The words of a part that are spelled in its read-back, capitals named where they are not the usual ones."""
    found: list[Chunk] = []
    for n, word in enumerate(parts):
        if not spellable(word) or any(c.isdigit() for c in word) or len(word) < 2:
            continue
        said, told = usual(word, data, inside=n > 0, ends=n + 1 == len(parts))
        always = len(parts) == 1 or fold(word) in twice or word != said
        if always or not _known(word, data) or _otherwise(word, data, ask, leads=n == 0):
            found.append(Chunk("chars" if word == told else "exact", word))
    return found


def _aloud(word: str, digits: list[str], said: dict[str, object]) -> str:
    """``3/14`` -> "three slash one four", ``9C`` -> "nine C"; an ordinal and a word as they are."""
    if not word[:1].isdigit() or ORDINAL.fullmatch(word):
        return word
    marks = {"/": str(said.get("slash", "slash")), "-": str(said.get("range", "to"))}
    return " ".join(str(digits[int(c)]) if c.isdigit() else marks.get(c, c) for c in word)


def _otherwise(word: str, data: dict[str, object], ask: Ask, *, leads: bool) -> bool:
    """Whether a word that everybody writes alike may be heard as something else: a letter's name, a landmark."""
    address, low = data.get("address", {}), word.casefold()
    remarks = (phrase for name in ("landmarks", "remarks") for phrase in address.get(name, ()))  # type: ignore[attr-defined]
    if fold(low) in address.get("talk", ()) or (leads and any(p.partition(" ")[0] == fold(low) for p in remarks)):  # type: ignore[attr-defined]
        return True
    return any(m.kind is not Kind.TERM for m in lexicon(ask.locale, SUBJECT).alone(low))


def _known(word: str, data: dict[str, object]) -> bool:
    """Whether everybody writes a word alike: street types, directions, units."""
    address = data.get("address", {})
    low = fold(word)
    names = ("streets", "directions", "units", "ordinals", "houses")
    return low in data.get("small", ()) or any(low in address.get(n, ()) for n in names)  # type: ignore[operator, attr-defined]
