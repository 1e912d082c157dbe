"""``readback chat``: four details in a terminal, one of them corrected; left and gone on with."""

from __future__ import annotations

import re
from contextlib import closing

from langgraph_readback.handoff import SqlDesk

SCRIPT = """kim.lee@example.com
no
kim.leigh@example.com
yes
+1 312 555 0119
yes
HL-204117
yes
Siobhan O'Connor
yes
"""
VALUES = ["kim.leigh@example.com", "+13125550119", "HL-204117", "Siobhan O'Connor"]


def test_four_details_from_a_script(run, tmp_path):
    done = run("chat", "--database", f"sqlite:///{tmp_path}/chat.db", text=SCRIPT)
    assert done.exit_code == 0, done.output
    board = done.stdout.rpartition("field")[2]
    assert re.findall(r"CONFIRMED\s+(.+?)(?:\s{2,}|$)", board, re.MULTILINE) == VALUES
    assert "kim.lee@" not in board


def test_left_and_gone_on_with(run, tmp_path):
    where = ("--database", f"sqlite:///{tmp_path}/chat.db", "--fields", "email", "--thread", "t1")
    first = run("chat", *where, text="kim.lee@example.com\n")
    assert "readback chat --thread t1" in first.stdout
    second = run("chat", *where, text="yes\n")
    assert re.search(r"CONFIRMED\s+kim\.lee@example\.com", second.stdout), second.output


def test_an_unknown_order_number_goes_to_a_human(run, tmp_path):
    options = ("--database", "memory:", "--fields", "order_id", "--known", "order_id=HL-204117")
    done = run("chat", *options, text="HL-999999\nHL-888888\nHL-777777\nhello?\n")
    assert done.exit_code == 0, done.output
    assert "HANDOFF" in done.stdout.rpartition("field")[2]


def test_in_a_terminal(terminal, tmp_path):
    options = ("--database", f"sqlite:///{tmp_path}/chat.db", "--fields", "email")
    screen = terminal("chat", *options, typed=("kim.lee@example.com", "yes", ""))
    assert re.search(r"CONFIRMED\W.*kim\.lee@example\.com", screen), screen


def test_enter_looks_for_the_answer_of_a_person(run, tmp_path, monkeypatch):
    """Answered while the chat is open: its next empty line takes the answer up."""
    url = f"sqlite:///{tmp_path}/chat.db"
    monkeypatch.setenv("READBACK_SEAL_KEYS", "a-key-of-the-tests-that-is-long-enough")
    answers, script = iter([None, "HL-204117"]), iter(["HL-999999", "HL-888888", "HL-777777", "", "", None])

    def line(_console):
        said = next(script)
        if said == "" and (value := next(answers)):
            with closing(SqlDesk.from_url(url)) as desk:
                desk.resolve(desk.search()[0]["id"], kind="value", value=value, by="ana")
        return said

    monkeypatch.setattr("langgraph_readback.cli.chat.read", line)
    done = run("chat", "--database", url, "--fields", "order_id", "--known", "order_id=HL-204117")
    assert done.exit_code == 0, done.output
    assert " ".join(done.stdout.split()).count("Enter looks for the answer") == 1
    assert re.search(r"CONFIRMED\s+HL-204117", done.stdout.rpartition("field")[2]), done.output
    assert "Go on with" not in done.stdout
