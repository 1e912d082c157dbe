"""Asides: what people say about how a value is written, taken out of the utterance before it is read.

"sea view guest house, sea as in the ocean, two words, sea view": one value and three asides. A clause is what
stands between two pauses. An aside either repeats words of the value (and may show their hyphen), or tells how they
are written: joined, in digits, with a capital. What it tells is kept as notes; the reader of the type applies them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from langgraph_readback.fields.hearing.accents import fold
from langgraph_readback.fields.hearing.lattice import begins_with
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.lexicon import in_one
from langgraph_readback.fields.hearing.tails import remark_at
from langgraph_readback.fields.hearing.tokens import Kind, Token

QUIET = frozenset({Kind.FILLER, Kind.END, Kind.SPELLED})
ADDS_NOTHING = frozenset({Kind.SYMBOL, Kind.CLASSIFIER, Kind.JOIN, Kind.CASE, Kind.AND, *QUIET})
COUNTED = frozenset({Kind.NUMBER, Kind.DIGIT, Kind.LITERAL, Kind.SCALE})
LETTERS = frozenset({Kind.LETTER, Kind.SPELL, Kind.DIGIT, Kind.NUMBER, Kind.TERM})


@dataclass
class Notes:
    """What the asides told. Tokens are named by their offsets in the text (``Token.start``), which stay.

    ``joined``: groups of tokens written as one word. ``digits``/``words``: numbers written in digits, in letters.
    ``capitals``: letters that are capitals. ``real``: symbols that are no words. ``upper``: all capitals.
    """

    joined: list[frozenset[int]] = field(default_factory=list)
    digits: set[int] = field(default_factory=set)
    words: set[int] = field(default_factory=set)
    capitals: list[str] = field(default_factory=list)
    holds: list[tuple[str, bool]] = field(default_factory=list)
    real: set[str] = field(default_factory=set)
    upper: bool = False
    all_joined: bool = False
    doubt: str | None = None


def strip(utterance: Utterance, first: int, last: int, *, repeats: bool = True) -> tuple[Utterance, Notes]:
    """The tokens of the value alone, as an utterance, and what was said about them.

    ``repeats``: words said twice are an echo; not so in addresses ("new york, new york").
    """
    sorter = _Sorter(utterance, repeats)
    for start, end in clauses(utterance.tokens, first, last):
        if end - start == 1 and sorter.letter(utterance.tokens[start]):
            continue
        sorter.spelled_on = _spells_on(utterance.tokens, end, last)
        cut = remark_at(utterance.tokens, start, end)
        sorter.clause(list(utterance.tokens[start:cut]))
        if cut < end:
            sorter.clause(list(utterance.tokens[cut:end]))
    tokens = tuple(sorter.kept)
    if tokens and not tokens[0].pause:
        tokens = (replace(tokens[0], pause=True), *tokens[1:])
    return utterance.of(tokens), sorter.notes


def clauses(tokens: tuple[Token, ...], first: int, last: int) -> list[tuple[int, int]]:
    """The stretches between pauses."""
    starts = [i for i in range(first, last) if i == first or tokens[i].pause]
    return list(zip(starts, [*starts[1:], last], strict=True)) if starts else []


def bare(token: Token) -> str:
    """What a token adds to a word when it is compared with an echo."""
    if not token.kinds.isdisjoint(ADDS_NOTHING):
        return ""
    return token.text if token.text.isalnum() and token.text.isascii() else _letters(token.text)


@lru_cache(maxsize=1024)
def _letters(text: str) -> str:
    return "".join(c for c in fold(text) if c.isalnum())


def _spells_on(tokens: tuple[Token, ...], start: int, last: int) -> bool:
    """Whether plain letters follow, perhaps behind capitals: "capital z | capital y | n"."""
    end = start
    while end < last and (len(tokens[end].text) == 1 or tokens[end].kinds & {Kind.CASE, Kind.CLASSIFIER}):
        cased = Kind.CASE in tokens[end].kinds or (Kind.CASE in tokens[end - 1].kinds and not tokens[end].pause)
        if tokens[end].text.isalpha() and not cased:
            return True
        end += 1
    return False


def _spelling(tokens: list[Token]) -> bool:
    """Whether a clause is letters one by one, explained or not."""
    return all(
        (len(t.text) == 1 and t.text.isalpha())
        or _letter_name(t)
        or bool(t.kinds & {Kind.HINT, Kind.CASE, Kind.ACCENT, Kind.CLASSIFIER})
        or (n and Kind.HINT in tokens[n - 1].kinds)
        for n, t in enumerate(tokens)
    )


class _Sorter:
    """Puts clause after clause to the value or among the notes."""

    def __init__(self, utterance: Utterance, repeats: bool) -> None:  # noqa: FBT001 - private
        self.repeats = repeats
        self.data: dict[str, Any] = utterance.lexicon.data
        self.kept: list[Token] = []
        self.notes = Notes()
        self.join_next = self.spelled_on = False
        self.counted = 0
        self.said: list[tuple[Token, str]] = []
        self.heads: dict[str, list[int]] = {}

    def letter(self, token: Token) -> bool:
        """Keep a clause that is one letter of a spelling; False when it may be more than that."""
        plain = token.kinds <= LETTERS and len(token.text) == 1 and token.text.isalpha()
        if not plain or self.join_next or token.text in self.data.get("restates", ()):
            return False
        self.kept.append(token)
        return True

    def clause(self, tokens: list[Token]) -> None:
        """Sort one clause."""
        if self._explains(tokens) or self._describes(tokens):
            return
        self._classified(tokens)
        tokens, joins = self._joins(tokens)
        content = [t for t in tokens if bare(t)]
        if not content:
            self._joined_before(joins)
            if not joins:
                self.kept += tokens
            return
        if (
            len(content) > 1
            and content[0].text in self.data.get("restates", ())
            and self._echo(content[1:]) is not None
        ):
            content = content[1:]
        run = None if _spelling(tokens) and not joins and not self._marked(tokens) else self._echo(content)
        if run is not None and self._restated(tokens, content, run, marked=bool(joins) or self._marked(tokens)):
            if joins:
                self._note_join(joins, [t for t in self.kept if t in run or t in content])
            return
        before = len(self.kept)
        self.kept += tokens
        self._note_join(joins or ("one" if self.join_next else ""), self.kept[before:])
        self.join_next = False

    def _explains(self, tokens: list[Token]) -> bool:
        """Whether the clause explains a word: "sea as in the ocean". Cuts what follows the hint otherwise."""
        for i, token in enumerate(tokens):
            if i == 0 or Kind.HINT not in token.kinds or i + 1 >= len(tokens):
                continue
            head = tokens[i - 1]
            if Kind.CLASSIFIER in tokens[i + 1].kinds and i + 2 == len(tokens):
                self.notes.doubt = "ambiguous"  # "c as in the letter" about a word said before
                return True
            if len(head.text) == 1 or not (" " in token.text or (self.kept and i == 1)):
                continue
            letter = head.get(Kind.LETTER)
            if letter is not None and begins_with(tokens[i + 1], letter.out):
                continue
            if self._echo([t for t in tokens[:i] if bare(t)]) is not None:
                return True
            if " " in token.text:
                self.kept += tokens[:i]
                return True
        return False

    def _describes(self, tokens: list[Token]) -> bool:
        """Whether the clause tells of letters and marks: "with a capital t", "with a real dot", "capital t"."""
        if not self.kept:
            return False
        lead = [t for t in tokens if not t.kinds & QUIET]
        if lead and Kind.WITH in lead[0].kinds:
            return self._parts(lead[1:], present=True)
        if lead and Kind.NOT in lead[0].kinds and Kind.JOIN not in lead[0].kinds:
            return self._parts(lead[1:], present=False)
        cased = any(Kind.CASE in t.kinds for t in lead[:2])
        if cased and all(t.kinds & {Kind.CASE, Kind.LETTER, Kind.AND} for t in lead):
            return self._capitals(lead)
        return False

    def _parts(self, tokens: list[Token], *, present: bool) -> bool:
        """Note each letter or mark of a "with" clause. False when it names none, so that it is part of the value."""
        end = next((n for n, t in enumerate(tokens) if Kind.WITH in t.kinds), len(tokens))
        tokens = tokens[:end]
        case = found = False
        for token in tokens:
            if Kind.CASE in token.kinds:
                case = True
            elif token.kinds & COUNTED and Kind.LETTER not in token.kinds:
                if Kind.CLASSIFIER not in tokens[0].kinds:
                    return False
                found = self._digit(token, present=present)
            elif (symbol := token.get(Kind.SYMBOL)) is not None and symbol.cost == 0:
                self._mark(symbol.out, present=present)
                found = True
            elif len(token.text) == 1 and token.text.isalpha() and (len(tokens) == 1 or token.text != "a"):
                self._letter(token.text, case=case, present=present)
                found, case = True, False
            elif not found and not self._beside(token):
                return False
        return found

    def _beside(self, token: Token) -> bool:
        """Whether a word may stand beside the letters of a remark: "with a *real* dot", "with *two* l's"."""
        return token.text in self.data.get("real", ()) or bool(token.kinds & {Kind.AND, Kind.REPEAT, Kind.CLASSIFIER})

    def _mark(self, symbol: str, *, present: bool) -> None:
        """As in "with a real dot", "without a hyphen", "with no space"."""
        if symbol == " " and not present:
            self._joined_before("one")
            return
        self.notes.holds.append((symbol, present))
        if present:
            self.notes.real.add(symbol)

    def _digit(self, token: Token, *, present: bool) -> bool:
        """As in "with the number four": the number said before is written in digits."""
        said = [t for t in self.kept if t.text == token.text]
        if present:
            self.notes.digits.update(t.start for t in said)
            if not said and (number := token.get(Kind.NUMBER) or token.get(Kind.LITERAL)) is not None:
                self.notes.holds.append((number.out, True))
        else:
            self.notes.words.update(t.start for t in said)
        return True

    def _letter(self, letter: str, *, case: bool, present: bool) -> None:
        if case and present:
            self.notes.capitals.append(letter)
        else:
            self.notes.holds.append((letter, present))

    def _capitals(self, tokens: list[Token]) -> bool:
        """Note "all caps", or "capital z, capital t" about the word before; a spelling is none of these."""
        letters = [t.text for t in tokens if Kind.CASE not in t.kinds and Kind.AND not in t.kinds]
        cases = [m.out for t in tokens if (m := t.get(Kind.CASE)) is not None]
        if not letters and not any(case.startswith("all") for case in cases):
            return False
        if not letters:
            self.notes.upper = self.notes.upper or "all_upper" in cases
            return True
        if len(cases) != len(letters) or set(cases) != {"upper"} or self.spelled_on or not _word(self.kept[-1]):
            return False
        hints = [n for n, t in enumerate(self.kept) if Kind.HINT in t.kinds]
        said = [t for n, t in enumerate(self.kept) if n not in hints and n - 1 not in hints]
        if not any(_word(t) and len(t.text) > 1 and not _letter_name(t) for t in said):
            return False
        alone = {t.text for t in said if len(t.text) == 1}
        word = "".join(map(bare, said))
        if not alone.issuperset(letters) and (len(letters) >= len(word) or not _within(letters, word)):
            return False
        self.notes.capitals += letters
        return True

    def _classified(self, tokens: list[Token]) -> None:
        """Note which numbers are announced as digits ("the number two"), which as words ("the word four")."""
        digits, words = self.data.get("as_digits", ()), self.data.get("as_words", ())
        for before, token in pairwise(tokens):
            if token.kinds & COUNTED:
                said = in_one(before.text)
                if said in digits:
                    self.notes.digits.add(token.start)
                elif said in words:
                    self.notes.words.add(token.start)
            elif before.kinds & COUNTED and token.text in ("in digits", "in figures"):
                self.notes.digits.add(before.start)

    def _joins(self, tokens: list[Token]) -> tuple[list[Token], str]:
        """The clause without its "one word" or "two words", and which of the two it was."""
        joins = [t for t in tokens if Kind.JOIN in t.kinds]
        if not joins:
            return tokens, ""
        one = any(in_one(t.text) in self.data.get("one_word", ()) for t in joins)
        if one and not self.kept and tokens[0] is joins[0]:
            self.join_next = True
        copulas = self.data.get("copulas", ())
        rest = [t for n, t in enumerate(tokens) if Kind.JOIN not in t.kinds and not (n and t.text in copulas)]
        if rest and not rest[0].pause and tokens[0].pause:
            rest[0] = replace(rest[0], pause=True)
        every = frozenset(self.data.get("all_words", ("all",)))
        all_one = one and any(not every.isdisjoint(t.text.split()) for t in joins)
        return rest, "all" if all_one else "one" if one else "apart"

    def _joined_before(self, joins: str) -> None:
        """As in "one word" by itself is about the clause before it."""
        if joins not in ("one", "all") or self.join_next:
            return
        if joins == "all":
            self._note_join(joins, self.kept)
            return
        start = max((n for n, t in enumerate(self.kept) if t.pause), default=0)
        content = [t for t in self.kept[start:] if bare(t) or t.raw.isalpha()]
        spelled = all(len(t.text) == 1 for t in content)
        self._note_join("one", (self._echo(content) if spelled else None) or content)

    def _note_join(self, joins: str, tokens: Iterable[Token]) -> None:
        if joins not in ("one", "all"):
            return
        content = [t for t in tokens if bare(t) or (t.raw.isalpha() and t.kinds & {Kind.SYMBOL, Kind.CASE})]
        articles = self.data.get("articles", ())
        while joins == "one" and len(content) > 1 and content[0].text in articles:
            content = content[1:]
        group = frozenset(t.start for t in content)
        if joins == "one" and len(group) > 2 and not all(len(t.text) == 1 for t in content):
            self.notes.doubt = "ambiguous"
        if len(group) > 1:
            self.notes.joined.append(group)

    def _marked(self, tokens: list[Token]) -> bool:
        """Whether a clause says that it repeats something: "so two gather", "that's ...", "the number two and ...".

        A letter announced as such behind another one goes on with a spelling.
        """
        head = tokens[0]
        if Kind.CLASSIFIER in head.kinds and self.kept and _spelling(tokens):
            start = max((n for n, t in enumerate(self.kept) if t.pause), default=0)
            return not _spelling(self.kept[start:])
        return bool(head.kinds & {Kind.SPELLED, Kind.CLASSIFIER}) or head.text in self.data.get("restates", ())

    def _said_before(self) -> None:
        """Bring ``said`` (the words kept) and ``heads`` (where each first character stands in it) up to date."""
        for token in self.kept[self.counted :]:
            if text := bare(token):
                self.heads.setdefault(text[0], []).append(len(self.said))
                self.said.append((token, text))
        self.counted = len(self.kept)

    def _replace(self, run: list[Token], fresh: list[Token]) -> None:
        """Put other tokens in the place of a run of those kept."""
        where = next(n for n, t in enumerate(self.kept) if t is run[0])
        last = next(n for n, t in enumerate(self.kept) if t is run[-1])
        self.kept[where : last + 1] = fresh
        self.counted, self.said, self.heads = 0, [], {}

    def _echo(self, content: list[Token]) -> list[Token] | None:
        """The tokens said before that a clause repeats, by their letters."""
        text = "".join(map(bare, content))
        self._said_before()
        for start in self.heads.get(text[:1], ()):
            joined = ""
            for end in range(start, len(self.said)):
                joined += self.said[end][1]
                if joined == text:
                    return [t for t, _ in self.said[start : end + 1]]
                if not text.startswith(joined):
                    break
        return None

    def _restated(self, tokens: list[Token], content: list[Token], run: list[Token], *, marked: bool) -> bool:
        """Deal with an echo; False when the clause may as well be part of the value ("new york, new york")."""
        word = all(len(bare(t)) > 1 and bare(t).isalpha() for t in content)
        if all(len(t.text) == 1 for t in run) and (word or not any(t.kinds & COUNTED for t in run)):
            return False  # a word behind its own spelling, or another word that begins like it; "o" may be a zero
        otherwise = [t.text for t in content] != [t.text for t in run] and not all(len(t.text) == 1 for t in content)
        if otherwise or any(Kind.SYMBOL in t.kinds for t in tokens):
            tokens = [t for t in tokens if not t.kinds & QUIET]
            self._replace(run, [replace(tokens[0], pause=run[0].pause), *tokens[1:]])
            return True
        if all(len(t.text) == 1 for t in content) and not all(t.kinds & COUNTED for t in content):
            return any(t.kinds & COUNTED for t in content) and marked
        if not marked and (len(content) < 2 or not self.repeats):
            return False
        self._carry(content, run)
        return True

    def _carry(self, content: list[Token], run: list[Token]) -> None:
        """What was noted of the echo holds for what it repeats."""
        for echo, said in zip(content, run, strict=False):
            for group in (self.notes.digits, self.notes.words):
                if echo.start in group:
                    group.add(said.start)


def _letter_name(token: Token) -> bool:
    """Whether a token is for sure the name of a letter, or of an accent on one."""
    name = token.get(Kind.LETTER)
    return Kind.ACCENT in token.kinds or (name is not None and name.cost == 0)


def _word(token: Token) -> bool:
    """Whether a token is a word that may hold a capital, and no number or mark."""
    return bool(bare(token)) and not token.kinds & COUNTED


def _within(letters: list[str], word: str) -> bool:
    """Whether the letters stand in the word in this order."""
    rest = iter(word)
    return all(letter in rest for letter in letters)
