"""Values written in characters without spaces (Han, Hangul): names, addresses and doses as text, not as tokens.

Where any syllable may be a number, a letter's name or a filler ("三" of 三里屯, "구" of 구로동), a reader of words
would find digits and talk inside names. So the text stays as it was said; only its edges are trimmed, what is
explained is put right, and numbers become digits where a word for what they count follows. The locale says so with
``[characters]`` of its ``texts.toml``. Not a field type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import regex

from langgraph_readback.fields.hearing import asides, explained
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.lexicon import SYLLABIC
from langgraph_readback.fields.hearing.numbers import cardinals
from langgraph_readback.fields.hearing.spellings import likeness
from langgraph_readback.fields.hearing.tokens import Kind, Token

LEADING = frozenset({Kind.FILLER, Kind.CARRIER, Kind.REPAIR, Kind.SPELLED, Kind.CLASSIFIER})
SILENT = LEADING | {Kind.END, Kind.JOIN}
COUNTED = frozenset({Kind.NUMBER, Kind.SCALE, Kind.LITERAL})
SPELLING = frozenset({Kind.LETTER, Kind.DIGIT, Kind.LITERAL, Kind.SPELL})
LATIN = regex.compile(r"[A-Za-z][A-Za-z0-9'&.-]*(?: [A-Za-z0-9'&.-]+)*")
ALIKE = 0.5
"""Least similarity of a new wording and the one it takes back."""
RUN = 3
"""Digits said one by one, from which on they are digits wherever they stand."""


@dataclass(frozen=True, slots=True)
class Read:
    """A text, whether letters were spelled, and a doubt (a reason code) that forbids it."""

    text: str
    spelled: bool = False
    doubt: str | None = None


def habits(utterance: Utterance) -> Mapping[str, Any] | None:
    """The locale's ``[characters]``, where the utterance has any; else None."""
    found = utterance.lexicon.data.get("characters")
    return found if found is not None and SYLLABIC.search(utterance.text) else None


def beginning(utterance: Utterance) -> int:
    """The first token of the value: behind the last phrase that leads to it ("公司名称是", "회사 이름은")."""
    tokens = utterance.tokens
    leads = [i + 1 for i, t in enumerate(tokens[:-1]) if Kind.CARRIER in t.kinds and " " in t.text]
    return leads[-1] if leads else 0


def named(utterance: Utterance) -> Read | None:
    """The name that was said; None where the locale or the utterance has no such characters."""
    known = habits(utterance)
    begin = beginning(utterance)
    if known is None or not utterance.voice or not worded(utterance.tokens[begin:]):
        return None
    reader = _Named(utterance, known)
    for start, end in asides.clauses(utterance.tokens, begin, len(utterance.tokens)):
        if not reader.clause(start, end):
            break
    return reader.read()


def worded(tokens: Sequence[Token]) -> bool:
    """Whether the name itself is in such characters, and not only what is said about its Latin letters."""
    said = [t for t in tokens if SYLLABIC.match(t.text)]
    return any(t.plain for t in said) or (bool(said) and not any(LATIN.match(t.text) for t in tokens))


class _Named:
    """Puts a name together clause by clause."""

    def __init__(self, utterance: Utterance, known: Mapping[str, Any]) -> None:
        self.utterance, self.tokens, self.known = utterance, utterance.tokens, known
        self.explaining: dict[str, Any] = utterance.lexicon.data.get("explained", {})
        self.endings: list[str] = utterance.lexicon.data.get("endings", [])
        self.text, self.letters = "", ""
        self.back = False
        self.claims: list[explained.Claim] = []
        self.doubt: str | None = None

    def clause(self, start: int, end: int) -> bool:
        """Take one clause; False when talk begins here."""
        token = self.tokens[start]
        if self.text and Kind.PROSE in token.kinds and Kind.LETTER not in token.kinds:
            return False
        if Kind.OR in token.kinds and self.text:
            self.doubt = "two_values"
        begin, back, denied = self._lead(start, end)
        self.back = self.back or back
        whole = trimmed(self._between(begin, end), self.endings)
        if not whole or begin == end:
            return True
        if self._spelling(begin, end):
            self._letters(begin, end)
        elif claims := explained.claimed(whole, self.explaining, self.endings) if self.explaining else []:
            self.claims += [] if denied else claims
        elif self.letters and not self.text:
            self.text = whole
        elif not denied:
            self._words(whole, taken_back=self.back, apart=token.pause)
            self.back = False
        return True

    def _lead(self, start: int, end: int) -> tuple[int, bool, bool]:
        """Where the content of a clause begins, whether it takes something back, and whether it only denies."""
        begin, back, denied = start, False, False
        while begin < end and self._leads(begin, start, end):
            kinds = self.tokens[begin].kinds
            back = back or Kind.REPAIR in kinds
            denied = self.tokens[begin].raw.replace(" ", "") in self.known.get("denies", ())
            begin += 1
        return begin, back, denied

    def _leads(self, i: int, start: int, end: int) -> bool:
        token = self.tokens[i]
        if hesitates(self.tokens, i, self.known):
            return True
        if not token.kinds & SILENT:
            return False
        apart = end - start == 1 or word(self.tokens, i, self.known)
        return apart or " " in token.text or not SYLLABIC.match(token.text)

    def _between(self, start: int, end: int) -> str:
        if start >= end:
            return ""
        text = self.utterance.text[self.tokens[start].start : self.tokens[end - 1].end]
        return " ".join(text.split())

    def _spelling(self, start: int, end: int) -> bool:
        """Whether a clause is letters one by one: Latin ones, or their names with spaces between."""
        tokens = self.tokens[start:end]
        if not all(t.kinds & SPELLING for t in tokens) or not any(Kind.LETTER in t.kinds for t in tokens):
            return False
        latin = all(t.text.isascii() for t in tokens)
        apart = all(not t.glued or t.pause for t in tokens[1:])
        return latin or (len(tokens) > 1 and apart) or (len(tokens) == 1 and bool(self.letters))

    def _letters(self, start: int, end: int) -> None:
        for token in self.tokens[start:end]:
            meaning = (
                token.get(Kind.LETTER) or token.get(Kind.DIGIT) or token.get(Kind.LITERAL) or token.get(Kind.SPELL)
            )
            self.letters += meaning.out if meaning is not None else ""

    def _words(self, whole: str, *, taken_back: bool, apart: bool) -> None:
        if not self.text:
            self.text = whole
        elif taken_back:
            same = likeness(whole, self.text) >= ALIKE or len(whole) == len(self.text)
            self.doubt = self.doubt or (None if same else "ambiguous")
            self.text, self.claims = whole, []
        elif whole.replace(" ", "") not in self.text.replace(" ", ""):
            self.text += (" " if self.known.get("spaced") and apart else "") + whole

    def read(self) -> Read:
        """The name, its explained characters and its spelled letters in their places."""
        text, doubt = self.text, self.doubt
        if self.claims:
            found = explained.settled(text, self.claims)
            text, doubt = found.text, doubt or found.doubt
        if self.letters:
            text, more = _spelled_into(text, self.letters)
            doubt = doubt or more
        return Read(text, bool(self.letters), doubt)


def _spelled_into(text: str, letters: str) -> tuple[str, str | None]:
    """Spelled letters in the place of the Latin word they spell; alone, they are the name."""
    shown = letters.upper() if len(letters) <= RUN else letters.capitalize()
    latin = LATIN.search(text)
    if latin is not None:
        if likeness(latin[0], letters) < ALIKE:
            return text, "spelling_contradiction"
        return text[: latin.start()] + shown + text[latin.end() :], None
    return shown, None if " " not in text else "needs_spelling"


def word(tokens: Sequence[Token], i: int, known: Mapping[str, Any]) -> bool:
    """Whether a syllable stands by itself, in writing that sets words apart ("음 한빛", not "음성")."""
    after = tokens[i + 1] if i + 1 < len(tokens) else None
    return bool(known.get("spaced")) and not tokens[i].glued and (after is None or after.pause or not after.glued)


def hesitates(tokens: Sequence[Token], i: int, known: Mapping[str, Any]) -> bool:
    """Whether a token is a sound that fills a pause and begins no word."""
    apart = not known.get("spaced") or word(tokens, i, known)
    return apart and tokens[i].text in known.get("hesitations", ())


def trimmed(text: str, endings: Sequence[str]) -> str:
    """A text without the ending of its sentence ("한빛소프트입니다") and the marks around it."""
    text = text.strip(" ,.;:!?，。、；：！？")
    for ending in sorted(endings, key=len, reverse=True):
        cut = text.removesuffix(ending).rstrip()
        if cut != text and len(cut) > 1:
            return cut
    return text


@dataclass(frozen=True, slots=True)
class Number:
    """A number said or typed: its digits, the token behind it, how many digits were said one by one (0: a cardinal)."""

    text: str
    end: int
    run: int = 0


def number(tokens: Sequence[Token], i: int, utterance: Utterance) -> Number | None:
    """The longest number that starts at token ``i``: typed, a cardinal, or digits one by one; with a decimal part."""
    found = _whole(tokens, i, utterance)
    if found is None:
        return None
    point = tokens[found.end] if found.end < len(tokens) else None
    if point is None or not any(m.kind is Kind.SYMBOL and m.out == "." for m in point.meanings):
        return found
    tail = _whole(tokens, found.end + 1, utterance)
    if tail is None or tokens[found.end + 1].pause or point.pause:
        return found
    return Number(f"{found.text}.{tail.text}", tail.end)


def _whole(tokens: Sequence[Token], i: int, utterance: Utterance) -> Number | None:
    if i >= len(tokens) or not tokens[i].kinds & COUNTED:
        return None
    if (typed := tokens[i].get(Kind.LITERAL)) is not None:
        return Number(typed.out, i + 1)
    at, run = i, ""
    while (
        at < len(tokens)
        and (m := tokens[at].get(Kind.NUMBER)) is not None
        and m.number < 10
        and _goes_on(tokens, i, at)
    ):
        run += str(m.number)
        at += 1
    ends = [
        e for e in cardinals(tokens, i, utterance.lexicon.numbers) if not any(t.pause for t in tokens[i + 1 : e[0]])
    ]
    if ends and ends[-1][0] >= at:
        return Number(str(ends[-1][1]), ends[-1][0], 1 if ends[-1][0] == i + 1 else 0)
    return Number(run, at, len(run)) if run else None


def _goes_on(tokens: Sequence[Token], start: int, at: int) -> bool:
    return at == start or not tokens[at].pause


def digits(utterance: Utterance, first: int, last: int, known: Mapping[str, Any]) -> str:
    """The text of tokens ``first`` to ``last``, its numbers in digits where they count something.

    ``counts``: words behind a number ("号", "호"). ``spaced``: numbers that stand by themselves are digits as well.
    ``ranges``: words between two numbers that are written as a hyphen.
    """
    tokens, out, at, i = utterance.tokens, "", utterance.tokens[first].start if first < last else 0, first
    counts = tuple(known.get("counts", ()))
    while i < last:
        found = number(tokens[:last], i, utterance)
        if found is None or not _counting(utterance, i, found, last, counts, spaced=bool(known.get("spaced"))):
            i = i + 1 if found is None else max(i + 1, found.end if found.run else i + 1)
            continue
        out += utterance.text[at : tokens[i].start] + found.text
        at, i = tokens[found.end - 1].end, found.end
        if i + 1 < last and tokens[i].text in known.get("ranges", ()) and tokens[i + 1].kinds & COUNTED:
            out += "-"
            at, i = tokens[i + 1].start, i + 1
    return out + utterance.text[at : tokens[last - 1].end] if first < last else ""


def _counting(utterance: Utterance, i: int, found: Number, last: int, counts: tuple[str, ...], *, spaced: bool) -> bool:
    """Whether a number counts what follows, or is digits beyond doubt."""
    tokens = utterance.tokens
    if Kind.LITERAL in tokens[i].kinds or found.run >= RUN:
        return True
    after = tokens[found.end] if found.end < last else None
    if spaced and tokens[i].glued and not tokens[i].pause and i and not tokens[i - 1].kinds & COUNTED:
        return False
    endings = utterance.lexicon.data.get("endings", ())
    rest = utterance.text[tokens[found.end - 1].end : tokens[last - 1].end].lstrip()
    unit = next((c for c in counts if rest.startswith(c)), "")
    if not spaced:
        return bool(unit)
    if after is None or after.pause or not after.glued:
        return after is None or not unit or _ends(rest[len(unit) :], endings)
    return bool(unit) and _ends(rest[len(unit) :], endings)


def _ends(rest: str, endings: Sequence[str]) -> bool:
    """Whether a word ends here: nothing, a space, a mark or the ending of the sentence follows."""
    return not rest or not rest[0].isalnum() or any(rest.startswith(e) for e in endings)
