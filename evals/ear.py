"""The caller's ear: is the value that was read back the one I hold?

Words that are said pass when they sound alike; what is spelled must be exact; what is shown (chat) must be exact.
Works on the text of any agent, so it knows nothing of the loop's wording.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import phonenumbers
from rapidfuzz import fuzz

from langgraph_readback.evals.calendar_ear import Verdict, judge_date, judge_time
from langgraph_readback.evals.neutral import SPELLED_TYPES, Piece, composed, ear, in_runs, joined, pieces, spelling
from langgraph_readback.evals.parts import span
from langgraph_readback.evals.score import fold
from langgraph_readback.evals.speech import Tok, words
from langgraph_readback.evals.tasks import Item

_PHRASE = 5
"""How many pieces back a listener still connects a spelling with its word."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What the caller makes of a read-back; ``nearest`` is the folded value they think they heard."""

    verdict: Verdict
    nearest: str = ""


def judge(text: str, item: Item, *, seen: bool = False, label: frozenset[str] = frozenset()) -> Heard:
    """Judge a read-back of ``item``. ``seen``: the caller reads it on a screen, homophones do not pass."""
    if item.type in ("date", "dob"):
        return Heard(*judge_date(text, item))
    if item.type == "time":
        return Heard(*judge_time(text, item))
    language = item.locale.split("-")[0]
    own = frozenset(f"={w}" for w in re.findall(r"[^\W\d_]+", item.value.lower()) if len(w) > 1)
    for name in ear(language)["label_inside"].get(item.type, ()):
        text = re.sub(rf"\b{name}\b[:,]?", ",", text, flags=re.IGNORECASE)
    found = pieces(text, item.type, language, label=label | own)
    if item.type == "medication":
        found = [with_unit(p, language) for p in found]
    if not any(_telling(p) for p in found):
        return Heard("absent")
    return _search(merged(found), item, seen=seen)


def echoes(text: str, group: Sequence[Tok], item: Item, *, label: frozenset[str] = frozenset()) -> bool:
    """Whether an echo says the group that was just given, and nothing else of a value."""
    language = item.locale.split("-")[0]
    want = [a for tok in group for a in _atoms_of(tok, item, language)]
    own = frozenset(f"={t.text}" for t in group if t.kind == "word")
    found = [
        p
        for p in _composed(pieces(text, item.type, language, label=label | own), item)
        if p.kind not in ("comma", "stop")
    ]
    skipped = {
        " ",
        *(
            c
            for t in group
            if t.kind == "symbol" and not t.gold
            for c in _atoms_of(replace(t, gold="-"), item, language)
        ),
    }
    want = [a for a in want if a not in skipped]
    got = [(atom, p.frame) for p in found for atom in _atoms(p, language) if atom not in skipped]
    letters = spelling(language)
    wanted = "".join(want)
    for start in range(len(got)):
        heard, lettered = "", ""
        for end in range(start, len(got)):
            heard += got[end][0]
            lettered += letters.get(got[end][0], got[end][0])
            if wanted in (heard, lettered) and all(frame for _, frame in [*got[:start], *got[end + 1 :]]):
                return True
    return not wanted


def _atoms_of(tok: Tok, item: Item, language: str) -> list[str]:
    if tok.kind in ("letter", "digit", "spelling", "key"):
        return list(tok.gold * tok.times)
    if tok.kind == "symbol" and tok.gold:
        return ["and" if tok.gold == "&" else tok.gold]
    found = _composed(pieces(tok.text, item.type, language), item)
    return [a for p in found if p.kind not in ("comma", "stop") and tok.kind != "symbol" for a in _atoms(p, language)]


def _atoms(piece: Piece, language: str) -> list[str]:
    if piece.kind in ("letter", "digit"):
        return list(piece.text * piece.times)
    half = ear(language)["half"].get(piece.text)
    unit = ear(language)["unit"].get(piece.text)
    return [half or unit or ("and" if piece.text == "&" else piece.text)]


def _composed(found: list[Piece], item: Item) -> list[Piece]:
    return found if item.type in SPELLED_TYPES else composed(found)


def _search(found: list[Piece], item: Item, *, seen: bool) -> Heard:
    """Look for the value as a stretch of the text with nothing left over."""
    truth = target(item)
    size = sum(not c.isspace() for c in truth)
    lengths = [0, *itertools.accumulate(len(p.text.strip()) * p.times for p in found)]
    starts = [i for i in range(len(found)) if found[i].kind not in ("comma", "stop") and _edge(found, i - 1)]
    ends = [i for i in range(1, len(found) + 1) if found[i - 1].kind not in ("comma", "stop") and _edge(found, i)]
    for start in starts:
        for end in reversed(ends):
            if end <= start or not size - 4 <= lengths[end] - lengths[start] <= 3 * size + 4:
                continue
            said, spelled = joined(found[start:end], item.type)
            if same(reading(said, item), truth, spelled, item, seen=seen) and not _left_over(
                found, start, end, item, truth, seen=seen
            ):
                return Heard("right", truth)
    return Heard("wrong", _nearest(found, item, truth))


def _nearest(found: list[Piece], item: Item, truth: str) -> str:
    """The stretch between two pieces of talk that is most like the value."""
    best, score = "", -1.0
    for sentence in _sentences(found):
        cuts = [-1, *(i for i, p in enumerate(sentence) if p.frame and p.kind == "word"), len(sentence)]
        for low, high in itertools.pairwise(cuts):
            got = reading(joined(sentence[low + 1 : high], item.type)[0], item)
            near = fuzz.ratio(got, truth)
            if got and near > score:
                best, score = got, near
    return best


def _edge(found: list[Piece], place: int) -> bool:
    """Whether a value may begin or end beside this piece."""
    return place < 0 or place >= len(found) or found[place].kind in ("comma", "stop") or found[place].frame


def _telling(piece: Piece) -> bool:
    return piece.kind not in ("comma", "stop") and not piece.frame


def _left_over(found: list[Piece], start: int, end: int, item: Item, truth: str, *, seen: bool) -> bool:
    """Whether the rest of the text says anything of the value that does not fit."""
    notes = ear(item.locale.split("-")[0])["note"]
    for side in (_sentences(found[:start]), _sentences(found[end:])):
        for number, sentence in enumerate(side):
            rest = [p for p in sentence if _telling(p)]
            if not rest or any(p.text in notes for p in sentence):
                continue
            said, spelled = joined(rest, item.type)
            if same(reading(said, item), truth, spelled, item, seen=seen):
                continue
            beside = number == (len(side) - 1 if found[:start] and sentence is side[-1] else 0)
            if any(p.kind in ("letter", "digit", "number", "figure", "symbol") for p in rest) or (
                beside and _touches(found, start, end, sentence)
            ):
                return True
    return False


def _touches(found: list[Piece], start: int, end: int, sentence: list[Piece]) -> bool:
    """Whether the leftover sentence is the one the value stands in."""
    before = found[start - 1] if start else None
    after = found[end] if end < len(found) else None
    return any(p is before or p is after for p in sentence)


def _sentences(found: list[Piece]) -> list[list[Piece]]:
    out: list[list[Piece]] = [[]]
    for piece in found:
        if piece.kind == "stop":
            out.append([])
        else:
            out[-1].append(piece)
    return [s for s in out if s]


def merged(found: list[Piece]) -> list[Piece]:
    """Words that are spelled after they were said are one with their spelling: the spelling counts.

    The word is the one just before ("Wilson, W I L S O N") or one of the same phrase ("Wattle Street, W A T T L E").
    """
    runs = in_runs(found)
    out: list[Piece] = []
    place = 0
    while place < len(found):
        length, run = _run(found, runs, place)
        spot = _said_before(out, run) if run else None
        if spot is None:
            length = max(1, length) if run else 1
            out += found[place : place + length]
        else:
            low, high = spot
            letters = [p for p in found[place : place + length] if p.kind != "comma"]
            out[low:high] = [Piece("stop", "."), *letters, Piece("stop", ".")]
        place += length
    return out


def _said_before(out: list[Piece], run: str) -> tuple[int, int] | None:
    """Where in the phrase before stands the word that a run of letters spells; None when it spells a new one."""
    end = len(out)
    while end and (out[end - 1].kind in ("comma", "stop") or out[end - 1].text == " "):
        end -= 1
    start = end
    while start and out[start - 1].kind in ("word", "symbol", "number", "figure", "digit") and end - start < _PHRASE:
        start -= 1
    best: tuple[float, int, int] | None = None
    place = start
    while place < end:
        high = _compound(out, place, end)
        word = "".join(p.text for p in out[place:high])
        near = fuzz.ratio(run, word)
        like = len(run) > 2 and near > 55 and not out[place].frame
        fits = out[place].kind == "word" and (run == word or like)
        if fits and (best is None or near >= best[0]):
            best = (near, place, high)
        place = high
    return best and (best[1], best[2])


def _compound(found: list[Piece], place: int, limit: int) -> int:
    """Where a word ends that may be hyphenated."""
    end = place + 1
    while end + 1 < limit and found[end].text == "-" and found[end + 1].kind == "word" and found[place].kind == "word":
        end += 2
    return end


def _run(found: list[Piece], runs: list[bool], place: int) -> tuple[int, str]:
    """A run of letters from a place on, "J A M" or, when all are parted, "J, A, M": its length and its text."""
    start, out = place, ""
    while place < len(found):
        piece = found[place]
        if piece.kind == "letter" or (out and piece.text in ("'", "-")):
            out += piece.text * piece.times
        elif piece.kind == "comma" and place + 1 < len(found) and out:
            after, before = found[place + 1], found[place - 1]
            inside = after.kind == "letter" or after.text in ("'", "-")
            if not inside or runs[place + 1] or (before.kind == "letter" and runs[place - 1]):
                break
        else:
            break
        place += 1
    return place - start, out


def target(item: Item) -> str:
    """The value folded for comparison."""
    return fold(item.value, item.type)


def reading(text: str, item: Item) -> str:
    """What was read back, folded; a phone in national or international form alike."""
    if item.type == "phone":
        return _phone(text, item)
    if item.type == "address":
        return _with_code(fold(text, "address"), item)
    return fold(text, item.type)


def _with_code(text: str, item: Item) -> str:
    """The postcode at the end with the spaces of the truth: nobody hears where they are."""
    low, high = span(item, "code")
    code = fold(item.value[low:high], "address")
    end = len(text)
    for char in reversed(code.replace(" ", "")):
        end = len(text[:end].rstrip())
        if not end or text[end - 1] != char:
            return text
        end -= 1
    return f"{text[:end].rstrip()} {code}" if low else text


def _phone(text: str, item: Item) -> str:
    main, _, extension = text.partition(";")
    digits = re.sub(r"\D", "", main)
    ext = re.sub(r"\D", "", extension)
    truth = fold(item.value, "phone").partition(";")[0]
    cut = len(str(phonenumbers.parse(item.value.partition(";")[0]).country_code))
    if "+" not in main and digits in (truth[cut:], "0" + truth[cut:]):
        digits = truth
    return digits + (f";{ext}" if ext else "")


def same(got: str, truth: str, spelled: list[bool], item: Item, *, seen: bool) -> bool:
    """Whether the read-back is the value, by ear."""
    if got == truth:
        return True
    if seen or item.type in SPELLED_TYPES:
        return False
    mine, theirs = _units(truth), _units(got)
    if len(mine) != len(theirs):
        return False
    by_letter = "".join(theirs)
    mask = spelled if len(spelled) >= len(by_letter) else []
    return all(a == b or (_sounds(a, b) and not _was_spelled(b, got, mask)) for a, b in zip(mine, theirs, strict=True))


def _was_spelled(unit: str, got: str, mask: list[bool]) -> bool:
    place = got.find(unit)
    return bool(mask) and place >= 0 and any(mask[place : place + len(unit)])


def _units(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+|\d+|[^\w\s]|_", text)


@lru_cache(maxsize=4096)
def _sounds(one: str, two: str) -> bool:
    if any(one in g and two in g for g in words("en")["homophones"]):
        return True
    return bool(one.isalpha() and two.isalpha() and sound(one) == sound(two))


def sound(word: str) -> str:
    """A rough key of how an English word sounds: equal keys sound alike."""
    for pattern, into in _SOUND:
        word = re.sub(pattern, into, word)
    return word


_SOUND = (
    (r"ph", "f"), (r"ck|q(?=u)|x(?=c)", "k"), (r"^kn", "n"), (r"^wr", "r"), (r"gh(?=t|$)", ""), (r"sch|sh", "S"),
    (r"ce|ci|cy", "si"), (r"c(?!h)", "k"), (r"ai|ay|ei|ey|ae|ea(?=t)", "A"), (r"ee|ea|ie|y$|i$", "I"), (r"ou|ow", "W"),
    (r"oo|ue|ew", "U"), (r"oa|oe", "O"), (r"(.)\1+", r"\1"), (r"(?<=[a-zA-Z])e$", ""), (r"z", "s"), (r"y", "i"),
)  # fmt: skip


def with_unit(piece: Piece, language: str) -> Piece:
    """``milligrams`` as ``mg``."""
    unit = ear(language)["unit"].get(piece.text)
    return Piece("word", unit) if unit else piece
