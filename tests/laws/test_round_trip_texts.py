"""Law 3, Round trip, for addresses, companies, properties and medications.

Modes covered: English (US, GB, AU, IE, NL) and German x first, explicit and worded read-back x text and SSML, and chat with
its note. Values are drawn, not listed: random words, capitals in the middle, digits, signs, units, doses.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_readback.fields import FieldSpec, hear, read_back
from langgraph_readback.fields.types.casing import texts

LATIN = "abcdefghijklmnopqrstuvwxyz"
ROMANCE = ("es-ES", "es-MX", "pt-BR", "pt-PT", "fr-FR", "fr-CA", "it-IT")
COMPANY_LOCALES = (*ROMANCE, "en-US", "en-GB", "en-IN", "de-DE", "hi-IN", "zh-CN", "ko-KR")
WORD = st.text(LATIN, min_size=3, max_size=10).filter(lambda w: len(set(w)) > 2).map(str.capitalize)
ACCENTED = st.text(LATIN + "éüöñçàêå", min_size=3, max_size=9).map(str.capitalize)
MIXED = st.builds(lambda a, b: a + b, WORD, WORD)
SUFFIX = st.sampled_from(
    ["Labs", "Group", "Hotel", "Inn", "Ltd", "GmbH", "Studios", "Suites", "House", "Lodge", "Holdings"]
)
INITIALS = st.text(LATIN, min_size=2, max_size=3).map(str.upper)
CODE = st.builds(
    lambda a, d, b: f"{a}{d}{b}".upper(),
    st.sampled_from("bwxkq"),
    st.sampled_from("2345679"),
    st.sampled_from(["", "m", "w"]),
)


def _name(words: list[str]) -> str:
    """A name whose small words are small, as a canonical value has them."""
    return " ".join(words)


NAMES = st.one_of(
    st.lists(WORD, min_size=1, max_size=3).map(_name),
    st.builds(lambda a, b: f"{a} {b}", ACCENTED, SUFFIX),
    st.builds(lambda a, b: f"{a} {b}", MIXED, SUFFIX),
    st.builds(lambda a, b: f"{a} & {b}", WORD, WORD),
    st.builds(lambda a, b: f"{a}-{b}", WORD, WORD),
    st.builds(lambda a, b: f"{a} {b}", CODE, SUFFIX),
    st.builds(lambda a, b: f"{a} {b}", INITIALS, SUFFIX),
    st.builds(lambda n, letter: f"Loft {n}{letter}", st.integers(1, 99), st.sampled_from("ABCDEFGH")),
    st.builds(lambda a: f"The {a} Inn", WORD),
    st.builds(lambda a: f"{a}'s Lodge", WORD),
)
NUMBER = st.one_of(
    st.integers(1, 1200).map(str), st.sampled_from(["0.5", "0.125", "2.5", "12.5", "1.25", "0.05", "37.5", "62.5"])
)
PLAIN = st.builds(lambda n, u: f"{n} {u}", NUMBER, st.sampled_from(["mg", "mcg", "g", "units", "%"]))
COMBINED = st.builds(
    lambda a, b: f"{a}/{b} mg",
    st.sampled_from(["250", "875", "8", "30", "50", "100"]),
    st.sampled_from(["125", "500", "12.5"]),
)
VOLUME = st.builds(
    lambda n, p: f"{n} {p}",
    NUMBER,
    st.sampled_from(["mg/5 mL", "units/mL", "mg/mL", "mcg/dose", "mg/2.5 mL", "mcg/hour"]),
)
DRUG = st.one_of(
    st.text(LATIN, min_size=5, max_size=12).map(str.capitalize),
    st.builds(lambda a: f"Co-{a}", st.text(LATIN, min_size=6, max_size=10)),
    st.builds(
        lambda a, s: f"{a.capitalize()} {s}",
        st.text(LATIN, min_size=5, max_size=10),
        st.sampled_from(["XR", "SR", "ER", "XL"]),
    ),
    st.builds(
        lambda a, b: f"{a.capitalize()} {b}",
        st.text(LATIN, min_size=5, max_size=9),
        st.text(LATIN, min_size=5, max_size=9),
    ),
)
ABOUT_DOSES = ("vague", "often", "every", "counts", "forms", "fill")
"""Words of how a medication is taken. By themselves they are no name: "other", "daily", "tablet"."""
MEDICATION = st.builds(lambda d, s: f"{d} {s}", DRUG, st.one_of(PLAIN, COMBINED, VOLUME))

STREET = st.builds(
    lambda w, t: f"{w} {t}", WORD, st.sampled_from(["Street", "Road", "Lane", "Avenue", "Court", "Way", "Close"])
)
GRID = st.builds(
    lambda d, n: f"{d} {n} Street",
    st.sampled_from(["West", "East"]),
    st.sampled_from(["51st", "42nd", "125th", "33rd", "10th"]),
)
HOUSE = st.one_of(
    st.integers(1, 9999).map(str),
    st.builds(lambda n, c: f"{n}{c}", st.integers(1, 200), st.sampled_from("ABC")),
    st.builds(lambda u, n: f"{u}/{n}", st.integers(1, 40), st.integers(1, 300)),
)
UNIT = st.builds(
    lambda u, n: f"{u} {n}",
    st.sampled_from(["Flat", "Unit", "Apartment", "Suite"]),
    st.one_of(st.integers(1, 99).map(str), st.just("9C"), st.just("2B")),
)
TOWN = st.text(LATIN, min_size=4, max_size=9).filter(lambda w: len(set(w)) > 2).map(str.capitalize)
CODES = {
    "en-US": st.from_regex(r"[1-9]\d{4}", fullmatch=True, alphabet="0123456789"),
    "en-GB": st.sampled_from(["LA9 4AB", "NW1 6XE", "E1 6AN", "SW1A 1AA", "NE66 1TB", "S6 3QP", "EC1V 9BD", "M1 1AE"]),
    "en-AU": st.from_regex(r"[1-9]\d{3}", fullmatch=True, alphabet="0123456789"),
    "en-IE": st.sampled_from(["W91 X2Y3", "D02 X285", "A65 F4E2"]),
}


ROMANCE_STREETS = {
    "es": ["Calle", "Avenida", "Plaza", "Paseo de", "Camino del"],
    "pt": ["Rua", "Avenida", "Praça", "Travessa da", "Alameda"],
    "fr": ["rue", "avenue", "boulevard", "place de la", "chemin du"],
    "it": ["Via", "Viale", "Piazza", "Corso", "Via della"],
}
ROMANCE_CODES = {
    "es-ES": ["28013", "08001", "41001"],
    "es-MX": ["06700", "44100", "64000"],
    "pt-BR": ["01305-000", "20040-020", "88010-400"],
    "pt-PT": ["1200-093", "4100-205", "8000-170"],
    "fr-FR": ["75002", "13100", "69003"],
    "fr-CA": ["H2X 1Y4", "G1R 4S9"],
    "it-IT": ["00184", "20122", "50123"],
}


def _romance(locale: str) -> st.SearchStrategy[str]:
    """Street and number in local order, perhaps a unit, the postcode before the town, in Canada behind it."""
    language = locale[:2]
    unit = {"es": "Piso", "pt": "Apartamento", "fr": "Appartement", "it": "Interno"}[language]
    number = st.integers(1, 2000).map(str)
    order = "{n} {s} {w}" if language == "fr" else "{s} {w}, {n}" if language == "pt" else "{s} {w} {n}"
    street = st.sampled_from(ROMANCE_STREETS[language])
    line = st.builds(lambda s, w, n: order.format(s=s, w=w, n=n), street, WORD, number)
    front = st.one_of(line, st.builds(lambda x, n: f"{x}, {unit} {n}", line, st.integers(1, 99)))
    form = "{f}, {t} {c}" if locale == "fr-CA" else "{f}, {c} {t}"
    return st.builds(lambda f, c, t: form.format(f=f, c=c, t=t), front, st.sampled_from(ROMANCE_CODES[locale]), TOWN)


def _address(locale: str) -> st.SearchStrategy[str]:
    if locale in ROMANCE:
        return _romance(locale)
    line = st.builds(lambda h, s: f"{h} {s}", HOUSE, st.one_of(STREET, GRID) if locale == "en-US" else STREET)
    front = st.one_of(line, st.builds(lambda u, x: f"{u}, {x}", UNIT, line))
    if locale in CODES:
        return st.builds(lambda f, t, c: f"{f}, {t} {c}", front, TOWN, CODES[locale])
    street = st.builds(
        lambda w, t, n: f"{w}{t} {n}", TOWN, st.sampled_from(["straße", "weg", "allee", "gasse"]), st.integers(1, 300)
    )
    if locale == "de-DE":
        return st.builds(
            lambda s, c, t: f"{s}, {c} {t}",
            street,
            st.from_regex(r"[1-9]\d{4}", fullmatch=True, alphabet="0123456789"),
            TOWN,
        )
    return st.builds(
        lambda w, n, c, t: f"{w}gracht {n}, {c} {t}",
        TOWN,
        st.integers(1, 900),
        st.sampled_from(["1016 HD", "1015 CJ"]),
        TOWN,
    )


CASES = [
    *[("company", locale) for locale in COMPANY_LOCALES],
    *[("property", locale) for locale in COMPANY_LOCALES],
    *[("medication", locale) for locale in ("en-US", "en-GB", "en-AU", "de-DE", "hi-IN", "zh-CN", "ko-KR", *ROMANCE)],
    *[("address", locale) for locale in ("en-US", "en-GB", "en-AU", "en-IE", "en-NL", "de-DE", *ROMANCE)],
]


def _values(field: str, locale: str) -> st.SearchStrategy[str]:
    if field == "address":
        return _address(locale)
    if field == "medication":
        about = texts(locale)["medication"]
        other = {word for kind in ABOUT_DOSES for word in about.get(kind, ())}
        return MEDICATION.filter(lambda v: not set(v.lower().split()[:-2]) & other)
    return NAMES


def _heard(spec: FieldSpec, text: str, locale: str, channel: str) -> str | None:
    reading = hear(spec, text, locale=locale, channel=channel)
    return reading.value if reading.value is not None else f"({reading.reason.code if reading.reason else None})"


@pytest.mark.parametrize(("field", "locale"), CASES)
def test_hear_what_is_spoken(field: str, locale: str) -> None:
    """``hear(speak(v)) == v`` for the first read-back, the explicit and the worded one and the words of the SSML."""
    spec = FieldSpec(name=field)

    @given(_values(field, locale))
    def law(value: str) -> None:
        for how in ({}, {"explicit": True}, {"worded": True}):
            spoken = read_back(spec, value, locale=locale, **how)
            assert _heard(spec, spoken.text, locale, "voice") == value, spoken.text
            plain = re.sub(r"<break[^>]*/>", ", ", spoken.ssml)
            plain = re.sub(r"<[^>]+>", "", plain).replace("&amp;", "&").replace("&apos;", "'")
            assert _heard(spec, plain, locale, "voice") == value, plain

    law()


@pytest.mark.parametrize(("field", "locale"), CASES)
def test_hear_what_is_typed(field: str, locale: str) -> None:
    """A canonical value typed in a chat is that value, and so is its chat read-back with the note."""
    spec = FieldSpec(name=field)

    @given(_values(field, locale))
    def law(value: str) -> None:
        assert _heard(spec, value, locale, "chat") == value
        shown = read_back(spec, value, locale=locale, channel="chat").text
        assert _heard(spec, shown, locale, "chat") == value, shown

    law()
