"""Claims: one holder at a time, a lease that ends, one close; and who did what is on record."""

from __future__ import annotations

import threading

import pytest

from langgraph_readback.errors import StaleTicketError, TicketClosedError, TicketError, TicketTakenError
from langgraph_readback.handoff import SqlDesk
from langgraph_readback.sql import engine


def test_held_by_one_and_given_back(desk, ticket, clock):
    desk.file(ticket())
    hold = desk.claim("rb-1", "ana")
    assert (hold["by"], hold["until"]) == ("ana", clock() + 120)
    with pytest.raises(TicketTakenError, match="ana holds it"):
        desk.claim("rb-1", "bo")
    for act in (lambda: desk.heartbeat("rb-1", "bo"), lambda: desk.release("rb-1", "bo")):
        with pytest.raises(TicketTakenError):
            act()
    with pytest.raises(TicketTakenError):
        desk.resolve("rb-1", kind="decline", by="bo")
    desk.release("rb-1", "ana")
    assert desk.claim("rb-1", "bo")["by"] == "bo"


def test_a_lease_ends_without_a_heartbeat(desk, ticket, clock):
    desk.file(ticket())
    desk.claim("rb-1", "ana")
    clock.pass_(119)
    desk.heartbeat("rb-1", "ana")
    clock.pass_(119)
    with pytest.raises(TicketTakenError):
        desk.claim("rb-1", "bo")
    clock.pass_(2)
    assert desk.search(status="OPEN")[0]["id"] == "rb-1"
    with pytest.raises(TicketTakenError, match="nobody holds it now"):
        desk.heartbeat("rb-1", "ana")
    desk.claim("rb-1", "bo")
    with pytest.raises(TicketTakenError, match="bo holds it"):
        desk.resolve("rb-1", kind="value", value="kim.lee@example.com", by="ana")


def test_whose_lease_ended_may_still_close_what_nobody_took(desk, ticket, clock):
    desk.file(ticket())
    desk.claim("rb-1", "ana")
    clock.pass_(121)
    assert desk.resolve("rb-1", kind="value", value="kim.lee@example.com", by="ana")["by"] == "ana"


def test_swept_when_lapsed(desk, ticket, clock):
    desk.file(ticket())
    desk.claim("rb-1", "ana")
    assert desk.sweep() == []
    clock.pass_(121)
    assert desk.sweep() == ["rb-1"]
    assert [(e["who"], e["what"]) for e in desk.trail("rb-1")] == [
        ("conversation", "filed"), ("ana", "claimed"), ("watch", "lapsed"),
    ]  # fmt: skip


@pytest.mark.parametrize("act", ["claim", "heartbeat", "release"])
def test_closed_and_unknown_tickets_are_refused(queue, ticket, act):
    queue.file(ticket())
    queue.resolve("rb-1", kind="decline", by="ana")
    with pytest.raises(TicketClosedError, match="closed already"):
        getattr(queue, act)("rb-1", "ana")
    with pytest.raises(TicketError, match="no ticket 'rb-9'"):
        getattr(queue, act)("rb-9", "ana")


def test_a_stale_revision_is_refused_loudly(desk, ticket):
    desk.file(ticket(revision=3))
    with pytest.raises(StaleTicketError, match="at revision 3, not 2"):
        desk.resolve("rb-1", kind="decline", by="ana", revision=2)
    with pytest.raises(StaleTicketError):
        desk.claim("rb-1", "ana", revision=4)
    assert desk.search()[0]["status"] == "OPEN"
    desk.resolve("rb-1", kind="decline", by="ana", revision=3)


def test_a_newer_ticket_of_the_field_closes_the_older(desk, ticket):
    desk.file(ticket("rb-1"))
    desk.file(ticket("rb-p", field="phone"))
    desk.file(ticket("rb-2", revision=2))
    assert {row["id"]: (row["status"], row["outcome"]) for row in desk.search(status=None)} == {
        "rb-1": ("RETURNED", "superseded"), "rb-2": ("OPEN", None), "rb-p": ("OPEN", None),
    }  # fmt: skip
    with pytest.raises(TicketClosedError):
        desk.resolve("rb-1", kind="decline", by="ana")


@pytest.mark.parametrize(
    ("how", "status", "outcome"),
    [
        (lambda d: d.resolve("rb-1", kind="value", value="kim.lee@example.com", by="ana"), "RESOLVED", "value"),
        (lambda d: d.resolve("rb-1", kind="decline", by="ana"), "RESOLVED", "decline"),
        (lambda d: d.resolve("rb-1", kind="retry", by="ana", advice="It is on your card."), "RETURNED", "retry"),
        (lambda d: d.withdraw("rb-1", "proposed"), "RETURNED", "proposed"),
        (lambda d: d.withdraw("rb-1", "hangup"), "EXPIRED", "hangup"),
        (lambda d: d.expire("rb-1"), "EXPIRED", "orphaned"),
    ],
)
def test_ways_to_close(queue, ticket, how, status, outcome):
    queue.file(ticket())
    how(queue)
    [row] = queue.search(status=None)
    assert (row["status"], row["outcome"], row["closed_at"]) == (status, outcome, queue.now())
    assert queue.gone("rb-1") == (status == "EXPIRED")
    with pytest.raises(TicketClosedError):
        queue.expire("rb-1")
    with pytest.raises(TicketClosedError):
        queue.resolve("rb-1", kind="decline", by="bo")
    assert [e["what"] for e in queue.trail("rb-1")] == ["filed", status.lower()]


@pytest.mark.parametrize(
    ("kind", "advice", "message"),
    [
        ("decline", "Try the card.", "only|others have none"),
        ("value", "Try the card.", "others have none"),
        ("retry", "x" * 501, "at most 500"),
        ("retry", "Not BLUE at sky.example, I think", None),
        ("retry", "Not blue@sky.example!", "must not repeat a captured value"),
        ("retry", "Not Blue Sky Example!", "must not repeat a captured value"),
    ],
)
def test_advice_holds_no_value(queue, ticket, kind, advice, message):
    queue.file(ticket())
    value = "kim.lee@example.com" if kind == "value" else None
    if message is None:
        assert queue.resolve("rb-1", kind=kind, by="ana", advice=advice)["advice"] == advice
        assert queue.answer("rb-1", 1)["advice"] == advice
        return
    with pytest.raises(ValueError, match=message):
        queue.resolve("rb-1", kind=kind, value=value, by="ana", advice=advice)


@pytest.mark.parametrize("act", ["claim", "resolve"])
def test_of_many_desks_one_succeeds(store_url, sealer, ticket, act):
    """Eight desks, each with connections of its own, go for each of twelve tickets at the same moment."""
    desks = [SqlDesk(engine(store_url), sealer) for _ in range(1 if store_url == "memory:" else 8)]
    names = [f"rb-{n}" for n in range(12)]
    for name in names:
        desks[0].file(ticket(name, thread=name))
    won, start = [], threading.Barrier(8)

    def work(number):
        desk, who = desks[number % len(desks)], f"desk-{number}"
        start.wait()
        for name in names:
            try:
                desk.claim(name, who) if act == "claim" else desk.resolve(name, kind="decline", by=who)
            except TicketError:
                continue
            won.append(name)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == sorted(names)
    for desk in desks:
        desk.close()
