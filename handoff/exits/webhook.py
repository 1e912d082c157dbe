"""Webhook: tells another system (Slack, PagerDuty, Zendesk ...) about tickets. Signed, tried again, and never a value.

Signed as Standard Webhooks says (https://www.standardwebhooks.com): headers ``webhook-id`` (the same on every try, so
that the receiver can drop duplicates), ``webhook-timestamp`` and ``webhook-signature``, HMAC-SHA256 over
``id.timestamp.body``. The body has a ``text`` too, which is what Slack shows.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import logging
import os
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import httpx2

__all__ = ["SECRET_VARIABLE", "URL_VARIABLE", "Webhook", "signature"]

URL_VARIABLE, SECRET_VARIABLE = "READBACK_WEBHOOK_URL", "READBACK_WEBHOOK_SECRET"
_LOG = logging.getLogger("langgraph_readback.handoff")
_WORTH_ANOTHER_TRY = frozenset({408, 425, 429})
_BROKEN = 500


class Webhook:
    """Posts events to one URL. Safe from several threads."""

    def __init__(
        self,
        url: str,
        *,
        secret: str | None = None,
        tries: int = 4,
        pause: float = 0.5,
        timeout: float = 5.0,
        client: httpx2.Client | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """``pause``: seconds before the second try, doubled each time. ``timeout``: seconds of one try.

        Raises ValueError for what is no http(s) URL.
        """
        if httpx2.URL(url).scheme not in ("http", "https"):
            raise ValueError("a webhook needs an https:// URL")
        self._url, self._secret, self._tries, self._pause, self._sleep = url, secret, tries, pause, sleep
        self._client = client or httpx2.Client(timeout=timeout, follow_redirects=False)

    @classmethod
    def from_env(cls) -> Webhook | None:
        """The one that READBACK_WEBHOOK_URL and READBACK_WEBHOOK_SECRET name; None without."""
        url = os.environ.get(URL_VARIABLE)
        return cls(url, secret=os.environ.get(SECRET_VARIABLE)) if url else None

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()

    def send(self, kind: str, text: str, data: Mapping[str, Any]) -> bool:
        """Post one event, ``kind`` such as ``ticket.overdue``. True when it was taken; False is in the log."""
        event, now = f"msg_{uuid.uuid4().hex}", int(time.time())
        content = {"type": kind, "timestamp": now, "text": text, "data": dict(data)}
        body = json.dumps(content, ensure_ascii=False).encode()
        headers = {"content-type": "application/json", "webhook-id": event, "webhook-timestamp": str(now)}
        if self._secret:
            headers["webhook-signature"] = signature(self._secret, event, now, body)
        problem = "not tried"
        for number in range(self._tries):
            if number:
                self._sleep(self._pause * 2 ** (number - 1))
            problem = self._post(body, headers)
            if not problem:
                return True
            if problem == "refused":
                break
        # Its URL may be a secret by itself (Slack's is): only the host is named.
        _LOG.error("webhook %s did not take %s: %s", httpx2.URL(self._url).host, kind, problem)
        return False

    def _post(self, body: bytes, headers: dict[str, str]) -> str:
        """What went wrong with one try; empty when nothing did."""
        try:
            status = self._client.post(self._url, content=body, headers=headers).status_code
        except httpx2.HTTPError as error:
            return type(error).__name__
        if 200 <= status < 300:  # noqa: PLR2004 - success
            return ""
        return f"status {status}" if status >= _BROKEN or status in _WORTH_ANOTHER_TRY else "refused"


def signature(secret: str, event: str, at: int, body: bytes) -> str:
    """The ``webhook-signature``. A secret that begins with ``whsec_`` is base64, any other is taken as it is."""
    plain = secret.removeprefix("whsec_")
    key = base64.b64decode(plain) if plain != secret else secret.encode()
    signed = hmac.digest(key, f"{event}.{at}.".encode() + body, hashlib.sha256)
    return f"v1,{base64.b64encode(signed).decode()}"
