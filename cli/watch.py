"""``readback watch``: looks at the hand-off queue and makes noise when nobody does."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from langgraph_readback.cli.lines import emit, fail
from langgraph_readback.cli.stores import sealer, usable

if TYPE_CHECKING:
    from langgraph_readback.handoff import SqlDesk
    from langgraph_readback.handoff.exits.webhook import Webhook
    from langgraph_readback.handoff.watch import Round

Server = Annotated[
    str | None, typer.Option(help="LangGraph server whose conversations to wake.", envvar="READBACK_SERVER_URL")
]
Hook = Annotated[
    str | None,
    typer.Option(help="Where alarms are posted; READBACK_WEBHOOK_SECRET signs them.", envvar="READBACK_WEBHOOK_URL"),
]
ALARM = 3
"""Exit code when an alarm stands."""


def watch(
    *,
    once: Annotated[bool, typer.Option("--once", help="Look once, for cron and health checks.")] = False,
    every: Annotated[float, typer.Option(help="Seconds between looks.", min=0.1)] = 10.0,
    unclaimed_after: Annotated[float, typer.Option(help="Seconds a ticket may wait for somebody to take it.")] = 60.0,
    present_within: Annotated[float, typer.Option(help="Seconds since somebody was last at the desk.")] = 300.0,
    server: Server = None,
    webhook: Hook = None,
    days: Annotated[int, typer.Option(help="Days of pick-up and close times to show first.", min=0)] = 7,
    database: Annotated[str | None, typer.Option(help="sqlite:///FILE or postgresql://...")] = None,
) -> None:  # fmt: skip
    """Raise alarms for tickets that nobody takes, closes or is left to answer.

    Example: readback watch --once

    Exit code 0: all is well. 3: an alarm stands. 2: the database cannot be used. Alarms are raised once for each
    ticket, in the log on stderr, at the webhook, and as JSON lines on stdout when that is no terminal.
    """
    from langgraph_readback.handoff import ServerWaker, SqlDesk
    from langgraph_readback.handoff.watch import Watch

    with ExitStack() as opened:
        opened.enter_context(usable())
        desk = opened.enter_context(closing(SqlDesk.from_url(database, sealer=sealer(database))))
        hook = opened.enter_context(closing(_webhook(webhook))) if webhook else None
        waker = opened.enter_context(closing(ServerWaker(server))) if server else None
        watching = Watch(
            desk, waker=waker, webhook=hook, unclaimed_after=unclaimed_after, present_within=present_within
        )  # fmt: skip
        _figures(desk, days)
        if once:
            last = watching.round()
            _tell(last)
        else:
            with _until_stopped() as stop:
                last = watching.run(every=every, wait=stop.wait, each=_tell)
    raise typer.Exit(ALARM if last["standing"] else 0)


def _webhook(url: str) -> Webhook:
    import os

    from langgraph_readback.handoff.exits.webhook import SECRET_VARIABLE, Webhook

    try:
        return Webhook(url, secret=os.environ.get(SECRET_VARIABLE))
    except ValueError as error:
        fail(str(error))


@contextmanager
def _until_stopped() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set."""
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tell(found: Round) -> None:
    """One round on stdout: for a person only what is new; for a program a line for each alarm and waking."""
    from langgraph_readback.handoff.alarms import summary

    if sys.stdout.isatty():
        for alarm in found["raised"]:
            typer.secho(f"{alarm['kind']}: {alarm['text']}", fg="red")
        if found["day"] is not None:
            typer.echo(summary(found["day"]))
        return
    for alarm in found["raised"]:
        emit({"alarm": alarm["kind"], **{key: alarm[key] for key in ("ticket", "field", "thread", "seconds", "text")}})
    for ticket, outcome in found["woken"].items():
        emit({"woken": ticket, "outcome": outcome})
    if found["day"] is not None:
        emit({"figures": dict(found["day"])})
    emit({"standing": len(found["standing"]), "lapsed": found["lapsed"]})


def _figures(desk: SqlDesk, days: int) -> None:
    """How long people waited, by day; and the queue now."""
    rows, now = desk.figures(days=days) if days else [], desk.waiting()
    if not sys.stdout.isatty():
        for row in rows:
            emit(dict(row))
        emit({"waiting": dict(now)})
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("day (UTC)", "filed", "resolved", "returned", "expired", "late", "picked up", "closed", box=None)
    for row in rows:
        counts = [str(row[key]) for key in ("filed", "resolved", "returned", "expired", "late")]
        picked = f"{_time(row['pick_up_median'])} ({_time(row['pick_up_p95'])})"
        table.add_row(row["day"], *counts, picked, f"{_time(row['close_median'])} ({_time(row['close_p95'])})")
    console = Console()
    if rows:
        console.print(table)
        console.print("Times are medians, and the 95th percentile in brackets.", style="dim")
    console.print(f"Now: {now['open']} open, {now['claimed']} claimed, {now['overdue']} overdue.")


def _time(seconds: float | None) -> str:
    from langgraph_readback.handoff.alarms import span

    return "-" if seconds is None else span(seconds)
