"""The ears of the scripted arms: a whole utterance read plainly, by closed lists, with no validation at all.

It stands for an agent that listens and writes down. It is not ``hear``, so the baselines stay where they are when the
product gets better; with the line switched off it reads every type (tests/evals hold it to that).
"""

from __future__ import annotations

import re
from functools import lru_cache

import phonenumbers

from langgraph_readback.evals.calendar_ear import dates, times
from langgraph_readback.evals.ear import merged, with_unit
from langgraph_readback.evals.neutral import Piece, joined, pieces
from langgraph_readback.evals.speech import lexicon
from langgraph_readback.evals.tasks import Item

_ICAO = "|".join(sorted(lexicon("en")["icao"].values()))
_SPELLING_RUN = re.compile(rf"\b(?:{_ICAO})[ ,]+(?:{_ICAO})\b", re.IGNORECASE)
_RESTART = re.compile(r"^.*\b(?:let me start again|let me start over|start again)\b", re.DOTALL | re.IGNORECASE)
_CORRECTED = re.compile(r"\b(?:no,? (?:sorry|wait)|sorry,? no)\b", re.IGNORECASE)


def read(item: Item, text: str) -> str | None:
    """The value an utterance seems to hold, near its canonical form; None when there is nothing to write down."""
    text = _RESTART.sub("", text)
    text = _carriers(item.locale.split("-")[0], item.field).sub("", text)
    if item.type in ("date", "dob"):
        found = dates(_last(text), item) or dates(text, item)
        return "{:04d}-{:02d}-{:02d}".format(*min(found)) if found else None
    if item.type == "time":
        times_ = times(_last(text)) or times(text)
        return min(times_) if times_ else None
    said, _ = joined(merged(_kept(item, text)), item.type)
    if item.type == "phone":
        return _phone(said, item)
    if item.type == "address":
        said = _address(said)
    return said.strip() or None


@lru_cache(maxsize=64)
def _carriers(language: str, field: str) -> re.Pattern[str]:
    """The talk before a value, at its front."""
    data = lexicon(language)
    lines = [*data["carriers"].get(field, data["carriers"]["default"]), *data["fillers"], "no", "yes", "it's"]
    return re.compile(rf"^(?:\W*\b(?:{'|'.join(map(re.escape, lines))})\b[ ,]*)+", re.IGNORECASE)


def _last(text: str) -> str:
    """What comes after the last repair, for values that are said again whole."""
    return _CORRECTED.split(text)[-1]


def _kept(item: Item, text: str) -> list[Piece]:
    """The pieces of the value: talk around it dropped, what was taken back dropped."""
    language = item.locale.split("-")[0]
    own = frozenset(f"={w}" for w in re.findall(r"[^\W\d_]+", text.lower()) if len(w) > 1 and item.type in _WORDED)
    spelled = _SPELLING_RUN.search(text) or " as in " in text or re.search(r"\b\w for \w", text)
    found = pieces(_literal(text, item), item.type, language, label=frozenset("*") if spelled else own)
    if item.type == "company":
        found = [Piece("symbol", "&") if p.text == "and" else p for p in found]
    if item.type == "medication":
        found = [with_unit(p, language) for p in found]
    drop = _around(language, item.field)
    out: list[Piece] = []
    place = 0
    while place < len(found):
        two = " ".join(p.text for p in found[place : place + 2])
        if two in lexicon(language)["repairs"]:
            _take_back(out)
            place += 2
            while place < len(found) and found[place].kind in ("comma", "stop"):
                place += 1
            continue
        piece = found[place]
        talk = piece.kind == "word" and piece.text in drop
        if not talk or (item.type in _WORDED and _begun(out) and piece.text not in lexicon(language)["fillers"]):
            out.append(piece)
        place += 1
    return out


def _take_back(out: list[Piece]) -> None:
    while out and out[-1].kind in ("comma", "stop"):
        out.pop()
    if out:
        out.pop()
    while out and out[-1].kind == "comma":
        out.pop()


def _begun(out: list[Piece]) -> bool:
    return any(p.kind not in ("comma", "stop") for p in out)


def _literal(text: str, item: Item) -> str:
    return text.rstrip(". ") if item.type == "email" else text


def _phone(said: str, item: Item) -> str | None:
    main, _, extension = said.partition(";")
    digits = re.sub(r"[^\d+]", "", main)
    try:
        number = phonenumbers.parse(digits, item.region)
    except phonenumbers.NumberParseException:
        return digits or None
    ext = re.sub(r"\D", "", extension)
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164) + (f";ext={ext}" if ext else "")


def _address(said: str) -> str:
    said = re.sub(r"\b([a-z]{1,2}) ?(\d{1,2}) ?(\d) ?([a-z]{2})$", r"\1\2 \3\4", said)
    return re.sub(r"\b(\d+) ([a-z])\b(?! [a-z]\b)", r"\1\2", said)


@lru_cache(maxsize=64)
def _around(language: str, field: str) -> frozenset[str]:
    data = lexicon(language)
    lines = data["carriers"].get(field, data["carriers"]["default"])
    carriers = {w for line in lines for w in line.split()}
    return frozenset({*data["fillers"], *carriers, "no", "sorry", "wait", "yes"})


_WORDED = frozenset({"name", "address", "property", "company", "medication"})
