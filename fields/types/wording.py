"""Names of things, for companies, properties and the words of addresses: pieces with spaces, digits and capitals.

Not a field type. ``read`` turns a stretch of an utterance into words as they are written; what was said about the
writing (``hearing.asides``) is applied here. Doubt about a number ("high five" or "high 5") is a Reason.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import regex
from rapidfuzz.distance import Levenshtein

from langgraph_readback.fields.hearing import asides, words
from langgraph_readback.fields.hearing.accents import fold
from langgraph_readback.fields.hearing.lattice import begins_with
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.tokens import Kind, Token
from langgraph_readback.fields.readback import Chunk, spellable, voice_words
from langgraph_readback.fields.types.casing import SUFFIXED, Piece, cased, compose, is_domain, lettered, texts
from langgraph_readback.fields.types.common import once, spans_of
from langgraph_readback.fields.types.numbering import Numbers
from langgraph_readback.outcome import Evidence, Span

COUNTED = frozenset({Kind.LITERAL, Kind.NUMBER, Kind.SCALE})
LINKS = frozenset({Kind.AND, Kind.OR})
LOOSE = frozenset({Kind.FILLER, Kind.JOIN, Kind.SPELL})
"""What a word of a name may seem to be."""
NEVER = frozenset("@+=#~:*")
"""Symbols whose names are words in names, unless they are named in full ("plus sign")."""
INITIALS = regex.compile(r"\b\p{L}\.\p{L}")
RUNS = regex.compile(r"\d+|\D+")


@dataclass(frozen=True, slots=True)
class Wording:
    """What was read: the value's text, how it was heard, and a doubt (a reason code) that forbids the value."""

    text: str
    evidence: Evidence
    doubt: str | None = None
    spans: tuple[Span, ...] = ()


def bounds(utterance: Utterance) -> tuple[int, int]:
    """First and last token of the value: after carriers and fillers, before a remark in ordinary prose."""
    tokens = utterance.tokens
    first, count = 0, len(tokens)
    for i, token in enumerate(tokens):
        if token.glued and i:
            continue
        carrier = Kind.CARRIER in token.kinds and (
            " " in token.text or "'" in token.text or (i == first and i + 1 < count and tokens[i + 1].pause)
        )
        filler = (
            i == first and Kind.FILLER in token.kinds and Kind.LETTER not in token.kinds and _hesitates(utterance, i)
        )
        if (carrier or filler) and i + 1 < count and not tokens[i + 1].glued:
            first = i + 1
    last = count
    for i in range(first + 1, count):
        if not tokens[i].pause:
            continue
        aside = Kind.PROSE in tokens[i].kinds and not tokens[i].kinds & {Kind.LETTER, Kind.NOT}
        first_person = tokens[i].text == "i" and i + 1 < count and Kind.PROSE in tokens[i + 1].kinds
        if aside or first_person:
            last = i
            break
    while last > first + 1 and tokens[last - 1].kinds & {Kind.FILLER, Kind.END} and tokens[last - 1].pause:
        last -= 1
    return first, last


def _hesitates(utterance: Utterance, i: int) -> bool:
    """Whether a filler is one: a sound, a phrase, or a word with a pause behind it; "hello" may start a name."""
    token = utterance.tokens[i]
    sounds = utterance.lexicon.data.get("hesitations", ())
    return " " in token.text or token.text in sounds or i + 1 >= len(utterance.tokens) or utterance.tokens[i + 1].pause


def typed(utterance: Utterance, first: int, last: int) -> str:
    """The text as typed, white space folded, outer punctuation off (a full stop that ends "Inc." or "S.A." stays)."""
    if first >= last:
        return ""
    start, end = utterance.tokens[first].start, utterance.tokens[last - 1].end
    text = unicodedata.normalize("NFC", " ".join(utterance.text[start:end].split()))
    tail = utterance.text[end : end + 1]
    word = text.rpartition(" ")[2]
    if tail == "." and (INITIALS.search(word) or fold(word) in utterance.lexicon.data.get("abbreviated", ())):
        text += "."
    return text.strip(' ,;:"')


def read(utterance: Utterance, first: int, last: int, locale: str, *, numbered: bool = True) -> Wording:
    """The words of tokens ``first`` to ``last`` as they are written. ``numbered``: rooms and units have numbers."""
    part = utterance.of(utterance.tokens[first:last])
    stripped, notes = asides.strip(sober(part.of(_plain_words(part))), 0, last - first)
    found = words.read(stripped, 0, len(stripped.tokens))
    items, doubt = once(found.items), found.doubt or notes.doubt
    data = texts(locale)
    pieces = [_piece(item, stripped.tokens) for item in rejoined(items, stripped.tokens)]
    doubt = doubt or _initials(pieces, data)
    pieces = _symbols(pieces, stripped.tokens, data, notes)
    pieces, number_doubt = Numbers(pieces, stripped.tokens, data if numbered else {}, notes).settle()
    pieces = [_joined(p, before, notes) for p, before in zip(pieces, [None, *pieces], strict=False)]
    text, case_doubt = _noted(compose(pieces, data), notes, pieces)
    if "." in text and " " in text and is_domain(pieces, data) and not notes.joined:
        doubt = doubt or "ambiguous"
    doubt = doubt or number_doubt or case_doubt
    return Wording(text, _evidence(pieces), doubt, spans_of(stripped, text, items))


def _plain_words(utterance: Utterance) -> list[Token]:
    """In names one "hotel" among words spells nothing, and "hello" or "together" without a pause are words."""
    tokens = utterance.tokens
    out: list[Token] = []
    for n, token in enumerate(tokens):
        if token.kinds.isdisjoint(LOOSE):
            out.append(token)
            continue
        drop: set[Kind] = set()
        lone = token.pause and (n + 1 >= len(tokens) or tokens[n + 1].pause)
        if Kind.FILLER in token.kinds and not (_hesitates(utterance, n) and token.pause) and " " not in token.text:
            drop |= set() if token.text in utterance.lexicon.data.get("hesitations", ()) else {Kind.FILLER}
        if Kind.JOIN in token.kinds and " " not in token.text and not lone:
            drop.add(Kind.JOIN)
        if Kind.SPELL in token.kinds and not _spells(tokens, n):
            drop.add(Kind.SPELL)
        out.append(token.meaning(tuple(m for m in token.meanings if m.kind not in drop)) if drop else token)
    return out


def abbreviated(utterance: Utterance, known: Collection[str]) -> Utterance:
    """Letters that are a known abbreviation behind a word as one word; they spell nothing said before."""
    tokens = utterance.tokens
    out: list[Token] = []
    i = 0
    while i < len(tokens):
        end = i
        if i and len(tokens[i - 1].text) > 1:
            while end < len(tokens) and _single(tokens[end]) and (end == i or not tokens[end].pause):
                end += 1
        text = "".join([t.text for t in tokens[i:end]]) if end - i > 1 else ""
        if text and text in known and (end == len(tokens) or tokens[end].pause or tokens[end].kinds & COUNTED):
            word = replace(
                tokens[i], raw=text.upper(), text=text, end=tokens[end - 1].end, meanings=(), kinds=frozenset()
            )
            out.append(word)
            i = end
        else:
            out.append(tokens[i])
            i += 1
    return utterance.of(out)


def _single(token: Token) -> bool:
    return len(token.text) == 1 and token.text.isalpha()


def dictated_links(utterance: Utterance) -> Utterance:
    """Where "and" and "or" are one letter ("e", "o"), they are that letter in the middle of a spelling."""
    tokens = list(utterance.tokens)
    for n, token in enumerate(tokens):
        if len(token.text) != 1 or not token.kinds & LINKS or Kind.LETTER not in token.kinds:
            continue
        beside = _letters_beside(tokens, n, -1) + _letters_beside(tokens, n, 1)
        if beside > 2 or _set_off(tokens, n) or _explained(tokens, n):
            tokens[n] = token.meaning(tuple(m for m in token.meanings if m.kind not in LINKS))
    return utterance.of(tokens)


def _set_off(tokens: list[Token], n: int) -> bool:
    """Whether pauses stand on both sides of token ``n``."""
    return n > 0 and tokens[n].pause and (n + 1 == len(tokens) or tokens[n + 1].pause)


def _explained(tokens: list[Token], n: int) -> bool:
    """Whether a case, or a hint and a word with its letter, follows token ``n``: "e mayúscula", "e de elefante"."""
    following = tokens[n + 1] if n + 1 < len(tokens) else None
    if following is None or following.pause:
        return False
    if following.kinds & {Kind.CASE, Kind.ACCENT}:
        return True
    return Kind.HINT in following.kinds and n + 2 < len(tokens) and begins_with(tokens[n + 2], tokens[n].text)


def _letters_beside(tokens: list[Token], n: int, way: int) -> int:
    """How many letters stand beside token ``n`` on one side, at most three."""
    count = 0
    for at in range(n + way, n + 4 * way, way):
        if not 0 <= at < len(tokens) or Kind.LETTER not in tokens[at].kinds or tokens[max(at, at - way)].pause:
            break
        count += 1
    return count


def sober(utterance: Utterance) -> Utterance:
    """Where words are the rule, "to" is no two, "and" no n and "tree" no three."""
    never = utterance.lexicon.data.get("never_digits", ())
    utterance = dictated_links(utterance)
    tokens = [_sober(t, never) for t in utterance.tokens]
    if utterance.lexicon.numbers.get("bare"):
        return utterance.of(tokens)
    for n, token in enumerate(tokens):
        if Kind.SCALE not in token.kinds:
            continue
        before = tokens[n - 1] if n else None
        counted = before is not None and bool(before.kinds & COUNTED or len(before.text) == 1) and not token.pause
        if not counted:
            tokens[n] = token.meaning(())  # "Thousand Oaks"
    return utterance.of(tokens)


def _sober(token: Token, never: list[str]) -> Token:
    drop = {Kind.LETTER} if Kind.AND in token.kinds else set()
    if token.text in never:
        drop |= {Kind.DIGIT, Kind.NUMBER, Kind.SCALE}
    if not drop and (Kind.DIGIT not in token.kinds or Kind.LETTER in token.kinds):
        return token
    kept = tuple(
        m
        for m in token.meanings
        if m.kind not in drop and not (m.kind is Kind.DIGIT and m.cost and Kind.LETTER not in token.kinds)
    )
    return token if len(kept) == len(token.meanings) else token.meaning(kept)


def _spells(tokens: tuple[Token, ...], n: int) -> bool:
    """Whether a spelling word is one: explained by a letter or a hint, or among others of its kind."""
    near = [
        tokens[i]
        for i in (n - 2, n - 1, n + 1, n + 2)
        if 0 <= i < len(tokens) and not (i and Kind.HINT in tokens[i - 1].kinds)
    ]
    before = tokens[n - 1] if n else None
    hinted = before is not None and bool(before.kinds & {Kind.HINT, Kind.CLASSIFIER})
    letter = before.get(Kind.LETTER) if before is not None else None
    spell = tokens[n].get(Kind.SPELL)
    explained = letter is not None and spell is not None and letter.out == spell.out
    return hinted or explained or any(Kind.SPELL in t.kinds for t in near)


def _initials(pieces: list[Piece], data: dict[str, Any]) -> str | None:
    """As in "h and m" may be written with a sign or with the word."""
    links = data.get("initials", ("and", "und"))
    for before, piece, after in zip(pieces, pieces[1:], pieces[2:], strict=False):
        if piece.kind == "word" and piece.text.casefold() in links and lettered(before) and lettered(after):
            return "ambiguous"
    return None


def rejoined(items: tuple[words.Item, ...], tokens: tuple[Token, ...]) -> list[words.Item]:
    """Two spellings that are one of a word said before: "quorvath, q u o r, v a t h"."""
    out: list[words.Item] = []
    for item in items:
        before = out[-1] if out else None
        if before is not None and before.kind == item.kind == "spelled" and before.told and not item.told:
            word = tokens[before.first].text
            if len(word) > 1 and words_alike(before.text + item.text, word) > words_alike(before.text, word):
                out[-1] = replace(before, text=before.text + item.text)
                continue
        out.append(item)
    return out


def words_alike(spelled: str, word: str) -> float:
    """How alike a spelling and a word are, 0 to 1, by edits."""
    return Levenshtein.normalized_similarity(fold(spelled), fold(word))


def _piece(item: words.Item, tokens: tuple[Token, ...]) -> Piece:
    first, last = tokens[item.first : item.last][:1], tokens[item.first : item.last]
    cased = any(Kind.CASE in t.kinds for t in last) and item.kind == "spelled"
    start = first[0].start if first else -1
    letter = first[0].get(Kind.LETTER) if first and item.kind == "word" else None
    if letter is not None and letter.cost == 0 and " " in first[0].text:
        return Piece(letter.out, "word", start, item.pause)
    return Piece(item.text, item.kind, start, item.pause, exact=cased, told=item.told)


def _evidence(pieces: list[Piece]) -> Evidence:
    kinds = {p.kind for p in pieces if p.kind != "symbol"}
    return "spelled" if kinds <= {"spelled", "digits"} else "mixed" if "spelled" in kinds else "literal"


def _symbols(pieces: list[Piece], tokens: tuple[Token, ...], data: dict[str, Any], notes: asides.Notes) -> list[Piece]:
    """Symbol words that are ordinary words here become words again ("point", "at")."""
    said = {t.start: t for t in tokens}
    out: list[Piece] = []
    for n, piece in enumerate(pieces):
        word = said[piece.start].raw if piece.start in said else piece.text
        if piece.kind != "symbol" or not word[:1].isalpha():
            out.append(piece)
            continue
        after = pieces[n + 1] if n + 1 < len(pieces) else None
        before = out[-1] if out else None
        out.append(
            piece if _is_symbol(piece, word, before, after, data, notes) else replace(piece, text=word, kind="word")
        )
    return out


def _is_symbol(
    piece: Piece, word: str, before: Piece | None, after: Piece | None, data: dict[str, Any], notes: asides.Notes
) -> bool:
    if piece.text in notes.real:
        return True
    if before is None or (after is None and piece.text not in SUFFIXED):
        return False
    spelled = any(p is not None and p.kind == "spelled" for p in (before, after))
    counted = before.kind == "digits" and after is not None and after.kind == "digits"
    if piece.text == "." and not (spelled or counted):
        return after is not None and fold(after.text) in data.get("domains", ())
    if fold(word) in data.get("joining", ()):
        return spelled or after is not None
    if fold(word) not in data.get("loose", ()):
        return True
    if piece.text in NEVER:
        return False
    return spelled or (lettered(before) and lettered(after)) or counted


def _joined(piece: Piece, before: Piece | None, notes: asides.Notes) -> Piece:
    """No space inside a group that was said to be one word."""
    if before is None:
        return piece
    together = any(piece.start in g and before.start in g for g in notes.joined)
    return replace(piece, joined=True) if together else piece


def _noted(text: str, notes: asides.Notes, pieces: list[Piece]) -> tuple[str, str | None]:
    """The text with the capitals that were dictated afterwards, and a doubt when it lacks what it should hold."""
    if notes.upper:
        text = text.upper()
    for letter in notes.capitals:
        places = [i for i, c in enumerate(text) if fold(c) == letter]
        inside = [i for i in places if i and text[i - 1] != " "]
        chosen = inside if len(inside) == 1 else places if len(places) == 1 else []
        if not chosen:
            return text, "ambiguous" if places else "spelling_contradiction"
        text = text[: chosen[0]] + text[chosen[0]].upper() + text[chosen[0] + 1 :]
    spelled = any(p.kind == "spelled" for p in pieces)
    for char, present in notes.holds:
        if (char in fold(text)) != present and not (spelled and not present):
            return text, "spelling_contradiction"
    return text, None


def spoken(value: str, locale: str) -> tuple[Any, ...]:
    """The value for reading back: each word said and then spelled, symbols by name.

    Words of another script than Latin are said alone, all that stand together in one breath.
    """
    data = texts(locale)
    parts = value.split(" ")
    chunks: list[Any] = []
    for n, part in enumerate(parts):
        if not spellable(part):
            before = chunks.pop().text + " " if n and not spellable(parts[n - 1]) else ""
            chunks.append(Chunk("word", before + part))
            continue
        if not any(c.isalpha() for c in part) or len(part) == 1:
            chunks.append(Chunk("chars", part))
            continue
        usual = _usual(part, first=n == 0, last=n == len(parts) - 1, data=data)
        plain = part.replace("'", "").replace("-", "").isalpha()
        chunks += [Chunk("word", part)] if plain else []
        chunks.append(Chunk("chars" if part == usual else "exact", part))
    return tuple(chunks)


def _usual(part: str, *, first: bool, last: bool, data: dict[str, Any]) -> str:
    return cased([Piece(part, "spelled", -1, told=True)], first=first, last=last, data=data)


def dictated(value: str, locale: str) -> tuple[Any, ...]:
    """The value character by character: capitals and spaces named, numbers announced as such."""
    said = texts(locale).get("say", {})
    digits = voice_words(locale)["digits"]
    chunks: list[Any] = []
    for run in RUNS.findall(value):
        if run.isdigit():
            spoken_digits = " ".join(str(digits[int(c)]) for c in run)
            chunks.append(Chunk("said", f"{said.get('number', 'the number')} {spoken_digits}"))
        else:
            chunks.append(Chunk("exact", run))
    return tuple(chunks)
