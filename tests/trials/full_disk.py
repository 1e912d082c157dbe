"""Whole conversations on SQLite while files may not grow: each turn fails until there is room for it.

    python tests/trials/full_disk.py --conversations 30 --seed 1

The limit is the kernel's (``RLIMIT_FSIZE``), so it holds for checkpoints, tickets, marks and ledger alike, and is met at
another write each time. A turn that fails is sent again, the same message, with a little more room. Prints one JSON
object: failures by error, and what is wrong at the end; exit code 1 when anything is.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sys
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

from langchain_core.messages import HumanMessage

from langgraph_readback.checkpoints import open_saver
from langgraph_readback.graph import build_agent
from langgraph_readback.handoff import SqlDesk
from langgraph_readback.tools import Action, Ledger, NotDone, Receipt, gated

sys.path.insert(0, str(Path(__file__).parent))
from two_workers import ASKED, CONTEXT, EMAIL, SCRIPTS

WORLD: list[tuple[str, str, str]] = []
"""Refunds: thread, key, address. In memory: what the world does needs no room on our disk."""
EXPECTED = {"OperationalError", "SystemError"}


def find(action: Action) -> Receipt | None:
    """What became of a refund."""
    return next((Receipt(executed={"email": email}) for _, key, email in WORLD if key == action.key), None)


@gated(EMAIL, check=find)
def refund(email: str, *, action: Action) -> Receipt:
    """Refund the order."""
    if not email:
        raise NotDone("no address")
    WORLD.append((action.thread, action.key, email))
    return Receipt(reference="R", executed={"email": email})


def limit(size: float) -> None:
    """No file of this process grows past this."""
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (most if size == float("inf") else int(size), most))


def trial(folder: Path, conversations: int, seed: int) -> dict:
    """Run it in an empty folder. Gives the report."""
    dice, counts, wrong = random.Random(seed), Counter(), []
    url = f"sqlite:///{folder / 'x.db'}"
    ports = {"ledger": Ledger.from_url(url), "desk": SqlDesk.from_url(url)}
    with open_saver(url) as saver, closing(ports["ledger"]), closing(ports["desk"]):
        agent = build_agent([EMAIL], actions=[refund], checkpointer=saver, **ports)
        agent.invoke({"messages": []}, {"configurable": {"thread_id": "first"}}, context=CONTEXT)  # tables
        for n in range(conversations):
            name = dice.choice(list(SCRIPTS))
            turns, right, attempts, status = SCRIPTS[name]
            config = {"configurable": {"thread_id": f"t{n}"}}
            for number, text in enumerate(turns):
                message = HumanMessage(text.format(n=n), id=f"{n}-{number}")
                squeeze(
                    folder,
                    dice,
                    counts,
                    lambda m=message, c=config: agent.invoke({"messages": [m]}, c, context=CONTEXT),
                )
            right = right and right.format(n=n)
            if right and not any(thread == f"t{n}" for thread, _, _ in WORLD):  # refused while the ledger was full
                counts["asked_again"] += 1
                agent.invoke({"messages": [HumanMessage(ASKED)]}, config, context=CONTEXT)
            record = agent.get_state(config).values["captures"]["email"]
            seen = [record["status"], record.get("value"), record["attempts"], [e for t, _, e in WORLD if t == f"t{n}"]]
            due = [status, right, attempts, [right] if right else []]
            wrong += [] if seen == due else [f"t{n} {name}: {seen}, not {due}"]
        wrong += [f"{entry.key} is {entry.state}" for entry in ports["ledger"].entries() if entry.state != "DONE"]
    wrong += [f"a turn failed with {name}" for name in counts if name[:1].isupper() and name not in EXPECTED]
    return {"conversations": conversations, **counts, "wrong": wrong}


def squeeze(folder: Path, dice: random.Random, counts: Counter, turn) -> None:
    """Do it with too little room, then with more and more."""
    room = dice.choice([0, 4096, 8192, 16384])
    while True:
        limit(max(file.stat().st_size for file in folder.iterdir()) + room)
        try:
            turn()
        except Exception as error:  # noqa: BLE001 - judged at the end
            counts[type(error).__name__] += 1
            room += dice.choice([1024, 4096, 12288])
        else:
            return
        finally:
            limit(float("inf"))


def main() -> int:
    """Print the report."""
    arguments = argparse.ArgumentParser(description="Conversations on a disk that is full.")
    arguments.add_argument("--conversations", type=int, default=30)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    os.environ.setdefault("READBACK_SEAL_KEYS", "a key of the trial and of nothing else")
    with tempfile.TemporaryDirectory(prefix="readback-full-") as folder:
        report = trial(Path(folder), given.conversations, given.seed)
    sys.stdout.write(json.dumps(report) + "\n")
    return int(bool(report["wrong"]))


if __name__ == "__main__":
    sys.exit(main())
