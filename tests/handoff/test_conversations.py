"""What the desk and the conversation tell each other: lines around the attempts, advice, hang-ups, Agent Inbox."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from langchain_core.messages import HumanMessage

from langgraph_readback.fields import catalogue


def hangup():
    return HumanMessage("", additional_kwargs={"readback": {"event": "hangup"}})


def test_the_ticket_tells_what_happened(waiting, queue):
    [row] = queue.search()
    assert (row["channel"], row["priority"], row["attempts"]) == ("chat", 0, 3)
    seen = queue.ticket(row["id"])
    assert seen["rules"] == {"type": "email", "pattern": None, "checksum": None}
    who = [(line["who"], line.get("act")) for line in seen["conversation"]]
    assert who == [("agent", "ask"), ("user", None)] * 3
    assert [line["text"] for line in seen["conversation"] if line["who"] == "user"] == [
        "blue sky", "green grass", "red door",
    ]  # fmt: skip


def test_attempts_that_were_read_back(queue, capture, talk):
    before = time.time()
    order = replace(catalogue["id"], name="order_id", pattern=r"HL-\d{6}", high_stakes=True)
    user = talk(capture(order, desk=queue), channel="voice")
    user.send(None, "HL 111111", "no", "HL 222222", "no that's wrong", "HL 333333", "no")
    seen = queue.ticket(user.captures["order_id"]["ticket"])
    assert [a["value"] for a in seen["attempts"]] == ["HL-111111", "HL-222222", "HL-333333"]
    assert [a["reply"] for a in seen["attempts"]] == ["no", "no that's wrong", "no"]
    assert all("1" in a["read_back"] or "one" in a["read_back"] for a in seen["attempts"][:1])
    assert all(before <= a["at"] <= time.time() for a in seen["attempts"])
    assert (seen["priority"], seen["rules"]["pattern"]) == (2, r"HL-\d{6}")
    hidden = str(queue.look(seen["id"]))
    assert not [value for value in ("111111", "222222", "333333", "that's") if value in hidden]


def test_advice_reaches_the_user_before_the_question(waiting, queue):
    [row] = queue.search()
    queue.resolve(row["id"], kind="retry", by="ana", advice="It is the one on your receipt.")
    waiting.resume("go on")
    assert waiting.acts == [("inform", "email"), ("ask", "email")]
    assert waiting.lines[0].text == "It is the one on your receipt."
    assert waiting.send("kim.lee@example.com", "yes")["email"]["status"] == "CONFIRMED"


def test_a_hangup_closes_the_ticket_and_says_nothing(waiting, queue):
    waiting.send(hangup())
    assert waiting.acts == []
    [row] = queue.search(status=None)
    assert (row["status"], row["outcome"], row["closed_by"]) == ("EXPIRED", "hangup", "conversation")


def test_who_comes_back_after_a_hangup_gets_a_new_ticket(waiting, queue):
    waiting.send(hangup())
    waiting.send("hello?")
    assert waiting.acts == [("inform", "email")]
    [row] = queue.search()
    assert (row["revision"], row["id"]) == (2, waiting.captures["email"]["ticket"])
    assert waiting.interrupt["tickets"][0]["ticket"] == row["id"]
    queue.resolve(row["id"], kind="value", value="kim.lee@example.com", by="ana")
    assert waiting.resume("go on")["email"]["by"] == "human:ana"


def test_the_interrupt_is_one_of_agent_inbox(waiting, queue):
    [row] = queue.search()
    asked = waiting.interrupt
    assert asked["action_request"] == {"action": "Hand-off: email", "args": {"ticket": row["id"], "value": ""}}
    assert asked["config"] == {
        "allow_ignore": False, "allow_respond": False, "allow_edit": True, "allow_accept": False,
    }  # fmt: skip
    assert row["id"] in asked["description"]
    assert "blue" not in str(asked)


@pytest.mark.parametrize("shape", [lambda answer: [answer], lambda answer: answer])
def test_an_edit_in_agent_inbox_is_a_proposal(waiting, queue, shape):
    args = {**waiting.interrupt["action_request"]["args"], "value": "kim.lee@example.com"}
    waiting.resume(shape({"type": "edit", "args": {"action": "Hand-off: email", "args": args}}))
    assert waiting.acts == [("readback", "email")]
    assert queue.search(status="RETURNED")[0]["outcome"] == "proposed"
    assert waiting.send("yes")["email"]["by"] == "user"


@pytest.mark.parametrize(
    "answer", [[], [None], [{"type": "ignore", "args": None}], [{"type": "edit", "args": None}], [{"type": "edit", "args": {"args": 7}}],
               [{"type": "response", "args": "kim.lee@example.com"}], {"type": "accept", "args": {"args": {"value": ""}}}],
)  # fmt: skip
def test_other_answers_of_an_inbox_change_nothing(waiting, queue, answer):
    first = waiting.interrupt["tickets"]
    waiting.resume(answer)
    assert waiting.interrupt["tickets"] == first
    assert queue.search()[0]["status"] == "OPEN"
