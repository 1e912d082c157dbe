"""What words, numbers and whole phone numbers are taken for when they are not heard right."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache

from rapidfuzz import fuzz, process

from langgraph_readback.evals.numbers import number_words, ordinal_words
from langgraph_readback.evals.rates import DIGITS, pick
from langgraph_readback.evals.speech import Tok, lexicon, words


def similar(rng: random.Random, text: str, language: str) -> str:
    """A homophone, or a slip of one or two letters."""
    for group in words(language)["homophones"]:
        if text in group and rng.random() < 0.6:
            return str(rng.choice([w for w in group if w != text]))
    chars = list(text)
    for _ in range(rng.choice((1, 1, 2))):
        place = rng.randrange(len(chars))
        if rng.random() < 0.35 and len(chars) > 3:
            del chars[place]
        elif rng.random() < 0.2:
            chars.insert(place, chars[place])
        else:
            chars[place] = pick(rng, chars[place], "said")
    return "".join(chars)


def near_word(rng: random.Random, text: str, kind: str, language: str, otherwise: str) -> str:
    """A known word that is near, of the same kind of detail."""
    pool = words(language)["vocabulary"].get(kind) or tuple(sorted(words(language)["common"]))
    near = [w for w, _, _ in process.extract(text, pool, scorer=fuzz.ratio, limit=6) if w != text]
    return str(rng.choice(near[:4])) if near else otherwise


def near_number(rng: random.Random, tok: Tok, language: str) -> str:
    """``text|gold`` of what a number, month or half of the day is taken for; empty: not heard."""
    data = lexicon(language)
    if tok.kind == "half":
        night = {"am": "in the afternoon|pm", "pm": "in the morning|am"}
        short = {"am": "p m|pm", "pm": "a m|am"}
        return (short if len(tok.text) == 3 else night)[tok.gold]
    if tok.kind == "month":
        month = (int(tok.gold) - 1 + rng.choice((1, 11))) % 12
        return f"{data['months'][month]}|{month + 1}"
    near = words(language)["numbers"].get(tok.text)
    if near:
        text = rng.choice(near)
        return f"{text}|{_value_of(text)}"
    head, _, last = tok.text.rpartition(" ")
    swapped = words(language)["numbers"].get(last)
    if swapped and head:
        text = f"{head} {swapped[0]}"
        return f"{text}|{_value_of(text)}" if _value_of(text) else ""
    return ""


def broken(toks: list[Tok], what: str, as_symbol: Callable[[Tok, str], Tok]) -> list[Tok]:
    """A phone number with one break in it; ``what`` is the kind, the place (0 to 1) and a count."""
    kind, where, count = what.split()
    digits = [i for i, t in enumerate(toks) if t.kind == "digit"]
    zeros = [i for i in digits if toks[i].gold == "0"]
    if len(digits) < 2 or (kind == "zero" and not zeros):
        return toks
    spot = digits[min(len(digits) - 2, int(float(where) * len(digits)))]
    after = digits[digits.index(spot) + 1]
    out = list(toks)
    if kind == "extra":
        out.insert(spot, out[spot])
    elif kind == "falter":
        out[spot:spot] = [out[spot], Tok("filler", "uh")]
    elif kind == "swap":
        out[spot], out[after] = out[after], out[spot]
    elif kind == "change":
        out[spot] = as_symbol(out[spot], pick(random.Random(what), toks[spot].gold, "said", DIGITS))
    elif kind == "zero":
        del out[zeros[int(float(where) * len(zeros))]]
    else:
        cut = digits[-int(count)]
        out = [t for i, t in enumerate(out) if i < cut and t.text != "extension"] if count != "3" else out[:cut]
    return out


@lru_cache(maxsize=256)
def _value_of(text: str) -> str:
    for value in range(1000):
        if text == number_words(value) or (0 < value < 32 and text == ordinal_words(value)):
            return str(value)
    return ""
