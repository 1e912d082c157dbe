"""The typed channel: what arrives when the caller writes instead of speaking.

Typos by keyboard neighbour, O for 0 and l for 1, a capital at the front, a full stop and a space at the end, smart
punctuation, autocorrect, and what comes along with a paste. Retyping is a fresh draw.
"""

from __future__ import annotations

import random

import phonenumbers
from rapidfuzz import fuzz, process

from langgraph_readback.evals.rates import rates
from langgraph_readback.evals.score import exact
from langgraph_readback.evals.speech import lexicon, words
from langgraph_readback.evals.tasks import Item

_ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
_LOOKS = {"0": "O", "O": "0", "o": "0", "l": "1", "1": "l", "I": "l"}
_DECOYS = ("\u00a0", "  ", "\n", "\t")


def written(item: Item) -> str:
    """The value as people type it in a form or a chat."""
    if item.type in ("date", "dob"):
        year, month, day = (int(p) for p in item.value.split("-"))
        name = str(lexicon(item.locale.split("-")[0])["months"][month - 1]).capitalize()
        return f"{name} {day}, {year}" if item.region == "US" else f"{day} {name} {year}"
    if item.type == "time":
        hour, minute = (int(p) for p in item.value.split(":"))
        return f"{hour % 12 or 12}:{minute:02d} {'AM' if hour < 12 else 'PM'}"
    if item.type == "phone":
        main, _, extension = item.value.partition(";ext=")
        kind = (
            phonenumbers.PhoneNumberFormat.INTERNATIONAL
            if item.options.get("international")
            else phonenumbers.PhoneNumberFormat.NATIONAL
        )
        return phonenumbers.format_number(phonenumbers.parse(main), kind) + (f" ext. {extension}" if extension else "")
    return item.value


def typed(item: Item, variant: str, rng: random.Random, *, scale: float = 1.0) -> tuple[str, bool]:
    """What arrives, and whether the value is still all there. ``variant``: typos, autocorrect, pasted."""
    text = written(item)
    faulty = {"typos": _typos, "autocorrect": _autocorrect, "pasted": lambda t, *_: t}[variant](text, item, rng, scale)
    return (faulty if not scale else _dressed(faulty, item, variant, rng)), faulty == text or exact(
        faulty, item.value, item.type
    )


def _typos(text: str, item: Item, rng: random.Random, scale: float) -> str:
    table = rates()["typed"]
    out: list[str] = []
    alike = bool(item.pattern) or any(c.isdigit() for c in text)
    for char in text:
        if alike and char in _LOOKS and rng.random() < table["look_alike"] * scale:
            out.append(_LOOKS[char])
        elif char.isalnum() and rng.random() < table["neighbour"] * scale:
            out.append(_neighbour(char, rng))
        elif not (char.isalnum() and rng.random() < table["dropped"] * scale):
            out.append(char)
    return "".join(out)


def _neighbour(char: str, rng: random.Random) -> str:
    for row in _ROWS:
        place = row.find(char.lower())
        if place >= 0:
            near = row[max(0, place - 1) : place] + row[place + 1 : place + 2]
            picked = rng.choice(near)
            return picked.upper() if char.isupper() else picked
    return char


def _autocorrect(text: str, item: Item, rng: random.Random, scale: float) -> str:
    data = words(item.locale.split("-")[0])
    pool = data["vocabulary"].get(item.type, ())
    if not pool or item.type == "email":
        return text
    out = []
    for word in text.split(" "):
        known = word.lower() in data["common"] or word.lower() in data["known"] or not word.isalpha()
        if not known and rng.random() < rates()["typed"]["autocorrect"] * scale:
            near = process.extractOne(word.lower(), pool, scorer=fuzz.ratio)
            word = near[0].capitalize() if near and near[1] > 60 else word  # noqa: PLW2901
        out.append(word)
    return " ".join(out)


def _dressed(text: str, item: Item, variant: str, rng: random.Random) -> str:
    """What changes nothing of the value."""
    if variant == "pasted" and rng.random() < rates()["typed"]["pasted"]:
        lead = rng.choice(("", " ", "\u200b", "\u00a0", f"{item.field.replace('_', ' ').capitalize()}: "))
        return lead + text + rng.choice(_DECOYS)
    if variant == "autocorrect":
        text = text.replace("'", "\u2019")
        if item.type == "email" or rng.random() < 0.5:
            text = text[:1].upper() + text[1:]
        return text + rng.choice(("", ".", " ", ". "))
    return text + rng.choice(("", "", " ", "."))
