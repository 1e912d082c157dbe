"""The desk beside LangGraph server's own routes: an answer given there wakes the conversation on the server."""

from __future__ import annotations

import re
import time

import httpx
import pytest

TOKEN = "ana-token-for-the-tests"  # noqa: S105 - of a server that lives as long as its test


@pytest.fixture
def ana(server):
    """Ana's browser, signed in."""
    with httpx.Client(base_url=server.url, follow_redirects=True) as browser:
        page = browser.get("/desk")
        assert page.url.path == "/desk/sign-in"
        assert post(browser, page, "/desk/sign-in", token=TOKEN).url.path == "/desk/"
        yield browser


def post(browser, page, path, **fields):
    """Send a form of a page."""
    token = re.search(r'name="form_token" value="([^"]+)"', page.text)[1]
    return browser.post(path, data={"form_token": token, **fields})


def test_an_answer_at_the_desk_wakes_the_conversation(caller, ana):
    caller.send(None, "blue sky", "green grass", "red door", "phone, please", "a person, please")
    [ticket, *_] = caller.interrupt["tickets"]
    page = ana.get(f"/desk/tickets/{ticket['ticket']}")
    assert "blue sky" not in page.text
    page = post(ana, page, f"/desk/tickets/{ticket['ticket']}/claim")
    page = post(ana, page, f"/desk/tickets/{ticket['ticket']}/resolve", revision="1", value="Kim.Lee@example.com")
    assert page.url.query == b"done=resolved"
    for _ in range(200):
        record = caller.values["captures"]["email"]
        if record["status"] == "CONFIRMED":
            break
        time.sleep(0.05)
    assert (record["value"], record["by"], record["verified"]) == ("kim.lee@example.com", "human:ana", "human")


def test_pages_of_the_server_keep_their_own_headers(server):
    """The console's policy is for its pages; Studio and the SDK go on as they were."""
    desk, docs = (httpx.get(f"{server.url}{path}") for path in ("/desk/sign-in", "/ok"))
    assert "default-src 'none'" in desk.headers["content-security-policy"]
    assert "content-security-policy" not in docs.headers
    assert httpx.get(f"{server.url}/try/").status_code == httpx.codes.OK
