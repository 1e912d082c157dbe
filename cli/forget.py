"""``readback forget``: a conversation's personal data is deleted everywhere; what must stay to be safe is said."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated, Any

import typer

from langgraph_readback.cli.lines import emit, fail
from langgraph_readback.cli.stores import sealer, usable
from langgraph_readback.database import database_url, is_memory


def forget(
    thread: Annotated[str, typer.Argument(help="The thread's id.")],
    *,
    database: Annotated[str | None, typer.Option(help="sqlite:///FILE or postgresql://...")] = None,
) -> None:
    """Delete a conversation's personal data: checkpoints, tickets, answers, and words in the ledger.

    What stays holds no value: a mark for each field and a key for each action, so that no old copy of the conversation
    is believed and no action runs again; and the desk's audit trail. Prints what was deleted and what stays.

    Example: readback forget 7c9e6679-7425-40de-944b-e07fc1f90ae7
    """
    place = database_url(database)
    if is_memory(place):
        fail("a database in memory forgets by itself when its process ends: name another with --database")
    with usable():
        done = forgotten(thread, place)
    emit(done)
    if not any(done["deleted"].values()) and not any(done["stays"].values()):
        fail(f"nothing is kept of a thread {thread!r}: is it the right database ({place.partition(':')[0]})?")


def forgotten(thread: str, place: str) -> dict[str, Any]:
    """Do it. Gives how much was deleted, and how many rows without a value stay."""
    from langgraph_readback.checkpoints import open_saver
    from langgraph_readback.handoff import SqlDesk
    from langgraph_readback.handoff.forgetting import forget_tickets
    from langgraph_readback.tools import Ledger

    keys = sealer(place)
    with closing(SqlDesk.from_url(place, sealer=keys)) as desk, closing(Ledger.from_url(place)) as ledger:
        tickets = forget_tickets(desk, thread)
        marks, actions = ledger.forget(thread)
    with open_saver(place) as saver:
        checkpoints = saver.forget(thread)
        saver.scrub()
    return {
        "thread": thread,
        "deleted": {"checkpoints": checkpoints, "tickets": tickets},
        "stays": {"marks": marks, "actions": actions},
    }
