"""What the product says: every key in every language, placeholders that agree, retries that differ, never an exception."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_readback.fields import languages, locales, sentence
from langgraph_readback.fields.prompts import aliases, keys, label

TYPES = [
    "email",
    "phone",
    "name",
    "id",
    "dob",
    "date",
    "time",
    "postcode",
    "address",
    "amount",
    "iban",
    "vin",
    "card_last4",
    "plate",
    "username",
    "domain",
    "url",
    "company",
    "property",
    "medication",
]
FORMS = ("natural", "spelled", "words", "groups")
REASONS = [
    "nothing_heard",
    "too_short",
    "too_long",
    "no_at",
    "no_domain",
    "two_values",
    "ambiguous",
    "ambiguous_am_pm",
    "ambiguous_day_month",
    "ambiguous_amount",
    "approximate",
    "hint_contradiction",
    "spelling_contradiction",
    "lookalike_script",
    "bad_character",
    "space_inside",
    "bad_syntax",
    "bad_pattern",
    "checksum",
    "not_found",
    "other_owner",
    "no_such_day",
    "in_the_past",
    "in_the_future",
    "not_a_postcode",
    "not_possible_number",
    "incomplete",
    "too_much",
    "not_understood",
    "placeholder",
    "unavailable",
    "no_tld",
    "wrong_country",
    "needs_strength",
    "needs_number",
]
TAGS = (
    "en-US",
    "en-GB",
    "de-DE",
    "de-CH",
    "es-MX",
    "pt-PT",
    "fr-CA",
    "it-IT",
    "hi-IN",
    "zh-CN",
    "zh-TW",
    "zh-HK",
    "ko-KR",
)


def _load(language: str) -> dict:
    return tomllib.loads((files(locales) / language / "prompts.toml").read_text(encoding="utf-8"))


def _at(data: dict, key: str) -> list[str]:
    found = data
    for part in key.split("."):
        found = found[part]
    return [found] if isinstance(found, str) else found


def _places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def _own(language: str) -> set[str]:
    return {key for key in keys(language) if not key.startswith("region.")}


@pytest.mark.parametrize("language", languages())
def test_every_language_has_every_english_key(language):
    """A translation that lags behind would speak English in the middle of a call."""
    assert not _own("en") - _own(language)


@pytest.mark.parametrize("language", languages())
def test_places_are_those_of_english(language):
    """A sentence may leave a place out (a label it words itself), never use one that the caller does not fill."""
    english, own = _load("en"), _load(language)
    for key in _own(language) & _own("en"):
        if not key.startswith("aliases."):
            offered = {"label"}.union(*(_places(text) for text in _at(english, key)))
            for text in _at(own, key):
                assert _places(text) <= offered, key


@pytest.mark.parametrize("language", languages())
def test_tables_and_values(language):
    """Texts and lists of texts only, none empty, one line each, in the tables that English has."""
    data = _load(language)
    assert set(data) - {"region"} == set(_load("en")) - {"region"}
    for key in keys(language):
        texts = _at(data, key)
        assert texts
        assert all(isinstance(text, str) and "\n" not in text for text in texts), key
        if not key.startswith("region."):
            assert all(text.strip() for text in texts), key


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("kind", TYPES)
def test_retries_sound_different(tag, kind):
    """Four forms of asking, four sentences; asked twice in the same form, another one where there is one."""
    said = [sentence(tag, f"ask.{kind}.{form}") for form in FORMS]
    assert len(set(said)) == len(FORMS)
    assert sentence(tag, f"ask.{kind}.natural", n=1) != said[0]


@pytest.mark.parametrize("tag", TAGS)
def test_nothing_is_left_unfilled(tag):
    """No brace ever reaches the user, whatever is or is not given."""
    for key in _own("en"):
        if key.split(".")[0] not in ("aliases", "labels"):
            for given_ in (
                {},
                {"label": "X", "value": "Y", "expected": "Z", "first": "1", "second": "2", "n_chars": 3},
            ):
                for n in range(3):
                    said = sentence(tag, key, n=n, **given_)
                    assert said
                    assert "{" not in said, key


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("code", REASONS)
def test_every_reason_has_words_of_its_own(language, code):
    """A reason tells the user what to do; it is not the generic apology."""
    assert sentence(language, f"reason.{code}") != sentence(language, "reason.generic")


@pytest.mark.parametrize("language", languages())
def test_labels_and_aliases_for_every_type(language):
    """Each catalogue type has a name, and words by which a user refers to it."""
    for kind in TYPES:
        assert label(language, kind) != kind.replace("_", " ") or kind in label("en", kind)
        assert aliases(language)[kind]


@pytest.mark.parametrize(
    ("tag", "key", "params", "said"),
    [
        ("en-US", "ask.postcode.natural", {}, "What's your ZIP code?"),
        ("en-IN", "ask.postcode.natural", {}, "What's your PIN code?"),
        ("en-GB", "ask.plate.natural", {}, "What's your number plate?"),
        ("en-US", "ask.id.natural", {"label": "order number"}, "What's your order number, please?"),
        ("en-US", "ask.loyalty_tier.natural", {}, "What is your loyalty tier, please?"),
        ("xx-XX", "readback.natural", {"value": "7"}, "I have 7. Is that right?"),
        (
            "en-US",
            "readback.settle",
            {"first": "a", "second": "b"},
            "I heard two possibilities: a, or b. Which one is it?",
        ),
        ("en-US", "readback.settle", {}, "I could take that in two ways. Please say it in full once more."),
        (
            "en-US",
            "reason.no_such_reason",
            {"label": "email address"},
            "Sorry, I couldn't use that as your email address.",
        ),
        ("zh-TW", "ask.email.natural", {}, "您的電子郵件地址是什麼？"),
        ("zh-TW", "ask.email.natural", {"n": 1}, "麻煩您再說一次電子郵件地址。"),
        ("pt-PT", "ask.address.natural", {}, "Qual é o seu endereço?"),
    ],
)
def test_sentences(tag, key, params, said):
    """The variant that says most of what is given; regions, labels and fallbacks."""
    assert sentence(tag, key, **params) == said


@given(
    st.text(max_size=40),
    st.text(max_size=20),
    st.dictionaries(
        st.text(st.characters(codec="ascii"), min_size=1, max_size=8).filter(str.isidentifier),
        st.text(max_size=5),
        max_size=3,
    ),
)
def test_total(key, tag, params):
    """Saying something never fails, whatever is asked for."""
    params = {k: v for k, v in params.items() if k not in ("locale", "key")}
    assert isinstance(sentence(tag, key, **params), str)


def test_a_value_is_not_filled_twice():
    """Braces in a value are said, not interpreted."""
    assert "{label}" in sentence("en-US", "readback.natural", value="{label}")
