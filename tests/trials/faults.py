"""Two workers on one PostgreSQL while everything around them fails; then every conversation must be right.

    python tests/trials/faults.py --conversations 1000 --seed 1

As ``two_workers.py`` (kill -9, messages again and late), and also: PostgreSQL is restarted (fast, or immediate: a crash)
in the middle of turns; the workers reach it through a proxy that is slow, refuses, and cuts connections; a worker's
clock jumps by up to six hours either way; one message is run by both workers at once; two different messages of one
conversation are run at once, or in the wrong order. What fails with an error is delivered again. At the end the user of
a conversation whose refund was not done answers what was asked last, or asks for the refund again, until it is done, or
the ledger says that nobody knows (the database was away when the world was asked) and a colleague has a ticket. Prints
one JSON object; exit code 1 when anything is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import signal
import sys
import time
import traceback
from collections import Counter, deque
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

REAL, REAL_NS, AHEAD = time.time, time.time_ns, [0.0]
"""This process's clocks, and how many seconds its wall clock is ahead. Set before anything of ours is imported."""
time.time = lambda: REAL() + AHEAD[0]
time.time_ns = lambda: REAL_NS() + int(AHEAD[0] * 1e9)
sys.path.insert(0, str(Path(__file__).parent))

import pg_faults  # noqa: E402
import psycopg  # noqa: E402
import two_workers  # noqa: E402
from two_workers import ASKED, CONTEXT, SCRIPTS  # noqa: E402

JUMP, KILLED, AGAIN, BOTH, LOOSE, OPEN = 1 / 5, 1 / 10, 1 / 6, 1 / 6, 1 / 5, 12
"""Shares: of deliveries, clock jumps, kills, repetitions, runs at both workers; of conversations, loose ones."""
EXPECTED = {"OperationalError", "PoolTimeout", "AdminShutdown", "CrashShutdown", "CannotConnectNow", "InterfaceError"}
"""What a run may fail with when the database does: errors of the drivers, so that the caller knows to come again."""
PATIENCE = 120.0
"""Seconds in which some run must end."""


@dataclass
class Conversation:
    """One caller. ``loose``: words came at once or in the wrong order, so attempts may differ from the script's."""

    thread: str
    script: str
    n: int
    loose: bool
    queue: deque = field(default_factory=deque)
    out: int = 0
    ended: bool = False

    def __post_init__(self):
        """Its script, in order."""
        self.queue.extend(enumerate(text.format(n=self.n) for text in SCRIPTS[self.script][0]))

    @property
    def right(self):
        """The value that it must end with."""
        value = SCRIPTS[self.script][1]
        return value and value.format(n=self.n)


@dataclass
class Worker:
    """A forked process, what it does now, and when it dies."""

    process: int
    orders: int
    answers: int
    busy: tuple | None = None
    doom: float | None = None
    since: float = 0.0


def work(url: str, world: str, orders: int, answers: int) -> None:
    """A worker: reads one order a line, runs it, answers with a line: how often it spoke, or the name of the error."""
    from langchain_core.messages import HumanMessage

    with ExitStack() as stack, os.fdopen(orders) as given, os.fdopen(answers, "w") as out:
        agent = None
        for line in given:
            thread, number, text, AHEAD[0] = json.loads(line)
            try:
                if agent is None:
                    agent, _ = two_workers.build(url, stack, world)
                if number is None:
                    spoke = finish(agent, world, thread, text)
                else:
                    message = HumanMessage(text, id=f"{thread}-{number}")
                    agent.invoke({"messages": [message]}, {"configurable": {"thread_id": thread}}, context=CONTEXT)
                    spoke = 0
                out.write(f"{spoke}\n")
            except Exception as error:  # noqa: BLE001 - told to the queue, which judges it
                if type(error).__name__ not in EXPECTED:
                    traceback.print_exc()
                out.write(f"{type(error).__name__}\n")
            out.flush()


def finish(agent, world: str, thread: str, right: str) -> int:
    """A user who answers what was asked last, until the refund is done or looked into. Gives how often they spoke."""
    from langchain_core.messages import HumanMessage

    config = {"configurable": {"thread_id": thread}}
    for spoke in range(12):
        state = agent.get_state(config).values
        with psycopg.connect(world) as db:
            done = db.execute("SELECT 1 FROM world WHERE thread = %s", [thread]).fetchone()
            open_ = db.execute("SELECT 1 FROM readback_actions WHERE thread = %s AND state = 'UNKNOWN'", [thread])
            if done or open_.fetchone():
                return spoke
        status = state.get("captures", {}).get("email", {}).get("status")
        last = state["messages"][-1].text if state.get("messages") else ""
        words = {"ASK": right, "READBACK": "yes" if right in last else "no"}.get(status, ASKED)
        said = HumanMessage(words, id=f"{thread}-f{len(state.get('messages', []))}")
        agent.invoke({"messages": [said]}, config, context=CONTEXT)
    return spoke


class Trial:
    """The queue in front of the workers: at least once."""

    def __init__(self, url: str, world: str, restart, conversations: int, seed: int):
        self.url, self.world, self.restart = url, world, restart
        self.random, self.counts = random.Random(seed), Counter()
        self.waiting = deque()
        for n in range(conversations):
            loose = self.random.random() < LOOSE
            script = "straight" if loose else self.random.choice(list(SCRIPTS))
            self.waiting.append(Conversation(f"t{n}", script, n, loose))
        self.all = list(self.waiting)
        self.open = [self.waiting.popleft() for _ in range(min(OPEN, conversations))]
        self.orders: deque = deque()  # deliveries that wait for a worker: (conversation, number, text)
        self.typical, self.ahead = 0.1, [0.0, 0.0]
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
            try:
                work(self.url, self.world, order_out, answer_in)
            finally:
                os._exit(0)
        os.close(order_out)
        os.close(answer_in)
        return Worker(process, order_in, answer_out)

    def run(self) -> Counter:
        """Until every message of every conversation was answered."""
        heard = time.monotonic()
        while self.open or self.orders or any(worker.busy for worker in self.workers):
            self.counts["restarts"] += self.restart()
            for at in range(2):
                if self.workers[at].busy is None and (self.orders or self.open):
                    self.give(at)
            ready = select.select([w.answers for w in self.workers if w.busy], [], [], 0.02)[0]
            for at, worker in enumerate(self.workers):
                if worker.answers in ready:
                    self.answered(at)
                    heard = time.monotonic()
                elif worker.doom and time.monotonic() >= worker.doom:
                    self.kill(at)
            if time.monotonic() - heard > PATIENCE:
                raise TimeoutError("no worker has answered for two minutes")
        for worker in self.workers:
            os.close(worker.orders)
            os.waitpid(worker.process, 0)
        return self.counts

    def give(self, at: int) -> None:
        """The next delivery; when none waits, the next words of a random conversation that nobody works on."""
        if not self.orders:
            self.next(self.open.pop(self.random.randrange(len(self.open))))
        conversation, number, text = order = self.orders.popleft()
        worker = self.workers[at]
        worker.busy, worker.since = order, time.monotonic()
        self.counts["deliveries"] += 1
        if self.random.random() < JUMP:
            self.ahead[at] = self.random.uniform(-6, 6) * 3600
            self.counts["clock_jumps"] += 1
        if self.random.random() < KILLED:
            worker.doom = worker.since + self.random.random() * self.typical * 1.2
        os.write(worker.orders, (json.dumps([conversation.thread, number, text, self.ahead[at]]) + "\n").encode())

    def next(self, one: Conversation) -> None:
        """Put the next words of a conversation among the deliveries: once, at both workers, or two at once."""
        if not one.queue:
            one.ended = True
            orders = [(one, None, one.right)]
        elif one.loose and len(one.queue) > 1:
            orders = [(one, *one.queue.popleft()), (one, *one.queue.popleft())]
            if self.random.random() < 1 / 2:
                self.counts["at_once"] += 1
            else:
                self.counts["wrong_order"] += 1
                one.queue.appendleft(orders.pop(0)[1:])
        else:
            orders = [(one, *one.queue.popleft())] * (1 + (self.random.random() < BOTH))
            self.counts["same_at_both"] += len(orders) - 1
        one.out += len(orders)
        self.orders.extend(orders)

    def answered(self, at: int) -> None:
        """It is done, perhaps to come once more; or it failed, and comes again."""
        worker = self.workers[at]
        answer = os.read(worker.answers, 100).decode().strip()
        order, worker.busy, worker.doom = worker.busy, None, None
        if not answer.isdecimal():
            self.counts[f"failed: {answer}"] += 1
            self.orders.append(order)
            return
        one, number, text = order
        self.counts["asked_again"] += int(answer)
        self.typical = 0.9 * self.typical + 0.1 * (time.monotonic() - worker.since)
        one.out -= 1
        if number is not None and self.random.random() < AGAIN:
            one.queue.insert(self.random.randrange(2), (number, text))
            self.counts["again"] += 1
        self.go_on(one)

    def kill(self, at: int) -> None:
        """Signal 9; another worker takes its place, and the message comes again."""
        worker = self.workers[at]
        os.kill(worker.process, signal.SIGKILL)
        os.waitpid(worker.process, 0)
        os.close(worker.orders)
        os.close(worker.answers)
        self.counts["killed"] += 1
        self.orders.append(worker.busy)
        self.workers[at] = self.start()

    def go_on(self, one: Conversation) -> None:
        """The conversation waits for its next words; when there are none, another one opens."""
        if one.out:
            return
        if one.queue or (one.right and not one.ended):
            self.open.append(one)
        elif self.waiting:
            self.open.append(self.waiting.popleft())


def look(url: str, conversations: list[Conversation], counts: Counter) -> list[str]:
    """What is wrong, a line each. Counts the refunds of which nobody knows."""
    with ExitStack() as stack:
        agent, ports = two_workers.build(url, stack)
        with psycopg.connect(url) as db:
            world = db.execute("SELECT thread, email FROM world").fetchall()
        tickets = Counter(ticket["thread"] for ticket in ports["desk"].tickets(None))
        wrong = []
        for one in conversations:
            state = agent.get_state({"configurable": {"thread_id": one.thread}}).values
            record = state["captures"]["email"]
            said = Counter(message.id for message in state["messages"] if message.type == "human")
            seen = {
                "status": record["status"], "value": record.get("value"), "attempts": record["attempts"],
                "world": [email for thread, email in world if thread == one.thread],
                "tickets": tickets[one.thread], "messages": max(said.values()),
            }  # fmt: skip
            _, _, attempts, status = SCRIPTS[one.script]
            due = {
                "status": status, "value": one.right, "attempts": attempts, "world": [one.right] if one.right else [],
                "tickets": int(status == "HANDOFF"), "messages": 1,
            }  # fmt: skip
            if [entry.state.value for entry in ports["ledger"].entries(thread=one.thread)] == ["UNKNOWN"]:
                counts["unknown_to_a_person"] += 1
                due |= {"tickets": 1, "world": seen["world"][:1]}
            if one.loose:
                due["attempts"] = min(seen["attempts"], 2)  # the user's words in another order; never past the budget
            bad = [f"{k} is {seen[k]!r}, not {due[k]!r}" for k in due if seen[k] != due[k]]
            wrong += [f"{one.thread} {one.script}{' loose' * one.loose}: {line}" for line in bad]
    return wrong


def trial(conversations: int, seed: int) -> dict:
    """Run it on a server of its own. Gives the report."""
    os.environ.setdefault("READBACK_SEAL_KEYS", "a key of the trial and of nothing else")
    with two_workers.server() as url, pg_faults.Proxy(url, seed) as proxy:
        two_workers.prepare(url)
        start = time.monotonic()
        running = Trial(proxy.url, url, pg_faults.Restarts(url, seed), conversations, seed)
        counts = running.run()
        seconds = round(time.monotonic() - start, 1)
        while running.restart.running():
            time.sleep(0.1)
        wrong = look(url, running.all, counts)
        faults = proxy.counts()
    failed = [name.removeprefix("failed: ") for name in counts if name.startswith("failed: ")]
    wrong += [f"a run failed with {name}" for name in failed if name not in EXPECTED]
    return {"conversations": conversations, **counts, **faults, "seconds": seconds, "wrong": wrong}


def main() -> int:
    """Print the report."""
    arguments = argparse.ArgumentParser(description="Two workers while everything around them fails.")
    arguments.add_argument("--conversations", type=int, default=30)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    report = trial(given.conversations, given.seed)
    sys.stdout.write(json.dumps(report) + "\n")
    return int(bool(report["wrong"]))


if __name__ == "__main__":
    sys.exit(main())
