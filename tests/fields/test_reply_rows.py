"""Replies in every language, by what they are. A question, silence or request to wait leaves the read-back open: unclear."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from langgraph_readback.fields import FieldSpec, classify_reply

FOLDER = Path(__file__).parents[1] / "tables" / "replies"
LOCALES = {
    "en": ("en-US", "en-GB"), "de": ("de-DE", "de-AT"), "es": ("es-ES", "es-MX"), "pt": ("pt-BR", "pt-PT"),
    "fr": ("fr-FR",), "it": ("it-IT",), "hi": ("hi-IN",), "zh": ("zh-CN", "zh-TW"), "ko": ("ko-KR",),
}  # fmt: skip
OPEN = {"question": "unclear", "silence": "unclear"}
ROWS = [
    pytest.param(locales[0], kind, reply, id=f"{language}-{kind}-{reply}")
    for language, locales in LOCALES.items()
    for kind, replies in tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8")).items()
    for reply in replies
]


@pytest.mark.parametrize(("locale", "kind", "reply"), ROWS)
def test_reply_is_what_it_is(locale, kind, reply):
    """The reply is read as what it is; where the row says unclear, asking again in any way will do."""
    spec = FieldSpec(name="email")
    got = classify_reply(reply, spec=spec, value="marcus.webb@gmail.com", locale=locale).kind
    allowed = {"unclear", "repeat"} if kind == "unclear" else {kind}
    assert OPEN.get(got, got) in allowed


@pytest.mark.parametrize("locale", [tag for tags in LOCALES.values() for tag in tags])
@pytest.mark.parametrize(
    ("reply", "kind"), [("yes", "yes"), ("no", "no"), ("yes, that's right", "yes"), ("operator", "handoff")]
)
def test_english_is_understood_everywhere(locale, reply, kind):
    """A bilingual caller may answer in English whatever the locale."""
    assert classify_reply(reply, spec=FieldSpec(name="email"), value="a@example.com", locale=locale).kind == kind
