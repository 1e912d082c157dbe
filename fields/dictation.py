"""Grouped dictation: a value given a few characters at a time, each group said back before the next.

Pure functions over the groups as they were said. ``group`` says what one group was heard as, in the words it is
echoed in; ``dictated`` hears the value that all groups make; ``after_echo`` tells the next group from "no, ..." and
"that's all". A spelling word is a letter here even when it stands alone: that is what was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from typing import Any, Literal

from langgraph_readback.fields.hearing.lexer import Utterance, lex
from langgraph_readback.fields.hearing.lexicon import SYLLABIC
from langgraph_readback.fields.hearing.tokens import Kind, Meaning, Token
from langgraph_readback.fields.hearing.words import Item, read
from langgraph_readback.fields.listen import hear
from langgraph_readback.fields.phrases import Labelled, Segment, lexicon
from langgraph_readback.fields.readback import letter, spellable, voice_words
from langgraph_readback.fields.scripts import as_said, as_words, bare
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import postal
from langgraph_readback.outcome import Reading

__all__ = ["LONG", "Answer", "Group", "after_echo", "complete", "dictated", "group", "worded"]

PHRASES = frozenset({"name", "company", "property", "address", "medication"})
"""Types whose values are words: groups of letters make a word until "space", another word or a number comes."""
WRITTEN = frozenset({"email", "username", "domain", "url"})
"""Types whose values are written without a gap."""
OPEN = PHRASES | {"username"}
"""Types of which any beginning may be the whole: only the user can say that it is."""
LETTERED = WRITTEN | {"id", "iban", "plate", "postcode", "vin"}
"""Types of characters. What is neither these nor words (a date, an amount) is echoed as it was said."""
LONG = (PHRASES | LETTERED) - {"postcode"}
"""Types long enough that groups, each said back at once, cost less than a read-back that is rejected."""
ENDS = frozenset({"gmail.com", "googlemail.com", "icloud.com", "gmx.de", "web.de"})
"""Domains of mail providers that have no sister in another country ("yahoo.com" may go on: "dot au")."""
GROWING = OPEN | {"email", "domain", "url", "phone", "amount"}
"""Types of which a whole value may be the beginning of a longer one."""
SHORT = 4
"""Characters or words in a group. More of them are the whole value, said in one go."""
FEW = 2
"""Words that a group may have: "street", "court lodge"."""
CLAUSE = 5
"""Words that a group in another script may have: what is shorter than a letter's name cannot be cut finer."""
_DOUBTS = {"unsure", "hint_contradiction", "two_values"}
_CLOSE = {"yes", "filler", "link"}
_LEADS = {"no", "not", "instead", "cue", "filler", "link", "yes"}


@dataclass(frozen=True, slots=True)
class Group:
    """One group as heard. ``said``: the words of its echo. ``whole``: it is the whole value, and no echo is due."""

    said: str
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What the user did after an echo. ``again``: the last group was heard wrong; ``text`` is it said again, or empty.

    ``group``: ``text`` is the next group. ``done``: nothing more comes.
    """

    kind: Literal["group", "again", "done"]
    text: str = ""


@dataclass(frozen=True, slots=True)
class _Piece:
    """``kind``: spelled, digits, symbol, word. ``text`` as written, ``said`` as echoed.

    ``opens``: begins a group; ``rested``: the group before it was a short one, so that something ended there;
    ``coded``: begins a group of letters and digits that is a code ("LS6 3QP"), no more of a word.
    """

    kind: str
    text: str
    said: str
    opens: bool = False
    rested: bool = False
    coded: bool = False


def group(spec: FieldSpec, text: str, ask: Ask, *, first: bool) -> Group | None:
    """What one group was heard as; None when it is none. ``first``: no group came before it."""
    if spec.type in PHRASES and (how := as_words(spec, text, ask)) != "spelled":
        return _native(spec, bare(text), ask, how, first=first)
    pieces = _pieces(text, ask, phrase=spec.type in PHRASES)
    if not _is_group(spec, pieces, first=first):
        return None
    said = ", ".join(p.said for p in pieces) if spec.type in PHRASES | LETTERED else text.strip(" .,;:!?")
    return Group(said, whole=_whole(spec, text, pieces, ask, first=first))


def dictated(spec: FieldSpec, groups: Sequence[str], ask: Ask) -> Reading:
    """The value that the groups make together, or why they make none."""
    where: dict[str, Any] = {"locale": ask.locale, "region": ask.region, "today": ask.today}
    kinds = {as_words(spec, text, ask) for text in groups} if spec.type in PHRASES else set()
    if kinds & {"words", "explained"} and "spelled" not in kinds:
        native = hear(spec, as_said(groups, ask, ", " if "explained" in kinds else " "), channel="voice", **where)
        if native.value is not None:
            return native
    if spec.type in PHRASES | LETTERED:
        given = [_pieces(text, ask, phrase=spec.type in PHRASES) for text in groups]
        pieces = list(_in_groups(given, codes=spec.type != "address" or postal.lettered(ask)))
        typed = hear(spec, _written(spec, pieces, ask), channel="chat", **where)
        if typed.value is not None:
            return typed
    said = hear(spec, ", ".join(groups), channel="voice", **where)
    return said if said.intent in ("value", "none") else Reading(reason=said.reason)


def complete(spec: FieldSpec, groups: Sequence[str], ask: Ask) -> Reading | None:
    """The value that the groups make, when nothing can be added to it; else None."""
    if spec.type in GROWING - {"email", "address"}:
        return None
    reading = dictated(spec, groups, ask)
    if reading.value is None:
        return None
    if spec.type == "email":
        ended = reading.value.partition("@")[2] in ENDS
    elif spec.type == "address":
        ended = postal.closes(reading.value, ask)
    else:
        ended = spec.type not in LETTERED or _covers([p for g in groups for p in _pieces(g, ask)], reading.value)
    return reading if ended else None


def worded(groups: Sequence[str], ask: Ask) -> bool:
    """Whether every letter was given with a spelling word, so that none needs one when the value is read back."""
    heard = [lex(text, ask.locale, "voice").tokens for text in groups]
    return any(Kind.SPELL in t.kinds for tokens in heard for t in tokens) and all(
        _is_worded(tokens, i) for tokens in heard for i, t in enumerate(tokens) if Kind.LETTER in t.kinds
    )


def _is_worded(tokens: Sequence[Token], i: int) -> bool:
    """Whether a letter is explained by the spelling word behind it: "b as in bravo", "b bravo"."""
    behind = tokens[i + 1 :]
    if behind and Kind.HINT in behind[0].kinds:
        return True
    spell = behind[0].get(Kind.SPELL) if behind else None
    return spell is not None and any(m.kind is Kind.LETTER and m.out == spell.out for m in tokens[i].meanings)


def after_echo(text: str, ask: Ask) -> Answer:
    """The next group, the last one again, or the end."""
    said = lexicon(ask.locale).read(text)
    heard = lex(text, ask.locale, "voice").tokens
    if said.tokens and all(s.label in _CLOSE for s in said.segments):
        return Answer("done")
    if heard and all(t.kinds & {Kind.END, Kind.FILLER} for t in heard):
        return Answer("done")
    lead, labels = _lead(said, ask)
    denied = _denies(said, ask) and not (heard and heard[0].kinds & {Kind.LETTER, Kind.DIGIT})
    if not lead and len(said.segments) > 1 and denied:  # "no, space b y" is no phrase of a correction here
        lead, labels = 1, {"no"}
    if labels & {"no", "not"}:
        return Answer("again", said.words(lead, len(said.tokens)))
    if denied or (said.segments and _refuses(said, said.segments[0], ask)):
        return Answer("again")
    if "yes" in labels:
        return Answer("group", said.words(lead, len(said.tokens)))
    return Answer("group", text)


def _lead(said: Labelled, ask: Ask) -> tuple[int, set[str]]:
    """How many words of talk stand before a group, and what they are: "no", "yes, it's"."""
    lead = 0
    labels: set[str] = set()
    for segment in said.segments:
        if segment.label not in _LEADS or segment.last >= len(said.tokens) or _writes(said, segment, ask):
            break
        cut = _begins_a_word(said, segment, ask)  # "ne, e-ko": the last syllable belongs to what follows
        if segment.last - cut > segment.first:
            lead, labels = segment.last - cut, labels | {segment.label}
        if cut:
            break
    return lead, labels


def _writes(said: Labelled, segment: Segment, ask: Ask) -> bool:
    """Whether a word of talk is a symbol or a letter in a dictation: "plus"; "a" in "a de amor"."""
    if segment.label not in ("link", "filler", "cue"):
        return False
    tokens = lex(said.words(segment.first, segment.last + 1), ask.locale, "voice").tokens
    letter = len(tokens) > 1 and len(tokens[0].text) == 1 and Kind.LETTER in tokens[0].kinds
    spells = letter and bool(tokens[1].kinds & {Kind.HINT, Kind.LETTER, Kind.SPELL})
    return spells or any(Kind.SYMBOL in t.kinds for t in tokens[: segment.last - segment.first])


def _begins_a_word(said: Labelled, segment: Segment, ask: Ask) -> bool:
    """Whether the last character of talk is the first of a word, in scripts of syllables: "成" of "成都"."""
    token, after = said.tokens[segment.last - 1 : segment.last + 1]
    if token.end != after.start or lexicon(ask.locale).dictated([after.text]):
        return False
    return segment.last - segment.first == 1 or said.tokens[segment.last - 2].end != token.start


def _refuses(said: Labelled, first: Segment, ask: Ask) -> bool:
    """Whether the talk that an answer begins with is a no, and no word that only begins like one."""
    whole = first.last >= len(said.tokens) or not _begins_a_word(said, first, ask)
    return whole and first.label in ("no", "not")


def _denies(said: Labelled, ask: Ask) -> bool:
    """Whether the first word by itself is a no, with more behind it."""
    if len(said.tokens) > 1 and _begins_a_word(said, Segment("", "", 0, 1), ask):
        return False
    alone = lexicon(ask.locale).read(said.words(0, 1)).segments if len(said.tokens) > 1 else ()
    return [s.label for s in alone] == ["no"]


def _native(spec: FieldSpec, text: str, ask: Ask, how: str, *, first: bool) -> Group | None:
    """A group that is taken as it was said. One word that may be a first name, or a street, is not yet the whole."""
    value = hear(spec, text, locale=ask.locale, region=ask.region).value
    if how == "explained":  # "章敏，立早章" holds the whole name; "남쪽 할 때 남 궁전 할 때 궁" its beginning
        return Group(str(value), whole=first and len(str(value)) > 1 and str(value) in text)
    whole = how == "words" and spec.type != "address" and value is not None
    many = len(text.split()) > 1 or SYLLABIC.match(text) is not None
    return Group(text, whole=first and whole and many) if len(text.split()) <= CLAUSE else None


def _is_group(spec: FieldSpec, pieces: Sequence[_Piece], *, first: bool) -> bool:
    """Whether these are characters being given, and not talk: few words beside them, or, later on, none but few."""
    if not pieces or any(p.kind == "doubt" for p in pieces):
        return False
    if spec.type not in LETTERED | PHRASES:
        return True
    words = sum(p.kind == "word" for p in pieces)
    others = len(pieces) - words
    if spec.type in LETTERED and first:
        return words <= others
    return words <= max(FEW, others)


def _whole(spec: FieldSpec, text: str, pieces: list[_Piece], ask: Ask, *, first: bool) -> bool:
    """Whether a user who was asked for a group has given everything."""
    if spec.type in OPEN and not first:
        return False
    reading = hear(spec, text, locale=ask.locale, region=ask.region, channel="voice", today=ask.today)
    if reading.value is None or not _covers(pieces, reading.value):
        return False
    words = sum(p.kind == "word" for p in pieces)
    long = sum(len(p.text) if p.kind == "spelled" else 1 for p in pieces) > SHORT
    said = words == len(pieces) and (words > 1 or any(not spellable(p.text) for p in pieces))
    return spec.type not in OPEN or long or said


def _covers(pieces: Sequence[_Piece], value: str) -> bool:
    """Whether so many characters were said as the value has: no reading of few words as many letters."""
    return sum(map(str.isalnum, "".join(p.text for p in pieces))) >= sum(map(str.isalnum, value))


def _pieces(text: str, ask: Ask, *, phrase: bool = False) -> list[_Piece]:
    """The letters, digits, symbols and words of a group; ``phrase``: of a value that is made of words."""
    heard = lex(text, ask.locale, "voice")
    lettered = heard.of(_lettered(heard.tokens, worded=phrase and _has_explained(heard.tokens)))
    words = voice_words(ask.locale)
    found = read(lettered, 0, len(lettered.tokens))
    doubt = [_Piece("doubt", "", "")] if found.doubt in _DOUBTS else []
    return [*(_piece(item, lettered, words) for item in found.items), *doubt]


def _has_explained(tokens: Sequence[Token]) -> bool:
    """Whether a letter is explained by a word: "m de madrid"."""
    return any(Kind.LETTER in t.kinds and Kind.HINT in after.kinds for t, after in pairwise(tokens))


def _lettered(tokens: Sequence[Token], *, worded: bool) -> Iterator[Token]:
    """Spelling words that stand for themselves as the letters they are.

    ``worded``: letters come with words here, so a bare spelling word is a word ("hotel m de madrid"), and so is a
    hint that explains nothing ("ciudad de méxico").
    """
    for i, token in enumerate(tokens):
        explains = i > 0 and Kind.LETTER in tokens[i - 1].kinds
        hint = worded and Kind.HINT in token.kinds and not explains
        bare = worded and Kind.SPELL in token.kinds and not (i and _explains(tokens[i - 1], token.get(Kind.SPELL)))
        if (Kind.AND in token.kinds and len(token.text) > 1) or hint or bare:
            yield replace(token, meanings=(), kinds=frozenset())
            continue
        spell = token.get(Kind.SPELL)
        if spell is None or (i and _explains(tokens[i - 1], spell)):
            yield token
        else:
            yield replace(token, meanings=(Meaning(Kind.LETTER, spell.out),), kinds=frozenset({Kind.LETTER}))


def _explains(before: Token, spell: Meaning | None) -> bool:
    """Whether a spelling word only explains the letter before it: "b as in bravo", "b bravo"."""
    letters = (m.out for m in before.meanings if m.kind is Kind.LETTER)
    return Kind.HINT in before.kinds or (spell is not None and spell.out in letters)


def _piece(item: Item, heard: Utterance, words: dict[str, Any]) -> _Piece:
    tokens = heard.tokens[item.first : item.last]
    kind, text = item.kind, item.text
    only = tokens[0].get(Kind.LETTER) if len(tokens) == 1 and tokens[0].kinds == {Kind.LETTER} else None
    if kind == "word" and only is not None:
        kind, text = "spelled", only.out
    if kind == "spelled":
        return _Piece(kind, text, ", ".join(letter(c, words) if c.isalpha() else _named(c, words) for c in text))
    if kind == "digits":
        counted = any(t.kinds & {Kind.NUMBER, Kind.SCALE} and Kind.DIGIT not in t.kinds for t in tokens)
        spoken = " ".join(t.raw for t in tokens) if counted else ", ".join(_named(c, words) for c in text)
        return _Piece(kind, text, spoken)
    return _Piece(kind, text, _named(text, words) if kind == "symbol" else text)


def _named(char: str, words: dict[str, Any]) -> str:
    if char.isdigit():
        return str(words["digits"][int(char)])
    return str(words["symbols"].get(char, char))


def _in_groups(groups: Sequence[Sequence[_Piece]], *, codes: bool) -> Iterator[_Piece]:
    """The pieces of all groups, the first of each marked. ``codes``: a group of letters and digits may be a code."""
    sizes = [sum(len(p.text) if p.kind in ("spelled", "digits") else 1 for p in pieces) for pieces in groups]
    full = max(sizes, default=0) >= SHORT
    for n, pieces in enumerate(groups):
        short = n > 0 and sizes[n - 1] < SHORT - 1
        for i, piece in enumerate(pieces):
            rested = short and (full or piece.kind == "digits")
            coded = codes and [p.kind for p in pieces[:2]] == ["spelled", "digits"]
            yield replace(piece, opens=True, rested=rested, coded=coded) if i == 0 else piece


def _written(spec: FieldSpec, pieces: list[_Piece], ask: Ask) -> str:
    """The pieces as the user would have typed them."""
    if spec.type in LETTERED:
        return "".join(p.text.strip() for p in pieces)
    out = ""
    for i, piece in enumerate(pieces):
        gap = " " if i and _apart(pieces, i) else ""
        digits = i > 0 and pieces[i - 1].kind == piece.kind == "digits"
        code = digits and piece.opens and spec.type == "address" and postal.leads(_number(pieces, i), ask)
        if code or (gap and piece.rested and digits):
            gap = ", "  # "flat two" and then "one eight": two numbers; "14" and then "28013": a postcode
        out += gap + piece.text
    return " ".join(out.lower().split())


def _apart(pieces: list[_Piece], i: int) -> bool:
    """Whether a gap stands before a piece of a phrase."""
    before, piece = pieces[i - 1], pieces[i]
    kinds = (before.kind, piece.kind)
    if "symbol" in kinds:
        return "&" in (before.text, piece.text) or " " in (before.text, piece.text)
    if "word" in kinds or piece.coded:
        return True
    if kinds == ("spelled", "spelled"):
        return piece.opens and piece.rested  # a short group ends a word: "l a u r", "a", "s a n t"
    if _in_code(pieces, i):
        return False
    if kinds == ("digits", "digits"):
        return piece.opens and piece.rested
    if kinds == ("digits", "spelled"):
        return piece.opens or sum(len(p.text) for p in _run(pieces[i:])) > 1
    return piece.opens or sum(len(p.text) for p in _run(pieces[i - 1 :: -1])) > 1


def _number(pieces: list[_Piece], i: int) -> str:
    """The digits that go on from a piece, a hyphen in them aside: "1150-065"."""
    return "".join(p.text for p in takewhile(lambda p: p.kind == "digits" or p.text == "-", pieces[i:])).replace(
        "-", ""
    )


def _in_code(pieces: list[_Piece], i: int) -> bool:
    """Whether a piece goes on with a code: letters and digits back to where one began."""
    while i and pieces[i - 1].kind in ("spelled", "digits"):
        i -= 1
        if pieces[i].coded:
            return True
    return False


def _run(pieces: Sequence[_Piece]) -> Iterator[_Piece]:
    """The letters that pieces begin with."""
    return takewhile(lambda p: p.kind == "spelled", pieces)
