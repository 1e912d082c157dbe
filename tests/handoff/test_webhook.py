"""Webhooks: signed, the same event on every try, given up loudly, and no value or secret in the log."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json

import httpx2
import pytest

from langgraph_readback.handoff.exits.webhook import Webhook, signature

URL = "https://hooks.example.com/services/very-secret-path"


class Receiver:
    """Answers with each status (or error) in turn, the last one for ever."""

    def __init__(self, *answers):
        self.answers, self.requests = list(answers), []

    def __call__(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return httpx2.Response(answer)


def hook(receiver, **options):
    pauses = []
    made = Webhook(URL, client=httpx2.Client(transport=httpx2.MockTransport(receiver)), sleep=pauses.append, **options)
    return made, pauses


@pytest.mark.parametrize(
    ("answers", "taken", "tries", "pauses"),
    [
        ([200], True, 1, []),
        ([204], True, 1, []),
        ([500, 429, 202], True, 3, [0.5, 1.0]),
        ([httpx2.ConnectError("no"), 200], True, 2, [0.5]),
        ([503], False, 4, [0.5, 1.0, 2.0]),
        ([httpx2.ReadTimeout("slow")], False, 4, [0.5, 1.0, 2.0]),
        ([404], False, 1, []),
        ([301], False, 1, []),
    ],
)
def test_tried_again_while_it_may_help(answers, taken, tries, pauses, caplog):
    receiver = Receiver(*answers)
    made, slept = hook(receiver)
    assert made.send("ticket.overdue", "ticket rb-1 is overdue", {"ticket": "rb-1"}) == taken
    assert (len(receiver.requests), slept) == (tries, pauses)
    assert len({request.headers["webhook-id"] for request in receiver.requests}) == 1
    assert ("hooks.example.com did not take ticket.overdue" in caplog.text) == (not taken)
    assert "very-secret-path" not in caplog.text
    made.close()


@pytest.mark.parametrize(
    ("secret", "key"),
    [("plain words", b"plain words"), ("whsec_" + base64.b64encode(b"raw bytes").decode(), b"raw bytes")],
)
def test_signed_as_standard_webhooks_says(secret, key):
    receiver = Receiver(200)
    made, _ = hook(receiver, secret=secret)
    made.send("ticket.unclaimed", "text", {"ticket": "rb-1"})
    [request] = receiver.requests
    signed = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode() + request.content
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert request.headers["webhook-signature"] == f"v1,{expected}"
    body = json.loads(request.content)
    assert (body["type"], body["text"], body["data"]) == ("ticket.unclaimed", "text", {"ticket": "rb-1"})


def test_the_signature_of_the_specification():
    """The worked example of https://github.com/standard-webhooks/standard-webhooks."""
    secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b'{"test": 2432232314}'
    assert (
        signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
        == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    )


def test_unsigned_without_a_secret():
    receiver = Receiver(200)
    made, _ = hook(receiver)
    made.send("ticket.overdue", "text", {})
    assert "webhook-signature" not in receiver.requests[0].headers


@pytest.mark.parametrize("url", ["ftp://example.com", "hooks.example.com", ""])
def test_what_is_no_url(url):
    with pytest.raises(ValueError, match="https://"):
        Webhook(url)


@pytest.mark.parametrize(("url", "made"), [(None, False), ("", False), (URL, True)])
def test_from_the_environment(monkeypatch, url, made):
    monkeypatch.delenv("READBACK_WEBHOOK_URL", raising=False)
    if url is not None:
        monkeypatch.setenv("READBACK_WEBHOOK_URL", url)
    found = Webhook.from_env()
    assert (found is not None) == made
    if found:
        found.close()
