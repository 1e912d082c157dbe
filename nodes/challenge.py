"""Challenge: for high stakes the user says the last characters back instead of yes, against agreeable confirmations."""

from __future__ import annotations

from langgraph_readback.fields import FieldSpec
from langgraph_readback.nodes.offers import heard_as
from langgraph_readback.nodes.view import View

__all__ = ["is_challenged", "passes", "tail"]

LENGTH = 3
"""Characters asked for: enough against chance, few enough to remember."""


def is_challenged(view: View) -> bool:
    """Whether this read-back is to be answered with characters.

    ``confirm="challenge"``; or ``high_stakes`` with a value that nobody but the format check has vouched for.
    """
    weak = view.spec.high_stakes and view.heard.get("verified") == "format"
    return view.spec.confirm == "challenge" or weak


def tail(value: str) -> str:
    """The characters to say back: the last letters and digits, of an address those before the at sign."""
    plain = [c for c in value.partition("@")[0] if c.isalnum()]
    return "".join(plain[-LENGTH:])


def passes(view: View, text: str, value: str) -> bool:
    """Whether the user said those characters and nothing else. They are heard as a code, so spelling words work."""
    wanted = tail(value).casefold()
    code = FieldSpec(name="tail", pattern=rf"[A-Za-z0-9]{{{len(wanted)}}}")
    said = heard_as(code, text, view.ask).value
    return said is not None and said.casefold() == wanted
