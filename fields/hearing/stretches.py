"""Stretches: an utterance of quantities cut where something is taken back, with figures in one piece.

Quantities are repaired part by part ("fourteen, no, fifteen june"), so what a repair leaves is for the type to say;
here only the places are found, and what was denied is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from langgraph_readback.fields.hearing.figures import FIGURE, SPACED
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.lexicon import LITERAL, syllabic
from langgraph_readback.fields.hearing.repairs import is_repair
from langgraph_readback.fields.hearing.tokens import Kind, Meaning, Token

MARKS = frozenset(".-:'_~*")
"""Marks that say nothing where they are in no figure."""
COUNTED = frozenset({Kind.NUMBER, Kind.SCALE, Kind.LITERAL})
SOLID = COUNTED | {Kind.TERM, Kind.OR, Kind.UNSURE, Kind.SYMBOL}
DROPPED = frozenset({Kind.FILLER, Kind.SPELLED, Kind.END})


def stretches(utterance: Utterance, *, spaced: bool = False) -> tuple[list[list[Token]], bool]:
    """The stretches between repairs, and whether the last words take something back and give nothing.

    ``spaced``: figures may have their thousands apart ("1 234,56").
    "not the fourth, the fifth" and "the fifth, not the sixth" lose what they deny; words of talk in a row are one.
    """
    cut: list[list[Token]] = [[]]
    lost: list[Token] = []
    tokens = _contrasted(_joined(utterance, spaced=spaced), utterance.lexicon.data.get("denials", ()))
    denied = dangling = pause = False
    for i, token in enumerate(tokens):
        kinds = token.kinds
        if Kind.RESTART in kinds:
            cut, lost, denied, dangling, pause = [[]], [], False, False, True
        elif Kind.REPAIR in kinds and (Kind.FILLER not in kinds or is_repair(tokens, i)):
            denied, pause = False, True
            dangling = dangling or any(not t.kinds.isdisjoint(SOLID) for t in cut[-1])
            if cut[-1]:
                cut.append([])
        elif Kind.NOT in kinds and kinds.isdisjoint(COUNTED):
            denied, pause = True, True
        elif kinds and _dropped(tokens, i):
            pause = pause or token.pause
            denied = denied and not token.pause
        else:
            denied = denied and not (token.pause or Kind.CARRIER in kinds or (kinds and _is(token, "but")))
            if denied:
                lost.append(token)
            else:
                dangling = False
            if not denied and (kinds or not cut[-1] or cut[-1][-1].kinds):
                cut[-1].append(_paused(token) if pause and not token.pause else token)
                pause = False
    kept = [s for s in cut if s]
    return kept or [[]], dangling or _denies(lost, kept[-1] if kept else [])


def _contrasted(tokens: list[Token], denials: Sequence[str]) -> list[Token]:
    """The tokens with a "no" between two values that may say "not" as well as "no, rather" as an "or".

    Where the language has one word for both ("el cinco no el cuatro"), only a pause behind it tells that it repairs.
    With nothing before it, it denies what follows ("no a las tres, a las cuatro").
    """
    if not denials:
        return tokens
    out = list(tokens)
    for i in range(len(tokens) - 1):
        token = tokens[i]
        if token.text in denials and Kind.REPAIR in token.kinds and not tokens[i + 1].pause:
            said = any(not t.kinds.isdisjoint(COUNTED | {Kind.TERM}) for t in tokens[:i])
            out[i] = _as(token, token.end, Meaning(Kind.OR if said else Kind.NOT))
    return out


def _denies(lost: list[Token], kept: list[Token]) -> bool:
    """Whether what is denied says something of what is kept again ("the fourth, not the fourth the fifth")."""
    said = {t.text for t in kept if not t.kinds.isdisjoint(SOLID)}
    return any(t.text in said for t in lost if t.start > kept[0].start) if kept else False


def _paused(token: Token) -> Token:
    """The token with a pause before it."""
    return Token(token.raw, token.text, token.start, token.end, True, token.glued, token.meanings, token.kinds)  # noqa: FBT003


def _is(token: Token, term: str) -> bool:
    return any(m.kind is Kind.TERM and m.out == term for m in token.meanings)


def _dropped(tokens: Sequence[Token], i: int) -> bool:
    """Whether a token says nothing wherever it stands. A hyphen between two figures is a range."""
    token = tokens[i]
    if token.kinds <= DROPPED:
        return True
    if Kind.SYMBOL in token.kinds:
        figures = 0 < i < len(tokens) - 1 and Kind.LITERAL in tokens[i - 1].kinds and not tokens[i + 1].text.isalpha()
        return token.text in MARKS and not (token.text == "-" and figures)
    return token.kinds == {Kind.TERM} and _is(token, "skip") and len(token.meanings) == 1


def _joined(utterance: Utterance, *, spaced: bool) -> list[Token]:
    """The tokens with figures in one piece, "4th" as an ordinal, and "2 hundred" as number words."""
    text, found = utterance.text, list(utterance.tokens)
    if any(c.isdigit() for c in text):
        found = _figures(text, found, spaced=spaced)
    for i, token in enumerate(found):
        if Kind.LITERAL not in token.kinds:
            continue
        follows = found[i + 1] if i + 1 < len(found) else None
        if _part_of_a_code(found, i):
            found[i] = _as(token, token.end, Meaning(Kind.SYMBOL, token.text))
        if not token.text.isdigit() or len(token.text) > 6:
            continue
        if follows is not None and follows.glued and _is(follows, "suffix"):
            found[i] = _as(token, follows.end, Meaning(Kind.TERM, "ordinal", 0, int(token.text)))
            found[i + 1] = _as(follows, follows.end, Meaning(Kind.FILLER))
        elif _beside_scale(found, i):
            found[i] = _as(token, token.end, Meaning(Kind.NUMBER, token.text, 0, int(token.text)))
    return found


def _figures(text: str, tokens: list[Token], *, spaced: bool) -> list[Token]:
    """Tokens of one figure as one literal."""
    spans = [m.span() for m in FIGURE.finditer(text)]
    if spaced:
        spans = [m.span() for m in SPACED.finditer(text)] + spans
    covering: dict[int, list[tuple[int, int]]] = {}
    for found in spans:
        for at in range(*found):
            covering.setdefault(at, []).append(found)
    out: list[Token] = []
    done: set[tuple[int, int]] = set()
    for token in tokens:
        span = next((s for s in covering.get(token.start, ()) if token.end <= s[1]), None)
        if span is None:
            out.append(token)
        elif span not in done:
            done.add(span)
            raw, literal = text[slice(*span)], (Meaning(Kind.LITERAL, text[slice(*span)]),)
            out.append(Token(raw, raw, token.start, span[1], token.pause, token.glued, literal, LITERAL))
    return out


def _part_of_a_code(tokens: list[Token], i: int) -> bool:
    """Whether letters that mean nothing here are glued to typed digits ("1.5L", "AB12")."""
    follows = tokens[i + 1] if i + 1 < len(tokens) else None
    if follows is not None and follows.glued and _unread(follows):
        return True
    return tokens[i].glued and i > 0 and _unread(tokens[i - 1])


def _unread(token: Token) -> bool:
    """Whether a token is letters without a meaning, in a script that sets its words apart."""
    return token.text.isalpha() and token.kinds <= {Kind.LETTER} and not syllabic(token.text)


def _beside_scale(tokens: list[Token], i: int) -> bool:
    """Whether typed digits stand where a number word would: "2 hundred and 50"."""
    if i + 1 < len(tokens) and Kind.SCALE in tokens[i + 1].kinds:
        return True
    before = [t for t in tokens[max(i - 2, 0) : i] if Kind.AND not in t.kinds]
    return bool(before) and Kind.SCALE in before[-1].kinds and not tokens[i].pause


def _as(token: Token, end: int, meaning: Meaning) -> Token:
    return Token(
        token.raw, token.text, token.start, end, token.pause, token.glued, (meaning,), frozenset({meaning.kind})
    )
