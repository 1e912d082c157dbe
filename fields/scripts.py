"""Groups of a dictation in a script that nothing is spelled in here: Hangul, Han, Devanagari. Taken as they were said.

Pure functions beside ``dictation``: how a group is given, and the line that groups of words make together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Literal

import regex

from langgraph_readback.fields.hearing.lexer import lex
from langgraph_readback.fields.hearing.tokens import Kind, Token
from langgraph_readback.fields.hearing.words import read
from langgraph_readback.fields.listen import hear
from langgraph_readback.fields.readback import spellable
from langgraph_readback.fields.spec import Ask, FieldSpec

__all__ = ["as_said", "as_words", "bare"]

How = Literal["words", "explained", "digits", "spelled"]
SPELLED = 2
"""Letters, each by itself, that make a group a spelling."""
HAN = regex.compile(r"\p{Han}")
RUN = regex.compile(r"(?<=\d) (?=\d)")
"""Between digits said one by one."""
FIGURES = frozenset({Kind.DIGIT, Kind.NUMBER, Kind.SCALE, Kind.LITERAL})


def as_words(spec: FieldSpec, text: str, ask: Ask) -> How:
    """How a group of a phrase is given.

    In ``words`` of a script that nothing is spelled in here, with characters ``explained`` by words, in ``digits``
    alone, or ``spelled``.
    """
    tokens = lex(text, ask.locale, "voice").tokens
    if tokens and all(t.kinds & FIGURES for t in tokens):
        return "digits"
    if spellable(text):
        return "spelled"
    apart = [t for t, alone in _by_themselves(tokens) if alone or HAN.match(t.text)]
    if any(t.kinds & {Kind.HINT, Kind.OF} for t in apart):
        return "explained" if _native_value(spec, text, ask) else "spelled"
    if spec.type == "name" and HAN.search(text) and _native_value(spec, text, ask) not in (None, bare(text)):
        return "explained"  # "弓长张"
    letters = [t for t in apart if t.kinds & {Kind.LETTER, Kind.SPELL} and not HAN.match(t.text)]
    lone = len(tokens) == 1 and Kind.LETTER in tokens[0].kinds
    return "spelled" if lone or len(letters) >= SPELLED else "words"


def _native_value(spec: FieldSpec, text: str, ask: Ask) -> str | None:
    """The value that a group makes by itself, when it is of such a script."""
    value = hear(spec, text, locale=ask.locale, region=ask.region).value
    return value if value and not spellable(value) else None


def _by_themselves(tokens: Sequence[Token]) -> Iterator[tuple[Token, bool]]:
    """Each token, and whether it is written by itself, in scripts with a token a syllable."""
    for token, after in zip_longest(tokens, tokens[1:]):
        yield token, not token.glued and not (after and after.glued)


def bare(text: str) -> str:
    """A group without the punctuation around it."""
    return text.strip(" .,;:!?。，、！？।")


def as_said(groups: Sequence[str], ask: Ask, gap: str) -> str:
    """Groups of words in one line: digits as figures, which go on from one group to the next."""
    out = ""
    for text in groups:
        shown = _figures(bare(text), ask)
        glued = gap == " " and (HAN.search(out + shown) or (out[-1:].isdigit() and shown[:1].isdigit()))
        out += shown if glued or not out else gap + shown
    return out


def _figures(text: str, ask: Ask) -> str:
    """A group with the digits that are said by themselves as figures."""
    heard = lex(text, ask.locale, "voice")
    digits = [t.get(Kind.DIGIT) for t in heard.tokens]
    if all(digits):
        return "".join(d.out for d in digits if d is not None)
    alone = [apart for _, apart in _by_themselves(heard.tokens)]
    for item in reversed(read(heard, 0, len(heard.tokens)).items):
        if item.kind == "digits" and all(alone[item.first : item.last]):
            start, end = heard.tokens[item.first].start, heard.tokens[item.last - 1].end
            text = text[:start] + item.text + text[end:]
    return RUN.sub("", text)
