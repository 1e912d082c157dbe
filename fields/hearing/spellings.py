"""Spellings and the words they spell: "siobhan, s i o b h a n". The spelling is authoritative.

A spelling takes the place of the words before it that it sounds like. One that spells nothing said before is a
piece of its own. One that was announced ("that's ...") and sounds like nothing said is a contradiction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import regex
from rapidfuzz.distance import JaroWinkler, Levenshtein

from langgraph_readback.fields.hearing.accents import fold
from langgraph_readback.fields.hearing.tokens import Kind, Token

SOUNDS_LIKE = 0.6
"""Least similarity (Jaro-Winkler, 0 to 1) of a word and a spelling for the spelling to be of that word."""
TOLD_LIKE = 0.5
"""The same for a spelling that a phrase announced."""
SAME_WORD = 0.8
"""The same for each of several words that are spelled one after the other."""
SAME_BLOCK = 0.88
"""Least similarity of several words and several spellings for these to be a spelling of those."""
FAR = 3
"""Times a block's length at which nothing can be as alike as ``SAME_BLOCK`` any more (Jaro-Winkler's bound is 2.5)."""
LATIN = regex.compile(r"\p{Latin}|[0-9]")
HANGUL = regex.compile(r"\p{Hangul}")
INNER = frozenset("'-")


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of a value. ``kind``: word, spelled, digits, symbol. ``first``/``last``: its tokens.

    ``pause``: set off by a pause before it. ``told``: a phrase like "that's" announced it as a spelling.
    """

    kind: str
    text: str
    first: int
    last: int
    pause: bool = False
    told: bool = False


def likeness(a: str, b: str) -> float:
    """How alike two words are, 0 to 1, case and accents aside."""
    return JaroWinkler.similarity(fold(a), fold(b))


def begins(token: Token, behind: Token) -> bool:
    """Whether a token is the first syllable of a word that its script sets apart: "에" of "에코"."""
    return behind.glued and not token.glued and HANGUL.match(token.text) is not None


def near(tokens: Sequence[Token], first: int, last: int, text: str) -> bool:
    """Whether the word next to tokens ``first`` to ``last`` is ``text``."""
    beside = [tokens[j].text for j in (first - 1, last) if 0 <= j < len(tokens)]
    return any(fold(word) == fold(text) for word in beside)


def spellings(items: list[Item], tokens: Sequence[Token]) -> tuple[list[Item], str | None]:
    """The items with each spelling in the place of what it spells, and a doubt (``spelling_contradiction``)."""
    items = compounds(items, tokens)
    out: list[Item] = []
    doubt = None
    i = 0
    while i < len(items):
        item = items[i]
        i += 1
        if item.kind == "spelled":
            if (end := _each(out, items, i - 1) or _block(out, items, i - 1)) is not None:
                i = end
                continue
            runs_on = i < len(items) and items[i].kind == "word" and not items[i].pause
            if not _spell(out, item, runs_on=runs_on):
                doubt = "spelling_contradiction"
        elif not (item.kind == "word" and out and item.pause and _echo(out[-1], item)):
            out.append(item)
    return out, doubt


def _each(out: list[Item], items: list[Item], i: int) -> int | None:
    """Words spelled one by one, a space named between: "walla mill lane, w a l l a, space, m i l l". As ``_block``."""
    end = i + 1
    while end + 1 < len(items) and items[end].text == " " and items[end + 1].kind == "spelled":
        end += 2
    if end == i + 1:
        return None
    places: list[int] = []
    for piece in reversed(items[i:end:2]):
        ahead = range(places[-1] if places else len(out))
        alike = [(likeness(out[k].text, piece.text), k) for k in ahead if out[k].kind == "word"]
        likely, place = max(alike, default=(0.0, -1))
        if likely < SAME_WORD:
            return None
        places.append(place)
    for place, piece in zip(reversed(places), items[i:end:2], strict=True):
        out[place : place + 1] = _aligned([out[place]], piece)
    return end


def _block(out: list[Item], items: list[Item], i: int) -> int | None:
    """Several pieces spelled again: "kim dot lee, k i m dot l e e". Replaces them; returns where the block ends."""
    end = i
    while (
        end < len(items)
        and items[end].kind != "word"
        and (end == i or items[end].kind == "symbol" or not items[end].pause)
    ):
        end += 1
    block = items[i:end]
    if len(block) < 2 or not (block[0].pause or block[0].told) or not out or out[-1].kind == "symbol":
        return None
    best, k = _likest(out, fold("".join(i.text for i in block)))
    if best < SAME_BLOCK:
        return None
    out[k:] = [replace(piece, told=True) for piece in block]
    return end


def _likest(out: list[Item], text: str) -> tuple[float, int]:
    """How alike a block is to the pieces from some one on, several with a word among them, and where these begin.

    Pieces more than ``FAR`` times as long as the block are not looked at.
    """
    best, place, joined, worded = 0.0, 0, "", False
    for k in range(len(out) - 1, -1, -1):
        joined = fold(out[k].text) + joined
        if len(joined) > FAR * len(text):
            break
        worded = worded or (out[k].kind == "word" and len(out[k].text) > 1)
        if worded and k < len(out) - 1 and (alike := JaroWinkler.similarity(joined, text)) > best:
            best, place = alike, k
    return best, place


def _spell(out: list[Item], item: Item, *, runs_on: bool = False) -> bool:
    """Put one spelling where it belongs; False when it was announced and spells nothing said.

    ``runs_on``: a word follows it without a pause ("एम जी रोड"), so that it may be the beginning of a name.
    """
    if (place := _spelled_word(out, item, runs_on=runs_on)) is not None:
        first, count = place
        out[first : first + count] = _aligned(out[first : first + count], item)
        return True
    last = out[-1] if out else None
    if (
        last is not None
        and last.kind == "spelled"
        and (item.told or (item.pause and fold(last.text) == fold(item.text)))
    ):
        again = likeness(last.text, item.text) >= SOUNDS_LIKE
        if again:
            out[-1] = replace(item, first=last.first, pause=last.pause, told=True)
        else:
            out.append(item)
        return again
    if item.told and last is not None and last.kind == "word":
        again = likeness(last.text, item.text) >= TOLD_LIKE
        if again:
            out[-1:] = _aligned([last], item)
        else:
            out.append(item)
        return again
    out.append(item)
    return True


def compounds(items: list[Item], tokens: Sequence[Token]) -> list[Item]:
    """A spelling with symbols in it is one spelling: "o apostrophe n e i l l"."""

    def written(item: Item) -> str:
        letter = tokens[item.first].get(Kind.LETTER)
        capital = letter is not None and letter.out.isupper()  # it was called a capital: no recogniser's habit
        return item.text if item.kind == "spelled" or capital else item.text.lower()

    out: list[Item] = []
    for item in items:
        joined = len(out) >= 2 and out[-1].kind == "symbol" and out[-1].text in INNER and _letters_only(out[-2])
        if joined and _letters_only(item) and out[-1].pause == item.pause:
            mark, before = out.pop(), out.pop()
            text = "".join(written(i) for i in (before, mark, item))
            out.append(Item("spelled", text, before.first, item.last, before.pause, before.told))
        else:
            out.append(item)
    return out


def _letters_only(item: Item) -> bool:
    return item.kind == "spelled" or (item.kind == "word" and len(item.text) == 1)


def _echo(spelled: Item, word: Item) -> bool:
    """A word said again after its spelling: "b o b, bob"."""
    return spelled.kind == "spelled" and not spelled.told and fold(spelled.text) == fold(word.text)


def _spelled_word(out: list[Item], item: Item, *, runs_on: bool) -> tuple[int, int] | None:
    """Which of the words before it a spelling spells: (position, how many)."""
    if out and out[-1].kind == "symbol":
        return None
    text = fold(item.text)
    best, place = 0.0, None
    words = [k for k, o in enumerate(out) if o.kind == "word" and len(o.text) > 1]
    for k in words:
        for count in (1, 2, 3):
            group = out[k : k + count]
            if len(group) < count or any(g.kind not in ("word", "symbol") for g in group):
                break
            if group[-1].kind != "word":
                continue
            joined = fold("".join(g.text for g in group if g.kind == "word"))
            exact = text in (joined, fold("".join(g.text for g in group)))
            alike = 1.0 if exact else JaroWinkler.similarity(joined, text)
            if count > 1 and alike < 0.9:
                continue
            twice = exact and best == 1.0 and place == (k - 1, 1) and not group[0].pause  # "rue rue, r u e"
            if alike > best + 1e-9 or twice:
                best, place = alike, (k, count)
    alone = item.pause and not runs_on
    if place is None and alone and out and out[-1].kind == "word" and _scripts_differ(out[-1].text, item.text):
        return len(out) - 1, 1
    if place is not None and best >= SOUNDS_LIKE and (best >= 0.8 or fold(out[place[0]].text)[:1] == text[:1]):
        return place
    return None


def _scripts_differ(word: str, spelling: str) -> bool:
    """Whether a word is written in another script than its spelling: "पूजा, P O O J A"."""
    return spelling.isascii() and not LATIN.search(word)


def _aligned(words: list[Item], item: Item) -> list[Item]:
    """The spelling as one item for each word it spells, cut where the words are cut."""
    whole = Item(item.kind, item.text, words[0].first, item.last, words[0].pause, told=True)
    if len(words) == 1:
        return [whole]
    joined = fold("".join(w.text for w in words if w.kind == "word"))
    text = item.text
    bounds, at = [], 0
    for word in [w for w in words if w.kind == "word"][:-1]:
        at += len(fold(word.text))
        bounds.append(_mapped(joined, text, at))
    if any(text[b - 1 : b] in INNER or text[b : b + 1] in INNER for b in bounds):
        return [whole]
    pieces = [text[a:b] for a, b in zip([0, *bounds], [*bounds, len(text)], strict=True)]
    out, n = [], 0
    for word in words:
        if word.kind == "word":
            out.append(Item(item.kind, pieces[n], word.first, word.last, word.pause, told=True))
            n += 1
        else:
            out.append(word)
    return out


def _mapped(source: str, target: str, at: int) -> int:
    """Where position ``at`` of ``source`` lies in ``target``."""
    for op in Levenshtein.opcodes(source, fold(target)):
        if op.src_start <= at <= op.src_end:
            return min(op.dest_start + (at - op.src_start), op.dest_end)
    return len(target)
