"""What the types share whose characters a pattern rules: from what the walk found to a value or a reason."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from babel.core import get_global

from langgraph_readback.fields.hearing import pattern
from langgraph_readback.fields.hearing.lexer import NOTE, Utterance
from langgraph_readback.fields.hearing.tokens import Kind
from langgraph_readback.fields.readback import Chunk, letter, voice_words
from langgraph_readback.fields.spec import Ask
from langgraph_readback.fields.types.common import failed, incomplete, mixed_scripts, nothing
from langgraph_readback.outcome import Reading, Reason, Span

SUBJECT = "codes"
"""The locale file with words that only these types read."""
VALUE = frozenset({Kind.LETTER, Kind.SPELL, Kind.DIGIT, Kind.NUMBER, Kind.LITERAL})
GROUP = 4
EDGES = " .,;:!?\"'()[]<>#"
"""What may stand around a typed value."""

Passes = Callable[[str], bool]


@lru_cache(maxsize=16)
def table(name: str) -> dict[str, dict[str, Any]]:
    """A data file by country (``data/<name>.toml``)."""
    text = (files("langgraph_readback.fields") / "data" / f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@lru_cache(maxsize=256)
def likely_region(tag: str) -> str:
    """The country where a language is most spoken, by CLDR's likely subtags; empty when it is not known."""
    subtags = get_global("likely_subtags").get(tag.replace("_", "-").split("-")[0].lower(), "")
    return next((part for part in reversed(subtags.split("_")) if len(part) == 2 and part.isupper()), "")


def region(ask: Ask) -> str:
    """The country that the caller speaks of: as asked, else where the language is at home."""
    return ask.where or likely_region(ask.locale)


def hear(
    utterance: Utterance,
    form: pattern.Shape,
    passes: Passes | None = None,
    *,
    stray: int = 2,
    alone: Passes = lambda _: False,
    **params: Any,
) -> Reading:
    """The cheapest reading that the pattern allows; two different ones at one price are ambiguous.

    ``passes`` is the check-digit rule; it chooses between readings of one price, and what fails is ``checksum``.
    ``stray`` is how many digits may stand outside the value in one piece; ``alone`` names the values that are only
    believed without ordinary words beside them. ``params`` go into the reasons.
    """
    if any(Kind.UNSURE in t.kinds for t in utterance.tokens):
        return failed("unsure")
    if (typed := as_typed(utterance, form)) is not None:
        return Reading(value=typed) if passes is None or passes(typed) else failed("checksum")
    found = pattern.read(utterance, form, stray=stray, again=True)
    believed = tuple(p for p in found.values if not (p.marks & pattern.JUNKED and alone(p.text)))
    return decide(utterance, replace(found, values=believed), passes, **params)


def as_typed(utterance: Utterance, form: pattern.Shape) -> str | None:
    """The whole message when it is, character by character, a value and nothing else."""
    if utterance.voice:
        return None
    text = NOTE.sub("", utterance.text).strip()
    for shown in (text, text.strip(EDGES)):
        if shown and not form.ignores_case and form.whole(shown):
            return shown
    return None


def decide(utterance: Utterance, found: pattern.Found, passes: Passes | None = None, **params: Any) -> Reading:
    """One reading of what was found, or the reason why there is none."""
    best = [p for p in found.values if p.cost == found.values[0].cost]
    texts = list(dict.fromkeys(p.text for p in best))
    if len(texts) > 1 and passes is not None:
        texts = [t for t in texts if passes(t)] or texts
    if len(texts) > 1:
        return failed("two_values" if set(texts) == set(found.two) else "ambiguous", candidates=tuple(texts))
    if texts:
        if passes is not None and not passes(texts[0]):
            return failed("checksum")
        return accepted(utterance, next(p for p in best if p.text == texts[0]))
    return diagnosis(utterance, found, **params)


def accepted(utterance: Utterance, path: pattern.Path) -> Reading:
    """The reading of one path."""
    spans = tuple(
        Span(index=index, length=length, start=start, end=end)
        for (index, first, last), length in zip(path.trace, _lengths(path), strict=True)
        for start, end in [utterance.origin(first, last)]
    )
    return Reading(value=path.text, evidence="spelled" if len(spans) > 1 else "literal", spans=spans)


def _lengths(path: pattern.Path) -> list[int]:
    starts = [index for index, _, _ in path.trace] + [len(path.text)]
    return [b - a for a, b in pairwise(starts)]


def diagnosis(utterance: Utterance, found: pattern.Found, **params: Any) -> Reading:
    """Why no value came out: two of them, a beginning, too much, or not this format."""
    if (code := _obstacle(utterance, found)) is not None:
        return failed(code, candidates=found.two)
    if found.partial and found.longest >= 1 and not found.overran:
        return incomplete("too_short", **params) if utterance.voice else failed("too_short", **params)
    if found.overran:
        return failed("too_long", **params)
    if any(mixed_scripts(t.raw) or (t.raw.isalpha() and not t.kinds and foreign(t.raw)) for t in utterance.tokens):
        return failed("lookalike_script")
    return failed("bad_pattern", **params) if any(t.kinds & VALUE for t in utterance.tokens) else nothing()


def _obstacle(utterance: Utterance, found: pattern.Found) -> str | None:
    """What kept a value from being one, though its characters were heard."""
    if found.two or any(Kind.OR in t.kinds for t in utterance.tokens):
        return "two_values"
    if found.clash:
        return "hint_contradiction"
    if found.uncased:
        return "ambiguous_case"
    return "ambiguous" if found.sounds else None


def foreign(text: str) -> bool:
    """Whether a word is of another script than Latin yet could pass for a code in it: capitals and short."""
    return not text.isascii() and text.isupper() and len(text) <= 8 and not any("\u00c0" <= c <= "\u024f" for c in text)


def fits(form: pattern.Shape, value: str) -> bool:
    """Whether a value is canonical.

    It is the whole pattern, digits are ASCII, gaps plain spaces, and letters capitals where the pattern ignores case.
    """
    odd = any((c.isdecimal() and not c.isascii()) or (c.isspace() and c != " ") for c in value)
    return not odd and not (form.ignores_case and value != value.upper()) and form.whole(value)


def replaced(reading: Reading, *codes: str, code: str, **params: Any) -> Reading:
    """The reading with another reason in the place of the ones named."""
    if reading.reason is None or reading.reason.code not in codes:
        return reading
    return Reading(reason=Reason(code=code, params=params), complete=reading.complete, candidates=reading.candidates)


def chunks(value: str, form: pattern.Shape, ask: Ask, *, before: str = "", silent: str = "") -> tuple[Chunk, ...]:
    """Character by character, in groups of at most four, cut where letters and digits meet.

    A letter whose other case would fit as well is said with its case, and one that is taken for a digit which
    would fit as well is said with its spelling word. ``before`` is what stands before ``value``; the separators of
    ``silent`` are only a pause.
    """
    told: list[Chunk] = []
    at = len(before)
    for group in groups(value):
        if group.isdigit():
            told.append(Chunk("digits", group))
        elif group not in silent:
            told += _letters(before + value, at, group, form, ask)
        at += len(group)
    return tuple(told)


def _letters(value: str, at: int, group: str, form: pattern.Shape, ask: Ask) -> Iterator[Chunk]:
    """The chunks of a group of letters or symbols."""
    plain = ""
    for index, char in enumerate(group, at):
        said = _explained(value[:index], char, form, ask)
        if said is None:
            plain += char
            continue
        if plain:
            yield Chunk("chars", plain)
            plain = ""
        yield Chunk("said", said)
    if plain:
        yield Chunk("chars", plain)


def _explained(before: str, char: str, form: pattern.Shape, ask: Ask) -> str | None:
    """A letter with its case or its spelling word, where the pattern leaves room for another one."""
    words = voice_words(ask.locale)
    other = char.swapcase()
    cased = not form.ignores_case and other != char and len(other) == 1 and form.begins(before + other)
    zero = char in "oO" and any(form.begins(b + "0") for b in (before, "".join(c for c in before if c.isalnum())))
    if not cased and not zero:
        return None
    shown = letter(char, words)
    word = words.get("spelling", {}).get(char.lower())
    if word and (zero or char.lower() in words.get("confusable", "")):
        shown = str(words["as_in"]).format(letter=shown, word=word)
    return str(words["capital" if char.isupper() else "small"]).format(letter=shown) if cased else shown


def groups(value: str, size: int = GROUP) -> list[str]:
    """``HL-429168`` -> ``HL``, ``-``, ``429``, ``168``."""
    runs: list[str] = []
    for char in value:
        last = runs[-1][-1] if runs else ""
        if last and _sort(last) == _sort(char):
            runs[-1] += char
        else:
            runs.append(char)
    out: list[str] = []
    for run in runs:
        count = -(-len(run) // size)
        step = -(-len(run) // count)
        out += [run[i : i + step] for i in range(0, len(run), step)]
    return out


def _sort(char: str) -> str:
    return "digit" if char.isdigit() else "letter" if char.isalpha() else "symbol"
