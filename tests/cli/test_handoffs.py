"""``readback handoffs``: a ticket is listed, shown, answered once, and the conversation takes the answer up."""

from __future__ import annotations

import json
import re
from contextlib import closing

import pytest

from langgraph_readback.cli.tickets import short
from langgraph_readback.handoff import SqlDesk

FAILS = "HL-999999\nHL-888888\nHL-777777\n"


@pytest.fixture
def shop(run, tmp_path, monkeypatch):
    """A database whose thread t1 has handed an order number off; returns what runs a command on it."""
    monkeypatch.setenv("READBACK_DATABASE_URL", f"sqlite:///{tmp_path}/shop.db")
    options = ("--fields", "order_id", "--known", "order_id=HL-204117", "--thread", "t1")

    def call(*args: str, text: str = ""):
        return run(*args, *(options if args[0] == "chat" else ()), text=text)

    done = call("chat", text=FAILS)
    assert done.exit_code == 0, done.output
    return call


def tickets(shop, *options) -> list[dict]:
    return [json.loads(line) for line in shop("handoffs", "list", *options).stdout.splitlines()]


def test_listed_with_all_attempts(shop):
    [ticket] = tickets(shop)
    assert (ticket["status"], ticket["thread"], ticket["field"]) == ("OPEN", "t1", "order_id")
    shown = json.loads(shop("handoffs", "show", ticket["id"]).stdout)
    assert len(shown["attempts"]) == 3
    assert [value for value in FAILS.split() if value not in json.dumps(shown["attempts"])] == []


def test_answered_once_and_taken_up(shop):
    [ticket] = tickets(shop)
    done = shop("handoffs", "resolve", ticket["id"][:8], "--value", "HL-204117", "--by", "ana")
    assert (done.exit_code, done.stdout) == (0, f"{ticket['id']}: value, by ana\n")
    assert tickets(shop) == []
    assert tickets(shop, "--all")[0]["status"] == "RESOLVED"
    again = shop("handoffs", "resolve", ticket["id"], "--retry", "--by", "ana")
    assert again.exit_code == 2
    assert "is closed already" in again.stderr
    board = shop("chat").stdout.rpartition("field")[2]
    assert re.search(r"CONFIRMED\s+HL-204117\s.*human", board), board


def test_another_try(shop):
    [ticket] = tickets(shop)
    shop("handoffs", "resolve", ticket["id"], "--retry", "--by", "ana")
    board = shop("chat", text="HL-204117\nyes\n").stdout.rpartition("field")[2]
    assert re.search(r"CONFIRMED\s+HL-204117", board), board


def test_no_value_at_all(shop):
    [ticket] = tickets(shop)
    shop("handoffs", "resolve", ticket["id"], "--decline", "--by", "ana")
    assert "DECLINED" in shop("chat").stdout.rpartition("field")[2]


def test_a_list_and_a_masked_ticket_hold_nothing_captured(shop):
    [ticket] = tickets(shop)
    masked = shop("handoffs", "show", ticket["id"], "--masked").stdout
    assert "999999" not in shop("handoffs", "list", "--all").stdout + masked
    assert json.loads(masked)["attempts"][0]["utterance"] == "••-••••••"


def test_claimed_and_given_back_and_on_record(shop):
    [ticket] = tickets(shop)
    assert "yours until" in shop("handoffs", "claim", ticket["id"], "--by", "ana").stdout
    assert tickets(shop)[0]["claimed_by"] == "ana"
    refused = shop("handoffs", "resolve", ticket["id"], "--decline", "--by", "bo")
    assert (refused.exit_code, "ana holds it" in refused.stderr) == (2, True)
    assert shop("handoffs", "release", ticket["id"], "--by", "ana").stdout == f"{ticket['id']}: open\n"
    shown = json.loads(shop("handoffs", "show", ticket["id"], "--by", "bo").stdout)
    assert [(e["who"], e["what"]) for e in shown["trail"]] == [
        ("conversation", "filed"), ("ana", "claimed"), ("ana", "released"), ("bo", "revealed"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ([], 1),
        (["--field", "order_id"], 1),
        (["--field", "email"], 0),
        (["--search", "T1"], 1),
        (["--search", "999"], 0),
        (["--overdue"], 0),
    ],
)
def test_filtered(shop, options, found):
    assert len(tickets(shop, *options)) == found


def test_advice_is_said_first(shop):
    [ticket] = tickets(shop)
    shop("handoffs", "resolve", ticket["id"], "--retry", "--advice", "It is on your receipt.", "--by", "ana")
    assert "It is on your receipt." in shop("chat", text="HL-204117\nyes\n").stdout


def test_a_link_to_print(shop):
    [ticket] = tickets(shop)
    done = shop("handoffs", "link", ticket["id"], "--url", "https://shop.example/link", "--by", "ana")
    assert done.stdout.startswith("https://shop.example/link/")
    mailed = shop(
        "handoffs",
        "link",
        ticket["id"],
        "--url",
        "https://shop.example/link",
        "--to",
        "kim.lee@example.com",
        "--by",
        "ana",
    )
    assert (mailed.exit_code, "set READBACK_SMTP_URL" in mailed.stderr) == (2, True)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["show", "rb-none"], "no ticket 'rb-none'"),
        (["resolve", "rb-none", "--retry", "--by", "ana"], "no ticket 'rb-none'"),
        (["resolve", "rb", "--by", "ana"], "give exactly one of --value, --retry and --decline"),
        (["resolve", "rb", "--by", "ana", "--retry", "--decline"], "give exactly one of --value"),
        (["resolve", "rb", "--by", "ana", "--value", " "], "an answer of kind 'value' needs a value"),
        (["resolve", "rb", "--by", " ", "--retry"], "say who answers"),
        (["resolve", "rb", "--by", "ana", "--decline", "--advice", "x"], "an answer of kind 'retry' may have advice"),
        (["claim", "rb-none", "--by", "ana"], "no ticket 'rb-none'"),
        (["release", "rb", "--by", "ana"], "ticket"),
    ],
)
def test_what_the_desk_refuses(shop, args, message):
    done = shop("handoffs", *args)
    assert done.exit_code == 2, done.output
    [line] = done.stderr.splitlines()
    assert line.startswith(f"readback: {message}")
    assert len(tickets(shop)) == 1


@pytest.mark.parametrize(
    ("command", "url"),
    [
        (("handoffs", "list"), "sqlite:///{file}/x.db"),
        (("handoffs", "list"), "sqlite:///{folder}"),
        (("handoffs", "list"), "postgresql://127.0.0.1:1/none"),
        (("chat",), "sqlite:///{file}/x.db"),
        (("chat",), "sqlite:///{folder}"),
    ],
)
def test_a_database_that_cannot_be_used(run, tmp_path, monkeypatch, command, url):
    monkeypatch.setenv("READBACK_SEAL_KEYS", "a-key-of-the-tests-that-is-long-enough")
    (tmp_path / "file").touch()
    place = url.format(file=tmp_path / "file", folder=tmp_path)
    done = run(*command, "--database", place)
    assert done.exit_code == 2, done.output
    assert [line for line in done.stderr.splitlines() if not line.startswith("readback: cannot ")] == []


def test_a_shared_database_needs_keys(run):
    done = run("handoffs", "list", "--database", "postgresql://127.0.0.1:1/none")
    assert (done.exit_code, done.stderr.split(":")[:2]) == (2, ["readback", " set READBACK_SEAL_KEYS"])


def test_a_value_that_does_not_fit_leaves_the_ticket_open(shop):
    [ticket] = tickets(shop)
    done = shop("handoffs", "resolve", ticket["id"], "--value", "HL-2041", "--by", "ana")
    assert done.exit_code == 2
    assert done.stderr.startswith("readback: this does not fit, and the ticket is still open: ")
    assert [one["status"] for one in tickets(shop)] == ["OPEN"]
    assert shop("handoffs", "resolve", ticket["id"], "--value", "hl 204117", "--by", "ana").exit_code == 0
    assert "HL-204117" in shop("chat").stdout.rpartition("field")[2]


@pytest.mark.parametrize(
    ("ids", "shown"),
    [
        (["rb-1234567890"], ["rb-12345678"]),
        (["rb-1234567890", "rb-1234567899"], ["rb-1234567890", "rb-1234567899"]),
        (["rb-1234567890", "rb-22"], ["rb-12345678", "rb-22"]),
        ([], []),
    ],
)
def test_ids_are_shown_as_short_as_they_differ(ids, shown):
    assert [short(ids)[one] for one in ids] == shown


def test_in_a_terminal_each_step_says_the_next(terminal, tmp_path):
    """Chat, list, show, resolve, and Enter in the chat: the answer is there."""
    where = ("--database", f"sqlite:///{tmp_path}/shop.db")
    chat = ("chat", "--fields", "order_id", "--known", "order_id=HL-204117", "--thread", "t1", *where)
    assert "readback handoffs list" in " ".join(terminal(*chat, typed=(*FAILS.split(), "\x04")).split())
    listed = terminal("handoffs", "list", *where)
    [name] = re.findall(r"readback handoffs show (rb-\w+)", listed)
    shown = terminal("handoffs", "show", name, *where)
    assert f"readback handoffs resolve {name}" in shown
    assert "None" not in shown
    assert "all attempts failed" in shown
    done = terminal("handoffs", "resolve", name, "--value", "HL-204117", "--by", "ana", *where)
    assert "--thread t1" in " ".join(done.split())


def test_a_call_is_put_off_and_made(run, tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path}/calls.db"
    monkeypatch.setenv("READBACK_DATABASE_URL", url)
    wish = {"name": None, "phone": "+13125550119", "time": None, "zone": "UTC", "at": 1.0, "about": []}
    given = {
        "id": "rb-call", "thread": "t", "field": "call-back", "revision": 1, "label": "callback", "locale": "en-US",
        "reason": "callback", "attempts": [], "callback": wish,
    }  # fmt: skip
    with closing(SqlDesk.from_url(url)) as desk:
        desk.file(given)
    assert "555" not in run("handoffs", "show", "rb-call", "--masked").stdout
    assert json.loads(run("handoffs", "show", "rb-call", "--by", "ana").stdout)["callback"]["phone"] == "+13125550119"
    refused = run("handoffs", "resolve", "rb-call", "--value", "x", "--by", "ana")
    assert (refused.exit_code, "a callback takes no answer" in refused.stderr) == (2, True)
    assert run("handoffs", "later", "rb-call", "--by", "ana").stdout.startswith("rb-call: due at ")
    assert run("handoffs", "called", "rb-call", "--by", "ana").stdout == "rb-call: called, by ana\n"
    assert run("handoffs", "called", "rb-call", "--by", "ana").exit_code == 2
