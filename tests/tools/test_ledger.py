"""The ledger on SQLite (memory, file) and PostgreSQL: marks that only rise, intents that one worker claims."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_readback.errors import DatabaseUrlError
from langgraph_readback.ports import MemoryHighWater
from langgraph_readback.tools import Ledger
from langgraph_readback.tools.ledger import Entry, Mark, State


def intent(key="k", **other):
    facts = {"thread": "t", "action": "refund", "revisions": {"email": 1}, "state": State.INTENT, "attempt": 1}
    return Entry(**{**facts, "key": key, "owner": "me", "lease_until": 60.0, "started_at": 1.0, **other})


def mark(revision, *fingerprints, field="email"):
    return Mark(field=field, revision=revision, fingerprints=fingerprints)


MARKS = [
    # what the mark is before (revision, fingerprint), what is asked, the answer, the mark after
    (None, (1, None), True, 1),
    (None, (5, "a"), True, 5),
    ((1, None), (2, None), True, 2),
    ((1, "a"), (2, "b"), True, 2),
    ((1, None), (1, "a"), True, 1),
    ((1, "a"), (1, "a"), True, 1),
    ((1, "a"), (1, "b"), False, 1),
    ((1, "a"), (1, None), False, 1),
    ((1, None), (1, None), True, 1),
    ((3, "a"), (2, "a"), False, 3),
    ((3, None), (2, None), False, 3),
]


@pytest.mark.parametrize(("before", "asked", "answer", "after"), MARKS)
@pytest.mark.parametrize("marks", [MemoryHighWater, Ledger.from_url])
def test_a_mark_only_rises_and_belongs_to_one_value(marks, before, asked, answer, after):
    high = marks()
    if before:
        assert high.raise_to("t", "email", before[0], fingerprint=before[1])
    assert high.raise_to("t", "email", asked[0], fingerprint=asked[1]) is answer
    assert high.highest("t", "email") == after
    assert (high.highest("t", "phone"), high.highest("u", "email")) == (0, 0)


@given(st.lists(st.tuples(st.integers(1, 4), st.sampled_from([None, "a", "b"])), max_size=12))
def test_sql_marks_behave_as_the_port_says(asked):
    port, sql = MemoryHighWater(), Ledger.from_url()
    for revision, fingerprint in asked:
        answers = [m.raise_to("t", "f", revision, fingerprint=fingerprint) for m in (port, sql)]
        assert answers[0] == answers[1]
        assert port.highest("t", "f") == sql.highest("t", "f")
    sql.close()


def test_marks_on_every_database(ledger):
    assert [ledger.raise_to("t", "email", n) for n in (1, 3, 2)] == [True, True, False]
    assert ledger.highest("t", "email") == 3


def test_of_many_threads_one_gets_the_revision(ledger):
    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(lambda n: ledger.raise_to("t", "email", 7, fingerprint=f"value-{n}"), range(16)))
    assert sum(won) == 1


def test_of_many_threads_one_claims_the_intent(ledger):
    with ThreadPoolExecutor(8) as pool:
        claims = list(pool.map(lambda n: ledger.claim(intent(owner=f"w{n}"), [mark(1, "a")]), range(16)))
    (mine,) = [claim for claim in claims if claim.mine]
    assert {claim.entry.owner for claim in claims} == {mine.entry.owner}


@pytest.mark.parametrize(
    ("standing", "used", "stale"),
    [
        ((1, "a"), mark(1, "a"), ()),
        ((1, "old"), mark(1, "new", "old"), ()),  # the key was rotated in between
        ((1, None), mark(1, "a"), ()),
        (None, mark(1, "a"), ()),
        ((1, "a"), mark(2, "b"), ()),
        ((2, None), mark(1, "a"), ("email",)),
        ((2, "b"), mark(1, "a"), ("email",)),
        ((1, "b"), mark(1, "a"), ("email",)),
        (None, mark(0), ()),  # an optional field that was declined
        ((2, None), mark(0), ()),
        ((2, "a"), mark(0), ("email",)),
    ],
)
def test_only_the_newest_sealed_revision_may_be_used(ledger, standing, used, stale):
    if standing:
        ledger.raise_to("t", "email", standing[0], fingerprint=standing[1])
    claim = ledger.claim(intent(), [used])
    assert (claim.stale, claim.mine) == (stale, not stale)
    assert (ledger.entry("k") is None) == bool(stale)


def test_a_refused_claim_raises_no_other_mark(ledger):
    ledger.raise_to("t", "phone", 9)
    claim = ledger.claim(intent(), [mark(4, "a", field="email"), mark(1, "b", field="phone")])
    assert claim.stale == ("phone",)
    assert ledger.highest("t", "email") == 0


def test_the_first_outcome_stands(ledger):
    ledger.claim(intent(), [])
    assert ledger.settle("k", 1, State.DONE, now=5.0, reference="R-1", text="done", compared="same")
    assert not ledger.settle("k", 1, State.FAILED, now=6.0)
    entry = ledger.entry("k")
    assert (entry.state, entry.reference, entry.text, entry.compared) == (State.DONE, "R-1", "done", "same")
    assert (entry.ended_at, entry.settled_by) == (5.0, "gate")


def test_an_unknown_outcome_may_still_be_settled(ledger):
    ledger.claim(intent(), [])
    assert ledger.settle("k", 1, State.UNKNOWN, now=5.0)
    assert not ledger.claim(intent(), []).mine
    assert ledger.settle("k", 1, State.DONE, now=6.0, by="human:ada")
    assert ledger.entry("k").settled_by == "human:ada"


def test_what_certainly_failed_is_claimed_again_as_the_next_attempt(ledger):
    ledger.claim(intent(), [])
    ledger.settle("k", 1, State.FAILED, now=5.0)
    claim = ledger.claim(intent(owner="other", started_at=7.0), [])
    assert (claim.mine, claim.entry.attempt, claim.entry.owner, claim.entry.state) == (True, 2, "other", State.INTENT)
    assert not ledger.settle("k", 1, State.DONE, now=8.0), "the outcome of the attempt before comes too late"


def test_entries_are_found_by_thread_and_state(ledger):
    ledger.claim(intent("a", started_at=1.0), [])
    ledger.claim(intent("b", started_at=2.0, thread="u"), [])
    ledger.settle("b", 1, State.UNKNOWN, now=3.0)
    assert [e.key for e in ledger.entries()] == ["a", "b"]
    assert [e.key for e in ledger.entries(thread="t")] == ["a"]
    assert [e.key for e in ledger.entries(state=State.UNKNOWN)] == ["b"]


def test_of_a_forgotten_thread_fences_stay(ledger):
    """No word and no fingerprint; but no seal of before passes, and no action runs again."""
    for thread in ("t", "u"):
        ledger.raise_to(thread, "email", 3, fingerprint="f")
        ledger.claim(intent(thread, thread=thread), [])
        ledger.settle(thread, 1, State.DONE, now=2.0, reference="RF-1", text="refunded")
    assert ledger.forget("t") == (1, 1)
    assert (ledger.highest("t", "email"), ledger.highest("u", "email")) == (4, 3)
    assert not ledger.newest("t", Mark(field="email", revision=3, fingerprints=("f",)))
    assert ledger.newest("u", Mark(field="email", revision=3, fingerprints=("f",)))
    assert sorted((e.reference, e.text, e.state) for e in ledger.entries()) == [
        ("", "", State.DONE),
        ("RF-1", "refunded", State.DONE),
    ]
    assert not ledger.claim(intent("t"), []).mine
    assert ledger.raise_to("t", "email", 5, fingerprint="g"), "a new conversation goes on above the fence"


WORKER = """
import sys
from langgraph_readback.tools import Ledger
from langgraph_readback.tools.ledger import Entry, State
sys.stdin.readline()
ledger, name = Ledger.from_url(sys.argv[1]), sys.argv[2]
for n in range(5):
    mine = ledger.claim(Entry(key=f"k{n}", thread="t", action="a", revisions={}, state=State.INTENT, attempt=1,
                              owner=name, lease_until=9e9, started_at=1.0), []).mine
    high = ledger.raise_to("t", "f", n + 1, fingerprint=name)
    print(int(mine), int(high))
"""


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_two_processes_on_one_new_database(kind, tmp_path, request):
    url = f"sqlite:///{tmp_path}/l.db" if kind == "sqlite" else request.getfixturevalue("postgres_url")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    workers = [subprocess.Popen([sys.executable, "-c", WORKER, url, name], **pipes) for name in ("a", "b")]
    for worker in workers:
        worker.stdin.write("go\n")
        worker.stdin.flush()
    answers = [[line.split() for line in worker.communicate(timeout=200)[0].splitlines()] for worker in workers]
    assert [len(lines) for lines in answers] == [5, 5]
    for (mine, _), (others, _) in zip(*answers, strict=True):
        assert {mine, others} == {"0", "1"}
    with closing(Ledger.from_url(url)) as ledger:
        assert ledger.highest("t", "f") == 5


@pytest.mark.parametrize("url", ["mysql://u@h/d", "ledger.db", "oracle+x://h"])
def test_a_url_we_have_no_ledger_for(url):
    with pytest.raises(DatabaseUrlError):
        Ledger.from_url(url)


@pytest.mark.parametrize("form", ["sqlite:///{}", "sqlite+aiosqlite:///{}"])
def test_a_sqlite_file_is_made_with_its_folder(form, tmp_path):
    path = tmp_path / "new" / "l.db"
    ledger = Ledger.from_url(form.format(path))
    assert ledger.highest("t", "f") == 0
    assert path.exists()
    ledger.close()
