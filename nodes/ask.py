"""ASK: asks for the value, or takes the utterance that is waiting: a full correction, the desk's value, an offer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.runnables import RunnableLambda

from langgraph_readback.fields import FieldSpec, speak
from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.lines import line, question, said
from langgraph_readback.nodes.offers import offer
from langgraph_readback.nodes.prefill import sealed_known, what_is_known
from langgraph_readback.nodes.renew import proposed_again
from langgraph_readback.nodes.view import NOTHING, Update, View, begun
from langgraph_readback.state import CaptureState

__all__ = ["ask"]

_NO_QUESTION = frozenset({"go_on.generic", "wait.generic", "readback.echo", "again.generic"})
"""Notices that are a whole line: the user knows what is being asked."""
_ECHO = "readback.echo"


def ask(spec: FieldSpec, kit: Kit) -> Callable[..., Update] | RunnableLambda[CaptureState, Update]:
    """The node ``<field>.ASK``, for ``invoke`` and ``ainvoke``: only a prefill is awaited."""

    def node(state: CaptureState) -> Update:
        view = begun(spec, state)
        return _begin(view, kit) or _first(view, kit, what_is_known(spec, kit, view).ask())

    async def anode(state: CaptureState) -> Update:
        view = begun(spec, state)
        return _begin(view, kit) or _first(view, kit, await what_is_known(spec, kit, view).aask())

    return RunnableLambda(node, afunc=anode, name=f"{spec.name}.ASK") if spec.name in kit.prefill else node


def _begin(view: View, kit: Kit) -> Update | None:
    """The next capture of a field that was asked for before, or that the user spoke of; None for one that is new."""
    if view.record.get("status") == "CONFIRMED":  # its seal does not hold, or we would not be here
        anew, value = _new_revision(view, kit), proposed_again(view, kit)
        return _ask(view, anew) if value is None else _take(view, [value], anew, proposal=True)
    if not view.record.get("status"):
        offered = offer(view.spec, view)
        return None if offered is None else _take(view, [offered], _above(view, kit), proposal=True)
    if (waiting := view.heard.get("waiting")) is not None:
        return _take(view, [waiting], waiting=None, confidence=view.heard.get("confidence"))
    return _ask(view, {})


def _first(view: View, kit: Kit, known: str | None) -> Update:
    """The first question; or what the session knows, to be validated."""
    first = _above(view, kit)
    if known is None:
        return _ask(view, first)
    return _take(view, [known], first, proposal=True, known=sealed_known(kit, view, known, first["revision"]))


def _above(view: View, kit: Kit) -> dict[str, Any]:
    """Above the mark: this thread may have had another life."""
    return {"revision": kit.marks.highest(view.thread, view.spec.name) + 1}


def _take(view: View, parts: list[str], anew: dict[str, Any] | None = None, **heard: Any) -> Update:
    """An utterance that is to be heard now."""
    record = {"status": "VALIDATE", "value": None, "seal": None, "cause": None, "agreed": False, "read": False}
    return view.write(record=record | (anew or {}), heard={**NOTHING, **heard, "parts": parts}, take=True)


def _ask(view: View, record: dict[str, Any]) -> Update:
    """The question, after what the last step had to say."""
    notice = view.record.get("notice") or {}
    key = str(notice.get("key", ""))
    form = view.record.get("form") or "natural"
    told = {"value": view.heard.get("echo")} if key == _ECHO else _choices(view, key)
    first = said(view, view.spec, key, **told, **notice.get("params", {})) if key else ""
    whole = key in _NO_QUESTION
    text = first if whole else f"{first} {question(view, form)}".strip()
    count = view.record.get("said", {})
    record = {
        "status": "ASK", "value": None, "seal": None, "notice": None, "cause": None, "agreed": False, "read": False,
        "form": form, "said": {**count, form: count.get(form, 0) + (0 if whole else 1)}, **record,
    }  # fmt: skip
    parts = view.heard.get("parts", []) if whole else []
    return view.write(
        record=record, heard={**NOTHING, "parts": parts, "desk": None}, session={"floor": view.spec.name},
        say=[line("echo" if key == _ECHO else "ask", view.spec, text, form=form)],
    )  # fmt: skip


def _choices(view: View, key: str) -> dict[str, Any]:
    """The two values an ambiguous utterance may have meant, as they are read back, for the question that settles it."""
    both = view.heard.get("candidates", [])
    if not key.startswith("reason.") or len(both) != 2:  # noqa: PLR2004
        return {}
    where = {"locale": view.ask.locale, "region": view.ask.region, "channel": view.ask.channel}
    return dict(zip(("first", "second"), (speak(view.spec, value, **where) for value in both), strict=True))


def _new_revision(view: View, kit: Kit) -> dict[str, Any]:
    """A record that claims to be confirmed and is not starts over, above every mark."""
    highest = kit.marks.highest(view.thread, view.spec.name)
    return {
        "revision": max(view.record.get("revision", 0), highest) + 1, "attempts": 0, "budgets": {}, "form": "natural",
        "reason": None, "verified": None, "by": None, "at": None, "ticket": None,
    }  # fmt: skip
