"""How a recogniser writes down what it heard: plain words, cased words, or with digits and addresses formed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langgraph_readback.evals.speech import Tok
from langgraph_readback.evals.tasks import Item

TITLED = frozenset({"name", "property", "address", "company"})


def render(toks: Sequence[Tok], item: Item, writing: str) -> str:
    """``plain``: lower-case words; ``cased``: capitals and a full stop; ``digits``: numerals, addresses formed."""
    if writing == "digits":
        return _digits(toks, item)
    text = _joined([(t.text, t.kind) for t in toks])
    if writing == "plain":
        return text
    out = " ".join(_cased(t, item) if t.kind != "pause" else "," for t in toks).replace(" ,", ",").strip(" ,")
    return f"{out[:1].upper()}{out[1:]}." if out else ""


def _joined(parts: list[tuple[str, str]]) -> str:
    out = ""
    for text, kind in parts:
        out += "," if kind == "pause" else (" " if out else "") + text
    return re.sub(r",+", ",", out).strip(" ,")


def _cased(tok: Tok, item: Item) -> str:
    if tok.kind == "letter":
        return tok.text.upper() if len(tok.text) == 1 else tok.text
    if tok.kind == "word" and item.type in TITLED:
        return tok.text.title() if "'" not in tok.text else tok.text.capitalize()
    if tok.kind == "month":
        return tok.text.capitalize()
    return tok.text


def _digits(toks: Sequence[Tok], item: Item) -> str:
    """Digits joined in groups, numbers as numerals, an email in one flow as an address."""
    if item.type == "email" and sum(t.kind == "letter" for t in toks) < 3:
        core = [t for t in toks if t.gold]
        if core and all(t.kind in ("word", "letter", "digit", "symbol") for t in core):
            head = _joined([(t.text, t.kind) for t in toks[: toks.index(core[0])] if t.kind == "carrier"])
            whole = "".join(t.gold * t.times for t in core)
            trimmings = any(t.kind in ("wrong", "wrong_word", "repair", "filler") for t in toks)
            if not trimmings and "@" in whole and whole[0].isalnum():
                return f"{head} {whole}".strip()
    parts: list[tuple[str, str]] = []
    for tok in toks:
        text, kind = _numeral(tok, item), tok.kind
        glue = bool(parts) and kind in ("digit", "key") and parts[-1][1] in ("digit", "key")
        if glue:
            parts[-1] = (parts[-1][0] + text, kind)
        else:
            parts.append((text, kind))
    return _joined(parts)


def _numeral(tok: Tok, item: Item) -> str:
    if tok.kind in ("digit", "key") and tok.gold:
        return tok.gold * tok.times
    if tok.kind == "number" and tok.gold and item.type in ("medication", "address"):
        return tok.gold
    if tok.kind == "letter" and len(tok.text) == 1:
        return tok.text.upper()
    return _cased(tok, item)
