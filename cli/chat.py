"""``readback chat``: give details to the loop in a terminal, and watch each field's status."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any
from uuid import uuid4

import typer

from langgraph_readback.cli.cases import circumstances
from langgraph_readback.cli.lines import BadLineError, fail
from langgraph_readback.cli.options import names, pairs, specs
from langgraph_readback.cli.stores import sealer, usable
from langgraph_readback.context import CaptureContext
from langgraph_readback.database import database_url, is_memory

if TYPE_CHECKING:
    from rich.console import Console

    from langgraph_readback.fields import FieldSpec

DEFAULT_PATTERNS = {"order_id": [r"HL-\d{6}"]}
"""So that the chat has an order number to ask for before anybody has written a pattern."""

DONE = {"CONFIRMED", "HANDOFF", "DECLINED"}

PERSON = (
    "A person has to answer this: `readback handoffs list` in another terminal, or `readback desk` for a browser. "
    "Enter looks for the answer, Ctrl-D leaves."
)


def chat(
    *,
    fields: Annotated[str, typer.Option(help="What to ask for, with commas.")] = "email,phone,order_id,name",
    pattern: Annotated[list[str] | None, typer.Option(help=r"FIELD=REGEX makes the field an id.")] = None,
    known: Annotated[
        list[str] | None, typer.Option(help="FIELD=VALUE: with this, only the values given so exist.")
    ] = None,
    locale: Annotated[str, typer.Option(help="BCP 47 tag.")] = "en-US",
    region: Annotated[str | None, typer.Option(help="Country, when it is not the locale's.")] = None,
    channel: Annotated[str, typer.Option(help="chat: you type. voice: you type what a recogniser heard.")] = "chat",
    thread: Annotated[str | None, typer.Option(help="Go on with an earlier conversation.")] = None,
    database: Annotated[str | None, typer.Option(help="sqlite:///FILE, postgresql://... or memory:.")] = None,
) -> None:
    """Talk to the loop in the terminal. No key, no network.

    Example: readback chat --fields email,order_id --known order_id=HL-204117

    An empty line is silence; after the last field it ends the chat, or looks whether a person has answered.
    Ctrl-D leaves, and --thread goes on later.
    """
    from langgraph_readback.checkpoints import open_saver
    from langgraph_readback.fields.lookups import directory
    from langgraph_readback.graph import build_capture_graph
    from langgraph_readback.handoff import SqlDesk

    wanted = names(fields)
    defaults = {name: given for name, given in DEFAULT_PATTERNS.items() if name in wanted}
    chosen = specs(wanted, defaults | pairs(pattern, "--pattern", of=wanted))
    what = [replace(spec, lookup=None) for spec in chosen]  # no network: only --known is asked
    lookups = {name: directory(values) for name, values in pairs(known, "--known", of=wanted).items()}
    try:
        circle = circumstances({"locale": locale, "region": region, "channel": channel})
    except BadLineError as error:
        fail(str(error))
    kept = not is_memory(database_url(database))
    with usable(), open_saver(database) as saver:
        keys = sealer(database)
        with closing(SqlDesk.from_url(database, sealer=keys)) as desk:
            graph = build_capture_graph(what, lookups=lookups, checkpointer=saver, desk=desk, sealer=keys)
            Talk(graph, what, thread or uuid4().hex[:8], circle, kept).run()


@dataclass
class Talk:
    """One conversation on one thread: says what the loop says, shows the board, sends what is typed."""

    graph: Any
    what: list[FieldSpec]
    thread: str
    circle: CaptureContext
    kept: bool
    seen: set[str] = field(default_factory=set)
    told: bool = False
    captures: Mapping[str, Any] = field(default_factory=dict)

    def run(self) -> None:
        """Until the input ends, or an empty line after the last field."""
        from langchain_core.messages import HumanMessage
        from langgraph.types import Command
        from rich.console import Console

        console = Console(highlight=False)
        before = self.graph.get_state(self.config)
        self.seen = {message.id for message in before.values.get("messages", [])[:-1]}  # the last line is said again
        self.turn(console, Command(resume=True) if before.interrupts else {"messages": []})
        while (line := read(console)) is not None and (line or not self.done or self.waits):
            wake = self.waits and not line
            self.turn(console, Command(resume=True) if wake else {"messages": [HumanMessage(line)]})
        if not self.settled and self.kept:
            console.print(f"\nGo on with: readback chat --thread {self.thread} (and the same options)", style="dim")

    @property
    def config(self) -> Any:
        """Which thread."""
        return {"configurable": {"thread_id": self.thread}}

    @property
    def done(self) -> bool:
        """Whether nothing is left to ask."""
        return all((self.captures.get(spec.name) or {}).get("status") in DONE for spec in self.what)

    @property
    def waits(self) -> bool:
        """Whether a person may answer from elsewhere: something waits for one, in a database that others can open."""
        return self.kept and self.done and not self.settled

    @property
    def settled(self) -> bool:
        """Whether nobody has to come back: all asked, and nothing waits for a human."""
        return self.done and all(self.captures[spec.name]["status"] != "HANDOFF" for spec in self.what)

    def turn(self, console: Console, given: Any) -> None:
        """Run with a message, with none (it just asks), or with a wake-up; print what is said back and the board."""
        from langchain_core.messages import AIMessage
        from rich.text import Text

        from langgraph_readback.cli.board import board

        result = self.graph.invoke(given, self.config, context=self.circle)
        self.captures = result.get("captures", {})
        messages = result.get("messages", [])
        for message in messages:
            if isinstance(message, AIMessage) and message.id not in self.seen:
                console.print(Text("loop  ", style="bold cyan") + Text(message.text))
        self.seen |= {message.id for message in messages}
        records = {spec.name: self.captures.get(spec.name) or {} for spec in self.what}
        console.print(board(records, {spec.name: spec.label or spec.name for spec in self.what}))
        if self.waits and not self.told:
            self.told = True
            console.print(PERSON, style="dim")


def read(console: Console) -> str | None:
    """The next line; None at the end of the input. A script's lines are echoed, so that its output can be read."""
    if sys.stdin.isatty():
        try:
            return console.input("[bold]you[/]   ").strip()
        except (EOFError, KeyboardInterrupt):
            return None
    raw = sys.stdin.buffer.readline()
    if not raw:
        return None
    line = raw.decode("utf-8", errors="replace").strip()
    console.print(f"you   {line}", markup=False)
    return line
