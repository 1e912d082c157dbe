"""Law 3, Round trip, for codes and names on the net: every country's postcode and plate, IBAN, VIN, cards, patterns.

Modes covered: English and German x first and explicit read-back (voice), and chat: typed, with a full stop, and with
the note of the chat read-back. Values are drawn from the patterns of the data files and from patterns builders write.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from stdnum import iban as registry

from langgraph_readback.fields import FieldSpec, check, hear, read_back
from langgraph_readback.fields.types import coded, iban, vin

LOCALES = ("en-US", "de-DE", "hi-IN", "zh-CN", "ko-KR", "es-ES", "pt-BR", "fr-FR", "it-IT")
ASCII = st.characters(max_codepoint=127)
PATTERNS = (
    r"HL-\d{6}",
    r"BK[A-Z0-9]{5}",
    r"ORD-\d{4}-\d{2}",
    r"[a-z]{3}\d{3}",
    r"[A-Za-z0-9]{8}",
    r"[A-Z][a-z]{2}-\d{2}",
    r"INV/\d{4}/\d{3}",
    r"#\d{5}",
    r"(?:AB|CD)\d{3}[A-Z]?",
    r"\d{3}-?\d{3}",
    r"[A-Z]{2}_[0-9a-f]{8}",
    r"\d{1,3}-\d{1,3}",
    r"T[0-9]{1,8}",
    r"[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}",
    r"PO[ ]\d{4}",
    r"\d{4}\.\d{2}",
    r"[A-Z]{6}",
    r"OLO[0-9O]{3}",
    r"CASE-[A-Z]{2}-\d{2,6}",
    r"X[XY]Z?\d{2}(?:-[AB])?",
    r"WO\d{7}|SO\d{6}",
    r"(\d)\1[A-Z]\d",
    r"(?i)AB-\d{3}X?",
    r"\d{30}",
)
"""Kinds of pattern: literal prefixes, classes, optional parts, alternations, separators, both cases, back-references."""


def _drawn(pattern: str) -> st.SearchStrategy[str]:
    ascii_only = pattern.isascii()
    return st.from_regex(pattern, fullmatch=True, **({"alphabet": ASCII} if ascii_only else {}))


def _countries(name: str) -> list[str]:
    return [country for country in coded.table(name) if country != "generic"]


def _plates(country: str) -> st.SearchStrategy[str]:
    row = coded.table("plates")[country]
    codes = row.get("codes", "").split()
    found = []
    for pattern in row["usual"] + row["rare"]:
        listed = st.sampled_from(codes) if "{codes}" in pattern else st.just("")
        found.append(listed.flatmap(lambda code, p=pattern: _drawn(p.replace("{codes}", code))))
    return st.one_of(found)


def _holds(spec: FieldSpec, value: str, locale: str, region: str | None = None) -> None:
    """Every read-back of the value, and the value as it is typed, is heard as the value."""
    assume(check(spec, value, locale=locale, region=region).ok)
    voice = [read_back(spec, value, locale=locale, region=region, explicit=explicit).text for explicit in (False, True)]
    chat = [value, f"{value}.", read_back(spec, value, locale=locale, region=region, channel="chat").text]
    for channel, texts in (("voice", voice), ("chat", chat)):
        for text in texts:
            reading = hear(spec, text, locale=locale, region=region, channel=channel)
            assert reading.value == value, (text, reading.reason)


def _by_country(name: str, values: Callable[[str], st.SearchStrategy[str]], extra: str = "") -> Any:
    """(country, value), every country of a table as likely."""
    countries = [*_countries(name), *([extra] if extra else [])]
    return st.sampled_from(countries).flatmap(lambda c: st.tuples(st.just(c), values("generic" if c == extra else c)))


@pytest.mark.parametrize("locale", LOCALES)
def test_postcodes(locale: str) -> None:
    """Every country of the table."""

    @settings(max_examples=150)
    @given(_by_country("postcodes", lambda country: _drawn(coded.table("postcodes")[country]["pattern"])))
    def law(case: tuple[str, str]) -> None:
        _holds(FieldSpec(name="postcode"), case[1], locale, case[0])

    law()


@pytest.mark.parametrize("locale", LOCALES)
def test_plates(locale: str) -> None:
    """Every country of the table, and one without a row."""

    @settings(max_examples=200)
    @given(_by_country("plates", _plates, "XX"))
    def law(case: tuple[str, str]) -> None:
        _holds(FieldSpec(name="plate"), case[1], locale, case[0])

    law()


@pytest.mark.parametrize("locale", LOCALES)
def test_patterns(locale: str) -> None:
    """Whatever a builder writes."""

    @settings(max_examples=200)
    @given(st.sampled_from(PATTERNS).flatmap(lambda p: st.tuples(st.just(p), _drawn(p))))
    def law(case: tuple[str, str]) -> None:
        _holds(FieldSpec(name="code", pattern=case[0]), case[1], locale)

    law()


@pytest.mark.parametrize("locale", LOCALES)
def test_ibans(locale: str) -> None:
    """Any country's structure, with check digits that fit."""
    structures = iban.form().regex.pattern.split("|")

    @settings(max_examples=60)
    @given(st.sampled_from(structures).flatmap(_drawn))
    def law(value: str) -> None:
        _holds(FieldSpec(name="iban"), value[:2] + registry.calc_check_digits(value) + value[4:], locale)

    law()


@pytest.mark.parametrize("locale", LOCALES)
def test_vins(locale: str) -> None:
    """Seventeen characters, with the check digit where it is law."""

    @given(_drawn(vin.FORM.regex.pattern))
    def law(value: str) -> None:
        if vin.NORTH_AMERICA.match(value):
            value = value[:8] + vin.check_digit(value) + value[9:]
        _holds(FieldSpec(name="vin"), value, locale)

    law()


@pytest.mark.parametrize("locale", LOCALES)
def test_cards(locale: str) -> None:
    """Four digits."""

    @given(_drawn(r"[0-9]{4}"))
    def law(value: str) -> None:
        _holds(FieldSpec(name="card_last4"), value, locale)

    law()


WORD = st.one_of(
    st.from_regex(r"[a-z]{1,8}", fullmatch=True),
    st.sampled_from(
        [
            "fox",
            "for",
            "you",
            "two",
            "to",
            "at",
            "dot",
            "mail",
            "web",
            "my",
            "name",
            "is",
            "no",
            "one",
            "ten",
            "double",
            "home",
            "page",
            "the",
            "and",
            "in",
            "o",
        ]
    ),
)
NAME = st.builds(
    lambda words, glue: "".join(w + g for w, g in zip(words, glue, strict=False)).rstrip(".-"),
    st.lists(WORD, min_size=1, max_size=3),
    st.lists(st.sampled_from(["", "_", ".", "-", "7", "42", "007"]), min_size=3, max_size=3),
)
HOST = st.builds(
    lambda words, tld: ".".join([*words, tld]),
    st.lists(st.builds(lambda w, t: w + t, WORD, st.sampled_from(["", "", "24", "-a"])), min_size=1, max_size=2),
    st.sampled_from(["com", "org", "shop", "de", "co.uk", "io", "com.au", "museum"]),
)
PART = st.from_regex(r"[A-Za-z0-9]{1,6}(?:[-_.][a-z]{1,3})?", fullmatch=True)
URL = st.builds(
    lambda scheme, host, parts, query: scheme + host + "".join("/" + p for p in parts) + query,
    st.sampled_from(["", "https://", "http://"]),
    HOST,
    st.lists(PART, max_size=2),
    st.sampled_from(["", "", "/?q=1", "/?id=3a&b=1", "#top"]),
)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(("field", "values"), [("username", NAME), ("domain", HOST), ("url", URL)])
def test_names_on_the_net(field: str, values: st.SearchStrategy[str], locale: str) -> None:
    """Words that are also digits, symbols and carriers among them."""

    @settings(max_examples=80)
    @given(values)
    def law(value: str) -> None:
        _holds(FieldSpec(name=field), value, locale)

    law()
