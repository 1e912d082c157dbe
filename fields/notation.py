"""Phrases: alternatives ``(a|b)``, options ``[a]``, repetition ``a+`` and classes ``<a>``; and how they are matched.

A phrase is parsed into nodes. Matching walks all phrases at once, word by word, through states that are worked out when
first met and then remembered, so that the cost of a word does not depend on how many phrases there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import regex

_SIGNS = regex.compile(r"<\w+>|[()\[\]|]|\+|[^\s<>()\[\]|+]+")
_CLOSING = {"(": ")", "[": "]"}
FEW = 16
"""Words; the first words of a longer class are shared."""
MOST_STATES = 100_000
"""States remembered at most; beyond, all are forgotten and worked out again."""


class Node:
    """One element of a phrase: ``word``, ``seq``, ``any`` (of), ``opt``, ``more`` (one or more) or ``star``.

    ``empty``: whether it may match nothing. ``firsts``: the words a match may begin with.
    """

    __slots__ = ("_again", "_choices", "empty", "firsts", "kind", "parts", "word")

    def __init__(self, kind: str, word: str = "", parts: tuple[Node, ...] = ()) -> None:
        self.kind = kind
        self.word = word
        self.parts = parts
        self._again: Node | None = None
        self._choices: dict[str, list[Node]] | None = None
        self.empty: bool = kind in ("opt", "star")
        leading = parts
        if kind == "seq":
            solid = next((n for n, part in enumerate(parts) if not part.empty), len(parts) - 1)
            leading = parts[: solid + 1]
            self.empty = all(part.empty for part in parts)
        elif kind in ("any", "more"):
            self.empty = any(part.empty for part in parts)
        if kind == "word":
            self.firsts: frozenset[str] = frozenset((word,))
        elif len(leading) == 1:
            self.firsts = leading[0].firsts
        else:
            self.firsts = frozenset().union(*(part.firsts for part in leading))

    def choices(self, word: str) -> list[Node]:
        """The alternatives that can begin with ``word``."""
        if self._choices is None:
            self._choices = {}
            for part in self.parts:
                for first in part.firsts:
                    self._choices.setdefault(first, []).append(part)
        return self._choices[word]

    @property
    def again(self) -> Node:
        """The repetition that may still follow one match."""
        if self._again is None:
            self._again = self if self.kind == "star" else Node("star", parts=self.parts)
        return self._again


Rest = tuple["Node", "Rest"] | tuple[()]
"""What of a phrase is still to be matched: the next node and the rest after it."""


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One phrase with its label and force. Of two that fit the same words the lower ``rank`` counts."""

    node: Node
    label: str
    force: str
    rank: int


@dataclass(slots=True, eq=False)
class State:
    """Where a walk stands: what may still come, and the best phrases that end here (``whole`` ones apart).

    ``expects``: the words that may follow, in one set for all rare ones and the sets of long word classes.
    """

    items: frozenset[tuple[Entry, Rest]]
    ends: Entry | None
    ends_whole: Entry | None
    expects: tuple[frozenset[str], ...]
    next: dict[str, State | None] = field(default_factory=dict)


class Matcher:
    """All phrases of a lexicon, walked together. ``firsts``: the phrases by the words that may begin them."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(entries)
        self.firsts: dict[str, list[Entry]] = {}
        for entry in self.entries:
            for word in entry.node.firsts:
                self.firsts.setdefault(word, []).append(entry)
        self._starts: dict[str, State | None] = {}
        self._known: dict[frozenset[tuple[Entry, Rest]], State] = {}

    def walk(self, words: tuple[str, ...], at: int) -> Iterator[tuple[int, State]]:
        """From position ``at``, every stop with its state, until no phrase can go on."""
        state = self._start(words[at])
        stop = at + 1
        while state is not None:
            yield stop, state
            if stop == len(words):
                return
            state = self._next(state, words[stop])
            stop += 1

    def _start(self, word: str) -> State | None:
        if word not in self.firsts:
            return None
        if word not in self._starts:
            items = frozenset((e, rest) for e in self.firsts[word] for rest in _after((e.node, ()), word))
            self._starts[word] = self._state(items)
        return self._starts[word]

    def _next(self, state: State, word: str) -> State | None:
        if word in state.next:
            return state.next[word]
        for words in state.expects:
            if word in words:
                break
        else:
            return None
        items = frozenset((e, after) for e, rest in state.items for after in _after(rest, word))
        state.next[word] = self._state(items)
        return state.next[word]

    def _state(self, items: frozenset[tuple[Entry, Rest]]) -> State | None:
        if not items:
            return None
        if items not in self._known:
            if len(self._known) >= MOST_STATES:
                self._known.clear()
                self._starts.clear()
            done = sorted((e for e, rest in items if _complete(rest)), key=lambda e: (e.rank, e.force != "strong"))
            ends = next((e for e in done if e.force != "whole"), None)
            whole = next((e for e in done if e.force == "whole"), None)
            self._known[items] = State(items, ends, whole, _expected([rest for _, rest in items]))
        return self._known[items]


def _after(rest: Rest, word: str) -> set[Rest]:
    """What may be left to match once ``word`` is taken."""
    out: set[Rest] = set()
    while rest:
        node, rest = rest
        if word in node.firsts:
            if node.kind == "word":
                out.add(rest)
            elif node.kind == "seq":
                out |= _after(_push(node.parts, rest), word)
                break  # what follows an empty sequence has been looked at with its parts
            else:
                then: Rest = (node.again, rest) if node.kind in ("more", "star") else rest
                for part in node.choices(word):
                    out |= _after((part, then), word)
        if not node.empty:
            break
    return out


def _push(parts: tuple[Node, ...], rest: Rest) -> Rest:
    for part in reversed(parts):
        rest = (part, rest)
    return rest


def _expected(rests: Iterable[Rest]) -> tuple[frozenset[str], ...]:
    """The words that may follow; a long set of a class is shared and not copied."""
    few: set[str] = set()
    many: dict[int, frozenset[str]] = {}
    for one in rests:
        rest = one
        while rest:
            node, rest = rest
            if len(node.firsts) > FEW:
                many[id(node.firsts)] = node.firsts
            else:
                few |= node.firsts
            if not node.empty:
                break
    return (frozenset(few), *many.values())


def _complete(rest: Rest) -> bool:
    while rest:
        node, rest = rest
        if not node.empty:
            return False
    return True


class Parser:
    """Reads phrases. ``cut`` turns the text of a word into the words as compared.

    Raises ValueError naming the phrase that is not well-formed.
    """

    def __init__(self, classes: Mapping[str, Iterable[str]], cut: Callable[[str], list[str]]) -> None:
        self.classes = classes
        self.cut = cut
        self.known: dict[str, Node] = {}

    def phrase(self, text: str) -> Node:
        """The node of one phrase."""
        signs = _SIGNS.findall(text)
        node, at = self._choice(signs, 0, text)
        if at != len(signs):
            raise ValueError(f"phrase {text!r}: unbalanced at {signs[at]!r}")
        if node.empty:
            raise ValueError(f"phrase {text!r}: may match nothing at all")
        return node

    def _choice(self, signs: list[str], at: int, text: str) -> tuple[Node, int]:
        options: list[Node] = []
        parts: list[Node] = []
        while at < len(signs) and signs[at] not in (")", "]"):
            sign = signs[at]
            at += 1
            if sign == "|":
                options.append(Node("seq", parts=tuple(parts)))
                parts = []
            elif sign in _CLOSING:
                inner, at = self._choice(signs, at, text)
                if at >= len(signs) or signs[at] != _CLOSING[sign]:
                    raise ValueError(f"phrase {text!r}: {sign!r} is not closed")
                at += 1
                parts.append(inner if sign == "(" else Node("opt", parts=(inner,)))
            elif sign == "+" and parts:
                parts[-1] = Node("more", parts=(parts[-1],))
            elif sign.startswith("<"):
                parts.append(self._class(sign[1:-1], text))
            else:
                words = self.cut(sign)
                if not words or "?" in words:
                    raise ValueError(f"phrase {text!r}: {sign!r} is no word")
                parts += (Node("word", word=w) for w in words)
        options.append(Node("seq", parts=tuple(parts)))
        return (options[0] if len(options) == 1 else Node("any", parts=tuple(options))), at

    def _class(self, name: str, text: str) -> Node:
        if name not in self.known:
            if name not in self.classes:
                raise ValueError(f"phrase {text!r}: no class <{name}>")
            self.known[name] = Node("any", parts=tuple(self.phrase(p) for p in self.classes[name]))
        return self.known[name]
