"""Coded types beyond their rows: published check digits, the data files, formats of canonical values, spans, any input."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langgraph_readback.fields import FieldSpec, catalogue, check, hear, read_back
from langgraph_readback.fields.codes import MEMBER_CODES
from langgraph_readback.fields.hearing.shape import shape
from langgraph_readback.fields.types import coded, plate
from langgraph_readback.fields.types.id import checks
from langgraph_readback.fields.types.vin import check_digit

REQUIRED_POSTCODES = [
    "US",
    "GB",
    "CA",
    "AU",
    "IE",
    "NL",
    "DE",
    "FR",
    "ES",
    "IT",
    "PT",
    "BR",
    "IN",
    "CN",
    "TW",
    "KR",
    "AT",
    "CH",
    "BE",
    "NZ",
    "ZA",
    "SG",
    "MX",
    "AR",
]
REQUIRED_PLATES = ["US", "GB", "DE", "FR", "IT", "ES", "IE", "NL", "IN", "CN", "KR", "BR", "PT", "AU", "CA"]
CODED = ("id", "postcode", "plate", "iban", "vin", "card_last4", "username", "domain", "url")


@pytest.mark.parametrize(
    ("value", "digit"),
    [
        ("1M8GDM9AXKP042788", "X"),  # the worked example that North American guides print
        ("11111111111111111", "1"),
        ("5YJ3E1EA7HF000337", "7"),
        ("1FTFW1ET4DF410382", "4"),
    ],
)
def test_vin_check_digit(value: str, digit: str) -> None:
    """49 CFR 565.15(c)."""
    assert check_digit(value) == digit


@pytest.mark.parametrize(
    ("value", "rule", "passes"),
    [
        ("4005129079", "luhn", True),
        ("4005129078", "luhn", False),
        ("ML20471885", "mod97-10", True),
        ("ML20471858", "mod97-10", False),
        ("0000-0002-1825-0097", "mod11-2", True),  # ORCID's own example
        ("0000-0002-9079-593X", "mod11-2", True),
        ("0000-0002-1825-0079", "mod11-2", False),
        ("11010519491231002X", "mod11-2", True),  # the example of GB 11643
    ],
)
def test_check_digits(value: str, rule: str, passes: bool) -> None:
    """Luhn and ISO 7064."""
    assert checks(value, rule) is passes


def test_an_unknown_rule_is_said() -> None:
    """A typo in a spec's checksum names the rules there are."""
    with pytest.raises(ValueError, match="luhn"):
        checks("123", "lunh")


@pytest.mark.parametrize("rule", MEMBER_CODES)
def test_member_codes_example(rule: str) -> None:
    """Each ready spec's own example is a value of it."""
    spec = MEMBER_CODES[rule]
    assert spec.options is not None
    assert check(spec, spec.options["example"]).ok


def test_countries_there_are() -> None:
    """The countries that the product promises, and that each example is a value of its row."""
    postcodes, plates = coded.table("postcodes"), coded.table("plates")
    assert set(REQUIRED_POSTCODES) <= set(postcodes)
    assert set(REQUIRED_PLATES) <= set(plates)
    for country, row in postcodes.items():
        for example in row["example"].split(" or ") if country != "generic" else ():
            assert check(FieldSpec(name="postcode"), example, region=country).ok, (country, example)
    for country, row in plates.items():
        region = "XX" if country == "generic" else country
        assert check(FieldSpec(name="plate"), row["example"], region=region).ok, country


@pytest.mark.parametrize(
    ("field", "value", "region", "code"),
    [
        ("postcode", "SW1A1AA", "GB", "not_a_postcode"),
        ("postcode", "1000", "US", "not_a_postcode"),
        ("plate", "ka73otl", "GB", "bad_pattern"),
        ("plate", "8YU3OG", "AU", "bad_pattern"),
        ("iban", "IE46AIBK93115212870046", None, "checksum"),
        ("iban", "IE46", None, "bad_pattern"),
        ("vin", "1FTFW1ET4DF41038I", None, "bad_pattern"),
        ("vin", "1FTFW1ET4DF410383", None, "checksum"),
        ("card_last4", "99015", None, "bad_pattern"),
        ("card_last4", "٩٩٠١", None, "bad_pattern"),
        ("username", "Pixel", None, "bad_character"),
        ("username", "p", None, "too_short"),
        ("username", "x" * 33, None, "too_long"),
        ("domain", "www.maplebikes.shop", None, "bad_syntax"),
        ("domain", "maplebikes", None, "no_tld"),
        ("domain", "аррӏе.com", None, "lookalike_script"),
        ("url", "https://MapleBikes.shop", None, "bad_syntax"),
        ("url", "https://maplebikes.shop/" + "a" * 300, None, "too_long"),
    ],
)
def test_check_refuses(field: str, value: str, region: str | None, code: str) -> None:
    """What is no canonical value, and why."""
    reason = check(FieldSpec(name=field), value, region=region).reason
    assert reason is not None
    assert reason.code == code


@pytest.mark.parametrize("value", ["müller.de", "例え.jp", "münchen.bayern", "пример.рф"])
def test_genuine_international_domains(value: str) -> None:
    """Names in one script, with more than letters that pass for Latin ones."""
    assert hear(catalogue["domain"], value, channel="chat").value == value


def test_a_postcode_reason_shows_the_layout() -> None:
    """The sentence can say what a postcode looks like."""
    reason = hear(catalogue["postcode"], "12345", locale="en-GB", channel="chat").reason
    assert reason is not None
    assert reason.params["expected"] == "SW1A 1AA"


def test_a_country_prefix_is_left_out() -> None:
    """Germany's 10115 is written "D-10115" abroad; what is no prefix of the country stays a refusal."""
    assert hear(catalogue["postcode"], "D-10115", locale="de-DE", channel="chat").value == "10115"
    assert hear(catalogue["postcode"], "F-10115", locale="de-DE", channel="chat").value is None


def test_half_a_plate_waits() -> None:
    """In speech an old layout that begins a new one is not taken for whole until the caller says so."""
    spec = catalogue["plate"]
    half = hear(spec, "a b one two", locale="en-GB")
    assert (half.value, half.complete) == (None, False)
    assert hear(spec, "a b one two, c d e", locale="en-GB").value == "AB12 CDE"
    assert hear(spec, "a b one two, that's all", locale="en-GB").value == "AB 12"
    assert "that's all" in read_back(spec, "AB 12", locale="en-GB").text


def test_layouts_of_one_plate_agree() -> None:
    """Letters and digits decide; B-MW 12 and BM-W 12 are two vehicles."""
    usual, _ = plate._forms("DE")
    assert plate.laid(usual, "BMW12") == {"B-MW 12", "BM-W 12"}
    assert plate.laid(usual, "B-MW 12") == {"B-MW 12"}


def test_spans_lead_back_to_the_utterance() -> None:
    """Each character of the value was heard where its span says."""
    utterance = "my order number is h l dash four two nine, one six eight please"
    reading = hear(FieldSpec(name="order", pattern=r"HL-\d{6}"), utterance)
    heard = {reading.value[s.index : s.index + s.length]: utterance[s.start : s.end] for s in reading.spans}
    assert reading.value == "HL-429168"
    assert heard["H"] == "h"
    assert heard["-"] == "dash"
    assert heard["8"] == "eight"
    assert sum(s.length for s in reading.spans) == len("HL-429168")


@pytest.mark.parametrize(
    ("pattern", "beginning", "goes_on"),
    [
        (r"HL-\d{6}", "HL-4", True),
        (r"HL-\d{6}", "HX", False),
        (r"(\d)\1[A-Z]", "77", True),
        (r"(\d)\1[A-Z]", "78", False),
        (r"(?=.*\d)[A-Z0-9]{4}", "ABC", True),
        (r"[^\W\d_]{2}\d", "éa", True),
        (r"[A-Z]{2}(?:-\d{2,3})?", "AB-", True),
        (r"(?i)ab\d", "aB", True),
        (r"\p{Lu}{2}\d", "ÄB", True),
        (r"[\[\]]\d", "]", True),
    ],
)
def test_beginnings(pattern: str, beginning: str, goes_on: bool) -> None:
    """The remembered beginnings agree with the pattern, back-references, look-aheads and classes included."""
    form = shape(pattern)
    assert form.begins(beginning) is goes_on
    assert form.begins(beginning) is (form.regex.fullmatch(beginning, partial=True) is not None)


@settings(max_examples=200)
@given(
    st.sampled_from([r"[A-C]{2}[0-4]{2}[5-9]", r"A?B*\d{2}(?:x|yz)", r"(?:AB|AC-)\d+", r"[^A-M]{3}", r"\w-\W\d"]),
    st.text("ABCMNXYZabcxyz0123456789-. ", max_size=8),
)
def test_beginnings_are_those_of_the_pattern(pattern: str, text: str) -> None:
    """Standing in for each other changes no answer."""
    form = shape(pattern)
    assert form.begins(text) is (form.regex.fullmatch(text, partial=True) is not None)
    node = form.root().walk(text)
    assert node is None or node.whole is form.whole(text)


def test_a_broken_pattern_is_said() -> None:
    """A builder's pattern that is none is named in the error."""
    with pytest.raises(ValueError, match="is not a regular expression"):
        shape(r"[A-Z")


SPEECH = st.lists(
    st.sampled_from(
        [
            "a",
            "b",
            "o",
            "oh",
            "i",
            "l",
            "one",
            "two",
            "zero",
            "for",
            "to",
            "at",
            "dot",
            "dash",
            "slash",
            "double",
            "no",
            "sorry",
            "wait",
            "capital",
            "as",
            "in",
            "like",
            "um",
            "it's",
            "my",
            "order",
            "is",
            "HL",
            "429168",
            "HL-429168",
            "SW1A",
            ",",
            ".",
            "#",
            "@",
            "/",
            "-",
            "(x)",
            "that's",
            "all",
            "or",
            "not",
            "12",
            "x9",
            "www",
            "com",
            "é",
            "Б",
            "９",
            "kilo",
            "start",
            "again",
        ]
    ),
    max_size=25,
).map(" ".join)


@settings(max_examples=150)
@given(st.sampled_from(CODED), st.one_of(SPEECH, st.text(max_size=60)), st.sampled_from(["voice", "chat"]))
def test_hear_is_total_and_what_it_gives_is_canonical(field: str, utterance: str, channel: str) -> None:
    """No exception for any text; a value passes its own check, a null has a reason."""
    spec = FieldSpec(name=field, type=field, pattern=r"HL-\d{6}" if field == "id" else None)
    reading = hear(spec, utterance, channel=channel)
    if reading.value is not None:
        assert check(spec, reading.value).ok, reading.value
    else:
        assert reading.reason is not None
