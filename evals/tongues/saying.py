"""How a caller of a language says a value: tokens by type and form, from the language's data."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable
from dataclasses import replace

import phonenumbers

from langgraph_readback.evals.speech import PAUSE, Tok
from langgraph_readback.evals.tasks import Item
from langgraph_readback.evals.tongues.voices import Habits, plain, voice

CODES = frozenset({"code", "order_id", "postcode", "id"})


def say(item: Item, form: str, ways: Habits, rng: random.Random) -> list[Tok]:
    """The value of an item as tokens. A form that does not fit the type is said the nearest way that does."""
    speaker = _Speaker(item, "words" if form == "groups" else form, ways, rng)
    how = _SAY.get(item.type, _Speaker.phrase)
    return _trimmed(how(speaker))


def text_of(toks: list[Tok], language: str) -> str:
    """The tokens as a recogniser that drops nothing would write them, with commas at pauses."""
    data = voice(language)
    out = ""
    for tok in toks:
        if tok.kind == "pause":
            out = out.rstrip() + data["pause"]
        else:
            out += ("" if not out or out.endswith(" ") or _tight(out, tok.text, data["glued"]) else " ") + tok.text
    return out.strip(" ,，")


def _tight(before: str, after: str, glued: bool) -> bool:  # noqa: FBT001
    """Whether two pieces are written together: in a script without spaces, unless both are Latin."""
    return bool(glued) and not (before[-1:].isascii() and after[:1].isascii())


class _Speaker:
    """Says one value in one form."""

    def __init__(self, item: Item, form: str, ways: Habits, rng: random.Random) -> None:
        self.item, self.form, self.ways, self.rng = item, form, ways, rng
        self.value = item.value
        language = voice(item.locale.split("-")[0])
        self.data = {**language, **language["regions"].get(item.region, {})}
        self.run = 0

    # --- pieces -----------------------------------------------------------------------------------------------------

    def letter(self, char: str, at: int) -> Tok:
        """One letter: as a recogniser writes it, by its name, or with a spelling word in the form ``words``."""
        low = char.lower()
        named = self.data["letters"].get(low, low) if self.ways.named or not low.isascii() else low.upper()
        if self.form == "words" and (word := self.data["spelling"].get(low)):
            text = self.ways.link.format(letter=low.upper(), word=word)
            return Tok("spelling", text, low, at, self.run)
        return Tok("letter", named, low, at, self.run)

    def digit(self, char: str, at: int) -> Tok:
        """One digit by its everyday name, or by the one that callers take who want to be plain."""
        if self.form == "keypad":
            return Tok("key", char, char, at)
        usual = self.data["phone_digits"] if self.item.type == "phone" and self.form != "words" else self.data["digits"]
        name = usual[int(char)] if self.form == "words" else self.ways.digits.get(char, usual[int(char)])
        return Tok("digit", name, char, at, self.run)

    def symbol(self, char: str, at: int, *, needed: bool = True) -> Tok:
        """The name of a separator; ``needed`` when the value is another one without it."""
        return Tok("symbol", self.rng.choice(self.data["symbols"][char]), char if needed else "", at)

    def spelled(self, text: str, start: int) -> list[Tok]:
        """Characters one by one; doubles joined by those who do so."""
        self.run += 1
        out: list[Tok] = []
        for offset, char in enumerate(text):
            at = start + offset
            known = char in self.data["symbols"]
            tok = self.digit(char, at) if char.isdigit() else self.symbol(char, at) if known else self.letter(char, at)
            last = out[-1] if out else None
            same = last and last.gold == tok.gold and last.times == 1 and tok.kind in ("letter", "digit")
            if same and last and self.ways.double and self.form == "spelled":
                out[-1] = replace(last, text=self.data["double"].format(last.text), times=2)
            else:
                out.append(tok)
        return out

    def word(self, text: str, start: int) -> list[Tok]:
        """A word: said, or spelled unless everybody can write it."""
        said = Tok("word", text.lower(), text.lower(), start)
        if self.form in ("natural", "keypad") or text.lower() in self.data["known"] or not _latin(text):
            return [said]
        letters = self.spelled(text, start)
        first = self.ways.word_first and self.form == "spelled" and self.item.type != "email"
        return [replace(said, gold=""), PAUSE, *letters, PAUSE] if first else letters

    def digits(self, text: str, start: int) -> list[Tok]:
        """Digits one by one."""
        return [self.digit(c, start + i) for i, c in enumerate(text)]

    def number(self, value: int, at: int, gold: str = "") -> Tok:
        """A number as a word; as a figure where the language's table ends."""
        gold = gold or str(value)
        if value < 100:
            return Tok("number", self.data["numbers"][value], gold, at)
        exact = not value % 100 and value < 1000
        return Tok("number", self.data["hundreds"][value // 100 - 1] if exact else str(value), gold, at)

    # --- types ------------------------------------------------------------------------------------------------------

    def date(self) -> list[Tok]:
        """The month by name, in the language's order."""
        year, month, day = (int(p) for p in self.value.split("-"))
        made = {
            "{day}": Tok("number", self.data["days"][day - 1], str(day), 8),
            "{month}": Tok("month", self.data["months"][month - 1], str(month), 5),
            "{year}": Tok("number", self.year(year), str(year), 0),
        }
        return [made.get(part) or Tok("filler", part) for part in self.data["date"]]

    def year(self, year: int) -> str:
        """A year in words."""
        high, low = divmod(year, 100)
        centuries = self.data["centuries"]
        if centuries == "digits":
            return "".join(self.data["digits"][int(c)] for c in str(year))
        exact, more = centuries[str(high)]
        return str(more).format(n=self.data["numbers"][low]) if low else str(exact)

    def time(self) -> list[Tok]:
        """One of the language's ways that fit the minutes, with the half of the day or by 24 hours."""
        hour, minute = (int(p) for p in self.value.split(":"))
        kind = {0: "full", 15: "quarter", 30: "half"}.get(minute, "other")
        fits = [w for w in self.data["clock"] if kind in w["minutes"] and (w["hours"] == 12 or hour or minute)]
        way = self.rng.choice(fits)
        shown = hour if way["hours"] == 24 else hour % 12 or 12
        made = {
            "{hour}": Tok("number", self.data["hours"][shown], str(hour), 0),
            "{next}": Tok("number", self.data["hours"][shown % 12 + 1], str(hour), 0),
            "{minute}": Tok("number", self.data["numbers"][minute], str(minute), 3),
            "{half}": Tok("half", self.data["halves"][hour], "am" if hour < 12 else "pm", 5),
        }
        return [made.get(part) or Tok("filler", part) for part in way["say"]]

    def phone(self) -> list[Tok]:
        """National groups; in pairs by those who say them so; then the extension."""
        main, _, extension = self.value.partition(";ext=")
        shown = phonenumbers.format_number(phonenumbers.parse(main), phonenumbers.PhoneNumberFormat.NATIONAL)
        groups = re.findall(r"\d+", shown)
        place = len(main) - sum(len(g) for g in groups)
        out: list[Tok] = []
        for group in groups:
            out += [*(self.paired(group, place) if self.pairs() else self.digits(group, place)), PAUSE]
            place += len(group)
        if extension:
            named = Tok("symbol", self.data["extension"], ";", len(main))
            out += [named, *self.digits(extension, len(main) + 5)]
        return out

    def pairs(self) -> bool:
        """Whether this caller says two digits as one number."""
        return self.ways.pairs and self.form == "natural"

    def paired(self, group: str, place: int) -> list[Tok]:
        """Two digits as one number, a leading zero or a single digit by itself."""
        out: list[Tok] = []
        for at in range(0, len(group), 2):
            two = group[at : at + 2]
            single = len(two) < 2 or two[0] == "0"
            out += self.digits(two, place + at) if single else [self.number(int(two), place + at, two)]
        return out

    def code(self) -> list[Tok]:
        """Characters one by one, in whatever form; a separator that the pattern knows is said by some."""
        out: list[Tok] = []
        for found in re.finditer(r"[A-Za-z]+|\d+|.", self.value):
            if found[0].isalnum():
                out += self.spelled(found[0], found.start())
            elif self.form != "keypad" and self.rng.random() < 0.6:
                out.append(self.symbol(found[0], found.start(), needed=False))
        return out

    def email(self) -> list[Tok]:
        """Words where the language can say them, separators by name, everything else one by one."""
        out: list[Tok] = []
        middle = self.value.index("@")
        for found in re.finditer(r"[a-z]{3,}(?=\d*(?:[^a-z\d]|$))|[a-z\d]+|.", self.value):
            text, start = found[0], found.start()
            domain = self.data["domains"].get(text) if start > middle else None
            if not text.isalnum():
                out.append(self.symbol(text, start))
            elif domain and self.form != "words":
                out.append(Tok("word", domain, text, start))
            elif not text.isalpha() or self.data["spells_email"] or not _sayable(text):
                out += self.spelled(text, start)
            else:
                out += self.word(text, start)
        return out

    def address(self) -> list[Tok]:
        """In the order of the value: words, numbers, the postcode digit by digit."""
        out: list[Tok] = []
        for text, start in self.parts():
            if text in (",", "，"):
                out.append(PAUSE)
            elif text.isdigit():
                out += self.house(text, start)
            elif any(c.isdigit() for c in text):
                out += self.spelled(text, start)
            else:
                between = (
                    bool(out) and out[-1].kind in ("letter", "spelling") and text.lower() not in self.data["known"]
                )
                out += [*([self.symbol(" ", start - 1)] if between and _latin(text) else []), *self.word(text, start)]
        return out

    def house(self, text: str, start: int) -> list[Tok]:
        """A house number as people say numbers; from four digits on, and when asked to go slowly, digit by digit."""
        short = len(text) <= 2 or (len(text) == 3 and self.data["long_numbers"])
        if short and text[0] != "0" and self.form in ("natural", "keypad"):
            return [self.number(int(text), start)]
        return [PAUSE, *self.digits(text, start), PAUSE] if len(text) > 3 else self.digits(text, start)

    def parts(self) -> list[tuple[str, int]]:
        """The words, numbers and commas of the value; where the script has no spaces, at the marks of the data."""
        cuts = {0, *self.item.options.get("cuts", ()), len(self.value)}
        found: list[tuple[str, int]] = []
        edges = sorted(cuts)
        for low, high in itertools.pairwise(edges):
            pattern = r"\d+(?=\D*$|\D)|[^\s,，\d]+|[,，]" if self.data["glued"] else r"[^\s,]+|,"
            found += [(m[0], low + m.start()) for m in re.finditer(pattern, self.value[low:high])]
        return found

    def phrase(self) -> list[Tok]:
        """Names, properties, companies: words; characters explained where the script has no letters to spell."""
        explained = self.item.options.get("explained")
        if explained and self.form in ("spelled", "words"):
            return self.explain(tuple(explained))
        out: list[Tok] = []
        for text, start in self.parts():
            for found in re.finditer(r"[^&-]+|[&-]", text):
                at = start + found.start()
                mark = found[0] in "&-"
                spelled = bool(out) and out[-1].kind in ("letter", "spelling")
                if not mark and out and spelled:
                    out.append(self.symbol(" ", at - 1))
                elif out and not mark and self.form in ("spelled", "words") and not _latin(text):
                    out.append(PAUSE)
                out += [self.symbol(found[0], at, needed=spelled)] if mark else self.word(found[0], at)
        return out

    def explain(self, explained: tuple[str, ...]) -> list[Tok]:
        """Character by character, each with the phrase that tells which one it is."""
        out: list[Tok] = []
        chars = [(i, c) for i, c in enumerate(self.value) if not c.isspace()]
        for (at, char), phrase in zip(chars, explained, strict=True):
            out += [Tok("word", phrase, char, at), PAUSE]
        return out

    def medication(self) -> list[Tok]:
        """The name, then the strength as a number, and the unit."""
        name, strength, unit = self.value.rsplit(" ", 2)
        out: list[Tok] = []
        for found in re.finditer(r"\S+", name):
            out += self.word(found[0], found.start())
        at = len(name) + 1
        whole, _, part = strength.partition(".")
        out += [*([] if out[-1].kind == "pause" else [PAUSE]), self.number(int(whole), at)]
        if part:
            out += [Tok("symbol", self.data["decimal"], ".", at + len(whole)), *self.digits(part, at + len(whole) + 1)]
        return [*out, Tok("word", self.data["units"][unit], unit, len(self.value) - len(unit))]


_SAY: dict[str, Callable[[_Speaker], list[Tok]]] = {
    "date": _Speaker.date,
    "dob": _Speaker.date,
    "time": _Speaker.time,
    "phone": _Speaker.phone,
    "code": _Speaker.code,
    "email": _Speaker.email,
    "address": _Speaker.address,
    "medication": _Speaker.medication,
}


def _latin(text: str) -> bool:
    return all(c.isascii() or not c.isalpha() for c in plain(text)) or "ß" in text


def _sayable(text: str) -> bool:
    """Whether people say it as a word: three letters or more with a vowel, no run of four consonants."""
    return len(text) > 2 and bool(re.search(r"[aeiouy]", text)) and not re.search(r"[^aeiouy]{4}", text)


def _trimmed(toks: list[Tok]) -> list[Tok]:
    out: list[Tok] = []
    for tok in toks:
        if tok.kind != "pause" or (out and out[-1].kind != "pause"):
            out.append(tok)
    while out and out[-1].kind == "pause":
        out.pop()
    return out
