"""Listings hide what was captured, the urgent come first, and a look at a value is on record."""

from __future__ import annotations

import pytest

from langgraph_readback.errors import TicketTakenError
from langgraph_readback.handoff import mask

SECRETS = ("blue", "sky")
ROWS = [
    ({"status": "OPEN"}, ["rb-urgent", "rb-late"]),
    ({"status": ("RESOLVED", "RETURNED")}, ["rb-done"]),
    ({"status": None, "limit": 2, "offset": 1}, ["rb-late", "rb-held"]),
    ({"field": "phone"}, ["rb-urgent"]),
    ({"reason": "wanted"}, ["rb-urgent"]),
    ({"locale": "de-DE"}, ["rb-held"]),
    ({"thread": "t1"}, ["rb-late"]),
    ({"by": "ana"}, ["rb-held"]),
    ({"by": "bo", "status": None}, ["rb-done"]),
    ({"overdue": True}, ["rb-late"]),
    ({"overdue": False}, ["rb-urgent", "rb-held"]),
    ({"text": "HELD"}, ["rb-held"]),
    ({"text": "blue"}, []),
    ({"text": "%"}, []),
    ({"text": "_"}, []),
]
"""Filters, and what they find of what ``fill`` files."""


def fill(desk, ticket, clock):
    """Four tickets: a late one, an urgent one, a held one, and a closed one."""
    desk.file(ticket("rb-late", thread="t1", due_in=60.0))
    desk.file(ticket("rb-urgent", thread="t2", channel="voice", priority=1, reason="wanted", field="phone"))
    desk.file(ticket("rb-held", thread="t3", locale="de-DE"))
    desk.file(ticket("rb-done", thread="t4"))
    desk.claim("rb-held", "ana")
    desk.resolve("rb-done", kind="value", value="kim.lee@example.com", by="bo")
    clock.pass_(90)
    return desk


def ids(rows):
    return [row["id"] for row in rows]


def test_urgent_first_and_nothing_captured(desk, ticket, clock):
    full = fill(desk, ticket, clock)
    rows = full.search()
    assert ids(rows) == ["rb-urgent", "rb-late", "rb-held"]
    assert [row["overdue"] for row in rows] == [False, True, False]
    assert [row["waits"] for row in rows] == [30, -30, 810]
    assert [(row["status"], row["claimed_by"], row["attempts"]) for row in rows[1:]] == [
        ("OPEN", None, 1), ("CLAIMED", "ana", 1),
    ]  # fmt: skip
    everything = str(full.search(status=None))
    assert not [word for word in (*SECRETS, "kim") if word in everything]


@pytest.mark.parametrize(("filters", "found"), ROWS)
def test_filters(queue, ticket, clock, filters, found):
    assert ids(fill(queue, ticket, clock).search(**filters)) == found


def test_filters_on_every_store(desk, ticket, clock):
    full = fill(desk, ticket, clock)
    assert [ids(full.search(**filters)) for filters, _ in ROWS] == [found for _, found in ROWS]


def test_a_ticket_is_looked_at_masked(queue, ticket):
    queue.file(ticket())
    seen = queue.look("rb-1")
    assert seen["attempts"] == [
        {"utterance": "•••• •••", "value": "••••@•••.•••••••", "reason": "no", "form": "natural"}
    ]
    assert [line["text"] for line in seen["conversation"]] == [
        "What is your email address?", "•••• •••", "• •••• ••••@•••.•••••••.",
    ]  # fmt: skip


def test_revealed_to_who_holds_it_and_on_record(queue, ticket, clock):
    queue.file(ticket())
    for who in ("ana", "bo"):
        with pytest.raises(TicketTakenError, match="claim it"):
            queue.reveal("rb-1", who)
        queue.claim("rb-1", "ana")
    assert queue.reveal("rb-1", "ana")["attempts"][0]["utterance"] == "blue sky"
    clock.pass_(200)
    with pytest.raises(TicketTakenError):
        queue.reveal("rb-1", "ana")
    assert queue.reveal("rb-1", "root", unheld=True)["attempts"][0]["utterance"] == "blue sky"
    assert [(e["who"], e["what"]) for e in queue.trail("rb-1")] == [
        ("conversation", "filed"), ("ana", "claimed"), ("ana", "revealed"), ("root", "revealed"),
    ]  # fmt: skip
    assert not [word for word in SECRETS if word in str(queue.trail("rb-1"))]


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Rae O'Neill", "••• •'•••••"),
        ("+61 412-345", "+•• •••-•••"),
        ("नमस्ते 東京", "•••••• ••"),
        (None, None),
        ("", ""),
    ],
)
def test_masks(text, hidden):
    if text and text[0] == "न":
        assert set(mask(text)) <= {"•", " ", *"्े"}
    else:
        assert mask(text) == hidden


def test_who_is_at_the_desk(desk, ticket, clock):
    desk.file(ticket())
    assert desk.present() == []
    desk.here("ana")
    clock.pass_(200)
    desk.claim("rb-1", "bo")
    assert desk.present() == ["ana", "bo"]
    clock.pass_(200)
    assert desk.present() == ["bo"]


def test_ids_by_their_beginning(queue, ticket):
    for name in ("rb-1a", "rb-1b", "rb-2"):
        queue.file(ticket(name, thread=name))
    assert queue.whole("rb-1") == ["rb-1a", "rb-1b"]
    assert queue.whole("rb-2") == ["rb-2"]
    assert queue.whole("rb%") == []


def test_figures(desk, ticket, clock):
    assert desk.figures() == []
    assert desk.waiting() == {"open": 0, "claimed": 0, "overdue": 0, "oldest": None}
    for number, (pick, close) in enumerate([(10, 60), (20, 120), (30, 2000)]):
        name = f"rb-{number}"
        desk.file(ticket(name, thread=name))
        clock.pass_(pick)
        desk.claim(name, "ana", lease=9000)
        clock.pass_(close - pick)
        desk.resolve(name, kind="decline", by="ana")
    desk.file(ticket("rb-open", thread="x"))
    clock.pass_(5)
    [today] = desk.figures()
    assert today == {
        "day": "2026-12-01", "filed": 4, "resolved": 3, "returned": 0, "expired": 0, "waiting": 1, "late": 1,
        "pick_up_median": 20, "pick_up_p95": 29, "close_median": 120, "close_p95": 1812,
    }  # fmt: skip
    assert desk.waiting() == {"open": 1, "claimed": 0, "overdue": 0, "oldest": 5}
    clock.pass_(86_400)
    desk.file(ticket("rb-new", thread="y"))
    assert [day["day"] for day in desk.figures()] == ["2026-12-02", "2026-12-01"]
    assert [day["day"] for day in desk.figures(days=1)] == ["2026-12-02"]
