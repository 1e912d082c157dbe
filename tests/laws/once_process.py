"""Workers of test_once.py: each confirms an email, calls the gated refund once and says what it got, or dies meanwhile.

Reads lines of JSON: a list of workers to run at once, each ``[ledger URL, file of the world, when to die]``. Every
worker is a process of its own, forked here because starting Python anew takes seconds. Answers with one line of JSON:
for each worker ``[exit code, what it got]``.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import sys
import traceback

from langgraph_readback.fields import FieldSpec
from langgraph_readback.tools import Action, Receipt, Services, gated


def worker(url: str, world: str, die_when: str) -> list[str]:
    """One call of the gated refund."""

    def die(when):
        if when == die_when:
            os.kill(os.getpid(), signal.SIGKILL)

    def find(action: Action) -> Receipt | None:
        found = sqlite3.connect(world).execute("SELECT 1 FROM refunds WHERE key = ?", [action.key]).fetchone()
        return Receipt(reference="R") if found else None

    @gated(FieldSpec(name="email"), check=None if die_when in {"without check", "no check"} else find)
    async def refund(email: str, *, action: Action) -> Receipt:
        """One row in the world."""
        die("before the effect")
        with sqlite3.connect(world) as db:
            db.execute("INSERT INTO refunds VALUES (?)", [action.key])
        die("after the effect")
        die("without check")
        await asyncio.sleep(0.2)
        return Receipt(reference="R", executed={"email": email})

    services = Services.from_url(url, patience=1.0)
    facts = {"thread": "t-1", "field": "email", "value": "rae.oneill@example.com", "revision": 1}
    services.ledger.raise_to("t-1", "email", 1, fingerprint=services.sealer.fingerprint(**facts))
    seal = services.sealer.seal(**facts, by="user", at=1.0)
    captures = {"email": {"status": "CONFIRMED", "value": facts["value"], "revision": 1, "seal": seal}}
    answer = asyncio.run(refund.run({}, captures=captures, thread="t-1", services=services))
    return [type(answer).__name__, str(answer.repeated if isinstance(answer, Receipt) else answer.code)]


def fork(arguments: list[str]) -> tuple[int, int]:
    """Start a worker; its process number, and the end of the pipe it answers through."""
    out, into = os.pipe()
    number = os.fork()
    if number:
        os.close(into)
        return number, out
    try:
        os.write(into, json.dumps(worker(*arguments)).encode())
    except BaseException:  # noqa: BLE001 - shown here, and the answer is missing
        traceback.print_exc()
    finally:
        os._exit(0)


def collect(number: int, out: int) -> list[object]:
    with os.fdopen(out) as pipe:
        got = pipe.read()
    return [os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]), json.loads(got) if got else None]


for line in sys.stdin:
    running = [fork(arguments) for arguments in json.loads(line)]
    print(json.dumps([collect(*process) for process in running]), flush=True)  # noqa: T201
