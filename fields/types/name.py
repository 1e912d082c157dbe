"""Names of people, as spelled, Unicode NFC, straight apostrophes.

Why nothing is assumed about names: https://www.w3.org/International/questions/qa-personal-names

>>> from langgraph_readback.fields import catalogue, hear
>>> hear(catalogue["name"], "siobhan o'connor, s i o b h a n, o apostrophe c o n n o r").value
"Siobhan O'Connor"
>>> hear(catalogue["name"], "m or n i can't remember").reason.code
'unsure'
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection

import regex

from langgraph_readback.fields.hearing import explained, words, written
from langgraph_readback.fields.hearing.lexer import Utterance
from langgraph_readback.fields.hearing.tokens import Kind
from langgraph_readback.fields.locales import section
from langgraph_readback.fields.readback import Chunk, spellable
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types.common import failed, mixed_scripts, nothing, once, spans_of, spelled_share
from langgraph_readback.outcome import Reading, Reason, Verdict

ASKS = ("natural", "groups")
VALUE = regex.compile(r"[\p{L}\p{M}](?:[\p{L}\p{M}'.\- ]*[\p{L}\p{M}.])?")
ATTACHED = frozenset("-'.")
LONGEST = 100
COUNTED = frozenset({Kind.DIGIT, Kind.NUMBER, Kind.REPEAT})
MOST_COUNTED = 3
"""Number words in a row that may still be a name ("Seven Eleven")."""
ANY_WORD = True
"""Any word may be a name, so a remark ("operator") is looked for first."""


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """Words and spellings after the last carrier; remarks set off by a pause are left out."""
    utterance = written.bound(utterance)
    first, last = bounds(utterance)
    if not _could_be(utterance, first, last):
        return nothing()
    if (swapped := _family_first(utterance, first, last)) is not None:
        return swapped
    if (told := explained.read(utterance)) is not None:
        return failed(told.doubt) if told.doubt else _explained(told.text, spec, ask)
    read = words.read(utterance, first, last, digits=False)
    if read.doubt:
        return failed(read.doubt)
    items = once(read.items)
    value = title(join(items), utterance, dictated(items))
    if not value:
        return nothing()
    verdict = check(value, spec, ask)
    if verdict.reason is not None:
        return Reading(reason=verdict.reason)
    return Reading(value=value, evidence=spelled_share(items), spans=spans_of(utterance, value, items))


def _explained(value: str, spec: FieldSpec, ask: Ask) -> Reading:
    reason = check(value, spec, ask).reason if value else Reason(code="nothing_heard")
    return Reading(reason=reason) if reason else Reading(value=value, evidence="mixed")


def _family_first(utterance: Utterance, first: int, last: int) -> Reading | None:
    """Jo McAllister from "last name McAllister, first name Jo", where given names come first; else None."""
    labels = [(i, m.out) for i in range(first, last) if (m := utterance.tokens[i].get(Kind.CLASSIFIER)) is not None]
    named = [(i, out) for i, out in labels if out in ("family", "given")]
    if [out for _, out in named] != ["family", "given"] or utterance.lexicon.data.get("family_first"):
        return None
    (family, _), (given, _) = named
    return failed("ambiguous") if family != first else _joined_parts(utterance, (given + 1, last), (family + 1, given))


def _joined_parts(utterance: Utterance, *parts: tuple[int, int]) -> Reading:
    reads = [words.read(utterance, start, end, digits=False) for start, end in parts]
    if doubt := next((r.doubt for r in reads if r.doubt), None):
        return failed(doubt)
    dictation = frozenset().union(*(dictated(r.items) for r in reads))
    value = title(" ".join(join(r.items) for r in reads), utterance, dictation)
    return Reading(value=value, evidence=spelled_share([i for r in reads for i in r.items]))


def _could_be(utterance: Utterance, first: int, last: int) -> bool:
    """Whether the stretch may be a name at all: not only "yes" and "no", no denial ("not important"), no number."""
    tokens = utterance.tokens[first:last]
    if tokens and Kind.NOT in tokens[0].kinds and len(tokens) > 1 and tokens[1].plain:
        return False
    if len(tokens) > MOST_COUNTED and all(t.kinds & COUNTED for t in tokens):
        return False
    return not all(t.kinds & {Kind.REPAIR, Kind.FILLER, Kind.NOT, Kind.END} for t in tokens)


def bounds(utterance: Utterance) -> tuple[int, int]:
    """First and last token of the value: after the carriers, before the first remark in ordinary prose."""
    tokens = utterance.tokens
    first = 0
    for i in range(len(tokens) - 1):
        if _leads(utterance, i, first):
            first = i + 1
    for i in range(first + 1, len(tokens)):
        if _remarks(utterance, i):
            return first, i
    return first, len(tokens)


def _leads(utterance: Utterance, i: int, first: int) -> bool:
    """Whether a token only leads to the value: "my name is", "um"."""
    token, after = utterance.tokens[i], utterance.tokens[i + 1]
    if token.glued or (after.glued and Kind.SYMBOL in after.kinds):
        return False
    if Kind.CARRIER in token.kinds and (i == first or " " in token.text or token.pause):
        titled = not utterance.voice and token.raw.istitle() and after.raw.istitle()
        return " " in token.text or not titled
    return Kind.FILLER in token.kinds and i == first


def _remarks(utterance: Utterance, i: int) -> bool:
    """Whether a remark starts here after a pause: "not right", "i only have one name"."""
    token = utterance.tokens[i]
    if not token.pause:
        return Kind.AND in token.kinds and _talks(utterance, i + 1)
    if _restates(utterance, i):
        return True
    if Kind.NOT in token.kinds:
        after = utterance.tokens[i + 1].kinds if i + 1 < len(utterance.tokens) else frozenset()
        return Kind.REPAIR not in token.kinds and not after & {Kind.LETTER, Kind.SYMBOL}
    if Kind.PROSE in token.kinds and Kind.LETTER not in token.kinds:
        return i + 1 >= len(utterance.tokens) or len(utterance.tokens[i + 1].text) > 1
    return token.text == "i" and _talks(utterance, i)


def _talks(utterance: Utterance, i: int) -> bool:
    """Whether ordinary talk goes on here: "i was charged twice"."""
    token, after = (utterance.tokens[j] if j < len(utterance.tokens) else None for j in (i, i + 1))
    if token is None:
        return False
    return Kind.PROSE in token.kinds or (token.text == "i" and after is not None and Kind.PROSE in after.kinds)


def _restates(utterance: Utterance, i: int) -> bool:
    """Whether words said before are only talked about: "pieter van der merwe, van der merwe is three words"."""
    tokens = utterance.tokens
    if i + 1 >= len(tokens) or tokens[i + 1].pause:
        return False
    end = next((j for j in range(i + 1, len(tokens)) if tokens[j].pause), len(tokens))
    if Kind.JOIN not in tokens[end - 1].kinds or end - 1 <= i:
        return False
    said = {t.text for t in tokens[:i]}
    return all(t.text in said or t.kinds & {Kind.CARRIER, Kind.FILLER} for t in tokens[i : end - 1])


def join(items: tuple[words.Item, ...]) -> str:
    """Words with a space between, symbols attached to both sides."""
    out = ""
    glued = True
    for item in items:
        if item.kind == "symbol":
            attached = item.text in ATTACHED
            out = (out.rstrip() if attached else out) + item.text
            glued = attached or item.text == " "
            continue
        out += item.text if glued else " " + item.text
        glued = False
    return " ".join(unicodedata.normalize("NFC", out).split())


def dictated(items: tuple[words.Item, ...]) -> frozenset[str]:
    """The spelled words whose capitals were named."""
    return frozenset(i.text for i in items if i.kind == "spelled" and i.text != i.text.lower())


def title(text: str, utterance: Utterance, exact: Collection[str] = ()) -> str:
    """Capitals as usual; a name typed in mixed case keeps its own, and so do the words in ``exact``."""
    if not utterance.voice and not text.islower() and not text.isupper():
        return text
    particles = frozenset(utterance.lexicon.data.get("particles", ()))
    parts = text.split(" ")
    prefixes = tuple(utterance.lexicon.data.get("name_prefixes", ()))
    return " ".join(p if p in exact else _usual(p, particles if n else (), prefixes) for n, p in enumerate(parts))


def _usual(word: str, particles: Collection[str], prefixes: tuple[str, ...]) -> str:
    return word.lower() if word.lower() in particles else capital(word, prefixes)


def capital(word: str, prefixes: tuple[str, ...] = ()) -> str:
    """``o'neill`` -> ``O'Neill``, ``smith-jones`` -> ``Smith-Jones``; prefixed ``mcallister`` -> ``McAllister``."""
    pieces = regex.split(r"([-'])", word.lower())
    return "".join(
        _capital(p, prefixes) if n == 0 or pieces[n - 1] == "-" or len(p) > 1 else p for n, p in enumerate(pieces)
    )


def _capital(piece: str, prefixes: tuple[str, ...]) -> str:
    prefix = next((p for p in prefixes if piece.startswith(p) and len(piece) > len(p) + 2), "")
    rest = piece[len(prefix) :]
    return prefix[:1].upper() + prefix[1:] + rest[:1].upper() + rest[1:]


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """Letters, spaces, hyphens, apostrophes and full stops; one script a word."""
    if len(value) > LONGEST:
        return Verdict(reason=Reason(code="too_long"))
    if not VALUE.fullmatch(value) or unicodedata.normalize("NFC", value) != value:
        return Verdict(reason=Reason(code="bad_character"))
    if any(mixed_scripts(word) for word in value.split()):
        return Verdict(reason=Reason(code="lookalike_script"))
    return Verdict()


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """Each word as said and then spelled; a word of syllables or of letters without names here as said alone."""
    data = section(ask.locale, "hearing")
    particles, prefixes = frozenset(data.get("particles", ())), tuple(data.get("name_prefixes", ()))
    chunks: list[Chunk] = []
    for n, word in enumerate(value.split(" ")):
        if not spellable(word):
            chunks.append(Chunk("syllables", word))
            continue
        usual = word == _usual(word, particles if n else (), prefixes)
        chunks += [Chunk("word", word), Chunk("chars" if usual else "exact", word)]
    return tuple(chunks)
