"""A link: signed, expiring, used once; the value is checked, confirmed by typing it again, and taken up like the desk's."""

from __future__ import annotations

import re

import pytest

from langgraph_readback.errors import TicketClosedError
from langgraph_readback.fields.locales import languages
from langgraph_readback.handoff import GraphWaker, SqlDesk, wake_due
from langgraph_readback.handoff.exits.links import Links, render, words
from langgraph_readback.seal import Sealer

BASE = "https://shop.example/link"
VALUE = "kim.lee@example.com"


@pytest.fixture
def links(queue):
    return Links(queue, BASE + "/")


@pytest.fixture
def token(queue, links, ticket):
    """Of a link to ticket rb-1."""
    queue.file(ticket())
    return links.make("rb-1").removeprefix(BASE + "/")


def both(value, again=None):
    return {"value": value, "again": value if again is None else again}


def test_typed_checked_and_typed_again(links, queue, token):
    asked = links.page(token)
    assert (asked.kind, asked.status, asked.says) == ("ask", 200, "Please type your email address, exactly as it is.")
    shown = links.page(token, {"value": " Kim.Lee@Example.com "})
    assert (shown.kind, shown.shown.split()[0]) == ("confirm", VALUE)
    assert queue.search()[0]["status"] == "OPEN"
    assert links.page(token, both(" Kim.Lee@Example.com ", VALUE)).kind == "done"
    answer = queue.answer("rb-1", 1)
    assert (answer["kind"], answer["value"], answer["by"][:5]) == ("value", VALUE, "link:")
    for form in (None, {"value": VALUE}, both(VALUE)):
        assert (links.page(token, form).kind, links.page(token, form).status) == ("closed", 410)
    assert VALUE not in str(queue.trail("rb-1"))


def test_a_look_uses_nothing_up(links, token):
    assert {links.page(token).kind for _ in range(20)} == {"ask"}


@pytest.mark.parametrize(
    ("form", "kind", "problem"),
    [
        ({"value": ""}, "ask", True),
        ({}, "ask", True),
        ({"value": "not an address"}, "ask", True),
        ({"value": "x" * 5000}, "ask", True),
        (both(VALUE, "kim.leigh@example.com"), "ask", True),
        (both(VALUE, ""), "ask", True),
        ({"value": VALUE}, "confirm", False),
    ],
)
def test_what_is_no_answer_yet(links, queue, token, form, kind, problem):
    page = links.page(token, form)
    assert (page.kind, bool(page.problem), page.status) == (kind, problem, 422 if problem else 200)
    assert queue.search()[0]["status"] == "OPEN"


def test_wrong_values_use_a_link_up(links, queue, token):
    kinds = [links.page(token, {"value": "no"}).kind for _ in range(6)]
    assert kinds == ["ask"] * 5 + ["tries"]
    assert links.page(token, both(VALUE)).kind == "tries"
    assert queue.search()[0]["status"] == "OPEN"


def test_it_expires(links, queue, token, clock):
    clock.pass_(899)
    assert links.page(token).kind == "ask"
    clock.pass_(1)
    for form in (None, both(VALUE)):
        assert (links.page(token, form).kind, links.page(token, form).status) == ("expired", 410)
    assert queue.search()[0]["status"] == "OPEN"


def test_while_a_colleague_holds_the_ticket(links, queue, token):
    queue.claim("rb-1", "ana")
    assert (links.page(token, both(VALUE)).kind, links.page(token).status) == ("taken", 409)
    queue.release("rb-1", "ana")
    assert links.page(token, both(VALUE)).kind == "done"


def test_a_closed_ticket_gets_no_link(links, queue, token):
    queue.resolve("rb-1", kind="decline", by="ana")
    assert links.page(token, both(VALUE)).kind == "closed"
    with pytest.raises(TicketClosedError):
        links.make("rb-1")


@pytest.mark.parametrize(
    "change",
    [lambda t: "", lambda t: t[:-1], lambda t: "x" + t, lambda t: "a.b", lambda t: t.swapcase(), lambda t: "\ud800"],
)
def test_a_token_nobody_signed(links, queue, token, change):
    page = links.page(change(token), both(VALUE), locale="de-DE")
    assert (page.kind, page.status, page.label) == ("forged", 404, "")
    assert page.says == words("de-DE", "forged")
    assert queue.search()[0]["status"] == "OPEN"


def test_a_token_signed_with_other_keys_or_for_another_database(queue, token, ticket, clock):
    stranger = SqlDesk(queue._engine, Sealer(["the key of somebody else"]), clock=clock)
    assert Links(stranger, BASE).page(token).kind == "forged"
    elsewhere = SqlDesk.from_url("memory:", sealer=queue.sealer, clock=clock)
    elsewhere.file(ticket())
    assert Links(elsewhere, BASE).page(token).kind == "forged"
    elsewhere.close()


def test_two_links_of_a_ticket_answer_it_once(links, queue, token):
    other = links.make("rb-1").removeprefix(BASE + "/")
    assert other != token
    assert [links.page(one, both(VALUE)).kind for one in (token, other)] == ["done", "closed"]


def test_the_conversation_takes_it_up_through_validate(waiting, queue, links):
    [row] = queue.search()
    token = links.make(row["id"]).removeprefix(BASE + "/")
    assert links.page(token, both(VALUE)).kind == "done"
    wake_due(queue, GraphWaker(waiting.graph))
    record = waiting.graph.get_state(waiting.config).values["captures"]["email"]
    assert (record["status"], record["value"], record["verified"]) == ("CONFIRMED", VALUE, "format")
    assert re.fullmatch(r"human:link:[\w-]{12}", record["by"])


@pytest.mark.parametrize("language", sorted(languages()))
def test_every_language_says_everything(language):
    params = {"label": "L", "url": BASE, "minutes": 15}
    for key in (
        "subject",
        "mail",
        "ask",
        "confirm",
        "different",
        "done",
        "closed",
        "expired",
        "taken",
        "tries",
        "forged",
        "field",
        "again",
        "send",
    ):
        said = words(f"{language}-XX", key, **params)
        assert said
        assert language == "en" or key == "field" or said != words("en-US", key, **params)


def test_the_html_shows_strings_as_text(queue, links, ticket):
    queue.file(ticket(label="<b>name</b>", field="name", rules={"type": "name"}, locale="en-US"))
    token = links.make("rb-1").removeprefix(BASE + "/")
    page = render(links.page(token))
    assert "<b>" not in page
    assert "&lt;b&gt;name&lt;/b&gt;" in page
    for tag in ("<script", "<style", "style=", "onclick"):
        assert tag not in page
    confirm = render(links.page(token, {"value": 'O\'Neill "x" & <i>'}))
    assert "<i>" not in confirm
