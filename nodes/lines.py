"""Lines: what the loop says, as AIMessages that carry act, field, form and SSML for voice clients.

The words are the locale's (``fields/locales/*/prompts.toml``); a model never words them.
"""

from __future__ import annotations

import uuid
from typing import Any, Literal, cast
from xml.sax.saxutils import escape

from langchain_core.messages import AIMessage

from langgraph_readback.fields import FieldSpec, Spoken, sentence
from langgraph_readback.fields.prompts import label as type_label
from langgraph_readback.fields.types import field_type
from langgraph_readback.nodes.view import Look, View
from langgraph_readback.state import MARK

__all__ = ["Act", "Form", "form_for", "framed", "label", "line", "question", "said"]

Act = Literal["ask", "echo", "readback", "confirm", "inform"]
Form = Literal["natural", "typed", "spelled", "words", "groups", "keypad"]

_SLOT = "\u0000"


def label(spec: FieldSpec, run: Look) -> str:
    """What the detail is called in front of the user."""
    return spec.label or type_label(run.ask.locale, spec.type)


def said(run: Look, spec: FieldSpec, key: str, **params: Any) -> str:
    """A sentence of the locale about this field."""
    return sentence(run.ask.locale, key, **{"label": label(spec, run), **params})


def line(act: Act, spec: FieldSpec, text: str, *, form: str = "natural", ssml: str | None = None) -> AIMessage:
    """One line. ``typed`` is this package's word for the chat's form and is reported as ``natural``."""
    mark = {
        "act": act,
        "field": spec.name,
        "form": "natural" if form == "typed" else form,
        "ssml": ssml or f"<speak>{escape(text)}</speak>",
    }
    return AIMessage(text, id=str(uuid.uuid4()), additional_kwargs={MARK: mark})


def form_for(view: View, attempts: int) -> Form:
    """The form of the next question: by voice the type's own, one a failed attempt (docs/policy.md says why)."""
    if view.ask.channel == "chat":
        return "natural" if attempts == 0 else "typed"
    forms = field_type(view.spec.type).ASKS
    return cast("Form", forms[min(attempts, len(forms) - 1)])


def question(view: View, form: str) -> str:
    """The question for a value in one form, in other words than the last time."""
    times = view.record.get("said", {}).get(form, 0)
    return said(view, view.spec, f"ask.{view.spec.type}.{form}", n=times)


def framed(view: View, key: str, spoken: Spoken, **params: Any) -> tuple[str, str]:
    """A sentence around a read-back: its text and its SSML, the value's own SSML inside."""
    frame = said(view, view.spec, key, value=_SLOT, **params)
    before, _, after = frame.partition(_SLOT)
    inner = spoken.ssml.removeprefix("<speak>").removesuffix("</speak>") or escape(spoken.text)
    return before + spoken.text + after, f"<speak>{escape(before)}{inner}{escape(after)}</speak>"
