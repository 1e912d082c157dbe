"""The model of the environment: ChatOpenAI when there is a key or a base URL, else none (the planner takes over)."""

from __future__ import annotations

import os

from langchain_core.language_models import BaseChatModel

__all__ = ["model_from_env"]

DEFAULT_MODEL = "gpt-5-mini"
_SECONDS = 20.0
_RETRIES = 2


def model_from_env() -> BaseChatModel | None:
    """``READBACK_MODEL`` (or a small default) at ``OPENAI_BASE_URL`` with ``OPENAI_API_KEY``; None without either.

    A request may take 20 seconds and is tried again twice. A local server needs no key.
    """
    key, base = os.environ.get("OPENAI_API_KEY"), os.environ.get("OPENAI_BASE_URL")
    if not key and not base:
        return None
    from langchain_openai import ChatOpenAI  # noqa: PLC0415 - half a second that the planner does not need

    name = os.environ.get("READBACK_MODEL") or DEFAULT_MODEL
    return ChatOpenAI(model=name, api_key=key or "none", base_url=base, timeout=_SECONDS, max_retries=_RETRIES)  # type: ignore[arg-type]
