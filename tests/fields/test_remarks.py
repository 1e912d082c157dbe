"""Whole-utterance intents: what is one, what is left to the hearing, and which details an utterance speaks of."""

from __future__ import annotations

import pytest

from langgraph_readback.fields import languages, remark
from langgraph_readback.fields.prompts import aliases
from langgraph_readback.fields.remarks import LONGEST, mentions


@pytest.mark.parametrize(
    ("locale", "utterance", "intent"),
    [
        ("en-US", "i want to speak to a person", "handoff"),
        ("en-US", "operator please", "handoff"),
        ("en-GB", "put me through to someone, I've had enough of this", "handoff"),
        ("en-US", "n/a", "decline"),
        ("en-US", "i don't want to say that over the phone", "decline"),
        ("en-US", "i don't have an email address", "decline"),
        ("en-US", "why do you need it", "question"),
        ("en-US", "can you repeat that please", "repeat"),
        ("en-US", "??", "repeat"),
        ("en-US", "hold on a second", "wait"),
        ("en-US", "let me start over", "restart"),
        ("en-US", "", "silence"),
        ("en-US", " ... ", "silence"),
        ("es-ES", "no tengo correo electrónico", "decline"),
        ("it-IT", "non ho la mail", "decline"),
        ("pt-BR", "não tenho e-mail", "decline"),
        ("fr-FR", "je voudrais parler à quelqu'un", "handoff"),
        ("de-DE", "ich möchte bitte mit einem menschen sprechen", "handoff"),
        ("zh-CN", "转人工", "handoff"),
        ("ko-KR", "상담원 연결해 주세요", "handoff"),
        ("hi-IN", "मुझे किसी इंसान से बात करनी है", "handoff"),
        ("hi-IN", "customer care please", "handoff"),
        ("de-DE", "wozu brauchen Sie die", "question"),
        ("ko-KR", "잠깐만요", "wait"),
    ],
)
def test_intent(locale, utterance, intent):
    """The utterance says nothing but its intent."""
    assert remark(utterance, locale=locale) == intent


@pytest.mark.parametrize(
    ("locale", "utterance"),
    [
        ("en-US", "kim dot lee at example dot com"),
        ("en-US", "operator@example.com"),
        ("en-US", "four one five five five five oh one two seven, no extension"),
        ("en-GB", "rose cottage, church lane, there's no number, kendal"),
        ("en-US", "just sukarno, i only have one name"),
        ("en-US", "hold on, it's kim dot lee at example dot com"),
        ("en-US", "no"),
        ("en-US", "yes"),
        ("en-US", "i already told you"),
        ("es-ES", "seiscientos doce, treinta y cuatro"),
        ("ko-KR", "네이버인지 다음인지 헷갈리네요"),
        ("zh-CN", "感谢收看，请订阅我们的频道 是一三八"),
        ("de-DE", "mensch, ludwig, anna at beispiel punkt de"),
        ("en-US", "operator " * (LONGEST // 9 + 1)),
    ],
)
def test_an_answer_is_no_remark(locale, utterance):
    """What may hold a value, or is a plain yes or no, is left to others."""
    assert remark(utterance, locale=locale) is None


@pytest.mark.parametrize(
    ("locale", "utterance", "types"),
    [
        ("en-US", "actually my phone is wrong", ("phone",)),
        ("en-US", "no wait, first the email, it should be kim.lee@example.org", ("email",)),
        ("en-US", "my bank account number", ("iban",)),
        ("en-US", "thanks, have a nice day", ()),
        ("en-US", "it's right this time", ()),
        ("hi-IN", "अरे रुकिए, फ़ोन नंबर गलत बताया", ("phone",)),
        ("ko-KR", "아 잠깐, 전화번호 끝이 육칠팔팔이에요", ("phone",)),
        ("de-DE", "die Telefonnummer stimmt nicht, und der Name auch nicht", ("phone", "name")),
        ("fr-FR", "mon adresse mail est fausse", ("email",)),
        ("zh-CN", "电话号码错了", ("phone",)),
        ("it-IT", "ora è giusto", ()),
    ],
)
def test_mentions(locale, utterance, types):
    """The longest word for a detail counts; courtesies that contain one do not."""
    assert mentions(utterance, locale=locale) == types


@pytest.mark.parametrize("language", languages())
def test_not_having_one_is_a_refusal_for_every_detail(language):
    """English is understood everywhere: "no email", "i don't have a phone number" decline in every locale."""
    for names in aliases(language).values():
        assert remark(f"i don't have a {names[-1]}", locale=language) == "decline"
