"""The page of a link in the console's app: open to who has the token, guarded like the desk's pages."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from langgraph_readback.handoff.console import People, console
from langgraph_readback.handoff.exits.links import Links

VALUE = "kim.lee@example.com"


@pytest.fixture
def client(queue):
    people = People(secret="a secret of the tests", tokens={})  # noqa: S106
    with TestClient(console(desk=queue, people=people, links=Links(queue, "/link"))) as client:
        yield client


@pytest.fixture
def url(queue, ticket):
    queue.file(ticket())
    return Links(queue, "/link").make("rb-1")


def test_typed_in_a_browser(client, url, queue):
    page = client.get(url)
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert re.search(r'<input id="value" name="value"', page.text)
    shown = client.post(url, data={"value": VALUE.upper()})
    hidden = re.search(r'type="hidden" name="value" value="([^"]+)"', shown.text)[1]
    assert client.post(url, data={"value": hidden, "again": VALUE}).status_code == 200
    assert queue.answer("rb-1", 1)["value"] == VALUE
    assert client.get(url).status_code == 410


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"", 422), (b"value=nobody", 422), (b"\xff\x00=%ff", 422), (b"value=" + b"x" * 20_000, 413)],
)
def test_what_else_is_sent(client, url, queue, body, status):
    assert client.post(url, content=body).status_code == status
    assert queue.search()[0]["status"] == "OPEN"


def test_a_token_nobody_signed_is_told_so_in_the_browsers_language(client):
    page = client.get("/link/nonsense", headers={"accept-language": "fr-CA,fr;q=0.9"})
    assert (page.status_code, "pas complet" in page.text) == (404, True)
