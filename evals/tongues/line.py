"""The simulated line in other languages: English's rates and stickiness, confusions from the language's own sounds.

What a letter or digit is taken for follows from how its name sounds (``voices.likeness``), what a number word from the
other number words, what a word from the sounds that the language's data calls alike, else from a near word of the
language's own values. See ``evals/channel.py`` for the mechanism, which is used as it is.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from rapidfuzz import fuzz, process

from langgraph_readback.evals.channel import MODES, Fault, Hearing, _Once, _word
from langgraph_readback.evals.mishear import broken
from langgraph_readback.evals.rates import rates
from langgraph_readback.evals.speech import Tok
from langgraph_readback.evals.tasks import Item
from langgraph_readback.evals.tongues.saying import CODES, text_of
from langgraph_readback.evals.tongues.tasks import tasks_of
from langgraph_readback.evals.tongues.voices import confused, crowded, plain, voice


@dataclass(slots=True)
class Line:
    """One call's line, as ``channel.Line``. ``scale`` 0 switches every error off."""

    task: str
    condition: str
    seed: int
    scale: float = 1.0
    memory: dict[str, list[Fault]] = field(default_factory=dict)
    count: dict[str, int] = field(default_factory=dict)
    multiplier: float = 0.0
    writing: str = "plain"

    def __post_init__(self) -> None:
        rng = random.Random(f"line/{self.seed}/{self.task}/{self.condition}")
        call = rates()["call"]
        variance = call["variance"]
        fitted = voice(self.task.split("-")[0])["line"]
        self.multiplier = self.scale * fitted * rng.gammavariate(1 / variance, variance) * rng.choice(call["voices"])
        self.writing = rng.choices(("plain", "cased", "digits"), (50, 30, 20))[0]

    def hear(self, item: Item, toks: Sequence[Tok]) -> Hearing:
        """Draw one hearing and remember its faults."""
        number = self.count[item.field] = self.count.get(item.field, 0) + 1
        rng = random.Random(f"hear/{self.seed}/{self.task}/{self.condition}/{item.field}/{number}")
        old = self.memory.get(item.field, [])
        once = _Heard(
            item, self.condition, self.multiplier * (rates()["call"]["again"] if number > 1 else 1.0), rng, old
        )
        heard, faults = once.run(toks)
        said = {t.at for t in toks}
        self.memory[item.field] = [*faults, *(f for f in old if not f.at & said)]
        text = render(heard, item, self.writing)
        setting = rates()["asr"]
        mean, spread = setting["confidence_faulty" if faults else "confidence_clean"], setting["spread"]
        confidence = round(rng.betavariate(mean * spread, (1 - mean) * spread), 3)
        others = [text]
        for _ in range(setting["alternatives"] if self.scale else 0):
            once = _Heard(item, self.condition, self.multiplier * setting["fresh"], rng, faults, stick=setting["stick"])
            again = render(once.run(toks)[0], item, self.writing)
            others += [again] if again not in others else []
        return Hearing(text, exact=not faults, confidence=confidence, nbest=tuple(others))

    def lose_reply(self, turn: int) -> bool:
        """Whether a bare yes gets lost on the way."""
        rng = random.Random(f"reply/{self.seed}/{self.task}/{self.condition}/{turn}")
        return bool(rng.random() < rates()["reply"]["yes_lost"] * min(self.scale, 1.0))


def render(toks: Sequence[Tok], item: Item, writing: str) -> str:
    """``plain``: small letters; ``cased``: capitals and a full stop; ``digits``: digits and numbers as figures."""
    language = item.locale.split("-")[0]
    shown: list[Tok] = []
    for tok in toks:
        last = shown[-1] if shown else None
        figure = writing == "digits" and tok.kind in ("digit", "key") and tok.gold
        number = writing == "digits" and tok.kind == "number" and item.type in ("medication", "address", "phone")
        text = tok.gold * tok.times if figure else tok.gold if number and tok.gold else tok.text
        titled = writing == "cased" and tok.kind == "word" and item.type not in ("email", "medication")
        text = text.title() if titled and "'" not in text else text
        if figure and last and last.kind == "figure":
            shown[-1] = replace(last, text=last.text + text)
        else:
            shown.append(replace(tok, text=text, kind="figure" if figure else tok.kind))
    out = text_of(shown, language)
    if writing != "cased" or not out:
        return out
    return f"{out[:1].upper()}{out[1:]}{voice(language)['stop']}"


class _Heard(_Once):
    """One hearing: the mechanism of the English line over the language's own sounds."""

    def rarity(self, text: str) -> str:
        """Known by the language's list; else by the tier of the value."""
        if text.lower() in voice(self.language)["known"]:
            return "known"
        if self.item.type == "company" and self.item.tier == "hard":
            return "coined"
        return "common" if self.item.tier == "easy" else "rare"

    def known(self, piece: list[Tok]) -> str:
        """A near word of the same type, of the language's other values."""
        return near_word(self.rng, _word(piece), self.item.type, self.language) or piece[0].text

    def said(self, tok: Tok, covered: frozenset[int], *, fresh: bool) -> list[Tok]:
        """A word that is said, not spelled."""
        locals_ = [f for f in self.old if f.kind != "bulk" and f.at & covered]
        again = any(self.sticks(f, "said") for f in locals_)
        table = rates()["word"][self.rarity(tok.gold or tok.text)]
        if not again and not (fresh and self.hit(sum(table.values()) * self.rates["word"], "said")):
            return [tok]
        kind = "similar" if again else self.rng.choices(list(table), list(table.values()))[0]
        if kind == "similar":
            return self.instead([tok], covered, similar(self.rng, tok.text, self.language), "said")
        return self.instead([tok], covered, self.known([tok]) if kind == "replaced" else "", "said")

    def chances(self, tok: Tok) -> tuple[float, float, float]:
        """Lost, changed, followed by something that was not said; the crowded letters are the E-set's heirs."""
        if tok.kind == "symbol":
            table = rates()["symbol"]
            return table["separator_delete"], table["separator_change"], 0.0
        if tok.kind == "digit":
            return rates()["symbol"]["digit_delete"], self.rates["digit"], self.rates["insert"]
        close = plain(tok.gold) in crowded(self.language)
        factor = rates()["stick"]["spelling_words"] if tok.kind == "spelling" else 1.0
        return (
            self.rates["delete"] * factor,
            self.rates["e_set" if close else "other"] * factor,
            self.rates["insert"] * factor,
        )

    def change(self, tok: Tok, out: str = "") -> list[Tok]:
        """Heard as something else."""
        if tok.kind in ("number", "month", "half"):
            return self.wrong_number(tok, out)
        mode = MODES.get(tok.kind, "spelled")
        if tok.kind == "symbol":
            names = voice(self.language)["symbols"]
            symbol = out or self.rng.choice([c for c in ".-_" if c != tok.gold])
            self.note(tok, Fault("change", mode, frozenset({tok.at}), symbol))
            return [replace(tok, text=names[symbol][0], gold=symbol if tok.gold else "")]
        mixed = self.item.type in CODES
        symbol = out or confused(self.rng, self.language, tok.gold, mixed=mixed)
        self.note(tok, Fault("change", mode, frozenset({tok.at}), symbol))
        return [self.as_symbol(tok, symbol)]

    def more(self, tok: Tok, out: str) -> Tok:
        """Something heard that was not said: mostly the same sound once more."""
        symbol = out or (
            tok.gold if self.rng.random() < 0.5 else confused(self.rng, self.language, tok.gold, mixed=False)
        )
        self.note(tok, Fault("extra", MODES.get(tok.kind, "spelled"), frozenset({tok.at}), symbol))
        return self.as_symbol(replace(tok, times=1), symbol)

    def as_symbol(self, tok: Tok, symbol: str) -> Tok:
        """The token with another letter or digit in it, named the way the token was."""
        data = voice(self.language)
        if symbol.isdigit():
            return replace(tok, kind="digit", text=data["digits"][int(symbol)], gold=symbol, times=1)
        named = len(tok.text) > 1 and tok.kind == "letter"
        if tok.kind == "spelling" and symbol in data["spelling"]:
            own = data["spelling"].get(tok.gold, "")
            text = tok.text.replace(own, data["spelling"][symbol]).replace(tok.gold.upper(), symbol.upper())
            return replace(tok, text=text, gold=symbol)
        text = data["letters"].get(symbol, symbol) if named else symbol.upper()
        return replace(tok, kind="letter", text=text, gold=symbol, times=1)

    def lose(self, tok: Tok) -> list[Tok]:
        """Not heard; of a double, sometimes only one is."""
        self.note(tok, Fault("lost", MODES.get(tok.kind, "spelled"), frozenset({tok.at})))
        if tok.times > 1 and self.rng.random() < 0.7:
            return [self.as_symbol(replace(tok, times=1), tok.gold)]
        return []

    def wrong_number(self, tok: Tok, out: str) -> list[Tok]:
        """Another number word that sounds like it, the other half of the day, another month."""
        out = out or near_number(self.rng, tok, self.language)
        self.note(tok, Fault("change", "said", frozenset({tok.at}), out))
        text, _, gold = out.partition("|")
        return [replace(tok, text=text, gold=gold)] if text else []

    def breaks(self, toks: list[Tok], what: str) -> list[Tok]:
        """A phone with one break in it; a changed digit by the language's sounds."""
        kind, where, _ = what.split()
        if kind != "change":
            out = broken(toks, what, self.as_symbol)
        else:
            digits = [i for i, t in enumerate(toks) if t.kind == "digit"]
            spot = digits[int(float(where) * len(digits))]
            other = confused(random.Random(what), self.language, toks[spot].gold, mixed=False)
            out = [*toks[:spot], self.as_symbol(toks[spot], other), *toks[spot + 1 :]]
        if [t.gold for t in out] != [t.gold for t in toks]:
            self.faults.append(Fault("structure", "spelled", frozenset(t.at for t in toks), what))
        return out


def similar(rng: random.Random, text: str, language: str) -> str:
    """The word with a sound taken for one that is alike in the language; a lost or doubled letter where none is."""
    form = unicodedata.normalize("NFD", text) if language == "ko" else text
    places = [
        (found, part, group)
        for group in (*voice(language)["alike"], *voice(language)["near"])
        for part in group
        if part and (found := form.find(part)) >= 0
    ]
    if places and rng.random() < 0.8:
        at, part, group = rng.choice(places)
        other = rng.choice([p for p in group if p != part])
        return unicodedata.normalize("NFC", form[:at] + other + form[at + len(part) :])
    if len(text) < 3:
        return near_word(rng, text, "", language) or text
    at = rng.randrange(1, len(text) - 1)
    return text[:at] + (text[at + 1 :] if rng.random() < 0.5 else text[at] + text[at:])


def near_word(rng: random.Random, text: str, kind: str, language: str) -> str:
    """A word that is near, of the values of the same type (of any, without one)."""
    near = process.extract(text, _pool(language, kind), scorer=fuzz.ratio, limit=5)
    close = [w for w, _, _ in near if w != text]
    return str(rng.choice(close[:3])) if close else ""


@lru_cache(maxsize=256)
def _pool(language: str, kind: str) -> tuple[str, ...]:
    items = [t.items[0] for t in tasks_of(language) if len(t.items) == 1 and kind in ("", t.type)]
    words = {w.lower() for i in items for w in i.value.replace(",", " ").replace("@", " ").split() if w.isalpha()}
    return tuple(sorted(words | set(voice(language)["vocabulary"].split())))


def near_number(rng: random.Random, tok: Tok, language: str) -> str:
    """``text|gold`` of what a number, month or half of the day is taken for; empty: not heard."""
    data = voice(language)
    if tok.kind == "half":
        hours = range(12, 24) if tok.gold == "am" else range(12)
        word = rng.choice([data["halves"][h] for h in hours if data["halves"][h] != tok.text])
        return f"{word}|{'pm' if tok.gold == 'am' else 'am'}"
    if tok.kind == "month":
        month = (int(tok.gold) - 1 + rng.choice((1, 11))) % 12
        return f"{data['months'][month]}|{month + 1}"
    for names, first in ((data["numbers"], 0), (data["days"], 1), (data["hours"], 0)):
        if tok.text in names:
            near = process.extract(tok.text, names, scorer=fuzz.ratio, limit=5)
            text, _, place = rng.choice([n for n in near if n[0] != tok.text][:3])
            return f"{text}|{place + first}"
    return ""
