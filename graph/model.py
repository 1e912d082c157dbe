"""The model of the environment: ChatOpenAI when there is a key or a base URL, else none (the planner takes over)."""

from __future__ import annotations

import os
from typing import Any

from langchain_core.language_models import BaseChatModel

__all__ = ["model_from_env"]

DEFAULT_MODEL = "gpt-5-mini"
_SECONDS = 20.0
_RETRIES = 2
_NO = frozenset({"no", "false", "0", "off"})


def model_from_env() -> BaseChatModel | None:
    """``READBACK_MODEL`` (or a small default) at ``OPENAI_BASE_URL`` with ``OPENAI_API_KEY``; None without either.

    A request may take 20 seconds and is tried again twice. A local server needs no key. ``READBACK_MODEL_TOOLS=no``
    says that the model cannot call tools: then the planner plans, and the model only talks.
    """
    key, base = os.environ.get("OPENAI_API_KEY"), os.environ.get("OPENAI_BASE_URL")
    if not key and not base:
        return None
    from langchain_openai import ChatOpenAI  # noqa: PLC0415 - half a second that the planner does not need

    name = os.environ.get("READBACK_MODEL") or DEFAULT_MODEL
    about: Any = {"timeout": _SECONDS, "max_retries": _RETRIES}
    if os.environ.get("READBACK_MODEL_TOOLS", "").strip().casefold() in _NO:
        about["profile"] = {"tool_calling": False}
    return ChatOpenAI(model=name, api_key=key or "none", base_url=base, **about)  # type: ignore[arg-type]
