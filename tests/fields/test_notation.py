"""The notation of phrases, matching, and that every locale's ``reply.toml`` is well-formed and rich enough."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from langgraph_readback.fields import languages, locales
from langgraph_readback.fields.notation import Entry, Matcher, Parser
from langgraph_readback.fields.phrases import FORCES, PRIORITY, lexicon

OTHERS = frozenset({"abroad", "accents", "classes", "fold", "piece", "roles"})
LEAST = {"yes": 25, "no": 25} | dict.fromkeys(
    ("hedge", "repeat", "question", "wait", "handoff", "decline", "restart"), 12
)


def _ends(phrase: str, said: str) -> list[int]:
    """Where the phrase ends when it is said from the first word on."""
    node = Parser({"good": ["right", "all [so] fine"]}, str.split).phrase(phrase)
    matcher = Matcher([Entry(node, "yes", "phrases", 0)])
    words = tuple(said.split())
    return [stop for stop, state in matcher.walk(words, 0) if state.ends]


@pytest.mark.parametrize(
    ("phrase", "said", "ends"),
    [
        ("that is right", "that is right", [3]),
        ("that is right", "that is", []),
        ("that (is|was) right", "that was right", [3]),
        ("that is [so] right", "that is so right", [4]),
        ("that is [so] right", "that is right", [3]),
        ("(yes)+", "yes yes yes no", [1, 2, 3]),
        ("(yes [sir])+ thanks", "yes yes sir thanks", [4]),
        ("[oh] [well] yes", "well yes", [2]),
        ("it's <good>", "it's all fine", [3]),
        ("it's <good>", "it's all so fine", [4]),
        ("a (b|b c) d", "a b c d", [4]),
        ("a [b] [c]", "a c b", [1, 2]),
        ("(a|[b] c)+", "c a b c x", [1, 2, 4]),
    ],
)
def test_matching(phrase, said, ends):
    """Every stop at which the phrase is complete."""
    assert _ends(phrase, said) == ends


@pytest.mark.parametrize(
    ("phrase", "complaint"),
    [
        ("that (is", "is not closed"),
        ("that is)", "unbalanced"),
        ("[that] [is]", "nothing at all"),
        ("<bad>", "no class <bad>"),
        ("is it right?", None),
        ("it's a [yes)", "is not closed"),
    ],
)
def test_malformed_phrases_are_named(phrase, complaint):
    """The author of a locale is told which phrase is wrong, and why."""
    parser = Parser({}, lambda text: [] if text.endswith("?") else [text])
    with pytest.raises(ValueError, match=complaint or "is no word"):
        parser.phrase(phrase)


@pytest.mark.parametrize("language", languages())
def test_reply_file(language):
    """Known tables and forces only, no phrase twice under one label, enough of each, and every phrase parses."""
    data = tomllib.loads((files(locales) / language / "reply.toml").read_text(encoding="utf-8"))
    assert set(data) <= OTHERS | set(PRIORITY)
    for name in set(data) - OTHERS:
        assert set(data[name]) <= set(FORCES), name
    for name, least in LEAST.items():
        assert sum(len(data[name].get(force, ())) for force in FORCES) >= least, name
    assert lexicon(language).matcher.entries


@pytest.mark.parametrize("language", languages())
def test_the_same_phrase_is_not_both_yes_and_no(language):
    """Written out, no phrase stands under yes and under no (or a doubt)."""
    data = tomllib.loads((files(locales) / language / "reply.toml").read_text(encoding="utf-8"))
    phrases = {
        name: {p for f in FORCES for p in data.get(name, {}).get(f, ())}
        for name in ("yes", "no", "hedge", "but", "decline")
    }
    for name in ("no", "hedge", "but", "decline"):
        assert not phrases["yes"] & phrases[name], name
