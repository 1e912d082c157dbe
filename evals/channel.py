"""The simulated line: what a recogniser makes of what the caller said.

A hearing is drawn from rates published for 413 calls (``data/channel.toml``, ``data/confusions.json``): symbol errors,
words lost or taken for known ones, structure errors of phone numbers. One multiplier a call makes errors cluster;
faults stick to their place in the value when it is said again. Everything is drawn from (seed, task, condition, field,
number of the hearing), so all arms hear the same line; nothing here knows of the loop.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from langgraph_readback.evals.mishear import broken, near_number, near_word, similar
from langgraph_readback.evals.rates import E_SET, hazard, pick, rates, weight
from langgraph_readback.evals.render import render
from langgraph_readback.evals.speech import ESSENTIAL, Tok, lexicon, words
from langgraph_readback.evals.tasks import Item

MODES = {"word": "said", "number": "said", "month": "said", "half": "said", "spelling": "words", "key": "keys"}


@dataclass(frozen=True, slots=True)
class Fault:
    """One error: where in the value, how it came about, and what was heard instead (for sticky repeats).

    ``kind``: change, lost, extra (after the place), bulk (a whole word), structure (of a phone number).
    """

    kind: str
    mode: str
    at: frozenset[int]
    out: str = ""


@dataclass(frozen=True, slots=True)
class Hearing:
    """What arrived. ``exact``: every piece of the value that was said arrived as said, and nothing more."""

    text: str
    exact: bool
    confidence: float = 1.0
    nbest: tuple[str, ...] = ()


@dataclass(slots=True)
class Line:
    """One call's line: its multiplier, its recogniser's way of writing, and what it has misheard so far.

    ``scale``: 0 switches every error off; 0.5, 1 and 2 are the sweep.
    """

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
        self.multiplier = self.scale * rng.gammavariate(1 / variance, variance) * rng.choice(call["voices"])
        self.writing = rng.choices(("plain", "cased", "digits"), (50, 30, 20))[0]

    def hear(self, item: Item, toks: Sequence[Tok]) -> Hearing:
        """Draw one hearing and remember its faults."""
        number = self.count[item.field] = self.count.get(item.field, 0) + 1
        rng = random.Random(f"hear/{self.seed}/{self.task}/{self.condition}/{item.field}/{number}")
        old = self.memory.get(item.field, [])
        again = rates()["call"]["again"] if number > 1 else 1.0
        once = _Once(item, self.condition, self.multiplier * again, rng, old)
        heard, faults = once.run(toks)
        said = {t.at for t in toks}
        self.memory[item.field] = [*faults, *(f for f in old if not f.at & said)]
        text = render(heard, item, self.writing)
        setting = rates()["asr"]
        mean = setting["confidence_faulty" if faults else "confidence_clean"]
        spread = setting["spread"]
        confidence = round(rng.betavariate(mean * spread, (1 - mean) * spread), 3)
        return Hearing(text, exact=not faults, confidence=confidence, nbest=self._others(item, toks, faults, rng, text))

    def lose_reply(self, turn: int) -> bool:
        """Whether a bare yes gets lost on the way."""
        rng = random.Random(f"reply/{self.seed}/{self.task}/{self.condition}/{turn}")
        return bool(rng.random() < rates()["reply"]["yes_lost"] * min(self.scale, 1.0))

    def _others(
        self, item: Item, toks: Sequence[Tok], faults: list[Fault], rng: random.Random, best: str
    ) -> tuple[str, ...]:
        """The other guesses: the same sound once more, erring mostly alike."""
        setting = rates()["asr"]
        out = [best]
        if self.scale:
            for _ in range(setting["alternatives"]):
                once = _Once(
                    item, self.condition, self.multiplier * setting["fresh"], rng, faults, stick=setting["stick"]
                )
                text = render(once.run(toks)[0], item, self.writing)
                if text not in out:
                    out.append(text)
        return tuple(out)


class _Once:
    """One drawing of one hearing."""

    def __init__(
        self,
        item: Item,
        condition: str,
        multiplier: float,
        rng: random.Random,
        old: Iterable[Fault],
        *,
        stick: float | None = None,
    ) -> None:
        self.item, self.rng, self.old, self.fixed = item, rng, list(old), stick
        self.rates = rates()["condition"][condition]
        scale = rates()["scale"].get(item.type, {})
        self.m = {"said": multiplier * scale.get("said", 1.0), "spelled": multiplier * scale.get("spelled", 1.0)}
        self.language = item.locale.split("-")[0]
        self.faults: list[Fault] = []

    def run(self, toks: Sequence[Tok]) -> tuple[list[Tok], list[Fault]]:
        """What was heard, and the faults in it."""
        out: list[Tok] = []
        for piece in _pieces(toks, self.item):
            out += self.piece(piece)
        if self.item.type == "phone":
            out = self.structure(out)
        return out, self.faults

    def hit(self, rate: float, how: str = "spelled") -> bool:
        """Whether something happens on this call's line. ``rate`` is its published share over all calls, 0 to 1."""
        return self.rng.random() < 1 - math.exp(-self.m[how] * hazard(min(rate, 0.97)))

    def sticks(self, fault: Fault, mode: str) -> bool:
        """Whether an earlier fault is made again, now that the value is said in ``mode``."""
        if self.fixed is not None:
            return self.rng.random() < self.fixed
        table = rates()["stick"]
        chance = self.rates["stick"] if fault.mode in (mode, "words") else table["said_spelled"]
        if fault.mode == "spelled" and mode in ("said", "words"):
            chance = self.rates["stick"]
        if mode == "words" and fault.mode != "words":
            chance *= table["spelling_words"]
        if fault.kind == "structure":
            chance = table["structure"]
        return mode != "keys" and self.rng.random() < chance * table["scale"]

    def note(self, tok: Tok, fault: Fault) -> None:
        """Remember a fault, unless nothing of the value hangs on the token."""
        if tok.gold:
            self.faults.append(fault)

    # --- words ------------------------------------------------------------------------------------------------------

    def piece(self, piece: list[Tok]) -> list[Tok]:
        """A word, a spelled word, or a single symbol."""
        if len(piece) == 1 and piece[0].kind not in ("word", "wrong_word"):
            return self.single(piece[0])
        return self.bulk(piece)

    def bulk(self, piece: list[Tok]) -> list[Tok]:
        """Something that can be taken for another word, or get lost, as a whole."""
        first = piece[0]
        mode = MODES.get(first.kind, "spelled")
        places = frozenset(t.at for t in piece)
        covered = _covered(first) if first.kind == "word" else places
        old = [f for f in self.old if f.kind == "bulk" and f.at & covered]
        if old and self.sticks(old[0], mode):
            if mode == "words":
                return self.slip(piece)
            same = self.rng.random() < rates()["stick"]["same"]
            return self.instead(piece, covered, old[0].out if same else self.known(piece), mode)
        if first.kind == "word":
            return self.said(first, covered, fresh=not old)
        if not old:
            rarity = rates()["run"][self.rarity(_word(piece))]
            factor = rarity * (rates()["stick"]["spelling_words"] if mode == "words" else 1.0)
            if self.hit(rates()["run"]["dropped"] * factor):
                return self.slip(piece) if mode == "words" else self.instead(piece, covered, "", mode)
            if self.hit(min(0.9, rates()["run"]["replaced"] * factor)):
                return self.slip(piece) if mode == "words" else self.instead(piece, covered, self.known(piece), mode)
        return [t for tok in piece for t in self.single(tok)]

    def said(self, tok: Tok, covered: frozenset[int], *, fresh: bool) -> list[Tok]:
        """A word that is said, not spelled."""
        locals_ = [f for f in self.old if f.kind != "bulk" and f.at & covered]
        again = any(self.sticks(f, "said") for f in locals_)
        table = rates()["word"][self.rarity(tok.text)]
        if not again and not (fresh and self.hit(sum(table.values()) * self.rates["word"], "said")):
            return [tok]
        kind = "similar" if again else self.rng.choices(list(table), list(table.values()))[0]
        if kind == "similar":
            return self.instead([tok], covered, similar(self.rng, tok.text, self.language), "said")
        return self.instead([tok], covered, self.known([tok]) if kind == "replaced" else "", "said")

    def instead(self, piece: list[Tok], covered: frozenset[int], out: str, mode: str) -> list[Tok]:
        """The piece heard as another word (said, or letter by letter), or not at all."""
        if out == _word(piece):
            return piece
        self.note(piece[0], Fault("bulk", mode, covered, out))
        if not out:
            return []
        if mode == "said" or self.rng.random() < 0.5:
            return [replace(piece[0], kind="word", text=out, gold=out, times=1)]
        return [replace(piece[0], kind="letter", text=c, gold=c, times=1) for c in out if c.isalnum()]

    def slip(self, piece: list[Tok]) -> list[Tok]:
        """In spelling words a whole word does not turn into another: one symbol of it goes wrong."""
        where = self.rng.randrange(len(piece))
        return [t for i, tok in enumerate(piece) for t in (self.change(tok) if i == where else self.single(tok))]

    def rarity(self, text: str) -> str:
        """Known (closed lists: units, street types, domains), common, rare or (companies) coined."""
        if text.lower() in words(self.language)["known"]:
            return "known"
        if text.lower() in words(self.language)["common"]:
            return "common"
        return "coined" if self.item.type == "company" else "rare"

    def known(self, piece: list[Tok]) -> str:
        """A known word that is near."""
        return near_word(self.rng, _word(piece), self.item.type, self.language, piece[0].text)

    # --- symbols ----------------------------------------------------------------------------------------------------

    def single(self, tok: Tok) -> list[Tok]:
        """One symbol, number, or word of no consequence."""
        if not _can_err(tok):
            return [tok]
        old = [f for f in self.old if f.kind in ("change", "lost", "extra") and tok.at in f.at]
        if old:
            return self.again(tok, old[0])
        if tok.kind in NUMBERS:
            return self.number(tok)
        lost, changed, extra = self.chances(tok)
        if self.hit(lost):
            return self.lose(tok)
        if self.hit(changed):
            return self.change(tok)
        return [tok, self.more(tok, "")] if extra and self.hit(extra) else [tok]

    def chances(self, tok: Tok) -> tuple[float, float, float]:
        """Lost, changed, and followed by something that was not said."""
        table = rates()["symbol"]
        if tok.kind == "symbol":
            return table["separator_delete"], table["separator_change"], 0.0
        if tok.kind == "digit":
            return table["digit_delete"], self.rates["digit"] * weight(tok.gold), self.rates["insert"]
        base = self.rates["e_set" if tok.gold in E_SET else "other"] * weight(tok.gold)
        factor = rates()["stick"]["spelling_words"] if tok.kind == "spelling" else 1.0
        return self.rates["delete"] * factor, base * factor, self.rates["insert"] * factor

    def again(self, tok: Tok, fault: Fault) -> list[Tok]:
        """A place that went wrong before."""
        mode = MODES.get(tok.kind, "spelled")
        if not self.sticks(fault, mode):
            return [tok]
        if self.rng.random() >= rates()["stick"]["same"]:
            return self.change(tok)
        if fault.kind == "lost":
            return self.lose(tok)
        if fault.kind == "extra":
            return [tok, self.more(tok, fault.out)]
        return self.change(tok, fault.out)

    def lose(self, tok: Tok) -> list[Tok]:
        """Not heard; of a double, sometimes only one is."""
        self.note(tok, Fault("lost", MODES.get(tok.kind, "spelled"), frozenset({tok.at})))
        if tok.times > 1 and self.rng.random() < 0.7:
            return [replace(tok, text=tok.text.split(" ", 1)[1], times=1)]
        return []

    def more(self, tok: Tok, out: str) -> Tok:
        """Something heard that was not said."""
        symbol = out or pick(self.rng, "", "spelled")
        self.note(tok, Fault("extra", MODES.get(tok.kind, "spelled"), frozenset({tok.at}), symbol))
        return self.as_symbol(replace(tok, times=1), symbol)

    def change(self, tok: Tok, out: str = "") -> list[Tok]:
        """Heard as something else."""
        if tok.kind in ("number", "month", "half"):
            return self.wrong_number(tok, out)
        mode = MODES.get(tok.kind, "spelled")
        if tok.kind == "symbol":
            others = [c for c in ".-_ " if c != tok.gold]
            symbol = out or self.rng.choice(others)
            name = lexicon(self.language)["symbols"][symbol][0]
            self.note(tok, Fault("change", mode, frozenset({tok.at}), symbol))
            return [replace(tok, text=name, gold=symbol if tok.gold else "")]
        symbol = out or pick(self.rng, tok.gold, "spelled")
        self.note(tok, Fault("change", mode, frozenset({tok.at}), symbol))
        return [self.as_symbol(tok, symbol)]

    def as_symbol(self, tok: Tok, symbol: str) -> Tok:
        """The token with another letter or digit in it, named the way the token was."""
        data = lexicon(self.language)
        twice = "double " if tok.times > 1 else ""
        if symbol.isdigit():
            return replace(tok, kind="digit", text=twice + data["digits"][int(symbol)], gold=symbol)
        if tok.kind != "spelling":
            return replace(tok, kind="letter", text=twice + symbol, gold=symbol)
        parts = tok.text.split()
        own = parts[-1] != data["icao"].get(tok.gold)
        word = data["own" if own else "icao"][symbol]
        return replace(tok, text=" ".join([symbol, *parts[1:-1], word]) if len(parts) > 1 else word, gold=symbol)

    # --- numbers ----------------------------------------------------------------------------------------------------

    def number(self, tok: Tok) -> list[Tok]:
        """A number word, a month, a half of the day."""
        table = rates()["number"]
        rate = {"half": table["half"], "month": table["month"]}.get(tok.kind, table["confuse"])
        return self.change(tok) if self.hit(rate * self.rates["word"], "said") else [tok]

    def wrong_number(self, tok: Tok, out: str) -> list[Tok]:
        """Fifteen for fifty, AM for PM, another month."""
        if not out:
            out = near_number(self.rng, tok, self.language)
        self.note(tok, Fault("change", "said", frozenset({tok.at}), out))
        text, _, gold = out.partition("|")
        return [replace(tok, text=text, gold=gold)] if text else []

    # --- phones -----------------------------------------------------------------------------------------------------

    def structure(self, toks: list[Tok]) -> list[Tok]:
        """Phones break in structure: a digit too many, the tail cut, a falter, a swap, a zero lost."""
        digits = [i for i, t in enumerate(toks) if t.kind == "digit"]
        if len(digits) < 7:
            return toks
        for old in (f for f in self.old if f.kind == "structure"):
            if self.sticks(old, "spelled"):
                toks = self.breaks(toks, old.out)
        if not any(f.kind == "structure" for f in self.old):
            for kind, rate in rates()["phone"].items():
                if self.hit(rate):
                    toks = self.breaks(toks, f"{kind} {self.rng.random():.3f} {self.rng.randint(1, 3)}")
        return toks

    def breaks(self, toks: list[Tok], what: str) -> list[Tok]:
        """The digits with one break in them, remembered when it changes anything."""
        out = broken(toks, what, self.as_symbol)
        if [t.gold for t in out] != [t.gold for t in toks]:
            self.faults.append(Fault("structure", "spelled", frozenset(t.at for t in toks), what))
        return out


NUMBERS = ("number", "month", "half")


def _can_err(tok: Tok) -> bool:
    """Whether anything can happen to a token: keys never err, numbers of no consequence need not."""
    return tok.kind in ESSENTIAL and tok.kind != "key" and (bool(tok.gold) or tok.kind not in NUMBERS)


def _pieces(toks: Sequence[Tok], item: Item) -> list[list[Tok]]:
    """Words, spelled words of three letters or more (not in codes), and everything else one by one."""
    out: list[list[Tok]] = []
    for tok in toks:
        letters = tok.kind in ("letter", "spelling") and not item.pattern and item.spec not in ("postcode", "vin")
        last = out[-1][-1] if out else None
        if letters and last and last.kind == tok.kind and last.run == tok.run:
            out[-1].append(tok)
        else:
            out.append([tok])
    return [part for piece in out for part in ([piece] if len(piece) != 2 else [[t] for t in piece])]


def _covered(tok: Tok) -> frozenset[int]:
    return frozenset(range(tok.at, tok.at + max(1, len(tok.text))))


def _word(piece: list[Tok]) -> str:
    return piece[0].text if piece[0].kind == "word" else "".join(t.gold * t.times for t in piece)
