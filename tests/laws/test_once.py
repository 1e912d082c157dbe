"""Law 7, Once: a gated action takes effect at most once for one confirmed intent.

The effect here is a row in a table of its own ("the world"), so that what happened can be counted whatever the ledger
believes. Crashes are real: processes that kill themselves with signal 9 between intent, effect and outcome.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from langgraph_readback.fields import FieldSpec
from langgraph_readback.seal import Sealer
from langgraph_readback.tools import Action, Ledger, NotDone, Receipt, Services, gated
from langgraph_readback.tools.ledger import State

EMAIL = FieldSpec(name="email")
VALUE, THREAD, KEY = "rae.oneill@example.com", "t-1", "k" * 32


class Shop:
    """A world with refunds in it, a gate in front, and every alarm that was raised."""

    def __init__(self, url=None, **options):
        self.effects, self.alarms = [], []
        ledger = Ledger.from_url(url)
        self.services = Services(sealer=Sealer([KEY]), ledger=ledger, alarm=self.alarms.append, patience=0.3)
        self.behave = self._effect
        self.options = options

    async def _effect(self, action, email):
        self.effects.append(action)
        return Receipt(reference=f"R-{len(self.effects)}", executed={"email": email})

    def find(self, action):
        """The `check`: the effect with this key, if it is there."""
        found = [n for n, effect in enumerate(self.effects, 1) if effect.key == action.key]
        return Receipt(reference=f"R-{found[0]}", executed={"email": VALUE}) if found else None

    @property
    def refund(self):
        @gated(EMAIL, **self.options)
        async def refund(email: str, reason: str = "", slot: int = 0, *, action: Action) -> Receipt:
            return await self.behave(action, email)

        return refund

    def confirm(self, value=VALUE, revision=1):
        facts = {"thread": THREAD, "field": "email", "value": value, "revision": revision}
        self.services.ledger.raise_to(THREAD, "email", revision, fingerprint=self.services.sealer.fingerprint(**facts))
        seal = self.services.sealer.seal(**facts, by="user", at=1.0)
        return {"email": {"status": "CONFIRMED", "value": value, "revision": revision, "seal": seal}}

    async def call(self, captures=None, **args):
        captures = captures or self.confirm()
        return await self.refund.run(args, captures=captures, thread=THREAD, services=self.services)

    def close(self):
        self.services.ledger.close()

    @property
    def states(self):
        return [entry.state for entry in self.services.ledger.entries()]


@pytest.fixture
def shop():
    with contextlib.closing(Shop()) as shop:
        yield shop


@pytest.fixture
def checked():
    shop = Shop()
    shop.options["check"] = shop.find
    with contextlib.closing(shop):
        yield shop


async def test_a_second_call_gets_the_first_receipt(shop):
    first, second = await shop.call(), await shop.call()
    assert len(shop.effects) == 1
    assert (first.repeated, second.repeated) == (False, True)
    assert (second.reference, second.compared, second.key) == (first.reference, first.compared, first.key)


async def test_other_words_are_no_other_intent(shop):
    """A model that calls twice with another reason gets no second refund."""
    await shop.call(reason="broken")
    assert (await shop.call(reason="very broken")).repeated
    assert len(shop.effects) == 1


async def test_what_the_builder_says_makes_another_action_does():
    shop = Shop(once_per=("slot",))
    for slot in (1, 2, 1):
        await shop.call(slot=slot)
    assert len(shop.effects) == 2
    shop.close()


async def test_a_new_confirmation_is_a_new_intent(shop):
    await shop.call()
    await shop.call(shop.confirm(revision=2))
    assert len(shop.effects) == 2


async def test_parallel_calls_of_one_model_turn(shop):
    async def slowly(action, email):
        await asyncio.sleep(0.1)
        return await shop._effect(action, email)

    shop.behave = slowly
    captures = shop.confirm()
    answers = await asyncio.gather(*(shop.call(captures) for _ in range(10)))
    assert len(shop.effects) == 1
    assert sorted(answer.repeated for answer in answers) == [False] + [True] * 9


async def test_a_call_does_not_wait_for_ever_for_another(shop):
    async def stuck(action, email):
        await asyncio.sleep(1)
        return await shop._effect(action, email)

    shop.behave = stuck
    captures = shop.confirm()
    first = asyncio.create_task(shop.call(captures))
    await asyncio.sleep(0.05)
    assert (await shop.call(captures)).code == "in_progress"
    assert isinstance(await first, Receipt)
    assert len(shop.effects) == 1


def test_threads_with_event_loops_of_their_own(shop):
    captures = shop.confirm()
    threads = [threading.Thread(target=lambda: asyncio.run(shop.call(captures))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(shop.effects) == 1


async def test_an_exception_leaves_the_outcome_unknown_and_nothing_runs_again(shop, caplog):
    async def breaks(action, email):
        await shop._effect(action, email)
        raise ConnectionError(f"no answer about {email}")

    shop.behave = breaks
    for _ in range(3):
        refused = await shop.call()
        assert refused.code == "unknown"
    assert (len(shop.effects), shop.states) == (1, [State.UNKNOWN])
    assert {alarm.kind for alarm in shop.alarms} == {"unknown"}
    assert VALUE not in caplog.text


async def test_check_finds_what_happened_before_the_exception(checked):
    async def breaks(action, email):
        await checked._effect(action, email)
        raise ConnectionError

    checked.behave = breaks
    first, second = await checked.call(), await checked.call()
    assert (first.reference, first.repeated, second.repeated) == ("R-1", True, True)
    assert (len(checked.effects), checked.states, checked.alarms) == (1, [State.DONE], [])


async def test_check_says_nothing_happened_and_the_next_call_runs_it(checked):
    async def breaks(action, email):
        raise ConnectionError

    checked.behave = breaks
    assert (await checked.call()).code == "not_done"
    checked.behave = checked._effect
    receipt = await checked.call()
    assert (receipt.repeated, [action.attempt for action in checked.effects]) == (False, [2])


async def test_not_done_may_be_tried_again_under_the_same_key(shop):
    keys = []

    async def closed(action, email):
        keys.append(action.key)
        raise NotDone("the till is closed")

    shop.behave = closed
    assert [(await shop.call()).code for _ in range(2)] == ["not_done", "not_done"]
    shop.behave = shop._effect
    await shop.call()
    assert len(shop.effects) == 1
    assert len({*keys, shop.effects[0].key}) == 1


async def test_a_check_that_fails_finds_nothing_out(shop):
    def broken(action):
        raise ConnectionError

    async def breaks(action, email):
        raise ConnectionError

    shop.behave, shop.options = breaks, {"check": broken}
    assert [(await shop.call()).code for _ in range(2)] == ["unknown", "unknown"]
    assert shop.states == [State.UNKNOWN]


async def test_a_time_limit_does_not_make_a_slow_effect_happen_twice():
    """The effect is still on its way when the time limit strikes: `check` finds nothing *yet*, and is not believed."""
    shop = Shop()
    shop.options = {"check": shop.find, "timeout": 0.1}
    late = threading.Timer(0.3, lambda: shop.effects.append(sent[0]))
    sent = []

    async def slow(action, email):
        sent.append(action)
        late.start()
        await asyncio.sleep(30)

    shop.behave = slow
    assert (await shop.call()).code == "in_progress"
    assert (await shop.call()).code == "in_progress"
    await asyncio.to_thread(late.join)
    receipt = await shop.call()
    assert (receipt.reference, receipt.repeated, len(sent), len(shop.effects)) == ("R-1", True, 1, 1)
    shop.close()


async def test_a_thread_that_outlives_its_time_limit_is_not_doubled():
    ran, go_on = [], threading.Event()
    shop = Shop()

    @gated(EMAIL, check=lambda action: None, timeout=0.1)
    def refund(email: str) -> None:
        ran.append(email)
        go_on.wait(5)

    async def call():
        return await refund.run({}, captures=shop.confirm(), thread=THREAD, services=shop.services)

    assert (await call()).code == "in_progress"
    assert (await call()).code == "in_progress"
    go_on.set()
    assert len(ran) == 1
    shop.close()


async def test_a_cancelled_run_is_not_run_again_blindly(shop):
    started = asyncio.Event()

    async def hangs(action, email):
        await shop._effect(action, email)
        started.set()
        await asyncio.sleep(30)

    shop.behave = hangs
    task = asyncio.create_task(shop.call())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert shop.states == [State.INTENT]
    assert (await shop.call()).code == "unknown"
    assert len(shop.effects) == 1


async def test_what_was_executed_is_compared_with_what_was_confirmed(shop):
    async def mixes_up(action, email):
        await shop._effect(action, email)
        return Receipt(reference="R-1", executed={"email": "ray.oneill@example.com"})

    shop.behave = mixes_up
    receipt = await shop.call()
    assert receipt.compared == "different"
    (alarm,) = shop.alarms
    assert (alarm.kind, alarm.fields) == ("different", ("email",))
    assert shop.services.ledger.entries()[0].compared == "different"


class Queue:
    """A desk that keeps what is filed."""

    def __init__(self):
        self.tickets = {}

    def file(self, ticket):
        self.tickets.setdefault(ticket["id"], ticket)


async def test_a_difference_files_a_ticket_with_both_values(shop):
    """For the desk's eyes; filed once, whatever is called again. An unknown outcome files one, too."""

    async def mixes_up(action, email):
        return Receipt(reference="R-1", executed={"email": "ray.oneill@example.com"})

    async def breaks(action, email):
        raise ConnectionError

    queue = Queue()
    shop.services, shop.behave = replace(shop.services, desk=queue), mixes_up
    await shop.call()
    await shop.call()
    (ticket,) = queue.tickets.values()
    assert (ticket["reason"], ticket["thread"]) == ("action_different", THREAD)
    assert [(a["utterance"], a["value"]) for a in ticket["attempts"]] == [
        ("email: as confirmed", VALUE),
        ("email: as carried out", "ray.oneill@example.com"),
    ]
    shop.behave = breaks
    await shop.call(shop.confirm(revision=2))
    assert sorted(t["reason"] for t in queue.tickets.values()) == ["action_different", "action_unknown"]


async def test_a_desk_that_fails_hides_nothing(shop):
    class Gone:
        def file(self, ticket):
            raise ConnectionError

    async def mixes_up(action, email):
        return Receipt(reference="R-1", executed={"email": "ray.oneill@example.com"})

    shop.services, shop.behave = replace(shop.services, desk=Gone()), mixes_up
    assert (await shop.call()).reference == "R-1"
    assert len(shop.alarms) == 1


EXECUTED = [
    ({}, "not_reported"),
    ({"email": VALUE}, "same"),
    ({"x": 1}, "not_reported"),
    ({"email": None}, "different"),
]


@pytest.mark.parametrize(("executed", "compared"), EXECUTED)
async def test_what_a_receipt_says_was_executed(shop, executed, compared):
    async def says(action, email):
        return Receipt(executed=executed)

    shop.behave = says
    assert (await shop.call()).compared == compared


async def test_an_alarm_that_fails_hides_nothing(shop):
    def broken(alarm):
        raise ConnectionError

    shop.services = Services(sealer=Sealer([KEY]), ledger=shop.services.ledger, alarm=broken)

    async def breaks(action, email):
        raise ValueError

    shop.behave = breaks
    assert (await shop.call()).code == "unknown"


async def test_without_the_ledger_nothing_starts(shop, tmp_path):
    captures = shop.confirm()
    shop.services.ledger.close()
    gone = Ledger.from_url(f"sqlite:///{tmp_path}/l.db")
    (tmp_path / "l.db").mkdir()
    shop.services = Services(sealer=Sealer([KEY]), ledger=gone)
    assert ((await shop.call(captures)).code, shop.effects) == ("unavailable", [])


async def test_an_outcome_that_cannot_be_written_is_still_told(shop, tmp_path):
    """The effect has happened; the intent stays open, so the next call asks `check` and runs nothing."""
    url = f"sqlite:///{tmp_path}/l.db"
    shop.services = Services(sealer=Sealer([KEY]), ledger=Ledger.from_url(url))
    shop.options = {"check": shop.find}
    captures = shop.confirm()

    async def then_the_disk_is_gone(action, email):
        receipt = await shop._effect(action, email)
        with sqlite3.connect(tmp_path / "l.db") as db:
            db.execute("ALTER TABLE readback_actions RENAME TO away")
        return receipt

    shop.behave = then_the_disk_is_gone
    assert isinstance(await shop.call(captures), Receipt)
    with sqlite3.connect(tmp_path / "l.db") as db:
        db.execute("ALTER TABLE away RENAME TO readback_actions")
    db.close()
    again = await shop.call(captures)
    assert (again.repeated, len(shop.effects)) == (True, 1)
    shop.services.ledger.close()


def test_the_ledger_holds_no_value(tmp_path):
    shop = Shop(f"sqlite:///{tmp_path}/l.db")

    async def tells(action, email):
        return Receipt(reference=f"R-{email}", text=f"sent to {email}, r.a.e.oneill", executed={"email": email})

    shop.behave = tells
    asyncio.run(shop.call(reason="because"))
    shop.close()
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for form in (VALUE, "rae.oneill", "r.a.e.oneill", "because"):
        assert form.encode() not in stored, form


# -- other processes, and processes that die


def rows(world):
    with contextlib.closing(sqlite3.connect(world)) as db:
        return db.execute("SELECT count(*) FROM refunds").fetchone()[0]


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    """A ledger's URL, and a world of its own beside it."""
    url = f"sqlite:///{tmp_path}/l.db" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    world = tmp_path / "world.db"
    with contextlib.closing(sqlite3.connect(world)) as db:
        db.execute("CREATE TABLE refunds (key TEXT)")  # no unique key: a second refund would be seen
        db.commit()
    return url, world


@pytest.fixture(scope="module")
def run():
    """Run workers at once, each a process of its own, and give their exit codes and answers."""
    command = [sys.executable, str(Path(__file__).with_name("once_process.py"))]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env={**os.environ, "READBACK_SEAL_KEYS": KEY}, **pipes) as process:

        def at_once(place, *deaths):
            process.stdin.write(json.dumps([[place[0], str(place[1]), die] for die in deaths]) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield at_once


@pytest.mark.parametrize(
    ("die", "after"),
    [
        ("before the effect", ["Receipt", "False"]),  # check: certainly nothing; the second process does it
        ("after the effect", ["Receipt", "True"]),  # check finds it
        ("without check", ["Refusal", "unknown"]),  # nobody can know: a person looks
    ],
)
def test_killed_between_intent_and_outcome(run, place, die, after):
    assert run(place, die) == [[-signal.SIGKILL, None]]
    begun = time.monotonic()
    assert run(place, "no check" if die == "without check" else "never") == [[0, after]]
    assert time.monotonic() - begun < 10, "a worker that is dead is not waited for"
    assert rows(place[1]) == 1


def test_processes_at_once(run, place):
    answers = run(place, *["never"] * 4)
    assert sorted(answers) == [[0, ["Receipt", "False"]]] + [[0, ["Receipt", "True"]]] * 3
    assert rows(place[1]) == 1


def test_the_process_id_of_another_machine_means_nothing(run, place):
    """A dead worker elsewhere cannot be seen: its lease is waited for, and only then is `check` believed."""
    run(place, "before the effect")
    engine = sa.create_engine(place[0].replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE readback_actions SET owner = 'elsewhere#1#x'"))
    assert run(place, "never") == [[0, ["Refusal", "in_progress"]]]
    assert rows(place[1]) == 0
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE readback_actions SET lease_until = 0"))
    engine.dispose()
    assert run(place, "never") == [[0, ["Receipt", "False"]]]
    assert rows(place[1]) == 1
