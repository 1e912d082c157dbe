"""What names on the net share: where they start in speech, their pieces, and what a host name may be.

Host names by email-validator, which follows RFC 1035, 5890 to 5893 and UTS 46, and the special-use names of
RFC 6761: https://github.com/JoshData/python-email-validator
"""

from __future__ import annotations

import tomllib
import unicodedata
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files

import regex
from email_validator import EmailNotValidError, validate_email

from langgraph_readback.fields.hearing import words
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.lexicon import AFTER
from langgraph_readback.fields.hearing.tokens import Kind, Meaning, Token
from langgraph_readback.fields.readback import Chunk, letter, voice_words
from langgraph_readback.fields.spec import Ask
from langgraph_readback.fields.types.common import LATIN, OTHER, mixed_scripts
from langgraph_readback.outcome import Reason

SUBJECT = "online"
"""The locale file with words that only these types read."""
EDGES = ".,;:!?\"'()[]<>"
LETTERS = frozenset({Kind.LETTER})


def start(utterance: Utterance) -> int:
    """The first token after what only introduces the name."""
    tokens = utterance.tokens
    links = utterance.lexicon.data.get("links", ())
    first, told = 0, False
    for i, token in enumerate(tokens):
        if _beside_symbol(utterance, i) or (not utterance.voice and glued(utterance, i)):
            continue
        phrase = Kind.CARRIER in token.kinds and " " in token.text
        link = token.text in links and i > first
        leads = i == first and len(token.text) > 1 and bool(token.kinds & {Kind.CARRIER, Kind.FILLER})
        if (phrase or link or (leads and not told)) and i + 1 < len(tokens):
            first, told = i + 1, told or phrase or link
    return first


def glued(utterance: Utterance, i: int) -> bool:
    """Whether token ``i`` is typed together with a neighbour, so that it is part of something."""
    tokens = utterance.tokens
    after = i + 1 < len(tokens) and tokens[i + 1].glued and not tokens[i + 1].pause
    return after or (tokens[i].glued and not tokens[i].pause)


def _beside_symbol(utterance: Utterance, i: int) -> bool:
    """Whether a token stands next to a symbol of the name ("mail dot example")."""
    beside = [j for j in (i - 1, i + 1) if is_symbol(utterance, j, exact=True) and not is_symbol(utterance, j, "@")]
    return utterance.voice and bool(beside)


def is_symbol(utterance: Utterance, i: int, out: str = "", *, exact: bool = False) -> bool:
    """Whether token ``i`` is a symbol (this one), for sure where ``exact``."""
    if not 0 <= i < len(utterance.tokens):
        return False
    symbol = utterance.tokens[i].get(Kind.SYMBOL)
    return symbol is not None and (not out or symbol.out == out) and not (exact and symbol.cost)


def end(utterance: Utterance, first: int) -> int:
    """Where the talk after a name starts: "no w w w", "that's all", or prose set off by a pause."""
    tokens = utterance.tokens
    for i in range(first + 1, len(tokens)):
        token = tokens[i]
        if Kind.NOT in token.kinds and _letters(utterance, i + 1) > 1:
            return i
        if token.pause and Kind.PROSE in token.kinds and not token.kinds & {Kind.LETTER, Kind.SPELL}:
            return i
    return len(tokens)


def _letters(utterance: Utterance, i: int) -> int:
    """How many single letters stand from token ``i`` to the end or the next pause."""
    count = 0
    for token in utterance.tokens[i:]:
        if Kind.LETTER not in token.kinds or token.pause:
            break
        count += 1
    return count


def _lowered(token: Token) -> Token:
    return Token(token.text, token.text, token.start, token.end, token.pause, token.glued, token.meanings, token.kinds)


def quiet(utterance: Utterance) -> Utterance:
    """A spoken utterance without its capitals, but for the letters that were called capital.

    A recogniser's capitals say nothing of a name on the net.
    """
    if not utterance.voice:
        return utterance
    tokens: list[Token] = []
    for token in utterance.tokens:
        case = tokens[-1].get(Kind.CASE) if tokens else None
        own = token.get(Kind.LETTER)
        if (
            case is not None
            and case.out in ("upper", "lower")
            and own is not None
            and own.cost == 0
            and not token.pause
            and (case.number != AFTER or tokens[-1].pause)
        ):
            out = own.out.upper() if case.out == "upper" else own.out
            said = Meaning(Kind.LETTER, out, 0)
            before = tokens.pop()
            tokens.append(Token(out, own.out, before.start, token.end, before.pause, before.glued, (said,), LETTERS))
        else:
            tokens.append(_lowered(token))
    return replace(utterance, tokens=tuple(tokens))


def chunks(text: str, ask: Ask, kind: str = "chars") -> list[Chunk]:
    """Characters one by one; the letter O always with its spelling word, as nothing else keeps it from zero."""
    words_here = voice_words(ask.locale)
    oscar = words_here.get("spelling", {}).get("o")
    said: list[Chunk] = []
    for part in regex.split(r"([oO])", text) if oscar else [text]:
        if part in ("o", "O"):
            shown = str(words_here["as_in"]).format(letter=letter("o", words_here), word=oscar)
            named = str(words_here["capital"]).format(letter=shown) if part == "O" and kind == "exact" else shown
            said.append(Chunk("said", named))
        elif part:
            said.append(Chunk(kind, part))
    return said


def piece(item: words.Item, glue: str) -> str:
    """The characters of an item that may stand in a name."""
    return "".join(c for c in item.text if c.isalnum() or c in glue or unicodedata.combining(c))


def doubt(utterance: Utterance, items: tuple[words.Item, ...], text: str) -> str | None:
    """Why what was said may be written otherwise, as a reason code; None when nothing speaks against it.

    Words of a script other than Latin: nobody knows how they are written in a name on the net.
    """
    if utterance.voice and OTHER.search(text) is not None:
        return "needs_spelling"
    return "ambiguous" if homophone(utterance, items) else None


def homophone(utterance: Utterance, items: tuple[words.Item, ...]) -> bool:
    """Whether a word may as well be a digit ("fox for you": fox4you?), or a digit a letter ("fox o seven")."""
    settled = utterance.lexicon.data.get("between_digits", False)  # words.Reader took only those among digits
    for item in items if utterance.voice else ():
        tokens = utterance.tokens[item.first : item.last]
        if item.kind == "word" and len(tokens) == 1 and len(item.text) > 1:
            digit = tokens[0].get(Kind.DIGIT)
            if digit is not None and digit.cost:
                return True
        sounds = any(len(t.text) == 1 and t.kinds >= {Kind.LETTER, Kind.DIGIT} for t in tokens)
        if item.kind == "digits" and not settled and sounds:
            return True
    return False


@lru_cache(maxsize=1)
def _lookalikes() -> tuple[frozenset[str], ...]:
    text = (files("langgraph_readback.fields") / "data" / "lookalikes.toml").read_text(encoding="utf-8")
    return tuple(frozenset(letters) for letters in tomllib.loads(text).values())


def imitates(text: str) -> bool:
    """Whether a text mixes Latin with another script, or has only letters that pass for Latin ones."""
    if text.isascii():
        return False
    if mixed_scripts(text):
        return True
    letters = {c for c in text.lower() if c.isalpha()}
    return not LATIN.search(text) and any(letters <= script for script in _lookalikes())


def in_script(host: str) -> str:
    """A host name in its own script where it was typed in Punycode ("xn--..."); else as it is."""
    if "xn--" not in host:
        return host
    try:
        return str(validate_email(f"x@{host}", check_deliverability=False).domain)
    except EmailNotValidError:
        return host


def host_refusal(host: str) -> Reason | None:
    """Why a host name cannot be; None when it can."""
    labels = host.split(".")
    if len(labels) < 2 or not labels[-1]:
        return Reason(code="no_tld")
    if any(imitates(label) for label in labels):
        return Reason(code="lookalike_script")
    if len(labels[-1]) < 2 or labels[-1].isdigit():
        return Reason(code="no_tld")
    try:
        found = validate_email(f"x@{host}", check_deliverability=False)
    except EmailNotValidError:
        return Reason(code="bad_syntax")
    return None if found.domain in (host, host.lower()) else Reason(code="bad_syntax")
