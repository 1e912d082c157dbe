"""The console without a browser: who gets in, what a form must carry, which headers protect a page, what is audited."""

from __future__ import annotations

import logging
import re

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from starlette.testclient import TestClient

from langgraph_readback.handoff.console import PURPOSE, People, Trials, console

ANA, BEN = "ana-token-for-the-tests", "ben-token-for-the-tests"


@pytest.fixture
def people(sealer):
    return People(secret=sealer.secret(PURPOSE), tokens={"ana": ANA, "ben": BEN})


@pytest.fixture
def app(queue, people):
    return console(desk=queue, people=people, trials=Trials(saver=InMemorySaver(), desk=queue))


@pytest.fixture
def browser(app):
    """Makes browsers; with a token, signed in."""
    made = []

    def make(token=None):
        client = TestClient(app, base_url="http://desk.example")
        made.append(client)
        if token:
            page = client.get("/desk/sign-in")
            assert client.post("/desk/sign-in", data={**form(page), "token": token}).url.path == "/desk/"
        return client

    yield make
    for client in made:
        client.close()


def form(page):
    return {"form_token": re.search(r'name="form_token" value="([^"]+)"', page.text)[1]}


@pytest.mark.parametrize("path", ["/desk/", "/desk/rows", "/desk/tickets/rb-1"])
def test_pages_of_the_desk_are_closed(browser, path):
    page = browser().get(path)
    assert page.url.path == "/desk/sign-in"
    assert "email address" not in page.text


ACTIONS = ["claim", "release", "reveal", "heartbeat", "check", "resolve", "retry", "decline", "called", "later"]


@pytest.mark.parametrize("name", ACTIONS)
def test_actions_are_closed_and_want_a_form_of_ours(browser, queue, ticket, name):
    queue.file(ticket())
    stranger = browser()
    sign_in = stranger.get("/desk/sign-in")
    path = f"/desk/tickets/rb-1/{name}"
    assert stranger.post(path, data=form(sign_in)).status_code == 401
    ana = browser(ANA)
    assert ana.post(path).status_code == 403
    assert ana.post(path, data=form(sign_in)).status_code == 403  # a token of another browser
    good = form(ana.get("/desk/tickets/rb-1"))
    assert ana.post(path, data=good, headers={"origin": "http://evil.example"}).status_code == 403
    assert ana.post(path, data=good, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert queue.ticket("rb-1")["status"] == "OPEN"
    assert [one["what"] for one in queue.trail("rb-1")] == ["filed"]


@pytest.mark.parametrize("path", ["/desk/sign-in", "/desk/nowhere", "/try/", "/desk/static/desk.js"])
def test_every_page_has_the_strict_headers(browser, path):
    headers = browser().get(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert (headers["x-frame-options"], headers["x-content-type-options"]) == ("DENY", "nosniff")
    assert headers["cache-control"] == ("no-cache" if "static" in path else "no-store")


def test_no_page_has_a_script_or_a_style_of_its_own(browser, queue, ticket):
    queue.file(ticket())
    ana = browser(ANA)
    pages = [ana.get(path).text for path in ("/desk/", "/desk/tickets/rb-1", "/try/", "/desk/nowhere")]
    for page in pages:
        assert not re.search(r"<script(?![^>]*src=\"/)|<style|\sstyle=|\son[a-z]+=|https?://", page)


def test_the_cookie_is_out_of_reach_of_scripts(browser):
    client = browser()
    page = client.get("/desk/sign-in")
    answer = client.post("/desk/sign-in", data={**form(page), "token": ANA}, follow_redirects=False)
    session = next(one for one in answer.headers.get_list("set-cookie") if one.startswith("readback_desk="))
    assert "HttpOnly" in session
    assert "SameSite=lax" in session
    assert ANA not in session


@pytest.mark.parametrize("goal", ["https://evil.example/", "//evil.example", "/try/", "/desk/\\evil.example", ""])
def test_signing_in_leads_nowhere_else(browser, goal):
    client = browser()
    page = client.get("/desk/sign-in")
    sent = {**form(page), "token": ANA, "next": goal}
    assert client.post("/desk/sign-in", data=sent, follow_redirects=False).headers["location"] == "/desk/"


def test_values_are_masked_until_the_holder_reveals_them(browser, queue, ticket):
    queue.file(ticket())
    ana, ben = browser(ANA), browser(BEN)
    page = ana.get("/desk/tickets/rb-1")
    assert "blue" not in page.text
    assert "••••@•••.•••••••" in page.text
    assert ana.post("/desk/tickets/rb-1/reveal", data=form(page)).status_code == 409
    page = ana.post("/desk/tickets/rb-1/claim", data=form(page))
    assert "blue" not in page.text
    shown = ana.post("/desk/tickets/rb-1/reveal", data=form(page))
    assert "blue@sky.example" in shown.text
    page = ben.get("/desk/tickets/rb-1")
    assert "blue" not in page.text
    assert ben.post("/desk/tickets/rb-1/reveal", data=form(page)).status_code == 409
    assert [(one["who"], one["what"]) for one in queue.trail("rb-1")][1:] == [("ana", "claimed"), ("ana", "revealed")]


def test_only_the_holder_answers(browser, queue, ticket):
    queue.file(ticket())
    ana, ben = browser(ANA), browser(BEN)
    page = ana.get("/desk/tickets/rb-1")
    sent = {**form(page), "revision": "1", "value": "kim.lee@example.com"}
    page = ana.post("/desk/tickets/rb-1/resolve", data=sent)
    assert page.status_code == 409
    assert "your hold on the ticket ran out" in page.text
    ana.post("/desk/tickets/rb-1/claim", data=sent)
    page = ben.post("/desk/tickets/rb-1/resolve", data={**sent, **form(ben.get("/desk/"))})
    assert (page.status_code, "ana holds this ticket now" in page.text) == (409, True)
    assert ana.post("/desk/tickets/rb-1/resolve", data={**sent, "revision": "x"}).status_code == 409
    assert ana.post("/desk/tickets/rb-1/resolve", data=sent).url.query == b"done=resolved"
    assert queue.answer("rb-1", 1)["by"] == "ana"


def test_a_changed_token_ends_the_session(browser, queue, app, people, sealer):
    ana = browser(ANA)
    cookie = ana.cookies["readback_desk"]
    assert people.of_cookie(cookie) == "ana"
    changed = People(secret=sealer.secret(PURPOSE), tokens={"ana": "another-token-for-tests"})
    assert changed.of_cookie(cookie) is None
    assert People(secret=sealer.secret(PURPOSE), tokens={}).of_cookie(cookie) is None
    assert People(secret=BEN, tokens=people.tokens).of_cookie(cookie) is None


def test_nobody_gets_in_when_nothing_is_set_up(queue, sealer):
    with TestClient(console(desk=queue, people=People(secret=sealer.secret(PURPOSE), tokens={}))) as client:
        page = client.get("/desk/")
        assert "set READBACK_DESK_TOKENS" in page.text
        assert client.post("/desk/sign-in", data={"token": ""}).status_code == 403
        assert client.get("/try/").status_code == 404


def test_what_is_too_long_or_no_form_is_refused(browser):
    client = browser(ANA)
    sent = form(client.get("/desk/"))
    assert client.post("/desk/sign-out", data={**sent, "x": "y" * 30_000}).status_code == 413
    headers = {"content-type": "application/json", "accept": "application/json"}
    answer = client.post("/desk/sign-out", content=b"{", headers=headers)
    assert (answer.status_code, answer.json()["error"][:12]) == (400, "This page is")
    assert client.get("/desk/tickets/rb-9").status_code == 404


def test_what_the_database_says_reaches_neither_page_nor_log(browser, queue, ticket, monkeypatch, caplog):
    queue.file(ticket())
    ana = browser(ANA)

    def fail(*_, **__):
        raise RuntimeError("blue@sky.example")

    monkeypatch.setattr(queue, "look", fail)
    with caplog.at_level(logging.DEBUG):
        page = ana.get("/desk/tickets/rb-1")
    assert (page.status_code, "Something went wrong here" in page.text) == (500, True)
    assert "blue" not in page.text + caplog.text


def test_the_language_follows_the_browser_and_the_choice(browser):
    client = browser()
    assert '<html lang="en">' in client.get("/desk/sign-in", headers={"accept-language": "xx, fr;q=0"}).text
    page = client.get("/desk/sign-in", headers={"accept-language": "de-AT, en;q=0.5"})
    assert '<html lang="de">' in page.text
    assert client.post("/desk/language", data={**form(page), "language": "xx"}).status_code == 400
    page = client.post("/desk/language", data={**form(page), "language": "de", "here": "/desk/sign-in"})
    assert (page.url.path, "Ihr Desk-Token" in page.text) == ("/desk/sign-in", True)


def test_a_conversation_is_the_browsers_own(browser, queue):
    one, other = browser(), browser()
    page = one.get("/try/")
    assert one.get("/try/state", headers={"accept": "application/json"}).status_code == 410
    sent = {**form(page), "fields": ["email", "phone"], "speech": "en", "channel": "chat"}
    assert one.post("/try/start", data=sent).url.path == "/try/"
    told = one.post("/try/say", data={**form(page), "text": "kim.lee@example.com"}).json()
    assert told["path"] == ["email.VALIDATE", "email.READBACK"]
    assert [f["status"] for f in told["fields"]] == ["READBACK", None]
    other.cookies.set("readback_try", "try-1.forged")
    assert other.get("/try/state", headers={"accept": "application/json"}).status_code == 410
    for wrong in ({"fields": "shoe size"}, {"speech": "xx"}, {"channel": "smoke"}):
        assert one.post("/try/start", data={**sent, **wrong}).status_code == 400


def test_a_call_is_seen_made_and_put_off(browser, queue, callback, clock):
    """Masked until it is revealed; put off; made by the one who holds it; never answered like a detail."""
    ana = browser(ANA)
    assert "the user wants a call" in ana.get("/desk/").text
    page = ana.get(f"/desk/tickets/{callback}")
    assert ("2026-12-01 07:00 (America/Chicago)" in page.text, "rb-about" in page.text) == (True, True)
    assert [one for one in ("Rae", "3125550119") if one in page.text] == []
    act = f"/desk/tickets/{callback}/"
    assert ana.post(act + "called", data=form(page)).status_code == 409  # not taken yet
    ana.post(act + "claim", data=form(page))
    shown = ana.post(act + "reveal", data=form(page)).text
    assert ("Rae Lee" in shown, 'href="tel:+13125550119"' in shown, 'name="value"' in shown) == (True, True, False)
    for wrong in ("", "0", "-5", "x", "99999", "1e9"):
        assert ana.post(act + "later", data={**form(page), "minutes": wrong}).status_code == 422
    ben = browser(BEN)
    assert ben.post(act + "called", data=form(ben.get(f"/desk/tickets/{callback}"))).status_code == 409
    assert "waits for its next try" in ana.post(act + "later", data={**form(page), "minutes": "45"}).text
    assert queue.ticket(callback)["due_at"] == clock() + 45 * 60
    ana.post(act + "claim", data=form(page))
    assert "the call was made" in ana.post(act + "called", data=form(page)).text
    assert [one["what"] for one in queue.trail(callback)] == [
        "filed", "claimed", "revealed", "postponed", "claimed", "resolved",
    ]  # fmt: skip
    assert "the call was made" in ana.get("/desk/?show=closed").text
