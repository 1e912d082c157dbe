"""The third stage: which characters each stretch of tokens may write.

An edge leads from one token position to another and writes ``out``. Costs are small integers: 0 for the usual
way, more for a stretch that must be bent (a homophone, a spelling word without a hint). Readers choose the
cheapest path that their field allows; two different values at the same price are an ambiguity, not a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from langgraph_readback.fields.hearing import explained
from langgraph_readback.fields.hearing.accents import accented, fold
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.lexicon import AFTER, LETTER, syllabic
from langgraph_readback.fields.hearing.numbers import cardinals, closes
from langgraph_readback.fields.hearing.tokens import Kind, Meaning, Token, made

PART_COST = 2
"""A number word cut from the number it stands in ("forty" | "two")."""
HUNDRED = 100
NUMERIC = frozenset({Kind.DIGIT, Kind.NUMBER, Kind.LITERAL})
WRITES_LETTER = frozenset({Kind.LETTER, Kind.SPELL, Kind.CASE, Kind.CLASSIFIER})
EXPLAINS = frozenset({Kind.HINT, Kind.SPELL})
ALONE = frozenset({Kind.LETTER, Kind.SPELL})
LEADS = frozenset({Kind.CASE, Kind.CLASSIFIER})
CHANGES = EXPLAINS | {Kind.CASE, Kind.ACCENT}
"""What behind a letter says more of it."""
GOES_ON = frozenset({Kind.NUMBER, Kind.SCALE, Kind.AND})
QUIET = frozenset({Kind.FILLER, Kind.JOIN, Kind.CASE, Kind.END, Kind.CLASSIFIER, Kind.CARRIER, Kind.SPELLED})
INSTRUCTS = QUIET | {Kind.NOT}
NOTHING: frozenset[Kind] = frozenset()


class Edge(NamedTuple):
    """From the token it is listed under to token ``end``, writing ``out``.

    ``how``: ``letter`` (one letter), ``digits``, ``symbol``, ``word``, ``skip``, or ``clash`` for a letter whose
    hint contradicts it.
    """

    end: int
    out: str
    cost: int
    how: str


def cheapest(choices: Sequence[Edge]) -> Edge:
    """The cheapest of some edges, the longest of equals."""
    return choices[0] if len(choices) == 1 else min(choices, key=lambda e: (e.cost, -e.end))


class Lattice:
    """All edges of an utterance, by the token they start from; made when a reader first comes to that token."""

    __slots__ = ("_known", "_utterance", "told")

    def __init__(self, utterance: Utterance) -> None:
        self._utterance = utterance
        self._known: list[tuple[Edge, ...] | None] = [None] * len(utterance.tokens)
        self.told = any(Kind.OF in t.kinds for t in utterance.tokens)
        """Whether any word, known or not, may be a letter, since words explain letters ("Monday的M")."""

    def __getitem__(self, i: int) -> tuple[Edge, ...]:
        found = self._known[i]
        if found is None:
            found = self._known[i] = self._made(i)
        return found

    def _made(self, i: int) -> tuple[Edge, ...]:
        utterance, tokens = self._utterance, self._utterance.tokens
        found = _from(utterance, i)
        if i and Kind.CLASSIFIER in tokens[i - 1].kinds:
            found = _named(tokens[i - 1], found)
        return (*found, *map(Edge._make, explained.of_word(tokens, i))) if self.told else tuple(found)


class Part(Lattice):
    """The lattice of tokens ``first`` to ``end`` of an utterance, cut from the whole one's."""

    __slots__ = ("_end", "_first", "_whole")

    def __init__(self, utterance: Utterance, whole: Lattice, first: int, end: int) -> None:
        super().__init__(utterance)
        self._whole, self._first, self._end = whole, first, end

    def _made(self, i: int) -> tuple[Edge, ...]:
        first, last = self._first, self._end
        return tuple([Edge(e.end - first, e.out, e.cost, e.how) for e in self._whole[first + i] if e.end <= last])


def edges(utterance: Utterance) -> Lattice:
    """The lattice of an utterance, one for all its readers."""
    lattice: Lattice | None = utterance.memo.get("edges")
    if lattice is None:
        lattice = utterance.memo["edges"] = Lattice(utterance)
    return lattice


def part(utterance: Utterance, first: int, end: int) -> Utterance:
    """Tokens ``first`` to ``end`` as an utterance, with edges as they are in the whole one."""
    cut = utterance.of(utterance.tokens[first:end])
    cut.memo["edges"] = Part(cut, edges(utterance), first, end)
    return cut


def _named(before: Token, found: list[Edge]) -> list[Edge]:
    """What is left of the edges when "the letter" or "the number" stands before the token."""
    said = before.get(Kind.CLASSIFIER)
    if said is None or not said.out:
        return found
    kept = [e for e in found if e.how in (("letter", "clash") if said.out == "letter" else ("digits",))]
    return kept or found


def _from(utterance: Utterance, i: int) -> list[Edge]:
    tokens = utterance.tokens
    token = tokens[i]
    kinds = token.kinds
    if not kinds:
        return [made(Edge, (i + 1, token.raw, 3, "word"))]
    found = [] if kinds.isdisjoint(WRITES_LETTER) else letters(utterance, i)
    if kinds == LETTER and len(token.text) == 1 and not syllabic(token.text):
        return found
    found = [*found]
    if Kind.LITERAL in kinds:
        found.append(Edge(i + 1, token.text, 0, "digits"))
    if Kind.NUMBER in kinds or Kind.SCALE in kinds:
        found += _numbers(utterance, i)
    elif Kind.DIGIT in kinds:
        found += [Edge(i + 1, m.out, m.cost, "digits") for m in token.meanings if m.kind is Kind.DIGIT]
    if Kind.SYMBOL in kinds:
        found += [Edge(i + 1, m.out, m.cost, "symbol") for m in token.meanings if m.kind is Kind.SYMBOL]
    if Kind.REPEAT in kinds:
        found += repeats(tokens, i)
    if not kinds.isdisjoint(INSTRUCTS):
        found += _instructions(tokens, i)
    if Kind.LITERAL not in kinds and " " not in token.raw and (len(token.text) > 1 or syllabic(token.text)):
        found.append(made(Edge, (i + 1, token.raw, 3, "word")))
    return found


def letters(utterance: Utterance, i: int) -> list[Edge]:
    """``characters`` of a token, worked out once for all who ask."""
    known: dict[int, list[Edge]] = utterance.memo.setdefault("letters", {})
    found = known.get(i)
    if found is None:
        found = known[i] = characters(utterance.tokens, i)
    return found


def characters(tokens: tuple[Token, ...], i: int) -> list[Edge]:
    """Edges that write one letter (or one digit with a hint): "b", "bee", "bravo", "b as in boy", "b bravo"."""
    token = tokens[i]
    behind = tokens[i + 1].kinds if i + 1 < len(tokens) else NOTHING
    if token.kinds.isdisjoint(LEADS) and behind.isdisjoint(CHANGES):
        return [made(Edge, (i + 1, m.out, m.cost, "letter")) for m in token.meanings if m.kind in ALONE]
    found: list[Edge] = []
    if Kind.CASE in token.kinds and i + 1 < len(tokens):
        case = token.get(Kind.CASE)
        if case is not None and case.out in ("upper", "lower") and (case.number != AFTER or _leads(tokens, i)):
            found += [_cased(e, case.out) for e in characters(tokens, i + 1) if e.how == "letter"]
    said = token.get(Kind.CLASSIFIER)
    if said is not None and said.out == "letter" and i + 1 < len(tokens):
        found += [e._replace(cost=-1) for e in characters(tokens, i + 1) if e.cost <= 0 and e.how == "letter"]
    for meaning in token.meanings:
        if meaning.kind is Kind.LETTER:
            found.append(Edge(i + 1, meaning.out, meaning.cost, "letter"))
            if Kind.ACCENT in behind and (whole := accented(tokens, i + 1, meaning.out)) is not None:
                found.append(Edge(i + 2, whole, meaning.cost, "letter"))
            if not behind.isdisjoint(EXPLAINS):
                found += _hinted(tokens, i, meaning)
        elif meaning.kind is Kind.SPELL:
            found.append(Edge(i + 1, meaning.out, meaning.cost, "letter"))
    cased = [(e, _case_after(tokens, e)) for e in found if e.end < len(tokens) and Kind.CASE in tokens[e.end].kinds]
    return found + [_cased(e, named)._replace(end=e.end + 1, cost=-1) for e, named in cased if named]


def _case_after(tokens: tuple[Token, ...], edge: Edge) -> str:
    """The case named behind a letter ("a mayúscula"); empty when there is none."""
    if edge.how != "letter" or edge.end >= len(tokens) or tokens[edge.end].pause:
        return ""
    case = tokens[edge.end].get(Kind.CASE)
    if case is None or case.number != AFTER or case.out not in ("upper", "lower") or _leads(tokens, edge.end):
        return ""
    return case.out


def _leads(tokens: tuple[Token, ...], i: int) -> bool:
    """Whether cases stand before their letters in the breath that token ``i`` is in: it begins with one."""
    while i and not tokens[i].pause:
        i -= 1
    return Kind.CASE in tokens[i].kinds


def _cased(edge: Edge, case: str) -> Edge:
    return edge._replace(out=edge.out.upper() if case == "upper" else edge.out.lower())


def _hinted(tokens: tuple[Token, ...], i: int, letter: Meaning) -> list[Edge]:
    """The letter with what explains it. A hint that begins with another letter is a clash."""
    at = i + 1
    if at >= len(tokens):
        return []
    if Kind.HINT in tokens[at].kinds:
        word = at + 1
        if word < len(tokens) and Kind.CLASSIFIER in tokens[word].kinds:
            word += 1
        if word >= len(tokens) or tokens[word].text.isdigit():
            return []
        agrees = begins_with(tokens[word], letter.out)
        if agrees or not _also_value(tokens[at]):
            return [Edge(word + 1, letter.out, -1, "letter" if agrees else "clash")]
        return []
    spell = tokens[at].get(Kind.SPELL)
    if spell is not None and spell.out == letter.out and letter.cost == 0:
        return [Edge(at + 1, letter.out, 0, "letter")]
    return []


def _also_value(token: Token) -> bool:
    """Whether a hint word ("for") may as well be a digit."""
    return Kind.DIGIT in token.kinds or Kind.SYMBOL in token.kinds


def begins_with(token: Token, letter: str) -> bool:
    """Whether a hint word begins with the letter, accents aside ("ö wie Ökonom", "o wie Ökonom")."""
    spell = token.get(Kind.SPELL)
    if spell is not None and spell.out == letter:
        return True
    first = token.text[:1]
    return first == letter or (fold(first) == fold(letter) and len(letter) == 1) or token.text.startswith(letter)


def _numbers(utterance: Utterance, i: int) -> list[Edge]:
    """The cardinals that start here; the longest is the usual one, but digits go on as digits.

    "eight hundred five five five" is 800 555, not 805 55; "eight hundred and five" is 805.
    """
    tokens, habits = utterance.tokens, utterance.lexicon.numbers
    if Kind.SCALE not in tokens[i].kinds:
        number = tokens[i].get(Kind.NUMBER)
        if number is not None and (_ends(tokens, i + 1) or closes(number.number, tokens[i + 1], habits)):
            return [made(Edge, (i + 1, str(number.number), 0, "digits"))]
    ends = list(cardinals(tokens, i, habits))
    if not ends:
        return []
    usual = ends[-1][0]
    if len(ends) > 1 and ends[-2][0] == usual - 1 and _listed(tokens, usual):
        usual = ends[-2][0]
    late = PART_COST if i and Kind.SCALE in tokens[i].kinds and _multiplies(tokens, i) else 0
    return [Edge(end, str(number), late + (0 if end == usual else PART_COST), "digits") for end, number in ends]


def _ends(tokens: tuple[Token, ...], i: int) -> bool:
    """Whether a number surely ends before token ``i``: a pause, or a word that goes on with none."""
    if i >= len(tokens) or tokens[i].pause:
        return True
    return tokens[i].kinds.isdisjoint(GOES_ON) and tokens[i].text != "-"


def _listed(tokens: tuple[Token, ...], end: int) -> bool:
    """Whether the unit that ends a cardinal after a scale is the first of digits said one by one."""
    scale = tokens[end - 2].get(Kind.SCALE)
    if end >= len(tokens) or scale is None or scale.number < HUNDRED:
        return False
    unit, follows = tokens[end - 1], tokens[end]
    return Kind.DIGIT in unit.kinds and bool(follows.kinds & {Kind.DIGIT, Kind.REPEAT}) and not follows.pause


def _multiplies(tokens: tuple[Token, ...], i: int) -> bool:
    """Whether a scale belongs to the number word before it."""
    return Kind.NUMBER in tokens[i - 1].kinds and not tokens[i].pause


def repeats(tokens: tuple[Token, ...], i: int) -> list[Edge]:
    """What a repeat word writes: "double s", "triple seven", "double b as in boy".

    Where the word is also a number ("deux m"), it repeats letters only, said in one breath with it.
    """
    repeat = tokens[i].get(Kind.REPEAT)
    if repeat is None or i + 1 >= len(tokens):
        return []
    nxt = tokens[i + 1]
    ones = characters(tokens, i + 1)
    if Kind.NUMBER in tokens[i].kinds:
        return (
            []
            if nxt.pause
            else [Edge(e.end, e.out * repeat.number, e.cost, e.how) for e in ones if not nxt.kinds & NUMERIC]
        )
    ones += [Edge(i + 2, m.out, m.cost, "digits") for m in nxt.meanings if m.kind is Kind.DIGIT]
    ones += [Edge(i + 2, m.out, 0, "digits") for m in nxt.meanings if m.kind is Kind.LITERAL and len(m.out) == 1]
    ones += [Edge(i + 2, m.out, m.cost, "symbol") for m in nxt.meanings if m.kind is Kind.SYMBOL and len(m.out) == 1]
    cost = repeat.cost
    return [Edge(e.end, e.out * repeat.number, e.cost + cost, e.how) for e in ones]


def _instructions(tokens: tuple[Token, ...], i: int) -> list[Edge]:
    """Stretches that write nothing: fillers, classifiers, "no apostrophe", "all one word"."""
    token = tokens[i]
    if not token.kinds.isdisjoint(QUIET):
        return [Edge(i + 1, "", 0, "skip")]
    if Kind.NOT in token.kinds:
        end = i + 1
        while (
            end < len(tokens)
            and not tokens[end].pause
            and tokens[end].kinds & {Kind.SYMBOL, Kind.LETTER, Kind.CLASSIFIER}
        ):
            end += 1
        if end > i + 1:
            return [Edge(end, "", 0, "skip")]
    return []
