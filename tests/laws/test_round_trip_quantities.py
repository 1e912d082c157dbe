"""Law 3 for dates, dates of birth, times and amounts, in every locale that has their words.

Modes covered: first and explicit read-back x text and SSML (voice), chat with its note, and the typed value.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langgraph_readback.fields import FieldSpec, hear, read_back
from langgraph_readback.fields.locales import languages, section

ROMANCE = {"es": ("ES", "MX", "AR"), "pt": ("BR", "PT"), "fr": ("FR", "BE", "CH", "CA"), "it": ("IT", "CH")}
REGIONS = {
    "en": ("US", "GB", "AU", "CA", "IN", "IE", "NZ", "ZA", "SG"),
    "de": ("DE", "AT", "CH"),
    "zh": ("CN", "TW"),
    **ROMANCE,
}
LOCALES = [
    f"{language}-{region}"
    for language in languages()
    if section(language, "quantities")
    for region in REGIONS.get(language, (language.upper(),))
]
TODAY = date.today()  # noqa: DTZ011 - hear counts from the same day
PAST = st.integers(0, 120 * 365).map(lambda days: (TODAY - timedelta(days)).isoformat())
WHOLE = st.one_of(st.integers(0, 999), st.integers(0, 10**6), st.integers(0, 10**12))
VALUES: dict[str, st.SearchStrategy[str]] = {
    "date": st.dates(date(1900, 1, 1), date(2199, 12, 31)).map(date.isoformat),
    "dob": PAST,
    "time": st.builds("{:02d}:{:02d}".format, st.integers(0, 23), st.integers(0, 59)),
    "amount": st.one_of(WHOLE.map(str), st.builds("{}.{:02d}".format, WHOLE, st.integers(0, 99))),
}


def _heard(field: str, text: str, locale: str, channel: str) -> str:
    reading = hear(FieldSpec(name=field), text, locale=locale, channel=channel)
    return reading.value or f"({reading.reason.code if reading.reason else None})"


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("field", VALUES)
def test_hear_what_is_spoken_and_what_is_typed(field: str, locale: str) -> None:
    """``hear(speak(v)) == v``, ``hear(note(v)) == v`` and ``hear(v) == v``."""

    @settings(max_examples=40)
    @given(VALUES[field])
    def law(value: str) -> None:
        spec = FieldSpec(name=field)
        for explicit in (False, True):
            spoken = read_back(spec, value, locale=locale, explicit=explicit)
            assert _heard(field, spoken.text, locale, "voice") == value, spoken.text
            plain = re.sub(r"<[^>]+>", "", re.sub(r"<break[^>]*/>", ", ", spoken.ssml))
            assert _heard(field, plain, locale, "voice") == value, plain
        assert _heard(field, value, locale, "chat") == value
        shown = read_back(spec, value, locale=locale, channel="chat").text
        assert _heard(field, shown, locale, "chat") == value, shown

    law()
