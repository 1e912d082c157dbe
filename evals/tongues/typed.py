"""The typed channel in other languages: keyboard typos in Latin script, look-alikes of input methods in the others."""

from __future__ import annotations

import random
from collections.abc import Callable

import phonenumbers

from langgraph_readback.evals import typed as english
from langgraph_readback.evals.rates import rates
from langgraph_readback.evals.score import exact
from langgraph_readback.evals.tasks import Item
from langgraph_readback.evals.tongues.line import near_word, similar
from langgraph_readback.evals.tongues.voices import voice


def written(item: Item) -> str:
    """The value as people type it in a form or a chat."""
    data = voice(item.locale.split("-")[0])
    if item.type in ("date", "dob"):
        year, month, day = (int(p) for p in item.value.split("-"))
        name = data["typed_months"][month - 1] if data["typed_months"] else ""
        return str(data["typed_date"]).format(day=day, month=month, year=year, name=name)
    if item.type == "time":
        hour, minute = (int(p) for p in item.value.split(":"))
        return str(data["typed_time"]).format(
            hour=hour, minute=minute, twelve=hour % 12 or 12, half=data["typed_halves"][hour >= 12]
        )
    if item.type == "phone":
        main, _, extension = item.value.partition(";ext=")
        shown = phonenumbers.format_number(phonenumbers.parse(main), phonenumbers.PhoneNumberFormat.NATIONAL)
        return shown + (f" {data['extension']} {extension}" if extension else "")
    return item.value


def typed(item: Item, variant: str, rng: random.Random, *, scale: float = 1.0) -> tuple[str, bool]:
    """What arrives, and whether the value is still all there. ``variant``: typos, autocorrect, pasted."""
    text = written(item)
    how: dict[str, Callable[[str, Item, random.Random, float], str]] = {"typos": _typos, "autocorrect": _autocorrect}
    faulty = how[variant](text, item, rng, scale) if variant in how else text
    clean = faulty == text or exact(faulty, item.value, item.type)
    return (english._dressed(faulty, item, variant, rng) if scale else faulty), clean  # noqa: SLF001


def _typos(text: str, item: Item, rng: random.Random, scale: float) -> str:
    if text.isascii() or voice(item.locale.split("-")[0])["latin"]:
        return english._typos(text, item, rng, scale)  # noqa: SLF001
    rate = 1 - (1 - rates()["typed"]["neighbour"] * scale) ** len(text)
    return similar(rng, text, item.locale.split("-")[0]) if rng.random() < rate else text


def _autocorrect(text: str, item: Item, rng: random.Random, scale: float) -> str:
    if item.type in ("email", "phone", "date", "dob", "time", "code") or item.tier == "easy":
        return text
    out = []
    for word in text.split(" "):
        hit = word.isalpha() and word.lower() not in voice(item.locale.split("-")[0])["known"]
        near = near_word(rng, word.lower(), item.type, item.locale.split("-")[0]) if hit else ""
        out.append(near.capitalize() if near and rng.random() < rates()["typed"]["autocorrect"] * scale else word)
    return " ".join(out)
