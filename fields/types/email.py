"""Email addresses (RFC 5321, 5322, 6531), lower-cased whole.

Syntax by email-validator, which follows the RFCs and the practice of mail providers:
https://github.com/JoshData/python-email-validator

>>> from langgraph_readback.fields import hear, catalogue
>>> hear(catalogue["email"], "kim dot lee at example dot com").value
'kim.lee@example.com'
>>> hear(catalogue["email"], "kim dot lee at example").reason.code
'no_domain'
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace

import regex
from email_validator import EmailNotValidError, validate_email

from langgraph_readback.fields.hearing import repairs, words
from langgraph_readback.fields.hearing.accents import fold
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.spellings import likeness
from langgraph_readback.fields.hearing.tokens import Kind
from langgraph_readback.fields.readback import Chunk
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types.common import (
    OTHER,
    bare,
    failed,
    incomplete,
    mixed_scripts,
    spans_of,
    spelled_share,
)
from langgraph_readback.outcome import Reading, Reason, Span, Verdict

ASKS = ("natural", "groups")
TYPED = regex.compile(r"[^\s<>()\[\]{},;:\"\\|@]+@[^\s<>()\[\]{},;:\"\\|@/?]+")
GLUED_BEFORE = regex.compile(r"^[\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}]+(?=[!-~]+@)")
GLUED_AFTER = regex.compile(r"(?<=@[!-~]+)[\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}]+$")
SAME_SOUND = 0.8
"""Least similarity of a local part and letters spelled after the address for these to spell it."""
SPACED = regex.compile(r"\s@|@\s")
DIGITS = frozenset({Kind.DIGIT, Kind.NUMBER, Kind.LITERAL})
GLUE = frozenset("._-+'")
WELL_KNOWN = frozenset(
    [
        "gmail.com",
        "googlemail.com",
        "outlook.com",
        "hotmail.com",
        "yahoo.com",
        "icloud.com",
        "example.com",
        "example.org",
        "example.net",
        "gmx.de",
        "web.de",
    ]
)


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """An address typed as such, else one said in words."""
    typed = [_loose(m.group()).strip(".'-") for m in TYPED.finditer(utterance.text)]
    if typed:
        return _typed(utterance, typed, ask)
    if not utterance.voice and "@" in utterance.text:
        return failed("space_inside" if SPACED.search(utterance.text) else "bad_syntax")
    return _said(utterance, ask)


def _loose(text: str) -> str:
    """A typed address without the words of its sentence, in scripts that put no space between them."""
    return GLUED_AFTER.sub("", GLUED_BEFORE.sub("", text))


def _typed(utterance: Utterance, found: list[str], ask: Ask) -> Reading:
    values = list(dict.fromkeys(v.lower() for v in found))
    if len(values) > 1:
        return failed("two_values", candidates=tuple(values))
    start = utterance.text.index(found[0])
    before = [t for t in utterance.tokens if t.end <= start]
    if 0 < len(before) <= 2 and all(t.plain for t in before) and not before[-1].text.endswith(":"):
        joined = utterance.text[before[-1].end : start]
        if joined.isspace():
            return _said(utterance, ask) if utterance.voice else failed("space_inside")
    if utterance.text[start + len(found[0]) :].startswith("@"):
        return failed("bad_syntax")
    begin, end = utterance.source.origin(start, start + len(found[0]))
    return replace(_accepted(values[0], "literal"), spans=(Span(index=0, length=len(values[0]), start=begin, end=end),))


def _accepted(value: str, evidence: str) -> Reading:
    reason = _refusal(value)
    if reason is not None:
        return Reading(reason=reason, evidence=evidence)  # type: ignore[arg-type]
    return Reading(value=value, evidence=evidence)  # type: ignore[arg-type]


def _refusal(value: str) -> Reason | None:
    """Why an address cannot be, most useful reason first; None when it can."""
    local, _, domain = value.rpartition("@")
    if not local:
        return Reason(code="no_local")
    if "." not in domain:
        return Reason(code="no_domain")
    if mixed_scripts(local) or any(mixed_scripts(label) for label in domain.split(".")):
        return Reason(code="lookalike_script")
    try:
        validate_email(value, check_deliverability=False, allow_smtputf8=True, strict=True)
    except EmailNotValidError:
        return Reason(code="bad_syntax")
    return None


def _said(utterance: Utterance, ask: Ask) -> Reading:
    """The address of a spoken utterance: the last "at" with a domain behind it divides it."""
    ats = [i for i, t in enumerate(utterance.tokens) if (m := t.get(Kind.SYMBOL)) is not None and m.out == "@"]
    if not ats:
        return _beginning(utterance)
    at, domain = _divided(utterance, ats)
    doubt = domain.doubt
    local, items = "", tuple[words.Item, ...]()
    if not doubt:
        local, items, doubt = _local_part(utterance, *_local(utterance, at, ats))
    if not doubt and domain.after:
        local, doubt = _spelled_after(local, domain.after)
    if not doubt and utterance.voice and OTHER.search(local + domain.text):
        doubt = "needs_spelling"
    if doubt or not local:
        return failed(doubt or "no_local")
    if "." not in domain.text:
        return incomplete("no_domain") if utterance.voice else failed("no_domain")
    pieces = (*items, words.Item("symbol", "@", at, at + 1), *domain.items)
    value = f"{local}@{domain.text}"
    return replace(_accepted(value, spelled_share(items)), spans=spans_of(utterance, value, pieces))


def _divided(utterance: Utterance, ats: list[int]) -> tuple[int, Domain]:
    """The "at" that divides the address, and the domain behind it."""
    for at in reversed(ats):
        domain = _domain(utterance, at + 1)
        if domain.doubt or "." in domain.text:
            return at, domain
    return ats[-1], _domain(utterance, ats[-1] + 1)


def _spelled_after(local: str, after: tuple[words.Item, ...]) -> tuple[str, str | None]:
    """The local part when it was spelled after the whole address: "ada at example dot org, a d a"."""
    spelled = "".join(_piece(i) for i in after).lower()
    same = bare(spelled) == bare(local)
    if not same and likeness(bare(spelled), bare(local)) < SAME_SOUND:
        return local, "bad_syntax"
    marked = any(c in GLUE for c in local) and not any(c in GLUE for c in spelled)
    if marked and not same:
        return local, "ambiguous"
    return (local if marked else spelled), None


def _local_part(utterance: Utterance, start: int, end: int) -> tuple[str, tuple[words.Item, ...], str | None]:
    """The local part between two tokens, its pieces, and a doubt about it."""
    read = words.read(utterance, start, end, latin=True)
    if read.doubt:
        return "", read.items, read.doubt
    items, doubt = _unaccented(utterance, read.items)
    local = "".join(_piece(i) for i in items).lower()
    if not local and end - start == 1 and utterance.tokens[start].text.isalpha() and not utterance.tokens[end].pause:
        local = utterance.tokens[start].text
    doubtful = _sounds_only(utterance, start, end) or (utterance.voice and _accent_or_symbol(utterance, start, end))
    return local, items, doubt or ("ambiguous" if doubtful else None)


def _accent_or_symbol(utterance: Utterance, start: int, end: int) -> bool:
    """Whether the name of an accent is a symbol's as well: "a tilde" is one letter or two characters."""
    named = (t.text.rpartition(" ")[2] for t in utterance.tokens[start:end] if Kind.ACCENT in t.kinds)
    return any(m.kind is Kind.SYMBOL for word in named for m in utterance.lexicon.alone(word))


def _piece(item: words.Item) -> str:
    text = "".join(c for c in item.text if c.isalnum() or c in GLUE or unicodedata.combining(c))
    return text.replace("'", "") if item.kind == "word" else text


def _unaccented(utterance: Utterance, items: tuple[words.Item, ...]) -> tuple[tuple[words.Item, ...], str | None]:
    """Words said (not spelled) as an address writes them. A recogniser's accents are not the caller's.

    The locale says what people do with them: ``drop`` (João -> joao), or ``ask`` (Müller may be mueller).
    """
    habit = utterance.lexicon.data.get("accents_in_addresses", "drop")
    if not utterance.voice:
        return items, None
    plain = tuple(replace(i, text=fold(i.text)) if i.kind == "word" else i for i in items)
    changed = any(a.text.casefold() != b.text.casefold() for a, b in zip(items, plain, strict=True))
    return (items, "accent_unclear") if changed and habit == "ask" else (plain, None)


def _beginning(utterance: Utterance) -> Reading:
    """No "at": the beginning of an address when it was spelled or joined by a dot, else nothing."""
    tokens = utterance.tokens
    symbols = [t for t in tokens if Kind.SYMBOL in t.kinds]
    letters = [t for t in tokens if len(t.text) == 1 and Kind.LETTER in t.kinds]
    digits = [t for t in tokens if t.kinds & DIGITS]
    begun = symbols or len(letters) > 1 or ((letters or digits) and len(letters) + len(digits) >= len(tokens) - 1)
    if utterance.voice and begun and not any(t.kinds & {Kind.UNSURE, Kind.PROSE} for t in tokens):
        return incomplete("no_at")
    return failed("no_at" if symbols or letters or digits else "nothing_heard")


def _local(utterance: Utterance, at: int, ats: list[int]) -> tuple[int, int]:
    """First and last (exclusive) token of the local part of the address with its "at" at ``at``.

    "joe at example dot com, no, at example dot org" takes back the domain only. A local part that is a word of
    ordinary prose ("contact at ...") is one when nothing else was said before the "at".
    """
    tokens = utterance.tokens
    taken_back = at - 1
    while taken_back > 0 and tokens[taken_back].kinds & {Kind.REPAIR, Kind.FILLER}:
        taken_back -= 1
    earlier = [a for a in ats if a < at]
    if earlier and taken_back < at - 1 and taken_back > earlier[-1]:
        at = earlier[-1]
    start = _local_start(utterance, at)
    if (
        start == at
        and at
        and not tokens[at].pause
        and (at == 1 or tokens[at - 1].pause)
        and Kind.SYMBOL not in tokens[at - 1].kinds
    ):
        return at - 1, at
    return start, at


def _local_start(utterance: Utterance, at: int) -> int:
    """Where the local part starts: after the last carrier, or word of ordinary prose, or other "at"."""
    tokens = utterance.tokens
    for i in range(at - 1, -1, -1):
        token = tokens[i]
        symbol = token.get(Kind.SYMBOL)
        if symbol is not None and symbol.out == "@":
            return _after_repair(utterance, i + 1, at)
        if Kind.RESTART in token.kinds:
            return i + 1
        if token.kinds & {Kind.CARRIER, Kind.PROSE} and not _joined(utterance, i, at):
            return _after_the_word(utterance, i + 1, at)
        if Kind.SPELLED in token.kinds and _after_preposition(utterance, i):
            return i + 1
    return _after_the_word(utterance, 0, at)


def _after_the_word(utterance: Utterance, start: int, at: int) -> int:
    """Where the local part starts behind a word of it that is said first: "stanten, bev dot stanten, s t a ..."."""
    tokens = utterance.tokens
    if at - start < 2 or not tokens[start + 1].pause or not tokens[start].plain or len(tokens[start].text) < 3:
        return start
    again = any(t.text == tokens[start].text for t in tokens[start + 1 : at])
    divided = any(Kind.SYMBOL in t.kinds for t in tokens[start + 1 : at])
    return start + 1 if again and divided else start


def _after_repair(utterance: Utterance, start: int, at: int) -> int:
    """Where a new local part starts when the address before it was taken back whole: "kim at ..., no, kimg at ..."."""
    for i in range(start, at):
        if repairs.is_repair(utterance.tokens, i):
            end = repairs.extent(utterance.tokens, i)[1]
            return end if end < at else start
    return start


def _after_preposition(utterance: Utterance, i: int) -> bool:
    """Whether "that's" follows a place and not a value: "email me at work, that's ..."."""
    for j in range(i - 1, -1, -1):
        token = utterance.tokens[j]
        symbol = token.get(Kind.SYMBOL)
        if symbol is not None:
            return symbol.out == "@"
        if Kind.CARRIER in token.kinds:
            return any(m.out == "@" for m in utterance.lexicon.alone(token.text.rsplit(" ", 1)[-1]))
    return False


def _joined(utterance: Utterance, i: int, at: int) -> bool:
    """Whether a carrier word stands next to a symbol of the address ("john dot name at")."""
    near = [j for j in (i - 1, i + 1) if 0 <= j < at]
    return any((s := utterance.tokens[j].get(Kind.SYMBOL)) is not None and s.out != "@" and s.cost == 0 for j in near)


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain, its pieces, a doubt about it, and what was spelled after the whole address."""

    text: str
    items: tuple[words.Item, ...] = ()
    doubt: str | None = None
    after: tuple[words.Item, ...] = ()


def _domain(utterance: Utterance, start: int) -> Domain:
    """The domain that starts at a token, as far as it goes.

    The last label is one piece (a word or a spelling). Words behind it are talk when a pause or a word of
    ordinary prose sets them off, letters spell the local part; anything else there is a doubt ("dot co uk").
    """
    end = _domain_end(utterance, start)
    read = words.read(utterance, start, end, latin=True)
    if read.doubt:
        return Domain("", doubt=read.doubt)
    items = list(read.items)
    cut = _spelling_starts(items)
    items, after = items[:cut], [i for i in items[cut:] if i.kind != "word"]
    dots = [k for k, item in enumerate(items) if item.kind == "symbol" and item.text == "."]
    if dots and dots[-1] + 1 < len(items):
        last = dots[-1] + 1
        rest = items[last + 1 :]
        if any(Kind.WITH in t.kinds for t in utterance.tokens[items[last].last : end]):
            return Domain("", doubt="ambiguous")
        if rest and (not rest[0].pause or any(i.kind != "word" for i in rest)):
            return Domain("", doubt="bad_syntax")
        items = [*items[:last], _label(utterance, items[last])]
    text = "".join(_piece(i) for i in items).lower().strip(".")
    return Domain(text, tuple(items), after=tuple(after))


def _spelling_starts(items: list[words.Item]) -> int:
    """Where letters begin that are spelled after the last word of a whole domain; the end when there are none."""
    for k in range(3, len(items)):
        dot, label, item = items[k - 2], items[k - 1], items[k]
        whole = dot.kind == "symbol" and dot.text == "." and label.kind == "word"
        if whole and item.kind == "spelled" and item.pause:
            return k
    return len(items)


def _label(utterance: Utterance, item: words.Item) -> words.Item:
    """The last label of a domain. No top-level domain has one letter: "de" is a word here, not the letter D."""
    said = utterance.tokens[item.first].text
    alone = item.last == item.first + 1 and len(item.text) == 1 and len(said) > 1
    return replace(item, kind="word", text=said) if alone and said.isalpha() else item


def _domain_end(utterance: Utterance, start: int) -> int:
    """Where the talk after a domain starts: another "at", or prose after the first dot."""
    dotted = False
    for i in range(start, len(utterance.tokens)):
        token = utterance.tokens[i]
        symbol = token.get(Kind.SYMBOL)
        if symbol is not None and symbol.out == "@":
            return i
        if symbol is not None and symbol.out == ".":
            dotted = True
        elif dotted and token.kinds & {Kind.PROSE, Kind.CARRIER} and not _joined(utterance, i, len(utterance.tokens)):
            return i
    return len(utterance.tokens)


def _sounds_only(utterance: Utterance, start: int, at: int) -> bool:
    """Whether a part of the local part is only words that sound like letters ("why you")."""
    group: list[bool] = []
    for i in range(start, at + 1):
        token = utterance.tokens[i]
        if i == at or Kind.SYMBOL in token.kinds:
            if len(group) >= 2 and all(group):
                return True
            group = []
            continue
        letter = token.get(Kind.LETTER)
        group.append(letter is not None and letter.cost >= 2 and len(token.text) > 1)
    return False


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """Syntax only; whether the domain takes mail is a lookup."""
    return Verdict(reason=_refusal(value) if value == value.lower() else Reason(code="bad_syntax"))


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """The local part character by character, a well-known domain as words, any other spelled."""
    local, _, domain = value.rpartition("@")
    if domain in WELL_KNOWN:
        name, _, tld = domain.partition(".")
        return (
            Chunk("chars", local),
            Chunk("chars", "@"),
            Chunk("word", name),
            Chunk("chars", "."),
            Chunk("word", tld),
        )
    return Chunk("chars", local), Chunk("chars", "@"), *_spelled_domain(domain)


def _spelled_domain(domain: str) -> tuple[Chunk, ...]:
    name, _, tld = domain.rpartition(".")
    return Chunk("chars", name), Chunk("chars", "."), Chunk("chars" if len(tld) == 2 else "word", tld)
