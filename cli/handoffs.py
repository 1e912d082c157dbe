"""``readback handoffs``: the desk's queue on the command line: list, show, claim, answer.

Whoever can run this has the database and the seal keys, and so is the desk. Lists hold nothing captured; ``show`` does,
unless ``--masked``, and each look is in the ticket's audit trail.
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
from langgraph_readback.cli.tickets import queue
from langgraph_readback.cli.tickets import ticket as whole_ticket

if TYPE_CHECKING:
    from langgraph_readback.handoff import SqlDesk

handoffs = typer.Typer(
    help="The hand-off desk: tickets that wait for a person.\n\nExample: readback handoffs list",
    no_args_is_help=True,
)

Database = Annotated[str | None, typer.Option(help="sqlite:///FILE or postgresql://...")]
TicketId = Annotated[str, typer.Argument(help="Its id, or the beginning of it.")]
By = Annotated[str, typer.Option(help="Who you are.", envvar=["USER", "LOGNAME"])]
_GOES_ON = (
    "Conversation {thread!r} goes on with it: on a server by itself, in the terminal with Enter, or with the same "
    "`readback chat` command and --thread {thread}."
)
_LISTED = ("id", "status", "thread", "field", "reason", "priority", "filed_at", "due_at", "overdue", "claimed_by")


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
    overdue: Annotated[bool, typer.Option("--overdue", help="Only what is overdue.")] = False,
    field: Annotated[str | None, typer.Option(help="Only of this field.")] = None,
    text: Annotated[str, typer.Option("--search", help="In the id, the thread or the field.")] = "",
    database: Database = None,
) -> None:
    """List the tickets that wait, the most urgent first. Nothing captured is shown.

    Example: readback handoffs list --all
    """
    from langgraph_readback.handoff.records import WAITING

    with desk(database) as opened:
        status = None if every else WAITING
        rows = opened.search(status=status, overdue=overdue or None, field=field, text=text, limit=10_000)
    if sys.stdout.isatty():
        queue(rows)
        return
    for row in rows:
        data: dict[str, Any] = dict(row)
        emit({key: data[key] for key in (*_LISTED, "closed_by", "outcome")})


@handoffs.command()
def show(
    ticket: TicketId,
    *,
    by: By = "command line",
    masked: Annotated[bool, typer.Option("--masked", help="Hide what was captured.")] = False,
    database: Database = None,
) -> None:
    """Show a ticket with all its attempts and the conversation around them. The look is noted in its trail.

    Example: readback handoffs show rb-1f0
    """
    with desk(database) as opened:
        one = whole(opened, ticket)
        found: dict[str, Any] = {**(opened.look(one) if masked else opened.reveal(one, by, unheld=True))}
        trail = opened.trail(one)
    if sys.stdout.isatty():
        whole_ticket(found, trail)
    else:
        emit({**found, "trail": trail})


@handoffs.command()
def claim(
    ticket: TicketId,
    *,
    by: By,
    minutes: Annotated[float, typer.Option(help="How long it is yours.", min=0.1)] = 15.0,
    database: Database = None,
) -> None:
    """Take a ticket, so that nobody else works on it; again to keep it longer.

    Example: readback handoffs claim rb-1f0 --by ana
    """
    with desk(database) as opened:
        hold = opened.claim(whole(opened, ticket), by, lease=minutes * 60)
    until = datetime.fromtimestamp(hold["until"], UTC).strftime("%H:%M:%S")
    typer.echo(f"{hold['ticket']}: yours until {until} UTC")


@handoffs.command()
def release(ticket: TicketId, *, by: By, database: Database = None) -> None:
    """Give a ticket back to the queue.

    Example: readback handoffs release rb-1f0 --by ana
    """
    with desk(database) as opened:
        one = whole(opened, ticket)
        opened.release(one, by)
    typer.echo(f"{one}: open")


@handoffs.command()
def resolve(
    ticket: TicketId,
    *,
    by: By,
    value: Annotated[str | None, typer.Option(help="The value, as you have it from the user.")] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Let the user try once more.")] = False,
    decline: Annotated[bool, typer.Option("--decline", help="There is no value.")] = False,
    advice: Annotated[str | None, typer.Option(help="With --retry: what the user is told first.")] = None,
    server: Annotated[
        str | None, typer.Option(help="LangGraph server to wake the conversation on.", envvar="READBACK_SERVER_URL")
    ] = None,
    database: Database = None,
) -> None:
    """Answer a ticket, once. A value is checked first; the conversation takes the answer up when it next wakes.

    Example: readback handoffs resolve rb-1f0 --value kim.lee@example.com --by ana
    """
    if [value is not None, retry, decline].count(True) != 1:
        fail("give exactly one of --value, --retry and --decline")
    kind: Any = "value" if value is not None else "retry" if retry else "decline"
    with desk(database) as opened:
        one = whole(opened, ticket)
        if value is not None and value.strip():
            value = _fitting(opened, one, value)
        answer = opened.resolve(one, kind=kind, by=by, value=value, advice=advice)
        typer.echo(f"{answer['ticket']}: {answer['kind']}, by {answer['by']}")
        if server:
            _wake(opened, server, answer["ticket"])
        elif sys.stdout.isatty():
            typer.secho(_GOES_ON.format(thread=opened.ticket(one)["thread"]), dim=True)


def _fitting(opened: SqlDesk, ticket: str, value: str) -> str:
    """The value in its canonical form. Exits with code 2 when it cannot be one: the ticket stays as it is."""
    from langgraph_readback.handoff.console.judge import judge
    from langgraph_readback.handoff.console.wording import Words

    found = judge(opened.ticket(ticket), value, Words())
    if found["value"] is None:
        fail(f"this does not fit, and the ticket is still open: {found['said']}")
    return str(found["value"])


def _wake(opened: SqlDesk, server: str, ticket: str) -> None:
    """Wake the conversation now; what does not work is left to ``readback watch``."""
    from langgraph_readback.handoff import ServerWaker, wake_due

    with closing(ServerWaker(server)) as waker:
        outcome = wake_due(opened, waker).get(ticket, "waiting")
    typer.echo(f"{ticket}: conversation {outcome}", err=outcome in ("failed", "waiting"))


@handoffs.command()
def called(ticket: TicketId, *, by: By, database: Database = None) -> None:
    """Close a callback: the call was made. What the user said belongs to the tickets it is about.

    Example: readback handoffs called rb-1f0 --by ana
    """
    with desk(database) as opened:
        one = whole(opened, ticket)
        opened.called(one, by)
    typer.echo(f"{one}: called, by {by}")


@handoffs.command()
def later(
    ticket: TicketId,
    *,
    by: By,
    minutes: Annotated[float, typer.Option(help="Until the next try.", min=1)] = 30.0,
    database: Database = None,
) -> None:
    """Put a callback off, since nobody answered the call.

    Example: readback handoffs later rb-1f0 --minutes 30 --by ana
    """
    with desk(database) as opened:
        one = whole(opened, ticket)
        until = datetime.fromtimestamp(opened.postpone(one, by, minutes=minutes), UTC).strftime("%H:%M")
    typer.echo(f"{one}: due at {until} UTC")


@handoffs.command()
def link(
    ticket: TicketId,
    *,
    by: By,
    url: Annotated[str, typer.Option(help="Where the page is served.", envvar="READBACK_LINK_URL")],
    to: Annotated[str | None, typer.Option(help="Mail it to this address; without, it is printed.")] = None,
    minutes: Annotated[float, typer.Option(help="How long it works.", min=1)] = 15.0,
    database: Database = None,
) -> None:
    """Make a link where the user types the value: signed, used once. Mailed through READBACK_SMTP_URL.

    Example: readback handoffs link rb-1f0 --url https://shop.example/link --to kim.lee@example.com --by ana
    """
    from langgraph_readback.handoff.exits.links import Links
    from langgraph_readback.handoff.exits.mail import Mailer, send_link

    with desk(database) as opened:
        one, links = whole(opened, ticket), Links(opened, url, lasts=minutes * 60)
        if to is None:
            typer.echo(links.make(one, by))
            return
        if (mailer := Mailer.from_env()) is None:
            fail("set READBACK_SMTP_URL and READBACK_MAIL_FROM to mail links, or leave --to out")
        send_link(opened, links, mailer, one, to, by=by)
    typer.echo(f"{one}: link mailed")


def whole(opened: SqlDesk, beginning: str) -> str:
    """The id that begins so; one that no ticket has is left to the desk to refuse. Exits with code 2 for several."""
    fitting = opened.whole(beginning, limit=1000)
    if len(fitting) > 1 and beginning not in fitting:
        fail(f"{len(fitting)} tickets begin with {beginning!r}: give more of the id")
    return fitting[0] if len(fitting) == 1 else beginning
