"""Tickets on a terminal: the queue as a table, one ticket with its attempts, and what a person may do next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from langgraph_readback.handoff import Row

__all__ = ["CALL", "NEXT", "queue", "short", "ticket"]

_FACTS = ("id", "status", "thread", "field", "label", "locale", "channel", "reason", "purpose", "told", "claimed_by")
_SHORTEST = 11
"""Characters of an id that are shown at least: ``rb-`` and eight, so that closed tickets seldom begin alike."""
NEXT = (
    "Answer it, once:   readback handoffs resolve {id} --by YOU --value VALUE\n"
    "or, no value:      --retry (asks the user once more; --advice TEXT is said first)   --decline (there is none)"
)


def queue(rows: list[Row]) -> None:
    """The queue as a table, each ticket by the beginning of its id, and how to look at the first one."""
    from rich.console import Console
    from rich.table import Table

    from langgraph_readback.handoff.alarms import span
    from langgraph_readback.handoff.console.judge import why
    from langgraph_readback.handoff.console.wording import Words

    console, words = Console(), Words()
    if not rows:
        console.print("No open tickets.")
        return
    ids = short([row["id"] for row in rows])
    table = Table("ticket", "status", "filed (UTC)", "due", "field", "why", "who", box=None, pad_edge=False)
    table.columns[0].no_wrap = True  # an id that is cut or folded cannot be copied
    for row in rows:
        filed = datetime.fromtimestamp(row["filed_at"], UTC).strftime("%m-%d %H:%M")
        waits = row["waits"] or 0.0
        due = "" if row["closed_at"] else f"{span(-waits)} late" if row["overdue"] else f"in {span(waits)}"
        who = row["claimed_by"] or row["closed_by"] or ""
        table.add_row(
            ids[row["id"]], row["status"], filed, due, row["label"], why(row["reason"], row["label"], words), who
        )
    console.print(table)
    console.print(f"See one:   readback handoffs show {ids[rows[0]['id']]}", style="dim", markup=False)


def short(ids: Iterable[str]) -> dict[str, str]:
    """The beginning of each id that no other of these has."""
    every = sorted(set(ids))
    around = zip(["", *every], every, [*every[1:], ""], strict=False)
    return {
        one: one[: max(_SHORTEST, _alike(one, before) + 1, _alike(one, after) + 1)] for before, one, after in around
    }


def _alike(one: str, other: str) -> int:
    """How many characters two ids have in common at the beginning."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


CALL = (
    "The call was made:  readback handoffs called {id} --by YOU     (answer the tickets it is about, too)\n"
    "Nobody picked up:   readback handoffs later {id} --by YOU --minutes 30"
)


def ticket(found: Mapping[str, Any], trail: Iterable[Mapping[str, Any]]) -> None:
    """One ticket: its facts, what was tried, the conversation, who did what, and how to answer it."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from langgraph_readback.handoff.console.judge import why
    from langgraph_readback.handoff.console.wording import Words

    console, words, label = Console(), Words(), found["label"]
    table = Table(show_header=False, box=None, pad_edge=False)
    for key in (*_FACTS, "outcome", "closed_by"):
        if found.get(key):
            said = why(found[key], label, words) if key == "reason" else str(found[key])
            table.add_row(Text(key, style="dim"), Text(said))
    console.print(table)
    parts = [("the call", found["callback"])] if found.get("callback") else []
    for title, part in [*parts, *((f"attempt {n}", one) for n, one in enumerate(found["attempts"], start=1))]:
        console.print(Text(title, style="bold"))
        lines = {
            key: why(value, label, words) if key == "reason" else _plain(key, value) for key, value in part.items()
        }
        _lines(console, lines)
    if found.get("conversation"):
        console.print(Text("conversation", style="bold"))
    for line in found.get("conversation", []):
        console.print(Text(f"  {line['who']}: ", style="dim") + Text(line["text"]))
    console.print(Text("record", style="bold"))
    for entry in trail:
        said = f"  {_plain('at', entry['at'])} {entry['who']}: {entry['what']} {entry['note']}"
        console.print(Text(said, style="dim"))
    if found["status"] in ("OPEN", "CLAIMED"):
        steps = CALL if found.get("callback") else NEXT
        console.print(Text("\n" + steps.format(id=found["id"][:_SHORTEST]), style="dim"))


def _lines(console: Console, said: Mapping[str, str]) -> None:
    from rich.text import Text

    for key, text in said.items():
        if text:
            console.print(Text(f"  {key}: ", style="dim") + Text(text))


def _plain(key: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%d %H:%M:%S") if key == "at" else str(value)
