"""``readback replay``: whole conversations through the real graph, as JSON lines or for a person."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Annotated, Any

import typer

from langgraph_readback.cli.cases import circumstances, spec
from langgraph_readback.cli.lines import BadLineError, Row, blame, emit, identity, rows, source, take
from langgraph_readback.context import CaptureContext
from langgraph_readback.outcome import LookupOutcome

if TYPE_CHECKING:
    from langchain_core.messages import HumanMessage

    from langgraph_readback.fields import FieldSpec, Lookup

OPEN = ("ASK", "VALIDATE", "READBACK", "RETRY")
"""Statuses of a capture that goes on."""


def replay(
    *,
    file: Annotated[Path | None, typer.Option(help="Read JSON lines from here instead of stdin.")] = None,
) -> None:
    """Run conversations through the capture graph, turn by turn, in memory and without network.

    Example: readback replay --file dialogs.jsonl

    One conversation a line in, its captures and every line the loop said out:

    {"id":"1","fields":["email"],"turns":["kim at example dot com","yes"]}

    {"id":"1","captures":{"email":{"status":"CONFIRMED","value":"kim@example.com", ...}},"says":[...]}

    A turn is a text or {"text", "barge_in"}. Further keys in: patterns, checksums and optional; lookups,
    {field: {value or "*": "FOUND", "NOT_FOUND", "OTHER_OWNER" or "UNAVAILABLE"}}; locale, region, channel,
    context {"today"}.
    A field without lookups asks nobody.
    """
    with source(file) as stream:
        for number, row in rows(stream):
            with blame(number):
                out = answer(row)
            if sys.stdout.isatty():
                show(out)
            else:
                emit(out)


def answer(row: Row) -> Row:
    """The output object of one conversation. Raises BadLineError."""
    number, turns = identity(row), messages(take(row, "turns", list))
    what, circle = fields(row), circumstances(row)
    values, says = converse(what, turns, circle, lookups(row))
    return {"id": number, "captures": {s.name: record(values.get(s.name, {})) for s in what}, "says": says}


def record(capture: Mapping[str, Any]) -> Row:
    """What leaves the graph of one capture: the value only when it is confirmed.

    While a user takes a confirmed value back, the confirmed one is what is stored, and ``reopened`` says how far the
    new capture is; the gate refuses both until it is confirmed.
    """
    status, before = capture.get("status"), capture.get("before")
    out = {"status": status, "value": None, "attempts": capture.get("attempts", 0), "verified": None}
    if status == "CONFIRMED":
        out |= {"value": capture.get("value"), "verified": capture.get("verified")}
    elif before and status in OPEN:
        out |= {"status": "CONFIRMED", "value": before["value"], "verified": before["verified"], "reopened": status}
    return out


def fields(row: Row) -> list[FieldSpec]:
    """The specs of a conversation. Raises BadLineError with the list of names for an unknown one."""
    from dataclasses import replace

    names = take(row, "fields", list)
    if not names or len(set(map(str, names))) != len(names) or not all(isinstance(name, str) for name in names):
        raise BadLineError('"fields" must be a list of different names')
    patterns, checksums = take(row, "patterns", dict, default={}), take(row, "checksums", dict, default={})
    optional = take(row, "optional", list, default=[])
    for key, given in (("patterns", patterns), ("checksums", checksums), ("optional", optional)):
        if stray := [name for name in given if name not in names]:
            raise BadLineError(f'"{key}" names {stray[0]!r}, which "fields" does not')
    return [
        # Without a table of its own a field asks nobody: a replay is the same on a train as in an office.
        replace(
            spec(name, pattern=take(patterns, name, str, default=None), checksum=checksums.get(name)),
            lookup=None,
            optional=name in optional,
        )
        for name in names
    ]


def messages(turns: list[Any]) -> list[HumanMessage]:
    """The user's turns. Raises BadLineError for one that is neither a text nor an object with a text."""
    from langchain_core.messages import HumanMessage

    out = []
    for number, turn in enumerate(turns, start=1):
        row = {"text": turn} if isinstance(turn, str) else turn
        if not isinstance(row, dict) or not isinstance(row.get("text"), str):
            raise BadLineError(f'turn {number} must be a text or {{"text": "..."}}')
        marks = {key: row[key] for key in ("barge_in", "event") if row.get(key)}
        extra = {"readback": marks} if marks else {}
        extra |= {"asr": row["asr"]} if isinstance(row.get("asr"), dict) else {}
        out.append(HumanMessage(row["text"], id=f"turn-{number}", additional_kwargs=extra))
    return out


def lookups(row: Row) -> dict[str, Lookup]:
    """A lookup for each field that has a table of outcomes."""
    from langgraph_readback.fields.lookups import directory

    tables = take(row, "lookups", dict, default={})
    for name, table in tables.items():
        if name not in row["fields"]:
            raise BadLineError(f'"lookups" names {name!r}, which "fields" does not')
        if not isinstance(table, dict) or not all(word in list(LookupOutcome) for word in table.values()):
            raise BadLineError(f"the lookups of {name!r} must each be one of {', '.join(LookupOutcome)}")
    return {name: directory(partial(outcome, table)) for name, table in tables.items()}


def outcome(table: Mapping[str, str], value: str) -> LookupOutcome:
    """The value's own outcome, else that of ``*``, else NOT_FOUND."""
    return LookupOutcome(table.get(value, table.get("*", "NOT_FOUND")))


def converse(
    what: list[FieldSpec], turns: list[HumanMessage], circle: CaptureContext, lookups_: dict[str, Lookup]
) -> tuple[dict[str, Any], list[str]]:
    """Opens with a run that carries no message, then sends the turns; the records and what was said."""
    from langgraph.checkpoint.memory import InMemorySaver

    from langgraph_readback.graph import build_capture_graph
    from langgraph_readback.handoff import SqlDesk
    from langgraph_readback.seal import Sealer

    sealer = Sealer([token_urlsafe(32)])
    with closing(SqlDesk.from_url("memory:", sealer=sealer)) as desk:
        graph = build_capture_graph(what, lookups=lookups_, checkpointer=InMemorySaver(), desk=desk, sealer=sealer)
        return talk(graph, turns, circle)


def talk(graph: Any, turns: list[HumanMessage], circle: CaptureContext) -> tuple[dict[str, Any], list[str]]:
    """The turns on one thread, one by one."""
    from langchain_core.messages import AIMessage

    config: Any = {"configurable": {"thread_id": "replay"}}
    said: dict[str, str] = {}
    result: dict[str, Any] = {}
    for turn in (None, *turns):
        # After a hand-off the thread waits in an interrupt; a plain message starts again and is answered.
        result = graph.invoke({"messages": [turn] if turn else []}, config, context=circle)
        for message in result.get("messages", []):
            if isinstance(message, AIMessage):
                said[message.id or str(len(said))] = message.text
    return result.get("captures", {}), list(said.values())


def show(out: Row) -> None:
    """A table for a person: the lines, then the records."""
    from rich.console import Console
    from rich.text import Text

    from langgraph_readback.cli.board import board

    console = Console()
    console.print(Text(str(out["id"]), style="bold"))
    for line in out["says"]:
        console.print(Text(f"  {line}"))
    console.print(board(out["captures"]))
