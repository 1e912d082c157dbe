"""What dates, times and amounts share: an utterance cut at its repairs, covered by phrases, and one outcome.

1. ``stretches``: fillers out, figures in one piece, the utterance cut where something is taken back.
2. ``cover``: the fewest phrases of the type's grammar that explain a stretch. Ordinary words beside them are talk;
   a number or a word of the grammar that no phrase explains ("after", "about") forbids a value.
3. A type settles what a phrase means (``settle``) and how a repair changes it (``amend``).

Where phrases or readings of one phrase disagree there is a reason, never a choice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple

from langgraph_readback.fields.hearing.grammar import NUMERIC, Grammar, Match, Parser, Slots, compiled
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.stretches import SOLID, stretches
from langgraph_readback.fields.hearing.terminals import NUMERALS
from langgraph_readback.fields.hearing.tokens import Kind, Token
from langgraph_readback.fields.locales import language, section
from langgraph_readback.fields.spec import Ask
from langgraph_readback.fields.types.common import failed, incomplete, nothing
from langgraph_readback.outcome import Reading, Span

SUBJECT = "quantities"
"""The words of these types: ``locales/<language>/quantities.toml``."""
HARD = frozenset({Kind.SCALE, Kind.LITERAL, Kind.OR, Kind.UNSURE, Kind.SYMBOL})
PATHS = 12
MOST_SOLID = 36
"""Words of a stretch that mean something here; no value takes so many."""
MOST_PHRASES = 4
"""Phrases of different kinds in one stretch; the same value may be said more often."""
FORBID = {"approx": "approximate", "block": ""}
"""Terms that forbid a value wherever they stand, and the reason they give (none: the type's own)."""


@dataclass(frozen=True)
class Outcome:
    """What one reading of a phrase comes to: values (one is an answer, more are doubtful), or a reason code.

    ``begun``: it is a proper beginning of a value.
    """

    values: tuple[str, ...] = ()
    code: str = ""
    begun: bool = False


@dataclass(frozen=True)
class Setting:
    """Where and when: the locale's data of this subject for the asked region, today, and whether it is typed."""

    data: Mapping[str, Any]
    today: date
    voice: bool


@dataclass(frozen=True)
class Manner:
    """How a type reads: the rule of its phrases (``root``), phrases beside it that are none of it, what they mean."""

    root: str
    beside: tuple[str, ...]
    settle: Callable[[Slots, Setting], Outcome]
    amend: Callable[[Slots, Slots, Setting], list[Slots]]
    alone: Callable[[Slots], bool]
    unclear: str = "not_understood"

    @property
    def all_roots(self) -> tuple[tuple[str, bool], ...]:
        """The rules to try, and whether they are of this type."""
        return ((self.root, True), *((r, False) for r in self.beside))


class Phrase(NamedTuple):
    """A match of one of the roots, and where it starts."""

    first: int
    match: Match
    own: bool


class Cover(NamedTuple):
    """One way to explain a stretch: its price (phrases, then cost), the phrases, and what is left unexplained."""

    price: tuple[int, int]
    phrases: tuple[Phrase, ...]
    stuck: tuple[int, ...]


def data_for(ask: Ask) -> Mapping[str, Any]:
    """The subject's data for the language spoken and the region asked for."""
    return section(f"{language(ask.locale)}-{ask.where}" if ask.where else ask.locale, SUBJECT)


@lru_cache(maxsize=128)
def _grammar(tag: str) -> tuple[Grammar, Mapping[str, Any]]:
    data = section(tag, SUBJECT)
    return compiled(data.get("rules", {}), NUMERALS), data


def hear(utterance: Utterance, ask: Ask, manner: Manner) -> Reading:
    """The value of an utterance under a type's manner, or the reason there is none."""
    if any(Kind.UNSURE in t.kinds for t in utterance.tokens):
        return failed("unsure")
    tag = f"{language(ask.locale)}-{ask.where}" if ask.where else ask.locale
    grammar, data = _grammar(tag)
    today = ask.today or date.today()  # noqa: DTZ011 - the day where the service runs
    setting = Setting({**data, "numbers": utterance.lexicon.numbers}, today, utterance.voice)
    cut, dangling = stretches(utterance, spaced=" " in data.get("amounts", {}).get("group", ""))
    state: list[Slots] = []
    found: list[Cover] = []
    tokens: Sequence[Token] = ()
    for stretch in cut:
        covers = cover(Parser(grammar, stretch, NUMERALS, setting.data), manner, setting)
        if covers[0].phrases or covers[0].stuck:
            state = _amended(state, _states(covers), manner, setting) if found else _states(covers)
            found, tokens = covers, stretch
    if not found:
        return nothing()
    if code := _forbidden(tokens, manner):
        return failed(code)
    if dangling:
        return incomplete("incomplete") if utterance.voice else failed("incomplete")
    return _reading(found, state, tokens, setting, manner, utterance)


def _states(covers: list[Cover]) -> list[Slots]:
    """The readings of a stretch that is one phrase and is explained."""
    own = [[p for p in c.phrases if p.own] for c in covers if not c.stuck]
    return [phrases[0].match.slots for phrases in own if len(phrases) == 1]


def _amended(before: list[Slots], after: list[Slots], manner: Manner, setting: Setting) -> list[Slots]:
    """The readings after a repair. Of what could not be read nothing can be kept: then the new words must be enough."""
    if not before:
        return [s for s in after if manner.alone(s)]
    return [s for old in before for new in after for s in manner.amend(old, new, setting)]


def _forbidden(tokens: Sequence[Token], manner: Manner) -> str:
    """The reason code of a word that allows no value wherever it stands ("about", "every", "or"), or nothing."""
    for token in tokens:
        if Kind.OR in token.kinds:
            return "two_values"
        if Kind.TERM in token.kinds:
            code = next((FORBID[m.out] for m in token.meanings if m.kind is Kind.TERM and m.out in FORBID), None)
            if code is not None:
                return code or manner.unclear
    return ""


def _reading(
    covers: list[Cover],
    state: list[Slots],
    tokens: Sequence[Token],
    setting: Setting,
    manner: Manner,
    utterance: Utterance,
) -> Reading:
    if covers[0].stuck:
        return _refused(covers, setting, manner)
    own = [p for p in covers[0].phrases if p.own]
    if not own:
        return nothing()
    if len(own) == 1 and not state:
        return failed(manner.unclear)
    if len(own) == 1:
        outcomes = [manner.settle(s, setting) for s in state]
    else:
        outcomes = [_agreed(c, setting, manner) for c in covers]
    reading = _one(outcomes, manner, setting)
    if reading.value is None:
        return reading
    start = utterance.source.origin(tokens[own[0].first].start, tokens[own[-1].match.end - 1].end)
    return replace(reading, spans=(Span(index=0, length=len(reading.value), start=start[0], end=start[1]),))


def _agreed(found: Cover, setting: Setting, manner: Manner) -> Outcome:
    """Several phrases side by side must each be whole and say the same."""
    outcomes = [manner.settle(p.match.slots, setting) for p in found.phrases if p.own]
    if any(len(o.values) != 1 for o in outcomes):
        return Outcome(code=manner.unclear)
    values = tuple(dict.fromkeys(o.values[0] for o in outcomes))
    return Outcome(values=values, code="two_values" if len(values) > 1 else "")


def _one(outcomes: list[Outcome], manner: Manner, setting: Setting) -> Reading:
    """One reading of all outcomes: those that cannot be are out; a value and a beginning at once are a doubt."""
    values = tuple(dict.fromkeys(v for o in outcomes for v in o.values))
    begun = any(o.begun for o in outcomes)
    if len(values) == 1 and not begun:
        code = next((o.code for o in outcomes if o.values and o.code), "")
        return failed(code, candidates=values) if code else Reading(value=values[0])
    if values:
        code = next((o.code for o in outcomes if o.values and o.code), "")
        return failed(code or "ambiguous", candidates=values if len(values) > 1 else ())
    if begun:
        return incomplete("incomplete") if setting.voice else failed("incomplete")
    return failed(next((o.code for o in outcomes if o.code), manner.unclear))


def _refused(covers: list[Cover], setting: Setting, manner: Manner) -> Reading:
    """Why a stretch with something unexplained gives no value."""
    own = [p for p in covers[0].phrases if p.own]
    if len(own) > 1 and len({v for p in own for v in manner.settle(p.match.slots, setting).values}) > 1:
        return failed("two_values")
    return failed(manner.unclear)


def cover(parser: Parser, manner: Manner, setting: Setting) -> list[Cover]:
    """The cheapest ways to explain the tokens: the fewest phrases, then the lowest price.

    The longest phrase from the left is tried first. Only where it is all there is, or is said again, is it enough.
    """
    solid = sum(1 for t in parser.tokens if not t.kinds.isdisjoint(SOLID))
    if solid > MOST_SOLID or _forbidden(parser.tokens, manner):
        return [Cover((0, 0), (), (0,))]
    plain = _longest(parser, manner)
    if plain and (len(plain[0].phrases) < 2 or all(len(_agreed(c, setting, manner).values) == 1 for c in plain)):
        return plain
    return _covers(parser, manner) or _longest(parser, manner, strict=False)


def _longest(parser: Parser, manner: Manner, *, strict: bool = True) -> list[Cover]:
    """Covers by the longest phrases of the type from the left, with nothing but talk between; none when that fails.

    Not ``strict``: with what no phrase explains left over, which tells why there is no value.
    """
    covers = [Cover((0, 0), (), ())]
    i = 0
    while i < len(parser.tokens):
        matches = parser.match(manner.root, i) if parser.classes[i] else []
        if matches:
            end = max(m.end for m in matches)
            least = min(m.cost for m in matches if m.end == end)
            ways = [Phrase(i, m, own=True) for m in matches if m.end == end and m.cost == least]
            covers = [c._replace(phrases=(*c.phrases, w)) for c in covers for w in ways][:PATHS]
            i = end
            continue
        if not parser.tokens[i].kinds.isdisjoint(SOLID) and not _soft(parser, i):
            if strict:
                return []
            covers = [c._replace(stuck=(*c.stuck, i)) for c in covers]
        i += 1
    return covers


def _covers(parser: Parser, manner: Manner) -> list[Cover]:
    """The cheapest covers that leave nothing unexplained. Positions forward, prices backward."""
    steps = _steps(parser, manner)
    best: dict[int, list[Cover]] = {len(parser.tokens): [Cover((0, 0), (), ())]}
    for i in sorted(steps, reverse=True):
        options = [_with(phrase, c) for phrase in steps[i][0] for c in best.get(phrase.match.end, ())]
        if (skip := steps[i][1]) is not None:
            options += [c._replace(price=_plus(c.price, skip)) for c in best.get(i + 1, ())]
        least = min((o.price for o in options), default=None)
        best[i] = [o for o in options if o.price == least][:PATHS]
    return best.get(0, [])


def _steps(parser: Parser, manner: Manner) -> dict[int, tuple[list[Phrase], tuple[int, int] | None]]:
    """From every position that can be reached: the phrases that start there, and the price of passing its token."""
    steps: dict[int, tuple[list[Phrase], tuple[int, int] | None]] = {}
    reached = {0: 0}  # position -> phrases before it, at least
    for i, token in enumerate(parser.tokens):
        if reached.get(i, MOST_PHRASES) >= MOST_PHRASES:
            continue
        phrases: list[Phrase] = []
        skip: tuple[int, int] | None = (0, 0)
        if not token.kinds.isdisjoint(SOLID):
            skip = (0, 1) if _soft(parser, i) else None
            for root, own in manner.all_roots if parser.classes[i] else ():
                phrases += [Phrase(i, match, own) for match in parser.match(root, i)]
        steps[i] = (phrases, skip)
        for p in phrases:
            reached[p.match.end] = min(reached.get(p.match.end, MOST_PHRASES), reached[i] + 1)
        if skip is not None:
            reached[i + 1] = min(reached.get(i + 1, MOST_PHRASES), reached[i])
    return steps


def _with(phrase: Phrase, rest: Cover) -> Cover:
    price = (1, phrase.match.cost + (0 if phrase.own else 1))
    return Cover(_plus(rest.price, price), (phrase, *rest.phrases), rest.stuck)


def _plus(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return a[0] + b[0], a[1] + b[1]


def _soft(parser: Parser, i: int) -> bool:
    """Whether a token with meanings for the grammar may be talk as well ("on", "oh march fourth")."""
    token = parser.tokens[i]
    if not token.kinds.isdisjoint(HARD):
        return False
    if Kind.NUMBER in token.kinds and "article" not in parser.terms[i]:
        beside = parser.classes[max(i - 1, 0) : i] + parser.classes[i + 1 : i + 2]
        number = token.get(Kind.NUMBER)
        return number is not None and number.number == 0 and not any(NUMERIC in c for c in beside)
    return bool(parser.terms[i]) and all(t in parser.data.get("glue", ()) for t in parser.terms[i])
