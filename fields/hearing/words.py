"""The reader for fields made of words and spellings: names, companies, the local part of an email.

Tokens become items (a word, a spelling, digits, a symbol). Repairs are settled, remarks dropped, and a
spelling takes the place of the word it spells: "siobhan, s i o b h a n". The spelling is authoritative.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from langgraph_readback.fields.hearing import accents, repairs
from langgraph_readback.fields.hearing.accents import fold
from langgraph_readback.fields.hearing.lattice import Edge, Lattice, cheapest, edges
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.lexicon import LETTER, syllabic
from langgraph_readback.fields.hearing.replacing import CONTENT, keep_before
from langgraph_readback.fields.hearing.spellings import SOUNDS_LIKE, Item, begins, likeness, near, spellings
from langgraph_readback.fields.hearing.tokens import Kind, Token

__all__ = ["Item", "Items", "Reader", "read"]

SURE = frozenset({Kind.NUMBER, Kind.LITERAL})
SILENT = frozenset({Kind.FILLER, Kind.JOIN, Kind.END, Kind.CLASSIFIER})
DIGITAL = CONTENT | {Kind.REPEAT}
LETTERED = frozenset({"letter", "clash"})
SYMBOLIC = frozenset({Kind.SYMBOL, Kind.REPEAT})


@dataclass(frozen=True, slots=True)
class Items:
    """What a stretch of tokens is made of, and what stood in the way.

    ``doubt``: a reason code when the stretch cannot be read for sure (``unsure``, ``two_values``,
    ``hint_contradiction``, ``ambiguous``).
    """

    items: tuple[Item, ...]
    doubt: str | None = None


def read(utterance: Utterance, first: int, last: int, *, digits: bool = True, latin: bool = False) -> Items:
    """The items of tokens ``first`` to ``last`` (exclusive). ``digits``: number words may write digits.

    ``latin``: words that addresses write in Latin are written so ("जीमेल" as gmail).
    """
    reader = Reader(utterance, first, last, digits=digits, latin=latin)
    reader.run()
    items, contradiction = spellings(reader.items, utterance.tokens)
    reader.doubt = reader.doubt or contradiction
    if reader.accents:
        texts, doubt = accents.lay([i.text for i in items], reader.accents)
        items = [replace(i, text=t) for i, t in zip(items, texts, strict=True)]
        reader.doubt = reader.doubt or doubt
    return Items(tuple(items), reader.doubt)


class Reader:
    """One pass from the left; ``items`` grows, a repair takes from its end."""

    def __init__(self, utterance: Utterance, first: int, last: int, *, digits: bool, latin: bool) -> None:
        self.tokens = utterance.tokens
        self.lattice: Lattice = edges(utterance)
        self.first, self.last, self.digits = first, last, digits
        self.items: list[Item] = []
        self.accents: list[accents.Remark] = []
        self.data = utterance.lexicon.data
        self.remarks: list[tuple[int, int, int]] = []
        self.told = self.named = self.repaired = False
        self.latin = latin
        self.doubt: str | None = None

    def run(self) -> None:
        """Read every token once."""
        i = self.first
        while i < self.last:
            i = self._next(i)
        if any(not self._agrees(*r) for r in self.remarks):
            self.doubt = self.doubt or "ambiguous"

    def _next(self, i: int) -> int:
        token = self.tokens[i]
        kinds = token.kinds
        if not kinds and not self.lattice.told:
            return self._add("word", token.raw, i, i + 1)
        if repairs.is_restart(self.tokens, i):
            self.items.clear()
            return i + 1
        if instruction := self._instruction(i):
            return instruction
        leading = Kind.REPAIR in kinds and not self.items and i + 1 < len(self.tokens) and self.tokens[i + 1].pause
        if leading or repairs.is_repair(self.tokens, i):
            return self._repair(i) if self.items else min(repairs.extent(self.tokens, i)[1], self.last)
        if Kind.UNSURE in kinds:
            self.doubt = "unsure"
            return i + 1
        if (
            Kind.AND in kinds
            and not kinds & CONTENT
            and self.items
            and i + 1 < self.last
            and Kind.CLASSIFIER in self.tokens[i + 1].kinds
        ):
            return i + 1
        if Kind.OR in kinds and self.items and i + 1 < self.last and not self._letter_or(i):
            self.doubt = self.doubt or "two_values"
            return i + 1
        skipped = self._silent(i)
        return skipped or self._content(i)

    def _letter_or(self, i: int) -> bool:
        """Whether a one-letter "or" (Spanish and Italian "o") is a letter here: letters or a symbol stand beside it."""
        beside = [self.tokens[j] for j in (i - 1, i + 1) if self.first <= j < self.last]
        return len(self.tokens[i].text) == 1 and any(
            len(t.text) == 1 or t.kinds & {Kind.SYMBOL, Kind.HINT} for t in beside
        )

    def _instruction(self, i: int) -> int:
        """Past "no apostrophe", or 0."""
        for edge in self.lattice[i] if Kind.NOT in self.tokens[i].kinds else ():
            if edge.how == "skip" and edge.end > i + 1:
                end = min(edge.end, self.last)
                denied = [m.out for t in self.tokens[i + 1 : end] for m in t.meanings if m.kind is Kind.LETTER]
                if self.items and any(letter in fold(self.items[-1].text) for letter in denied):
                    self.doubt = "spelling_contradiction"
                return end
        return 0

    def _silent(self, i: int) -> int:
        """Past a token that writes nothing here, or 0."""
        token = self.tokens[i]
        if Kind.SPELLED in token.kinds:
            self.told = bool(self.items) and not self.named
            return i + 1
        if token.kinds & SILENT and self._alone(i):
            self.named = self.named or Kind.CLASSIFIER in token.kinds
            return i + 1
        if Kind.CASE in token.kinds:
            case = token.get(Kind.CASE)
            if case is not None and case.out.startswith("all"):
                return i + 1
        if Kind.ACCENT in token.kinds and self.items:
            said = accents.remark(self.tokens, i, self.last, self.data)
            if said is not None:
                self.accents.append(said[1])
                return said[0]
        if Kind.WITH in token.kinds and self.items and self.items[-1].kind != "symbol" and self._remark(i):
            end = self._pause_after(i)
            self.remarks.append((len(self.items), i + 1, end))
            return end
        return 0

    def _alone(self, i: int) -> bool:
        """Whether a filler is one here: a phrase, or at an edge, or framed by a pause."""
        token = self.tokens[i]
        behind = self.tokens[i + 1] if i + 1 < self.last else None
        if _bound(token, token) or (behind is not None and (_bound(behind, token) or begins(token, behind))):
            return False
        if not token.kinds <= {*SILENT, Kind.REPAIR, Kind.LETTER, Kind.CARRIER} or " " in token.text:
            return True
        if token.kinds == {Kind.CLASSIFIER} and i + 1 < self.last:
            return True
        after = i + 1
        while after < self.last and not self.tokens[after].pause and Kind.FILLER in self.tokens[after].kinds:
            after += 1
        follows = after >= self.last or self.tokens[after].pause
        return token.pause or follows or not self.items

    def _remark(self, i: int) -> bool:
        """Whether "with a k", "with an accent" is about the spelling and not part of the value."""
        after = self.tokens[i + 1 : i + 3]
        return any(t.kinds & {Kind.SYMBOL, Kind.LETTER, Kind.REPEAT, Kind.NUMBER} for t in after)

    def _agrees(self, count: int, first: int, end: int) -> bool:
        """Whether what a remark names ("with a y", "with a hyphen") is in the words it is about."""
        written = fold("".join(i.text for i in self.items[max(0, count - 3) :]))
        named = [
            m.out
            for t in self.tokens[first:end]
            for m in t.meanings
            if m.kind in (Kind.LETTER, Kind.SYMBOL) and m.cost == 0
        ]
        return all(fold(n) in written for n in named)

    def _pause_after(self, i: int) -> int:
        end = i + 1
        while end < self.last and not self.tokens[end].pause:
            end += 1
        return end

    def _content(self, i: int) -> int:
        token = self.tokens[i]
        if self.latin and (word := token.get(Kind.LATIN)) is not None and not self._spelled_on(i):
            return self._address_word(i, word.out)
        if self.digits and (edge := self._oh(i)) is not None:
            return self._add("digits", edge.out, i, edge.end)
        if (run := self._letters(i)) is not None:
            return self._add("spelled", run[1], i, run[0])
        if self.digits and not token.kinds.isdisjoint(DIGITAL) and (edge := self._number(i)) is not None:
            return self._add("digits", edge.out, i, edge.end)
        edge = None if token.kinds.isdisjoint(SYMBOLIC) else self._best(i, "symbol")
        if edge is not None and not (edge.cost and token.text.isalpha()):
            return self._add("symbol", edge.out, i, edge.end)
        if Kind.CARRIER in token.kinds and " " in token.raw:
            return i + 1
        return self._add("word", token.raw, i, i + 1)

    def _spelled_on(self, i: int) -> bool:
        """Whether a token that may be an address word is a letter of a spelling that goes on."""
        return self.tokens[i].get(Kind.LETTER) is not None and (run := self._letters(i)) is not None and run[0] > i + 1

    def _address_word(self, i: int, text: str) -> int:
        """A word that addresses write in Latin, with the dot it may bring (".com")."""
        if text.startswith("."):
            self._add("symbol", ".", i, i + 1)
            text = text[1:]
        return self._add("word", text, i, i + 1)

    def _add(self, kind: str, text: str, first: int, last: int) -> int:
        before = self.items[-1] if self.items else None
        if kind == "word" and before is not None and before.kind == "word" and self._grown(before, first):
            self.items[-1] = replace(before, text=before.text + text, last=last)
            return last
        if self.repaired and kind == "word" and self.tokens[first].pause and self._again(text):
            self.items.pop()
        self.items.append(Item(kind, text, first, last, self.tokens[first].pause, self.told))
        self.named = False
        if kind != "symbol":
            self.told = self.told and kind == "spelled"
        return last

    def _oh(self, i: int) -> Edge | None:
        """A letter that is also a digit, right before digits: "double o seven", "oh four".

        Where the locale says so (``between_digits``) right behind them as well, unless a letter follows.
        """
        edge = None if self.tokens[i].kinds.isdisjoint(DIGITAL) else self._best(i, "digits")
        if edge is None or self._best(i, "letter") is None:
            return None
        if self.data.get("between_digits") and self._ends_digits(i, edge.end):
            return edge
        if edge.end >= self.last:
            return None
        if edge.cost and Kind.REPEAT not in self.tokens[i].kinds:
            return None
        after = self.tokens[edge.end]
        sure = after.kinds & {Kind.NUMBER, Kind.LITERAL} and Kind.LETTER not in after.kinds
        return edge if sure and not after.pause else None

    def _ends_digits(self, i: int, end: int) -> bool:
        """Whether digits stand right before a token, and no letter behind it."""
        before = self.items[-1] if self.items else None
        if before is None or before.kind != "digits" or before.last != i or self.tokens[i].pause:
            return False
        after = self.tokens[end] if end < self.last else None
        return after is None or after.pause or Kind.LETTER not in after.kinds or bool(after.kinds & CONTENT)

    def _grown(self, before: Item, first: int) -> bool:
        """Whether a token is one more character of the word before it, in scripts that have a token a character."""
        return before.last == first and self.tokens[first].glued and not self.tokens[first].pause

    def _again(self, text: str) -> bool:
        """Whether a corrected word is said once more with what follows it: "no, will, will smith"."""
        last = self.items[-1] if self.items else None
        return last is not None and last.kind == "word" and fold(last.text) == fold(text)

    def _number(self, i: int) -> Edge | None:
        """The digits written from ``i``. What may be a letter or a word is a digit only beside other digits."""
        edge = self._best(i, "digits")
        if edge is None or (edge.cost == 0 and not self.tokens[i].kinds & {Kind.LETTER}):
            return edge
        beside = [j for j in (i - 1, edge.end) if self.first <= j < self.last]
        sure = [j for j in beside if self.tokens[j].kinds & SURE and Kind.LETTER not in self.tokens[j].kinds]
        if len(self.tokens[i].text) > 1:
            return edge if sure else None
        pauses = self.tokens[i].pause or (edge.end < self.last and self.tokens[edge.end].pause)
        return edge if len(sure) == 2 and not pauses else None

    def _best(self, i: int, how: str) -> Edge | None:
        """The cheapest edge of a kind, the longest of equals, inside the stretch."""
        fitting = [e for e in self.lattice[i] if e.how == how and e.end <= self.last]
        return cheapest(fitting) if fitting else None

    def _letters(self, i: int) -> tuple[int, str] | None:
        """A run of letters from ``i``: (end, text), or None when it is no spelling."""
        run: list[tuple[int, Edge]] = []
        at = i
        while at < self.last and (edge := self._letter(at)) is not None:
            if run and self._breaks(run, at):
                break
            run.append((at, edge))
            at = edge.end
        while run and run[-1][1].cost >= 2 and not self._closed(run[-1][1].end):
            run.pop()
        if not run or not self._spells(run) or self._word_first(run):
            return None
        return run[-1][1].end, "".join(e.out for _, e in run)

    def _letter(self, i: int) -> Edge | None:
        token = self.tokens[i]
        if token.kinds != LETTER and (Kind.RESTART in token.kinds or repairs.is_repair(self.tokens, i)):
            return None
        word = token.glued and len(token.text) > 1 and token.text.isascii() and token.text.isalpha()
        if word and (i == 0 or _bound(token, self.tokens[i - 1])):
            return None  # "Aaa-Bee": a word, not a letter's name
        choices = [e for e in self.lattice[i] if e.how in LETTERED and e.end <= self.last]
        if not choices:
            return None
        best = cheapest(choices)
        if best.how == "clash":
            self.doubt = "hint_contradiction"
        return best

    def _breaks(self, run: list[tuple[int, Edge]], at: int) -> bool:
        """A pause ends a run whose letters came without pauses: "j o h n, s m i t h"."""
        if not self.tokens[at].pause or len(run) < 2:
            return False
        return not any(self.tokens[start].pause for start, _ in run[1:])

    def _closed(self, end: int) -> bool:
        """Whether a run ends where the words around it end too."""
        return end >= self.last or self.tokens[end].pause or bool(self.tokens[end].kinds & {Kind.SYMBOL, Kind.SPELLED})

    def _spells(self, run: list[tuple[int, Edge]]) -> bool:
        """Whether a run of letters is a spelling and not ordinary words that sound like letters."""
        costs = [e.cost for _, e in run]
        start, end = run[0][0], run[-1][1].end
        alone = self.items[-1].kind != "word" if self.items else self._closed(end)
        cased = alone and Kind.CASE in self.tokens[start].kinds
        if cased or any(c < 0 for c in costs) or Kind.ACCENT in self.tokens[end - 1].kinds:
            return True
        named = [e for at, e in run if len(self.tokens[at].text) == 1 or Kind.HINT not in self.tokens[at].kinds]
        sure = sum(1 for (at, e) in run if e.cost == 0 and (self.tokens[at].text not in ("a", "i") or len(run) > 1))
        if any(c >= 2 for c in costs):
            framed = (start == self.first or self.tokens[start].pause or bool(self.items)) and self._closed(end)
            if not framed:
                return False
            return (sure >= 1 and len(run) >= 2) or self._echoed(run)
        if any(c == 1 for c in costs):
            if any(e.cost == 0 for e in named):
                return True
            return len(named) >= 3 and not self._names(run)
        return len(run) >= 2 or len(run[0][1].out) >= 2 or self._named(start)

    def _names(self, run: list[tuple[int, Edge]]) -> bool:
        """Whether bare spelling words are names of a person, where the spelling words of the language are given names.

        Unless they spell the word before them: "elena, españa lorenzo españa navarra antonio".
        """
        if self.digits or not self.data.get("spelling_names"):
            return False
        before = self.items[-1] if self.items else None
        letters = "".join(e.out for _, e in run)
        return before is None or before.kind != "word" or likeness(before.text, letters) < SOUNDS_LIKE

    def _named(self, i: int) -> bool:
        """Whether one letter's name stands for the letter.

        It is a phrase ("double u"), digits stand beside it, or pauses set it off from symbols.
        """
        token = self.tokens[i]
        if token.get(Kind.LETTER) is None or (len(token.text) == 1 and token.text.isascii()):
            return False
        if self.latin and not token.text.isascii() and self.lattice[i][0].out.isascii():
            return True
        beside = [self.tokens[j] for j in (i - 1, i + 1) if self.first <= j < self.last]
        if " " in token.text or any(t.kinds & CONTENT and Kind.LETTER not in t.kinds for t in beside):
            return True
        after = self.tokens[i + 1] if i + 1 < len(self.tokens) else None
        framed = token.pause and (after is None or after.pause)
        return framed and i > self.first and Kind.SYMBOL in self.tokens[i - 1].kinds

    def _word_first(self, run: list[tuple[int, Edge]]) -> bool:
        """Whether a run begins with a word that only sounds like a letter: "Be, B, E"."""
        if len(run) < 2 or not self.tokens[run[1][0]].pause:
            return False
        rest = "".join(e.out for _, e in run[1:])
        sounds = run[0][1].cost >= 2 and any(e.cost <= 0 for _, e in run[1:])
        first = fold(self.tokens[run[0][0]].text)
        return sounds or (len(first) > 1 and fold(rest) == first)

    def _echoed(self, run: list[tuple[int, Edge]]) -> bool:
        """Whether a run of sound-alikes spells a word said beside it: "ruby, are you be why"."""
        return bool(near(self.tokens, run[0][0], run[-1][1].end, "".join(e.out for _, e in run)))

    def _repair(self, i: int) -> int:
        _, after = repairs.extent(self.tokens, i)
        if after >= self.last:
            return self.last
        keep = keep_before(self.items, self.tokens, after, self.last)
        if keep is None:
            self.doubt = self.doubt or "ambiguous"
            return after
        del self.items[keep:]
        self.repaired = True
        return after


def _bound(token: Token, by: Token) -> bool:
    """Whether a token is written together with the one before it, for a word that its script sets apart."""
    return token.glued and not token.pause and not syllabic(by.text)
