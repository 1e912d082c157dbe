"""The stages of hearing, each by itself: text, tokens, numbers, edges, spellings, repairs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_readback.fields import FieldSpec, catalogue, hear
from langgraph_readback.fields.hearing import words
from langgraph_readback.fields.hearing.lattice import edges
from langgraph_readback.fields.hearing.lexer import lex
from langgraph_readback.fields.hearing.numbers import cardinals
from langgraph_readback.fields.hearing.text import clean
from langgraph_readback.fields.hearing.tokens import Kind

ORDER = FieldSpec(name="order_id", pattern=r"HL-\d{6}")


@pytest.mark.parametrize(
    ("original", "text"),
    [
        ("kim\u200b.lee", "kim.lee"),
        ("\u200ekim", "kim"),
        ("０７４００", "07400"),
        ("٠٧٤", "074"),
        ("a\u2011b\u2212c\u2013d", "a-b-c-d"),
        ("o\u2019connor", "o'connor"),
        ("a\u00a0b\u3000c", "a b c"),
        ("k\u0430te", "k\u0430te"),
        ("Sine\u0301ad", "Sinéad"),
        ("", ""),
    ],
)
def test_clean(original: str, text: str) -> None:
    """Outside and compatibility damage goes; look-alike letters stay as they are."""
    assert clean(original).text == text


@given(st.text(max_size=60))
def test_clean_keeps_offsets(original: str) -> None:
    """Every cleaned character points into the original, in order."""
    cleaned = clean(original)
    assert len(cleaned.offsets) == len(cleaned.text)
    assert list(cleaned.offsets) == sorted(cleaned.offsets)
    assert all(0 <= o < len(original) for o in cleaned.offsets)


@pytest.mark.parametrize(
    ("locale", "said", "number"),
    [
        ("en-US", "four hundred twenty nine thousand one hundred sixty eight", 429168),
        ("en-GB", "one hundred and five", 105),
        ("en-US", "twelve thousand three hundred forty five", 12345),
        ("en-IN", "two lakh fifty thousand", 250000),
        ("en-IN", "one crore", 10000000),
        ("en-US", "nineteen hundred", 1900),
        ("de-DE", "neununddreißig", 39),
        ("de-DE", "hundertfünfundzwanzig", 125),
        ("de-DE", "neunzehnhundertachtundachtzig", 1988),
        ("de-DE", "zweitausendsechsundzwanzig", 2026),
    ],
)
def test_cardinals(locale: str, said: str, number: int) -> None:
    """The longest cardinal from the first token is the whole utterance."""
    heard = lex(said, locale, "voice")
    ends = list(cardinals(heard.tokens, 0, heard.lexicon.numbers))
    assert ends[-1] == (len(heard.tokens), number)


@pytest.mark.parametrize(
    ("said", "kinds"),
    [
        ("for", {Kind.HINT, Kind.DIGIT}),
        ("oh", {Kind.DIGIT, Kind.NUMBER, Kind.LETTER}),
        ("double u", {Kind.LETTER}),
        ("full stop", {Kind.SYMBOL}),
        ("oscar", {Kind.SPELL}),
        ("kohlrabi", set()),
    ],
)
def test_meanings_are_kept(said: str, kinds: set[Kind]) -> None:
    """A token keeps every meaning until a field settles it."""
    (token,) = lex(said, "en-US", "voice").tokens
    assert set(token.kinds) == kinds


@pytest.mark.parametrize(
    ("said", "out"),
    [
        ("double s", "ss"),
        ("triple seven", "777"),
        ("b as in boy", "b"),
        ("capital j", "J"),
        ("double b as in boy", "bb"),
        ("no apostrophe", ""),
    ],
)
def test_edges(said: str, out: str) -> None:
    """One edge spans the whole stretch and writes what was meant."""
    heard = lex(said, "en-US", "voice")
    assert out in {e.out for e in edges(heard)[0] if e.end == len(heard.tokens)}


@pytest.mark.parametrize(
    ("said", "texts", "doubt"),
    [
        ("siobhan o'connor, s i o b h a n, o apostrophe c o n n o r", ["siobhan", "o'connor"], None),
        ("chandelier, c h a n d i n i", ["chandini"], None),
        ("kim dot lee, k i m dot l e i g h", ["kim", ".", "leigh"], None),
        ("nuvio, n u v i o, labs", ["nuvio", "labs"], None),
        ("anna w e b e r", ["anna", "weber"], None),
        ("siobhan, that's k u r t", ["siobhan", "kurt"], "spelling_contradiction"),
        ("s a r a h without an h", ["sarah"], "spelling_contradiction"),
        ("hans peter with a hyphen", ["hans", "peter"], "ambiguous"),
        ("m as in november a x", ["max"], "hint_contradiction"),
        ("tom or tim", ["tom", "tim"], "two_values"),
        ("bob, no, will smith", ["will", "smith"], None),
        ("d e, no sorry, d a v i d", ["david"], None),
        ("jane, let me start again, june", ["june"], None),
    ],
)
def test_words(said: str, texts: list[str], doubt: str | None) -> None:
    """Items of an utterance: spellings in the place of their words, repairs settled, doubts named."""
    heard = lex(said, "en-US", "voice")
    read = words.read(heard, 0, len(heard.tokens))
    assert [i.text for i in read.items] == texts
    assert read.doubt == doubt


@pytest.mark.parametrize(
    ("said", "code", "complete"),
    [
        ("h l four two", "too_short", False),
        ("h l four two nine one six eight eight", "too_long", True),
        ("h l four two nine one six eight or nine", "two_values", True),
        ("lovely weather today", "nothing_heard", True),
    ],
)
def test_reasons_of_a_pattern(said: str, code: str, complete: bool) -> None:
    """No value, and why; a beginning is not a failure."""
    reading = hear(ORDER, said)
    assert (reading.value, reading.reason.code if reading.reason else None, reading.complete) == (None, code, complete)


def test_spans_point_into_the_utterance() -> None:
    """Every piece of the value knows where it was heard."""
    said = "it's h l, um, four two nine one six eight"
    reading = hear(ORDER, said)
    assert reading.value == "HL-429168"
    heard = [(reading.value[s.index : s.index + s.length], said[s.start : s.end]) for s in reading.spans]
    assert heard[0] == ("H", "h")
    assert heard[-1] == ("8", "eight")
    assert "".join(v for v, _ in heard) == reading.value


@pytest.mark.parametrize("field", ["email", "phone", "name", "id"])
@given(said=st.text(max_size=300))
def test_hear_is_total(field: str, said: str) -> None:
    """Any string gives a reading with a value or a reason."""
    for channel in ("voice", "chat"):
        reading = hear(catalogue[field], said, channel=channel)
        assert (reading.value is None) == (reading.reason is not None)


WORDS = [
    "double",
    "triple",
    "oh",
    "no",
    "sorry",
    "as",
    "in",
    "for",
    "dot",
    "at",
    "dash",
    "b",
    "bravo",
    "forty",
    "two",
    "hundred",
    "and",
    "thousand",
    "or",
    "capital",
    "let",
    "me",
    "start",
    "again",
    ",",
    ".",
    "'",
    "-",
    "@",
    "7",
    "um",
    "that's",
    "spelled",
    "with",
    "a",
    "not",
    "extension",
]


@pytest.mark.parametrize("field", ["email", "phone", "name", "id"])
@given(said=st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
def test_hear_is_total_for_grammar_words(field: str, said: str) -> None:
    """The words of the grammar in any order give a reading, too."""
    reading = hear(catalogue[field], said)
    assert (reading.value is None) == (reading.reason is not None)


def test_too_much() -> None:
    """More than 2,000 characters is a reason."""
    reading = hear(catalogue["email"], "a" * 2001)
    assert reading.reason is not None
    assert reading.reason.code == "too_much"
