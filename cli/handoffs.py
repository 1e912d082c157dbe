"""``readback handoffs``: the desk's queue on the command line: list, show, answer.

Whoever can run this has the database and the seal keys, and so is the desk. Attempts hold captured values.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from langgraph_readback.cli.lines import emit, fail
from langgraph_readback.cli.stores import sealer, usable

if TYPE_CHECKING:
    from langgraph_readback.handoff import SqlDesk

handoffs = typer.Typer(
    help="The hand-off desk: tickets that wait for a person.\n\nExample: readback handoffs list",
    no_args_is_help=True,
)

Database = Annotated[str | None, typer.Option(help="sqlite:///FILE or postgresql://...")]
TicketId = Annotated[str, typer.Argument(help="Its id, or the beginning of it.")]


@contextmanager
def desk(database: str | None) -> Iterator[SqlDesk]:
    """The desk of a database. What it refuses becomes one line on stderr and exit code 2."""
    from langgraph_readback.handoff import SqlDesk

    with usable(), closing(SqlDesk.from_url(database, sealer=sealer(database))) as opened:
        try:
            yield opened
        except ValueError as error:
            fail(str(error))


@handoffs.command("list")
def list_(
    *,
    every: Annotated[bool, typer.Option("--all", help="Closed tickets too.")] = False,
    database: Database = None,
) -> None:
    """List the open tickets, oldest first.

    Example: readback handoffs list --all
    """
    with desk(database) as opened:
        tickets = opened.tickets(None if every else "OPEN")
    if not sys.stdout.isatty():
        for ticket in tickets:
            emit({key: ticket.get(key) for key in ("id", "status", "thread", "field", "reason", "filed_at", "outcome")})
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("ticket", "status", "filed (UTC)", "field", "reason", "thread", box=None, pad_edge=False)
    table.columns[0].overflow = "fold"  # an id with an ellipsis cannot be copied
    for ticket in tickets:
        filed = datetime.fromtimestamp(ticket["filed_at"], UTC).strftime("%Y-%m-%d %H:%M")
        table.add_row(ticket["id"], ticket["status"], filed, ticket["label"], ticket["reason"], ticket["thread"])
    Console().print(table if tickets else "No open tickets.")


@handoffs.command()
def show(ticket: TicketId, *, database: Database = None) -> None:
    """Show a ticket with all its attempts.

    Example: readback handoffs show rb-1f0
    """
    with desk(database) as opened:
        found = opened.ticket(whole(opened, ticket))
    if not sys.stdout.isatty():
        emit(found)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    table = Table(show_header=False, box=None, pad_edge=False)
    for key in ("id", "status", "thread", "field", "label", "locale", "reason", "purpose", "told", "outcome"):
        if found.get(key):
            table.add_row(Text(key, style="dim"), Text(str(found[key])))
    console.print(table)
    for number, attempt in enumerate(found["attempts"], start=1):
        console.print(Text(f"attempt {number}", style="bold"))
        for key, value in attempt.items():
            console.print(Text(f"  {key}: ", style="dim") + Text(str(value)))


@handoffs.command()
def resolve(
    ticket: TicketId,
    *,
    by: Annotated[str, typer.Option(help="Who answers.", envvar=["USER", "LOGNAME"])],
    value: Annotated[str | None, typer.Option(help="The value, as you have it from the user.")] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Let the user try once more.")] = False,
    decline: Annotated[bool, typer.Option("--decline", help="There is no value.")] = False,
    database: Database = None,
) -> None:
    """Answer a ticket, once. The conversation takes the answer up when it next wakes.

    Example: readback handoffs resolve rb-1f0 --value kim.lee@example.com --by ana
    """
    if [value is not None, retry, decline].count(True) != 1:
        fail("give exactly one of --value, --retry and --decline")
    kind: Any = "value" if value is not None else "retry" if retry else "decline"
    with desk(database) as opened:
        answer = opened.resolve(whole(opened, ticket), kind=kind, by=by, value=value)
    typer.echo(f"{answer['ticket']}: {answer['kind']}, by {answer['by']}")


def whole(opened: SqlDesk, beginning: str) -> str:
    """The id that begins so; one that no ticket has is left to the desk to refuse. Exits with code 2 for several."""
    fitting = [found["id"] for found in opened.tickets(None) if found["id"].startswith(beginning)]
    if len(fitting) > 1 and beginning not in fitting:
        fail(f"{len(fitting)} tickets begin with {beginning!r}: give more of the id")
    return fitting[0] if len(fitting) == 1 else beginning
