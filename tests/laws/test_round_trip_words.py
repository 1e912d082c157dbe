"""Law 3, Round trip, for values whose words mean something: "Eight", "Triple", "Sorry", "Twelfth", "My", "Capital".

Every word of the locale's own files (numbers, ordinals, repeats, units, cases, fillers, carriers, repairs, remarks,
symbols, letters' names, spelling words) stands where a name stands: company, property, medication, address, person.
The read-back must give the value back, or the loop must ask: another value than the one that was read back is never
heard. What is no value when it is typed ("Those 250 mg" names nothing) is left out.

Modes covered: eleven locales x first and explicit read-back (voice). A sample in CI; every word under
``HYPOTHESIS_PROFILE=explore`` (some 12,000 values a locale, minutes each).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import settings

from langgraph_readback.fields import FieldSpec, hear, read_back, section

LOCALES = ("en-US", "en-GB", "en-AU", "de-DE", "es-ES", "es-MX", "pt-BR", "pt-PT", "fr-FR", "fr-CA", "it-IT")
FIELDS = ("company", "property", "medication", "address", "name")
EVERY = settings.default.max_examples > 100  # type: ignore[union-attr]
SAMPLE = 8
"""Words for each locale and field in CI."""
MOST_ASKED = 0.01
"""Share of values that may be asked about."""
POSTCODES = {"en-US": "94110", "en-GB": "LA9 4AB", "en-AU": "3121", "es-ES": "28013", "es-MX": "06700"}
POSTCODES |= {"pt-BR": "01305-000", "pt-PT": "1200-093", "fr-FR": "75002", "fr-CA": "H2X 1Y4", "it-IT": "00184"}
FILES = ("hearing", "texts", "terms", "quantities")
NOT_HEARD = {"lookalikes", "alike", "domains", "states", "name_prefixes", "particles"}
"""Tables that hold no words people say. Particles are small by rule, as ``test_round_trip`` tells."""


def _strings(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            if key not in NOT_HEARD:
                yield key
                yield from _strings(value)
    elif isinstance(data, list):
        for value in data:
            yield from _strings(value)
    elif isinstance(data, str):
        yield data


@lru_cache(maxsize=16)
def words(locale: str) -> tuple[str, ...]:
    """The words of three letters and more that the hearing files of a locale hold, in small letters."""
    found = {w for name in FILES for text in _strings(section(locale, name)) for w in re.findall(r"[^\W\d_]+", text)}
    return tuple(sorted(w for w in found if re.fullmatch(r"[a-zà-öø-ÿœ]{3,}", w)))


def _address(locale: str, word: str) -> list[str]:
    if locale[:2] == "de":
        return [f"{word} Allee 14, 10115 Kendal", f"Kendalweg 14, 10115 {word}"]
    code = POSTCODES[locale]
    if locale[:2] == "en":
        return [f"14 {word} Street, Kendal {code}", f"14 Garner {word} Lane, {word} {code}"]
    if locale[:2] == "fr":
        towns = [f"{word} {code}", f"Kendal {code}"] if locale == "fr-CA" else [f"{code} {word}", f"{code} Kendal"]
        return [f"14 rue {word}, {towns[1]}", f"14 rue Garner, {towns[0]}"]
    street = {"es": "Calle", "pt": "Rua", "it": "Via"}[locale[:2]]
    comma = "," if locale[:2] == "pt" else ""
    return [f"{street} {word}{comma} 14, {code} Kendal", f"{street} Garner{comma} 14, {code} {word}"]


def values(field: str, locale: str, word: str) -> list[str]:
    """Values that hold the word first and last."""
    title = word.capitalize()
    if field == "address":
        return _address(locale, title)
    forms = {
        "company": ("{} Holdings", "Garner {}"),
        "property": ("{} Inn", "Hotel {}"),
        "name": ("{} Garner", "Garner {}"),
    }
    if field in forms:
        return [form.format(title) for form in forms[field]]
    return [f"{title} 250 mg", f"{title} garnerol 0.5 mg", f"Garnerol {word} 250/125 mg"]


def _asked(spec: FieldSpec, value: str, locale: str) -> int:
    """1 when the loop asks about a value that was read back; asserts that it never hears another one."""
    if hear(spec, value, locale=locale, channel="chat").value != value:
        return 0  # names nothing here, or is written otherwise: no value of this field
    asked = 0
    for explicit in (False, True):
        spoken = read_back(spec, value, locale=locale, explicit=explicit).text
        heard = hear(spec, spoken, locale=locale).value
        assert heard in (value, None), spoken
        asked |= heard is None
    return asked


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("field", FIELDS)
def test_a_word_that_means_something_is_a_name(field: str, locale: str) -> None:
    """``hear(speak(v))`` is ``v``, hardly ever a question, never another value."""
    spec = FieldSpec(name=field)
    chosen = words(locale) if EVERY else random.Random(f"{field}{locale}").sample(words(locale), SAMPLE)
    drawn = [value for word in chosen for value in values(field, locale, word)]
    asked = sum(_asked(spec, value, locale) for value in drawn)
    assert asked <= max(1, MOST_ASKED * len(drawn))


STREETS = ("Kendal", "Old", "Walla", "Saint", "Martin", "Luther", "King", "Four", "Church", "Rose", "Green", "Double")


@pytest.mark.parametrize("locale", [tag for tag in LOCALES if tag[:2] == "en"])
def test_streets_of_several_words(locale: str) -> None:
    """Words spelled one after the other each take their own place: "14 Walla Walla Lane", "9 Old Mill Road, Old Mill"."""
    rng, spec = random.Random(locale), FieldSpec(name="address")
    for _ in range(25):
        street, town = (" ".join(rng.choices(STREETS, k=rng.randint(1, 3))) for _ in range(2))
        value = f"{rng.randint(1, 300)} {street} Lane, {town} {POSTCODES[locale]}"
        spoken = read_back(spec, value, locale=locale).text
        assert hear(spec, spoken, locale=locale).value == value, spoken


@pytest.mark.parametrize("letter", "áàâãäåéèêëíìîïóòôõöøúùûüçñœæßýšžčćłńęąőűğşı")
def test_letters_of_other_languages(letter: str) -> None:
    """A name with a letter that the locale's language does not write is spelled so that it is heard."""
    spec, value = FieldSpec(name="name"), f"Mar{letter}lan"
    for locale in ("en-US", "de-DE", "es-ES", "pt-BR", "fr-FR", "it-IT", "hi-IN", "zh-CN", "ko-KR"):
        spoken = read_back(spec, value, locale=locale).text
        assert hear(spec, spoken, locale=locale).value == value, spoken
