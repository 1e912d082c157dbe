"""How a caller says a value: tokens by type and form (natural, spelled, spelling words, keypad).

Made for the yardstick and independent of ``fields``: it never reads the product's locale files. A token carries the
piece of the value it stands for (``at``, ``gold``), so that the channel can tell what arrived and errors can stick to
a place of the value across repeats.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

import phonenumbers

from langgraph_readback.evals.numbers import number_words, ordinal_words
from langgraph_readback.evals.tasks import Item

FORMS = ("natural", "spelled", "words", "groups", "keypad")
ESSENTIAL = frozenset({"word", "letter", "digit", "spelling", "number", "month", "half", "symbol", "key"})


@dataclass(frozen=True, slots=True)
class Tok:
    """One thing said.

    ``kind``   word, letter, digit, spelling, number, month, half (of the day), symbol, key; or the caller's trimmings:
               filler, pause, wrong (a slip that is put right at once).
    ``text``   as said. ``gold`` what it stands for in the value; empty when nothing of the value hangs on it.
    ``at``     where in the value; ``run`` numbers the spelled word it belongs to.
    ``times``  2 for "double l".
    """

    kind: str
    text: str
    gold: str = ""
    at: int = -1
    run: int = -1
    times: int = 1


@dataclass(frozen=True, slots=True)
class Style:
    """One caller's habits: "oh" for zero, "zed", "double"; which spelling words; word before spelling."""

    oh: bool = False
    zed: bool = False
    double: bool = False
    alphabet: str = "icao"
    linked: str = ""
    word_first: bool = False


@lru_cache(maxsize=8)
def lexicon(language: str) -> dict[str, Any]:
    """``data/<language>/speech.toml``."""
    return _toml(language, "speech.toml")


@lru_cache(maxsize=8)
def words(language: str) -> dict[str, Any]:
    """``data/<language>/words.toml`` with its lists split."""
    data = _toml(language, "words.toml")
    data["common"] = frozenset(data["common"].split())
    data["known"] = frozenset(data["known"].split())
    data["vocabulary"] = {k: tuple(dict.fromkeys(v.split())) for k, v in data["vocabulary"].items()}
    return data


def style(rng: random.Random, locale: str, rate: float) -> Style:
    """Draw a caller's habits; ``rate`` is the share with a marked spelling style."""
    marked = rng.random() < rate
    picked = rng.choice(("oh", "zed", "double")) if marked else ""
    alphabet, linked = rng.choices(
        [("icao", ""), ("icao", "as in"), ("own", "as in"), ("own", "for")], [50, 25, 15, 10]
    )[0]
    return Style(
        oh=picked == "oh",
        zed=picked == "zed" or not locale.endswith("US"),
        double=picked == "double",
        alphabet=alphabet,
        linked=linked,
        word_first=rng.random() < 0.4,
    )


def say(item: Item, form: str, habits: Style, rng: random.Random) -> list[Tok]:
    """The value of an item as tokens. A form that does not fit the type is said the nearest way that does."""
    speaker = _Speaker(item, "words" if form == "groups" else form, habits, rng)
    how = _SAY.get(item.type, _SAY["code"] if item.pattern else _Speaker.phrase)
    return how(speaker)


def groups(toks: list[Tok], size: int = 4) -> list[list[Tok]]:
    """The value in groups of at most ``size`` things said, as people give phone numbers."""
    said = [t for t in toks if t.kind != "pause"]
    return [said[i : i + size] for i in range(0, len(said), size)]


def text_of(toks: list[Tok]) -> str:
    """The tokens as plain words, with commas at pauses."""
    out = ""
    for tok in toks:
        out += tok.text if tok.kind == "pause" else (" " if out else "") + tok.text
    return out.strip(" ,")


class _Speaker:
    """Says one value in one form."""

    def __init__(self, item: Item, form: str, habits: Style, rng: random.Random) -> None:
        self.item, self.form, self.habits, self.rng = item, form, habits, rng
        self.value = item.value
        self.language = item.locale.split("-")[0]
        self.data = lexicon(self.language)
        self.run = 0

    # --- pieces -----------------------------------------------------------------------------------------------------

    def letter(self, char: str, at: int) -> Tok:
        """One letter: its name, or a spelling word in the form ``words``."""
        low = char.lower()
        if self.form != "words":
            return Tok("letter", "zed" if low == "z" and self.habits.zed else low, low, at, self.run)
        word = self.data[self.habits.alphabet][low]
        text = f"{low} {self.habits.linked} {word}" if self.habits.linked else word
        return Tok("spelling", text, low, at, self.run)

    def digit(self, char: str, at: int) -> Tok:
        """One digit; "oh" is a habit that is dropped once spelling words are asked for."""
        if self.form == "keypad":
            return Tok("key", char, char, at)
        oh = char == "0" and self.habits.oh and self.form != "words"
        return Tok("digit", "oh" if oh else self.data["digits"][int(char)], char, at)

    def symbol(self, char: str, at: int, *, needed: bool = True) -> Tok:
        """The name of a separator; ``needed`` when the value is another one without it."""
        return Tok("symbol", self.rng.choice(self.data["symbols"][char]), char if needed else "", at)

    def spelled(self, text: str, start: int) -> list[Tok]:
        """Characters one by one, doubles joined by those who say "double"."""
        self.run += 1
        out: list[Tok] = []
        for offset, char in enumerate(text):
            at = start + offset
            tok = (
                self.letter(char, at)
                if char.isalpha()
                else self.digit(char, at)
                if char.isdigit()
                else self.symbol(char, at)
            )
            out.append(tok)
        return self.doubled(out) if self.habits.double and self.form == "spelled" else out

    def doubled(self, toks: list[Tok]) -> list[Tok]:
        """``l l`` -> ``double l``."""
        out: list[Tok] = []
        for tok in toks:
            last = out[-1] if out else None
            if last and last.times == 1 and last.gold == tok.gold and tok.kind in ("letter", "digit"):
                out[-1] = replace(last, text=f"double {last.text}", times=2)
            else:
                out.append(tok)
        return out

    def word(self, text: str, start: int) -> list[Tok]:
        """A word: said, or spelled unless everybody can write it."""
        low = text.lower()
        said = Tok("word", low, low, start)
        taken = self.form == "words" and low in self.data["icao"].values()  # "hotel" would be an H
        if self.form in ("natural", "keypad") or (low in words(self.language)["known"] and not taken):
            return [said]
        letters = self.spelled(text, start)
        first = self.habits.word_first and self.form == "spelled" and self.item.type != "email"
        return [replace(said, gold=""), PAUSE, *letters, PAUSE] if first else letters

    def digits(self, text: str, start: int) -> list[Tok]:
        """Digits one by one."""
        toks = [self.digit(c, start + i) for i, c in enumerate(text)]
        return self.doubled(toks) if self.habits.double and self.form in ("natural", "spelled") else toks

    def number(self, value: int, at: int, *, ordinal: bool = False) -> Tok:
        """A number as a word or words."""
        text = ordinal_words(value) if ordinal else number_words(value)
        return Tok("number", text, str(value), at)

    # --- types ------------------------------------------------------------------------------------------------------

    def date(self) -> list[Tok]:
        """Month first in the US, day first elsewhere; the year in two halves."""
        year, month, day = (int(p) for p in self.value.split("-"))
        name = Tok("month", self.data["months"][month - 1], str(month), 5)
        number = self.number(day, 8, ordinal=True)
        high, low = divmod(year, 100)
        if year < 2010 and high == 20:
            years = [Tok("number", "two thousand" + (f" {number_words(low)}" if low else ""), str(year), 0)]
        else:
            years = [
                self.number(high, 0),
                Tok("number", number_words(low) if low > 9 else f"oh {number_words(low)}", str(low), 2),
            ]
        if self.item.region == "US":
            return [name, number, PAUSE, *years]
        return [Tok("filler", "the"), number, Tok("filler", "of"), name, PAUSE, *years]

    def time(self) -> list[Tok]:
        """Twelve-hour clock with the half of the day, quarter and half past by some."""
        hour, minute = (int(p) for p in self.value.split(":"))
        twelve = hour % 12 or 12
        first = self.number(twelve, 0)
        part = "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"
        part = "night" if hour == 0 or hour > 20 else part
        gold = "am" if hour < 12 else "pm"
        named = Tok("half", "at night" if part == "night" else f"in the {part}", gold, 5)
        short = Tok("half", "a m" if gold == "am" else "p m", gold, 5)
        if minute in (15, 30) and self.rng.random() < 0.4:
            return [Tok("number", "quarter past" if minute == 15 else "half past", str(minute), 3), first, named]
        tail = [Tok("number", number_words(minute) if minute > 9 else f"oh {number_words(minute)}", str(minute), 3)]
        return [first, *(tail if minute else []), self.rng.choice((named, short)) if gold == "pm" or hour else short]

    def phone(self) -> list[Tok]:
        """National groups (or with the country code), then the extension."""
        main, _, extension = self.value.partition(";ext=")
        number = phonenumbers.parse(main)
        abroad = bool(self.item.options.get("international"))
        kind = phonenumbers.PhoneNumberFormat.INTERNATIONAL if abroad else phonenumbers.PhoneNumberFormat.NATIONAL
        shown = re.sub(r"[^\d+ ]", " ", phonenumbers.format_number(number, kind))
        if self.item.options.get("mixed"):
            plain = shown.replace(" ", "")
            shown = " ".join((plain[:4], plain[4:6], plain[6:9], plain[9:]))
        toks = [self.symbol("+", 0, needed=False)] if shown.startswith("+") else []
        shown = shown.lstrip("+")
        place = len(main) - sum(c.isdigit() for c in shown)
        for group in shown.split():
            toks += [*self.digits(group, place), PAUSE]
            place += len(group)
        if extension:
            toks += [Tok("symbol", "extension", ";", len(main)), *self.digits(extension, len(main) + 5)]
        return _trim(toks)

    def code(self) -> list[Tok]:
        """Characters one by one, in whatever form; a separator that the pattern knows is said by some."""
        out: list[Tok] = []
        for found in re.finditer(r"[A-Za-z]+|\d+|.", self.value):
            text, start = found[0], found.start()
            if text.isalnum():
                out += self.spelled(text, start)
            elif self.form != "keypad" and self.rng.random() < 0.6:
                out.append(self.symbol(text, start, needed=False) if text != " " else PAUSE)
        return out

    def email(self) -> list[Tok]:
        """In one flow: words, separators by name, mixed letters and digits one by one."""
        out: list[Tok] = []
        for found in re.finditer(r"[a-z0-9]+|.", self.value):
            text, start = found[0], found.start()
            if not text.isalnum():
                out.append(self.symbol(text, start))
            elif text.isalpha() and sayable(text):
                out += self.word(text, start)
            else:
                head = re.match(r"[a-z]{3,}(?=\d+$)", text)
                if head and sayable(head[0]):
                    out += [*self.word(head[0], start), *self.digits(text[head.end() :], start + head.end())]
                else:
                    out += self.spelled(text, start)
        return out

    def address(self) -> list[Tok]:
        """Number (and unit), street, town, postcode; each with a pause after it."""
        out: list[Tok] = []
        for found in re.finditer(r"[^\s,]+|,", self.value):
            text, start = found[0], found.start()
            if text == ",":
                out.append(PAUSE)
            elif re.fullmatch(r"\d+(/\d+)?", text):
                out += [*self.gap(out), *self.house(text, start)]
            elif any(c.isdigit() for c in text):
                out += [*self.gap(out), *self.spelled(text, start)]
            else:
                spelled = (
                    bool(out)
                    and out[-1].kind in ("letter", "spelling")
                    and text.lower() not in words(self.language)["known"]
                )
                out += [*([self.symbol(" ", start - 1)] if spelled else []), *self.word(text, start)]
        return _trim(out)

    def gap(self, before: list[Tok]) -> list[Tok]:
        """People stop for a moment between the town and its code."""
        return [PAUSE] if before and before[-1].kind in ("letter", "spelling", "word") and len(before) > 3 else []

    def house(self, text: str, start: int) -> list[Tok]:
        """``3/14`` with its slash; one- and two-digit numbers as words; longer ones digit by digit."""
        out: list[Tok] = []
        for found in re.finditer(r"\d+|/", text):
            at = start + found.start()
            if found[0] == "/":
                out.append(self.symbol("/", at))
            elif len(found[0]) <= 2 and self.form == "natural":
                out.append(self.number(int(found[0]), at))
            else:
                out += self.digits(found[0], at)
        return out

    def phrase(self) -> list[Tok]:
        """Names, properties, companies: words; when spelled, the spaces and hyphens between spelled words are said."""
        out: list[Tok] = []
        for found in re.finditer(r"[^\s&-]+|[\s&-]+", self.value):
            text, start = found[0], found.start()
            if "&" in text:
                out.append(self.symbol("&", start + text.index("&")))
            elif text.strip(" -"):
                out += self.word_parts(text, start)
            else:
                out += self.between(text.strip() or " ", start, out)
        return _trim(out)

    def word_parts(self, text: str, start: int) -> list[Tok]:
        """A word of a phrase; its apostrophe is said only when it is spelled."""
        return self.word(text, start)

    def between(self, mark: str, start: int, before: list[Tok]) -> list[Tok]:
        """A gap between two words."""
        spelled = bool(before) and before[-1].kind in ("letter", "spelling")
        if mark == "-":
            return [self.symbol("-", start, needed=spelled)]
        return [self.symbol(" ", start)] if spelled else []

    def medication(self) -> list[Tok]:
        """The name, then the strength as a number, and the unit."""
        name, strength, unit = self.value.rsplit(" ", 2)
        out = self.word(name, 0)
        at = len(name) + 1
        whole, _, part = strength.partition(".")
        if out[-1].kind != "pause":
            out.append(PAUSE)
        out.append(self.number(int(whole), at))
        if part:
            out += [Tok("symbol", "point", ".", at + len(whole)), *self.digits(part, at + len(whole) + 1)]
        return [*out, Tok("word", self.data["units"][unit], unit, len(self.value) - len(unit))]


PAUSE = Tok("pause", ",")

_SAY: dict[str, Callable[[_Speaker], list[Tok]]] = {
    "date": _Speaker.date,
    "dob": _Speaker.date,
    "time": _Speaker.time,
    "phone": _Speaker.phone,
    "code": _Speaker.code,
    "order_id": _Speaker.code,
    "id": _Speaker.code,
    "vin": _Speaker.code,
    "iban": _Speaker.code,
    "plate": _Speaker.code,
    "postcode": _Speaker.code,
    "email": _Speaker.email,
    "address": _Speaker.address,
    "medication": _Speaker.medication,
}


def sayable(text: str) -> bool:
    """Whether people say it as a word: three letters or more with a vowel, no run of four consonants."""
    if text in words("en")["known"]:
        return True
    return len(text) > 2 and bool(re.search(r"[aeiouy]", text)) and not re.search(r"[^aeiouy]{4}", text)


def _trim(toks: list[Tok]) -> list[Tok]:
    while toks and toks[-1].kind == "pause":
        toks.pop()
    return toks


def _toml(language: str, name: str) -> dict[str, Any]:
    return tomllib.loads(files("langgraph_readback.evals").joinpath("data", language, name).read_text(encoding="utf-8"))
