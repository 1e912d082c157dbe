"""Names of companies, as spelled, in their usual capitals; ``ZynTra`` keeps the capitals that were dictated.

Legal forms stay as said: nobody may turn "Limited" into "Ltd" (ISO 20275 lists the forms).

>>> from langgraph_readback.fields import FieldSpec, hear
>>> company = FieldSpec(name="company")
>>> hear(company, "it's nuvio, n u v i o, labs").value
'Nuvio Labs'
>>> hear(company, "orbis dot io, with a real dot").value
'orbis.io'
>>> hear(company, "zyntra, capital z y n capital t r a").value
'ZynTra'
>>> hear(company, "acme labs or acme lab").reason.code
'two_values'
>>> hear(company, "high five").reason.code
'ambiguous'
"""

from __future__ import annotations

import unicodedata

import regex

from langgraph_readback.fields import lists
from langgraph_readback.fields.hearing import written
from langgraph_readback.fields.hearing.accents import fold
from langgraph_readback.fields.hearing.lexer import Utterance, lex
from langgraph_readback.fields.hearing.lexicon import SYLLABIC
from langgraph_readback.fields.hearing.tokens import Kind
from langgraph_readback.fields.readback import Chunk, render
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types import characters, wording
from langgraph_readback.fields.types.casing import texts, title
from langgraph_readback.fields.types.common import failed, mixed_scripts, nothing
from langgraph_readback.outcome import Reading, Reason, Verdict

ASKS = ("natural", "groups")
SUBJECT = "texts"
ANY_WORD = True
VALUE = regex.compile(r"[\p{L}\p{M}\p{N}&'.,+!@%*/:#\- ]+")
LONGEST = 120


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """Words and spellings after the last carrier, written as the caller says they are."""
    utterance = written.bound(utterance)
    if any(Kind.UNSURE in t.kinds for t in utterance.tokens):
        return failed("unsure")
    first, last = wording.bounds(utterance)
    if (native := characters.named(utterance)) is not None:
        found = wording.Wording(native.text, "mixed" if native.spelled else "literal", native.doubt)
    elif not utterance.voice:
        text = wording.typed(utterance, first, last)
        found = wording.Wording(title(text, texts(ask.locale)) if text.islower() else text, "literal")
    else:
        found = wording.read(utterance, first, last, ask.locale, numbered=spec.type == "property")
    if found.doubt:
        return failed(found.doubt)
    if fold(found.text).startswith(tuple(texts(ask.locale).get("described", ()))):
        return nothing("not_understood")
    if not any(c.isalnum() for c in found.text):
        return nothing()
    if (reason := check(found.text, spec, ask).reason) is not None:
        return Reading(reason=reason)
    listed = lists.settle(found.text, spec)
    return listed or Reading(value=found.text, evidence=found.evidence, spans=found.spans)


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """Letters, digits, spaces and the marks that names bear; one script a word."""
    if len(value) > LONGEST:
        return Verdict(reason=Reason(code="too_long"))
    if not VALUE.fullmatch(value) or unicodedata.normalize("NFC", value) != value or value != " ".join(value.split()):
        return Verdict(reason=Reason(code="bad_character"))
    if any(mixed_scripts(SYLLABIC.sub("", word)) for word in value.split()):
        return Verdict(reason=Reason(code="lookalike_script"))
    return Verdict()


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """Each word as said and then spelled; character by character where that would not be heard as the value."""
    natural = wording.spoken(value, ask.locale)
    heard = hear(
        lex(render(natural, ask).text, ask.locale, "voice", SUBJECT), FieldSpec(name=spec.name, type=spec.type), ask
    )
    return natural if heard.value == value else wording.dictated(value, ask.locale)
