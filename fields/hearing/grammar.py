"""Phrase grammars: rules of a locale's data file matched against tokens.

A rule is a line of steps: ``past=mins past hour=hour : half=1``. A step is a term of the lexicon (``Kind.TERM``),
another rule, or a numeral (``numerals.py``); ``a|b`` is a choice, ``step?`` may be missing, ``slot=step`` keeps
what the step means, and what follows the colon is kept as it stands (``cost=1`` makes a rule dearer). A rule that
keeps ``value`` is worth that value to the step that names it. What the slots mean together is the type's business.

Matching is total and linear in practice: every (rule, position) is worked out once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from langgraph_readback.fields.hearing.tokens import Kind, Token, made

Slots = dict[str, Any]
NUMERIC = "#"
"""The class of every token that a numeral may start with."""
NUMERALS = frozenset({Kind.NUMBER, Kind.SCALE, Kind.LITERAL, Kind.DIGIT})
COUNTING = frozenset({"ordinal", "zero", "figure", "point", "mult"})
"""Terms that numerals read as well."""
NONE: frozenset[str] = frozenset()


class Match(NamedTuple):
    """A stretch up to token ``end`` (exclusive): what it is worth, what it keeps, and its price."""

    end: int
    slots: Slots
    cost: int
    value: Any


class Step(NamedTuple):
    """One step of a rule."""

    symbols: tuple[str, ...]
    slot: str
    optional: bool


class Path(NamedTuple):
    """One way through a rule: (symbol, slot) one after another, and what is kept at its end."""

    steps: tuple[tuple[str, str], ...]
    keeps: Slots


class Node:
    """A place in the tree of all ways through a rule. ``ends``: what is kept where a way ends here."""

    __slots__ = ("by_class", "ends", "next", "taken")

    def __init__(self) -> None:
        self.next: dict[tuple[str, str], Node] = {}
        self.ends: list[Slots] = []
        self.by_class: dict[str, list[Edge]] = {}
        self.taken: dict[frozenset[str], tuple[Edge, ...]] = {}

    def edges(self, classes: frozenset[str]) -> tuple[Edge, ...]:
        """The edges that a token of these classes may take; one answer for each set of classes is kept."""
        found = self.taken.get(classes)
        if found is None:
            unique = {id(e): e for c in classes for e in self.by_class.get(c, ())}
            found = self.taken[classes] = tuple(unique.values())
        return found


Edge = tuple[str, str, Node]
Line = tuple[tuple[Step, ...], Slots]
Numeral = Callable[["Parser", int], Iterable[tuple[int, Any, int]]]
"""From a parser and a position to (end, value, cost)."""


@dataclass(frozen=True)
class Grammar:
    """The rules of one locale by name, each a tree of the ways through it."""

    rules: Mapping[str, Node]


def compiled(lines: Mapping[str, Sequence[str]], numerals: Iterable[str]) -> Grammar:
    """A grammar from the data file. Raises ValueError for a rule that may match nothing or is named like a numeral."""
    parsed = {name: [_line(name, text) for text in texts] for name, texts in lines.items()}
    counted = frozenset(numerals)
    if taken := counted & parsed.keys():
        raise ValueError(f"rules {sorted(taken)} have the names of numerals: give them others")
    paths: dict[str, list[Path]] = {}
    for name in parsed:
        _expand(name, parsed, paths)
    firsts: dict[str, frozenset[str]] = {}
    for name, ways in paths.items():
        firsts[name] = frozenset(w.steps[0][0] for w in ways)
    return Grammar({name: _tree(ways, firsts, counted) for name, ways in paths.items()})


def _line(name: str, text: str) -> Line:
    body, _, tail = text.partition(" : ")
    steps = tuple(_step(word) for word in body.split())
    if not steps or all(s.optional for s in steps):
        raise ValueError(f"rule {name!r}: {text!r} may match nothing; make one step required")
    keeps = {slot: int(value) for slot, value in (pair.split("=") for pair in tail.split())}
    return steps, keeps


def _step(word: str) -> Step:
    slot, _, symbol = word.rpartition("=")
    return Step(tuple(symbol.removesuffix("?").split("|")), slot, symbol.endswith("?"))


def _expand(name: str, parsed: Mapping[str, list[Line]], paths: dict[str, list[Path]]) -> list[Path]:
    """Every way through a rule; a rule at its start is written out, so that ways share their beginnings."""
    if name in paths:
        return paths[name]
    paths[name] = []  # a rule that starts with itself has no ways
    ways: list[Path] = []
    for steps, keeps in parsed[name]:
        for chosen in product(*(_choices(s) for s in steps)):
            flat = tuple(pair for pair in chosen if pair is not None)
            symbol, slot = flat[0]
            if symbol not in parsed or slot:
                ways.append(Path(flat, keeps))
                continue
            for head in _expand(symbol, parsed, paths):
                cost = head.keeps.get("cost", 0) + keeps.get("cost", 0)
                ways.append(Path(head.steps + flat[1:], {**head.keeps, **keeps, "cost": cost}))
    paths[name] = ways
    return ways


def _choices(step: Step) -> list[tuple[str, str] | None]:
    chosen: list[tuple[str, str] | None] = [(symbol, step.slot) for symbol in step.symbols]
    return [*chosen, None] if step.optional else chosen


def _tree(ways: list[Path], firsts: Mapping[str, frozenset[str]], numerals: frozenset[str]) -> Node:
    root = Node()
    for steps, keeps in ways:
        node = root
        for key in steps:
            if key not in node.next:
                node.next[key] = Node()
                edge = (*key, node.next[key])
                for name in _classes(key[0], firsts, numerals):
                    node.by_class.setdefault(name, []).append(edge)
            node = node.next[key]
        if keeps not in node.ends:
            node.ends.append(keeps)
    return root


def _classes(symbol: str, firsts: Mapping[str, frozenset[str]], numerals: frozenset[str]) -> frozenset[str]:
    if symbol in numerals:
        return frozenset({NUMERIC})
    if symbol not in firsts:
        return frozenset({symbol})
    return frozenset().union(*(_classes(s, firsts, numerals) for s in firsts[symbol]))


class Parser:
    """One stretch of tokens under a grammar; results are remembered."""

    def __init__(
        self, grammar: Grammar, tokens: Sequence[Token], numerals: Mapping[str, Numeral], data: Mapping[str, Any]
    ) -> None:
        self.rules, self.tokens, self.numerals, self.data = grammar.rules, tokens, numerals, data
        self.terms = [_terms(t) for t in tokens]
        self.classes = [_classes_of(t, terms) for t, terms in zip(tokens, self.terms, strict=True)]
        self.known: dict[tuple[str, int], list[Match]] = {}
        self.memo: dict[tuple[str, int], Any] = {}

    def match(self, name: str, i: int) -> list[Match]:
        """Every way a rule matches from token ``i``."""
        key = (name, i)
        found = self.known.get(key)
        if found is None:
            self.known[key] = []
            rule = self.rules.get(name)
            found = self.known[key] = self._bare(name, i) if rule is None else self._rule(rule, i)
        return found

    def _bare(self, name: str, i: int) -> list[Match]:
        """A numeral or a term."""
        if name in self.numerals:
            return [made(Match, (end, {}, cost, value)) for end, value, cost in self.numerals[name](self, i)]
        return [Match(i + 1, {}, 0, self.terms[i][name])] if name in self.terms[i] else []

    def _rule(self, root: Node, i: int) -> list[Match]:
        found: list[Match] = []
        open_: list[tuple[Node, int, Slots, int]] = [(root, i, {}, 0)]
        count, known = len(self.tokens), self.known
        while open_:
            node, at, slots, cost = open_.pop()
            for keeps in node.ends:
                match = _worth(at, slots, keeps, cost)
                if match not in found:
                    found.append(match)
            if at == count or not node.next:
                continue
            for symbol, slot, after in node.edges(self.classes[at]):
                matches = known.get((symbol, at))
                for m in self.match(symbol, at) if matches is None else matches:
                    kept = _kept(slots, slot, m)
                    if kept is not None:
                        open_.append((after, m.end, kept, cost + m.cost))
        return found


def _kept(slots: Slots, slot: str, match: Match) -> Slots | None:
    """The slots with what a step means, or None when that contradicts what is there."""
    if slot:
        return {**slots, slot: match.value} if slots.get(slot, match.value) == match.value else None
    if not match.slots:
        return slots
    if any(slots.get(k, v) != v for k, v in match.slots.items()):
        return None
    return {**slots, **match.slots}


def _terms(token: Token) -> dict[str, int]:
    return {m.out: m.number for m in token.meanings if m.kind is Kind.TERM} if Kind.TERM in token.kinds else {}


def _classes_of(token: Token, terms: dict[str, int]) -> frozenset[str]:
    if not token.kinds:
        return NONE
    numeric = not token.kinds.isdisjoint(NUMERALS) or not COUNTING.isdisjoint(terms)
    return frozenset({NUMERIC, *terms}) if numeric else frozenset(terms)


def _worth(end: int, slots: Slots, keeps: Slots, cost: int) -> Match:
    """A finished way: what it keeps added, its own price and its value taken out."""
    if not keeps and "value" not in slots:
        return Match(end, slots, cost, None)
    slots = {**slots, **keeps}
    cost += slots.pop("cost", 0)
    return Match(end, slots, cost, slots.pop("value", None))
