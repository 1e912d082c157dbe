"""Law 3, Round trip: hearing the read-back of a value gives that value, and so does the typed value itself.

Modes covered: every type here x every language with hearing data x first, explicit and worded read-back x text and
SSML (voice), and chat with its note. Types of other founders join by adding a strategy to ``VALUES``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import phonenumbers
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langgraph_readback.fields import FieldSpec, hear, languages, read_back, section
from langgraph_readback.fields.types.name import capital

LOCALES = ("en-US", "en-GB", "en-IN", "de-DE", "es-MX", "pt-BR", "fr-FR", "it-IT", "hi-IN", "zh-CN", "ko-KR")
PARTICLES = {p for tag in languages() for p in section(tag, "hearing").get("particles", ())}
NO_NAMES = {"none", "aaa"} | PARTICLES
EXAMPLES = settings.default.max_examples if settings.default.max_examples > 100 else 30  # type: ignore[union-attr]
"""Values for each test; 2,000 under ``HYPOTHESIS_PROFILE=explore``."""
LATIN = "abcdefghijklmnopqrstuvwxyz"
ATOM = st.text(LATIN + "0123456789", min_size=1, max_size=9)
LOCAL = st.builds(
    lambda parts, seps: parts[0] + "".join(s + p for p, s in zip(parts[1:], seps, strict=False)),
    st.lists(ATOM, min_size=1, max_size=4),
    st.lists(st.sampled_from("._-+"), min_size=3, max_size=3),
)
TLDS = ("com", "org", "net", "de", "co.uk", "com.au", "io", "info", "shop", "ie", "in")
HOSTS = st.one_of(
    st.sampled_from(["gmail.com", "outlook.com", "gmx.de", "example.com", "web.de", "yahoo.com"]),
    st.builds(
        lambda name, tld: f"{name}.{tld}",
        st.from_regex(r"[a-z0-9]{2,8}(-[a-z0-9]{2,5})?", fullmatch=True),
        st.sampled_from(TLDS),
    ),
)
EMAIL = st.builds(lambda local, host: f"{local}@{host}", LOCAL, HOSTS)

WORD = st.text(LATIN, min_size=3, max_size=10).map(str.capitalize)
GERMAN = st.text(LATIN + "äöü", min_size=3, max_size=10).map(str.capitalize)
NAME = (
    st.lists(
        st.one_of(WORD, GERMAN, st.builds(lambda a, b: f"{a}-{b}", WORD, WORD), WORD.map(lambda w: capital("o'" + w))),
        min_size=1,
        max_size=3,
    )
    .map(" ".join)
    .filter(lambda name: not NO_NAMES & {w.casefold() for w in re.split(r"[ -]", name)})
)
"""Random words. "None" typed in a chat is a refusal, a drawn-out "Aaa" a "pardon?", and the ear cannot tell "del" from
"Del": particles are written small by rule."""

PATTERNS = (
    r"HL-\d{6}",
    r"[A-Z]{2}\d{4}",
    r"BK[A-Z0-9]{5}",
    r"ORD-\d{4}-\d{2}",
    r"[A-HJ-NP-Z2-9]{6}",
    r"[A-Z]{3}\d{3}[A-Z]",
    r"\d{10}",
)


def _phone(region: str) -> st.SearchStrategy[str]:
    """Numbers of a region's plan, from its own example numbers with the last digits drawn."""
    examples = [
        phonenumbers.example_number_for_type(region, kind)
        for kind in (phonenumbers.PhoneNumberType.MOBILE, phonenumbers.PhoneNumberType.FIXED_LINE)
    ]
    bases = [phonenumbers.format_number(e, phonenumbers.PhoneNumberFormat.E164) for e in examples if e]
    drawn = st.builds(
        lambda base, tail: base[: -len(tail)] + tail, st.sampled_from(bases), st.from_regex(r"[0-9]{4}", fullmatch=True)
    )
    valid = drawn.filter(lambda v: phonenumbers.is_valid_number(phonenumbers.parse(v, None)))
    return st.builds(lambda v, ext: v + ext, valid, st.sampled_from(["", "", "", ";ext=12", ";ext=0305"]))


PHONE = st.sampled_from(["US", "GB", "AU", "IN", "IE", "DE", "AT", "CH", "FR", "SG", "NZ", "CA", "ZA"]).flatmap(_phone)


@dataclass(frozen=True)
class Case:
    """One value and the spec that it is a value of."""

    spec: FieldSpec
    value: str


def _ids() -> st.SearchStrategy[Case]:
    return st.sampled_from(PATTERNS).flatmap(
        lambda p: st.from_regex(p, fullmatch=True, alphabet=st.characters(max_codepoint=127)).map(
            lambda v: Case(FieldSpec(name="id", pattern=p), v)
        )
    )


VALUES: dict[str, st.SearchStrategy[Case]] = {
    "email": EMAIL.map(lambda v: Case(FieldSpec(name="email"), v)),
    "phone": PHONE.map(lambda v: Case(FieldSpec(name="phone"), v)),
    "name": NAME.map(lambda v: Case(FieldSpec(name="name"), v)),
    "id": _ids(),
}


def _heard(case: Case, text: str, locale: str, channel: str) -> str | None:
    reading = hear(case.spec, text, locale=locale, channel=channel)
    return reading.value if reading.value is not None else f"({reading.reason.code if reading.reason else None})"


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("field", VALUES)
def test_hear_what_is_spoken(field: str, locale: str) -> None:
    """``hear(speak(v)) == v`` for the first read-back, the explicit and the worded one and the words of the SSML."""

    @settings(max_examples=EXAMPLES)
    @given(VALUES[field])
    def law(case: Case) -> None:
        for how in ({}, {"explicit": True}, {"worded": True}):
            spoken = read_back(case.spec, case.value, locale=locale, **how)
            assert _heard(case, spoken.text, locale, "voice") == case.value, spoken.text
            plain = re.sub(r"<break[^>]*/>", ", ", spoken.ssml)
            plain = re.sub(r"<[^>]+>", "", plain).replace("&amp;", "&").replace("&apos;", "'")
            assert _heard(case, plain, locale, "voice") == case.value, plain

    law()


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("field", VALUES)
def test_hear_what_is_typed(field: str, locale: str) -> None:
    """A canonical value typed in a chat is that value, and so is its chat read-back with the note."""

    @settings(max_examples=EXAMPLES)
    @given(VALUES[field])
    def law(case: Case) -> None:
        assert _heard(case, case.value, locale, "chat") == case.value
        shown = read_back(case.spec, case.value, locale=locale, channel="chat").text
        assert _heard(case, shown, locale, "chat") == case.value, shown

    law()
