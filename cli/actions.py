"""``readback actions``: the ledger on the command line: list actions, settle one whose outcome is unknown.

An action is unknown when its worker died, or its function failed, between intent and outcome, and no ``check`` could
say what happened. Look for the effect by the key, then say so here: the conversation goes on from what is written.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from langgraph_readback.cli.lines import emit, fail
from langgraph_readback.cli.stores import usable

if TYPE_CHECKING:
    from langgraph_readback.tools import Ledger
    from langgraph_readback.tools.ledger import Entry

actions = typer.Typer(
    help="The ledger of gated actions: what was done, and what is unknown.\n\nExample: readback actions list",
    no_args_is_help=True,
)

Database = Annotated[str | None, typer.Option(help="sqlite:///FILE or postgresql://...")]
_COLUMNS = (
    "key",
    "state",
    "action",
    "thread",
    "attempt",
    "started_at",
    "ended_at",
    "reference",
    "compared",
    "settled_by",
)


@contextmanager
def ledger(database: str | None) -> Iterator[Ledger]:
    """The ledger of a database."""
    from langgraph_readback.database import database_url
    from langgraph_readback.tools import Ledger

    with usable(), closing(Ledger.from_url(database_url(database))) as opened:
        yield opened


def open_(entry: Entry, now: float) -> bool:
    """Whether a person has to settle it: its outcome is unknown, or its worker has abandoned it."""
    return entry.state == "UNKNOWN" or is_abandoned(entry, now)


def is_abandoned(entry: Entry, now: float) -> bool:
    """Whether the intent is older than its worker could have been."""
    return entry.state == "INTENT" and entry.lease_until < now


@actions.command("list")
def list_(
    *,
    every: Annotated[bool, typer.Option("--all", help="Those whose outcome is known, too.")] = False,
    thread: Annotated[str | None, typer.Option(help="Of one conversation.")] = None,
    database: Database = None,
) -> None:
    """List the actions that a person has to settle, oldest first.

    Example: readback actions list --all
    """
    now = time.time()
    with ledger(database) as opened:
        found = [entry for entry in opened.entries(thread=thread) if every or open_(entry, now)]
    if not sys.stdout.isatty():
        for entry in found:
            emit({name: getattr(entry, name) for name in _COLUMNS})
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(
        "key", "state", "started (UTC)", "action", "reference", "compared", "thread", box=None, pad_edge=False
    )
    table.columns[0].overflow = "fold"  # a key with an ellipsis cannot be copied
    for entry in found:
        started = datetime.fromtimestamp(entry.started_at, UTC).strftime("%Y-%m-%d %H:%M")
        table.add_row(
            entry.key,
            entry.state,
            started,
            entry.action,
            entry.reference,
            entry.compared.replace("_", " "),
            entry.thread,
        )
    Console().print(table if found else "No action waits for a person.")


@actions.command()
def settle(
    key: Annotated[str, typer.Argument(help="Its key, or the beginning of it.")],
    *,
    by: Annotated[str, typer.Option(help="Who has looked.")],
    done: Annotated[bool, typer.Option("--done", help="The effect happened.")] = False,
    not_done: Annotated[bool, typer.Option("--not-done", help="It certainly did not: it may be tried again.")] = False,
    reference: Annotated[str, typer.Option(help="The world's number for it, with --done.")] = "",
    database: Database = None,
) -> None:
    """Say what became of an action whose outcome is unknown. Once: an outcome that is known stays.

    Example: readback actions settle 4f9c --done --reference RF-0007 --by ana
    """
    from langgraph_readback.tools.ledger import State

    if done == not_done:
        fail("give exactly one of --done and --not-done")
    if not by.strip():
        fail("say who has looked, with --by")
    now = time.time()
    with ledger(database) as opened:
        entry = whole(opened.entries(), key)
        if entry.state == State.INTENT and not is_abandoned(entry, now):
            fail(f"{entry.key[:12]} is being carried out now: try again in {entry.lease_until - now:.0f} seconds")
        state = State.DONE if done else State.FAILED
        who = f"human:{by.strip()}"
        if not opened.settle(entry.key, entry.attempt, state, now=now, reference=reference, by=who):
            fail(f"{entry.key[:12]} is settled already: {entry.state}, by {entry.settled_by}")
    typer.echo(f"{entry.key}: {state}, by {by.strip()}")


def whole(entries: list[Entry], beginning: str) -> Entry:
    """The action whose key begins so. Exits with code 2 when there is none, or several."""
    fitting = [entry for entry in entries if entry.key.startswith(beginning)]
    if not fitting:
        fail(f"no action's key begins with {beginning!r}: readback actions list --all shows them")
    if len(fitting) > 1:
        fail(f"{len(fitting)} keys begin with {beginning!r}: give more of the key")
    return fitting[0]
