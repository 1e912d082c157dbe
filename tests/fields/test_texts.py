"""Addresses, companies, properties, medications: lists, options, accents, asides, what is said, doctests."""

from __future__ import annotations

import doctest
import importlib

import pytest

from langgraph_readback.fields import FieldSpec, check, hear, lists, speak
from langgraph_readback.fields.hearing import asides
from langgraph_readback.fields.hearing.lexer import lex

HOTELS = FieldSpec(name="property", options={"values": ["Casa del Río", "Casa Rio Norte", "Maple Court Lodge"]})
DRUGS = FieldSpec(name="medication", options={"values": ["Sertraline", "Cetirizine", "Lamotrigine", "Lamivudine"]})


@pytest.mark.parametrize("module", ["address", "company", "property", "medication"])
def test_the_docstring_examples(module):
    found = doctest.testmod(importlib.import_module(f"langgraph_readback.fields.types.{module}"))
    assert found.attempted >= 3
    assert found.failed == 0


@pytest.mark.parametrize(
    ("spec", "utterance", "value", "reason", "candidates"),
    [
        (HOTELS, "maple court lodge", "Maple Court Lodge", None, ()),
        (HOTELS, "casa del rio", "Casa del Rio", None, ()),
        (HOTELS, "maple court large", None, "ambiguous", ("Maple Court Lodge",)),
        (HOTELS, "the grand budapest", None, "not_found", ()),
        (DRUGS, "sertraline fifty milligrams", "Sertraline 50 mg", None, ()),
        (DRUGS, "sertralin fifty milligrams", None, "ambiguous", ("Sertraline 50 mg",)),
        (DRUGS, "ibuprofen two hundred milligrams", None, "not_found", ()),
    ],
)
def test_a_list_validates_or_asks_and_never_changes(spec, utterance, value, reason, candidates):
    reading = hear(spec, utterance)
    assert reading.value == value
    assert (reading.reason.code if reading.reason else None) == reason
    assert reading.candidates == candidates


def test_near_entries_come_together_and_an_exact_one_alone():
    assert lists.near("Lamotrigine", ("Lamotrigine", "Lamivudine")) == ("Lamotrigine",)
    assert lists.near("casa-del rio", ("Casa del Río",)) == ("Casa del Río",)
    assert lists.near("nothing like it", ("Casa del Río",)) == ()


@pytest.mark.parametrize(
    ("utterance", "value", "reason"),
    [
        ("sertraline", "Sertraline", None),
        ("sertraline fifty milligrams", "Sertraline 50 mg", None),
        ("sertraline fifty", None, "needs_strength"),
        ("operator", None, "handoff"),
    ],
)
def test_a_strength_may_be_optional(utterance, value, reason):
    reading = hear(FieldSpec(name="medication", options={"strength": "optional"}), utterance)
    assert reading.value == value
    assert (reading.reason.code if reading.reason else None) == reason


def test_a_postcode_may_be_required():
    spec = FieldSpec(name="address", options={"postcode": "required"})
    assert hear(spec, "fourteen main street, dayton").complete is False
    assert hear(spec, "fourteen main street, dayton, four five four oh two").value == "14 Main Street, Dayton 45402"


@pytest.mark.parametrize(
    ("first", "rest", "value"),
    [
        ("sertraline", "fifty milligrams", "Sertraline 50 mg"),
        ("fourteen high street", "kendal, l a nine four a b", "14 High Street, Kendal LA9 4AB"),
        ("fourteen high street, kendal, l a nine", "four a b", "14 High Street, Kendal LA9 4AB"),
    ],
)
def test_paused_dictation_goes_on(first, rest, value):
    spec = FieldSpec(name="medication" if "sertraline" in first else "address")
    assert hear(spec, first, locale="en-GB").complete is False
    assert hear(spec, f"{first}, {rest}", locale="en-GB").value == value


@pytest.mark.parametrize(
    ("field", "utterance", "value"),
    [
        ("name", "rene, r e n e acute", "René"),
        ("name", "jose with an accent on the e", "José"),
        ("name", "moebius, m o umlaut b i u s", "Möbius"),
        ("name", "francois with a cedilla on the c", "François"),
        ("name", "rené with an accent", "René"),
        ("property", "senor frog, with a tilde on the n", "Señor Frog"),
        ("property", "el nino norte, with a tilde on the second n", "El Niño Norte"),
        ("company", "cafe lune, with an accent on the last e", "Cafe Luné"),
        ("company", "grave and acute", "Grave and Acute"),
    ],
)
def test_accents_are_one_mechanism(field, utterance, value):
    assert hear(FieldSpec(name=field), utterance).value == value


@pytest.mark.parametrize(
    "utterance", ["rene with an accent", "rene with an umlaut on the o", "jerome, with an accent on the e"]
)
def test_an_accent_that_says_not_where_is_asked_about(utterance):
    reading = hear(FieldSpec(name="company"), utterance)
    assert reading.value is None
    assert reading.reason is not None
    assert reading.reason.code in ("spelling_contradiction", "ambiguous")


@pytest.mark.parametrize(
    ("utterance", "kept"),
    [
        ("sea view guest house, sea as in the ocean, two words, sea view", "sea view guest house"),
        ("loft two b, the number two and the letter b", "loft two b"),
        ("nuvio, n u v i o, labs", "nuvio n u v i o labs"),
        ("orbis dot io, with a real dot", "orbis dot io"),
        ("zyntra, capital z, capital t", "zyntra"),
        ("b as in bravo, three", "b as in bravo three"),
    ],
)
def test_asides_are_taken_out(utterance, kept):
    heard = lex(utterance, "en-US", "voice", "texts")
    stripped, _ = asides.strip(heard, 0, len(heard.tokens))
    assert " ".join(t.text for t in stripped.tokens) == kept


@pytest.mark.parametrize(
    ("field", "value", "locale", "spoken"),
    [
        ("medication", "Digoxin 0.125 mg", "en-US", "zero point one two five milligrams"),
        ("medication", "Amoxicillin 250 mg/5 mL", "en-GB", "two five zero milligrams per five millilitres"),
        ("medication", "Metformin 1 g", "en-US", "one gram"),
        ("medication", "Ramipril 2.5 mg", "de-DE", "zwei Komma fünf Milligramm"),
        ("company", "ZynTra", "en-US", "ZynTra, capital Z, Y, N, capital T, R, A"),
        ("company", "Café", "en-US", "E acute"),
        ("address", "14 Wattle Street, Fitzroy 3065", "en-AU", "postcode, three, zero, six, five"),
        ("address", "250 West 51st Street, New York 10019", "en-US", "two five zero West 51st Street"),
    ],
)
def test_what_is_read_back(field, value, locale, spoken):
    assert spoken in speak(FieldSpec(name=field), value, locale=locale)


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("medication", "Sertraline 50 mg", None),
        ("medication", "Sertraline 50mg", "needs_strength"),
        ("medication", "Sertraline 50.0 mg", "needs_strength"),
        ("medication", "Sertraline", "needs_strength"),
        ("medication", "Sertraline .5 mg", "needs_strength"),
        ("company", "Nuvio Labs", None),
        ("company", "Nuvio  Labs", "bad_character"),
        ("company", "Nuvio <b>", "bad_character"),
        ("company", "N" * 121, "too_long"),
        ("company", "Nuv\u0456o", "lookalike_script"),
        ("address", "14 Main Street, Dayton 45402", None),
        ("address", "14 Main Street; Dayton", "bad_character"),
        ("address", "1 " + "x" * 200, "too_long"),
    ],
)
def test_check(field, value, reason):
    verdict = check(FieldSpec(name=field), value)
    assert (verdict.reason.code if verdict.reason else None) == reason


@pytest.mark.parametrize(
    ("field", "utterance", "heard"),
    [
        ("company", "it's nuvio, n u v i o, labs", {"Nuvio": "nuvio, n u v i o", "Labs": "labs"}),
        ("medication", "sertraline, fifty milligrams", {"Sertraline": "sertraline", "50": "fifty"}),
        (
            "address",
            "nine mill lane, dayton, four five four oh two",
            {"9": "nine", "Dayton": "dayton", "45402": "four five four oh two"},
        ),
    ],
)
def test_spans_lead_back_to_what_was_said(field, utterance, heard):
    reading = hear(FieldSpec(name=field), utterance)
    assert reading.value is not None
    told = {reading.value[s.index : s.index + s.length]: utterance[s.start : s.end] for s in reading.spans}
    assert {part: told.get(part) for part in heard} == heard
