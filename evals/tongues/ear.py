"""The caller's ear in other languages: is what was read back the value I hold?

A text becomes atoms, each with the pieces of a value it may stand for; the ear looks for a way through all atoms of a
sentence that says the whole value. A word that was said may sound alike; what is spelled or shown must be exact; talk
around a value stands for nothing. A word and its spelling are the same stretch said twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import phonenumbers
import regex

from langgraph_readback.evals.score import fold
from langgraph_readback.evals.speech import Tok
from langgraph_readback.evals.tasks import Item
from langgraph_readback.evals.tongues.saying import CODES, text_of
from langgraph_readback.evals.tongues.voices import alike, plain, voice

Verdict = Literal["right", "wrong", "absent"]
_TOKEN = regex.compile(r"\d+(?:[.:]\d+)*|[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*|[@._+/&'-]|[,:;?!\n、，。？！।：]")
_STOP = frozenset(".?!\n。？！।")
_HAN = regex.compile(r"\p{Han}")
_SENTENCE = regex.compile(r"[.?!\n。？！।]")


@dataclass(frozen=True, slots=True)
class Atom:
    """A piece of a text: what it may stand for, if it may be nothing (``talk``), if it is a word (``said``)."""

    means: tuple[str, ...]
    talk: bool = False
    said: bool = False
    stop: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """What the caller makes of a read-back; ``missed`` is the first word of the value that was not in it."""

    verdict: Verdict
    missed: str = ""


def judge(text: str, item: Item, *, seen: bool = False) -> Heard:
    """Judge a read-back of ``item``. ``seen``: the caller reads it, sounds do not count."""
    language = item.locale.split("-")[0]
    if item.type in ("date", "dob", "time"):
        return Heard(_date(text, item, language) if item.type != "time" else _time(text, item, language))
    heard = sentences(text, language, item)
    telling = [s for s in heard if any(not a.talk for a in s)]
    if not telling:
        return Heard("absent")
    if any(_says(s, t, language, seen=seen) for s in telling for t in truths(item)):
        rest = [s for s in telling if not any(_says(s, t, language, seen=seen) for t in truths(item))]
        if not any(_codelike(a) for s in rest for a in s):
            return Heard("right")
    return Heard("wrong", _missed(telling, item, language))


def echoes(text: str, group: Sequence[Tok], item: Item) -> bool:
    """Whether an echo says the group that was just given, and nothing else of a value.

    The very words that the caller has just said are the group, whatever else they may stand for ("होटल").
    """
    language = item.locale.split("-")[0]
    if (spoken := _words(text_of(list(group), language))) and spoken in map(_words, _SENTENCE.split(text)):
        return True
    keep = item.type == "email"
    golds = [t.gold * t.times for t in group if t.gold and (any(c.isalnum() for c in t.gold) or keep or t.gold == ";")]
    truth = (tuple(plain(g.casefold()) for g in golds if g != ";"),)
    heard = [s for s in sentences(text, language, item) if any(not a.talk for a in s)]
    return not golds or any(_says(s, t, language, seen=False) for s in heard for t in truth)


def _words(text: str) -> str:
    return " ".join(regex.findall(r"[\p{L}\p{M}\p{N}]+", text.casefold()))


# --- what a value is, and whether a sentence says it ------------------------------------------------------------------


def truths(item: Item) -> list[tuple[str, ...]]:
    """The words of the value, folded as scores are; of a phone in national and international form."""
    if item.type == "phone":
        main, _, extension = item.value.partition(";ext=")
        number = phonenumbers.parse(main)
        national = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.NATIONAL)
        forms = ["".join(c for c in national if c.isdigit()), main[1:], f"00{main[1:]}"]
        return [(f, extension) if extension else (f,) for f in dict.fromkeys(forms)]
    if item.type == "email":
        return [tuple(regex.findall(r"[\p{L}\d]+|.", item.value))]
    if item.type in CODES:
        return [(fold(item.value, item.type).lower(),)]
    text = fold(item.value, item.type).replace("mcg", " mcg").replace("mg", " mg")
    return [tuple(regex.findall(r"\p{Han}|[[\p{L}\p{M}\d.]--\p{Han}]+", text, flags=regex.V1))]


def _says(sentence: Sequence[Atom], truth: tuple[str, ...], language: str, *, seen: bool) -> bool:
    """Whether there is a way through all atoms that says the whole value. State: where we are, how far we have been."""
    whole = "".join(truth)
    edges = [0]
    for word in truth:
        edges.append(edges[-1] + len(word))
    states = {(0, 0)}
    for atom in sentence:
        new: set[tuple[int, int]] = set()
        for at, far in states:
            starts = {at} | ({e for e in edges if e <= far} if at in edges else set())
            new |= {(at, far)} if atom.talk else set()
            for start in starts:
                new |= {(end, max(far, end)) for end in _ends(atom, whole, start, edges, language, seen=seen)}
        states = new
        if not states:
            return False
    return any(far == len(whole) and at in edges for at, far in states)


def _ends(atom: Atom, whole: str, start: int, edges: Sequence[int], language: str, *, seen: bool) -> list[int]:
    """Where the value goes on after an atom that stands for a piece of it from ``start`` on."""
    out = [start + len(m) for m in atom.means if m and whole.startswith(m, start)]
    if atom.said and not seen and start in edges:
        keys = {_key(m, language) for m in atom.means if m}
        out += [e for e in edges if e > start and _key(whole[start:e], language) in keys]
    return out


@lru_cache(maxsize=8192)
def _key(text: str, language: str) -> str:
    return str(alike(text, language))


def _codelike(atom: Atom) -> bool:
    return not atom.talk and not atom.said


def _missed(heard: Sequence[Sequence[Atom]], item: Item, language: str) -> str:
    """The first word of the value that no atom and no run of letters says."""
    said = {_key(m, language) for s in heard for a in s if a.said for m in a.means}
    run = "".join(a.means[0] for s in heard for a in s if not a.talk and not a.said and a.means)
    for word in truths(item)[0]:
        if len(word) > 1 and _key(word, language) not in said and word not in run:
            return word
    return ""


# --- text to atoms ------------------------------------------------------------------------------------------------


def sentences(text: str, language: str, item: Item) -> list[list[Atom]]:
    """The text as sentences of atoms."""
    out: list[list[Atom]] = [[]]
    marks = {voice(language)["decimal"].lower(), *voice(language)["ear"]["decimals"]}
    keep = frozenset({"*"} if item.type == "email" else marks if item.type == "medication" else ())
    for atom in _atoms(_tokens(text, language), language, keep=keep):
        if atom.stop:
            out.append([])
        else:
            out[-1].append(atom)
    return [s for s in out if s]


def _tokens(text: str, language: str) -> list[str]:
    """Words, figures, signs; in a script without spaces single characters, but for the phrases of the data."""
    text = regex.sub(r"\.(?=\s|$)", "。", text)
    found = [_stem(t, voice(language)) for t in _TOKEN.findall(text)]
    if not voice(language)["glued"]:
        return found
    phrases = sorted({*voice(language)["ear"]["frame"], *_names(language)}, key=len, reverse=True)
    out: list[str] = []
    for token in found:
        at = 0
        while at < len(token):
            size = next((len(p) for p in phrases if p and token.lower().startswith(p, at)), 0)
            if not size and not _HAN.match(token, at):
                following = _HAN.search(token, at)
                size = (following.start() if following else len(token)) - at
            out.append(token[at : at + max(1, size)])
            at += max(1, size)
    return out


@lru_cache(maxsize=16)
def _names(language: str) -> dict[str, tuple[str, ...]]:  # noqa: C901, PLR0912 - one loop a table of the data
    """Words and phrases that stand for characters, in small letters."""
    data = voice(language)
    out: dict[str, set[str]] = {}
    for char, name in data["letters"].items():
        out.setdefault(name, set()).add(plain(char).casefold())
    for table in (data["digits"], data["phone_digits"], *[h.values() for h in data["digit_habits"]]):
        for number, name in enumerate(table):
            if table in (data["digits"], data["phone_digits"]):
                out.setdefault(name, set()).add(str(number))
    for habit in data["digit_habits"]:
        for digit, name in habit.items():
            out.setdefault(name, set()).add(digit)
    for number, name in enumerate(data["numbers"]):
        if number > 9:
            out.setdefault(name, set()).add(str(number))
    for char, names in data["symbols"].items():
        for name in names:
            out.setdefault(name, set()).add(char)
    for unit, name in data["units"].items():
        out.setdefault(name, set()).add(unit)
    for name, means in data["ear"]["names"].items():
        out.setdefault(name, set()).add(means)
    for word, name in data["domains"].items():
        out.setdefault(name, set()).add(word)
    return {k.lower(): tuple(sorted(v)) for k, v in out.items()}


def _atoms(tokens: Sequence[str], language: str, *, keep: frozenset[str]) -> list[Atom]:
    """Atoms, longest names first. ``keep``: ``*`` when separators count (emails), else the words for a decimal mark."""
    data, names = voice(language), _names(language)
    spelling = {w.lower(): c for c, w in data["spelling"].items()}
    hints = frozenset(data["ear"]["hints"])
    out: list[Atom] = []
    at = 0
    while at < len(tokens):
        size = next(
            (n for n in (4, 3, 2) if " ".join(tokens[at : at + n]).lower() in names and at + n <= len(tokens)), 1
        )
        token = " ".join(tokens[at : at + size])
        low = token.lower()
        if _hinted(tokens, at, size, hints, out):
            at += 2
            continue
        atom = _atom(token, low, data, names, spelling, keep=keep)
        opens = len(token) == 1 and token.isupper() and tokens[at + 1 : at + 2] and tokens[at + 1][0].islower()
        out.append(replace(atom, talk=atom.talk or bool(opens and low in data["ear"]["frame"])))
        at += size
    return out


def _hinted(tokens: Sequence[str], at: int, size: int, hints: frozenset[str], out: Sequence[Atom]) -> bool:
    """Whether a hint word and its spelling word explain the letter just before them ("B de Barcelona")."""
    if size > 1 or tokens[at].lower() not in hints or at + 1 >= len(tokens) or not out or out[-1].said:
        return False
    return any(len(m) == 1 and plain(tokens[at + 1].lower()).startswith(m) for m in out[-1].means)


def _atom(
    token: str,
    low: str,
    data: dict[str, Any],
    names: dict[str, tuple[str, ...]],
    spelling: dict[str, str],
    *,
    keep: frozenset[str],
) -> Atom:
    if low in keep:
        return Atom((".",))
    signed = "*" in keep
    if low in _STOP and not (signed and low == "."):
        return Atom((), talk=True, stop=True)
    if regex.fullmatch(r"[,:;、，：]", token):
        return Atom((), talk=True)
    if token[0].isdigit():
        return Atom((token.replace(":", ""),))
    if not token[0].isalpha():
        return Atom((token,) if signed else (), talk=not signed)
    means = names.get(low, ())
    signs = [m for m in means if not m.isalnum()]
    if means and len(signs) == len(means):
        return Atom(tuple(signs) if signed else (), talk=not signed or low in data["ear"]["frame"])
    folded = plain(low.replace("'", "").replace("’", "")).casefold()
    talk = low in data["ear"]["frame"] and not (len(token) == 1 and token.isupper())
    letter = (spelling[low],) if low in spelling else ()
    if len(token) == 1 and token.isascii():
        return Atom((low, *means), talk=talk)
    exact = bool(means) and all(len(m) == 1 or m.isdigit() for m in means)
    return Atom((*means, folded, *letter), talk=talk, said=not exact)


def _stem(token: str, data: dict[str, Any]) -> str:
    """The word without the endings that the language's sentences put on a value."""
    for ending in data["ear"]["endings"]:
        if token.endswith(ending) and len(token) > len(ending):
            return token[: -len(ending)]
    return token


# --- dates and times ----------------------------------------------------------------------------------------------


def _date(text: str, item: Item, language: str) -> Verdict:
    """By its figures and the name of the month; digits said after the day must be the day's."""
    data = voice(language)
    year, month, day = (int(p) for p in item.value.split("-"))
    low = text.lower()
    named = [n for n, m in enumerate(data["months"], 1) if _word_in(m.lower(), low, glued=data["glued"])]
    figures = [int(f) for f in regex.findall(r"\d+", text)]
    months = data["ear"]["months"]
    if months and not named:
        named = [int(f) for f in regex.findall(rf"(\d+)\s*{months}", text)]
    if not figures and not named:
        return "absent"
    digits = [names.index(t.lower()) for t in _TOKEN.findall(text) if t.lower() in (names := list(data["digits"]))]
    if digits and not months and "".join(map(str, digits)).lstrip("0") != str(day):
        return "wrong"
    want = {day, year} | ({month} if not named or months else set())
    same = set(named) in ({month}, set()) and set(figures) == want and (named or len(figures) >= 3)
    return "right" if same else "wrong"


def _time(text: str, item: Item, language: str) -> Verdict:
    """By its figures and the part of the day."""
    data = voice(language)
    hour, minute = (int(p) for p in item.value.split(":"))
    low = text.lower()
    special = [k for k, names in data["ear"]["clock"].items() if any(n in low for n in names)]
    figures = [int(f) for f in regex.findall(r"\d+", text)]
    if special and len(figures) <= len(special):
        return "right" if item.value in special else "wrong"
    if not figures:
        return "absent"
    if len(figures) == 1:
        figures.append(0)
    parts = [(a, b) for name, (a, b) in data["ear"]["parts"].items() if _word_in(name, low, glued=data["glued"])]
    if figures[1] != minute or len(figures) > 2:
        return "wrong"
    if not parts:
        return "right" if figures[0] == hour and (hour > 12 or data["ear"]["by_24"]) else "wrong"
    fits = any((a <= hour <= b) if a <= b else (hour >= a or hour <= b) for a, b in parts)
    return "right" if figures[0] in (hour, hour % 12 or 12) and fits else "wrong"


def _word_in(word: str, text: str, *, glued: bool) -> bool:
    return (
        word in text
        if glued
        else bool(regex.search(rf"(?<![\p{{L}}\p{{M}}]){regex.escape(word)}(?![\p{{L}}\p{{M}}])", text))
    )
