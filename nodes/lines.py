"""Lines: what the loop says, as AIMessages that carry act, field, form and SSML for voice clients.

The words are the locale's (``fields/locales/*/prompts.toml``); a model never words them.
"""

from __future__ import annotations

import uuid
from typing import Any, Literal
from xml.sax.saxutils import escape

from langchain_core.messages import AIMessage

from langgraph_readback.fields import FieldSpec, Spoken, sentence
from langgraph_readback.fields.prompts import label as type_label
from langgraph_readback.nodes.view import Look, View
from langgraph_readback.state import MARK

__all__ = ["Act", "Form", "form_for", "framed", "label", "line", "question", "said"]

Act = Literal["ask", "echo", "readback", "confirm", "inform"]
Form = Literal["natural", "typed", "spelled", "words", "groups", "keypad"]

KEYPAD = frozenset({"phone", "card_last4"})
"""Types of digits only, which a caller may key in."""
PIECEMEAL = frozenset({
    "name", "company", "property", "address", "medication", "email", "username", "domain", "url", "id", "iban", "vin",
    "plate",
})  # fmt: skip
"""Types long enough that groups, each said back at once, cost less than a read-back that is rejected."""
_SPOKEN: tuple[Form, ...] = ("natural", "groups")
_KEYED: tuple[Form, ...] = ("natural", "keypad", "groups")
"""The forms of asking by voice, the last one from then on. Three attempts of one kind fail alike: on the yardstick's
line groups with an echo arrive whole in 0.93 of calls after a failed attempt, a spelling in 0.35, spelling words in
0.50 (docs/policy.md). Keys never err."""
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
    """The form of the next question: each failed attempt asks in another one."""
    if view.ask.channel == "chat":
        return "natural" if attempts == 0 else "typed"
    plan = _KEYED if view.spec.type in KEYPAD else _SPOKEN
    return plan[min(attempts, len(plan) - 1)]


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
