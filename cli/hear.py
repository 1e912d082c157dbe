"""``readback hear``: what a value-bearing utterance means, as JSON lines or for a person."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from langgraph_readback.cli.cases import circumstances, spec, where
from langgraph_readback.cli.lines import Row, blame, emit, identity, rows, source, take

if TYPE_CHECKING:
    from langgraph_readback.fields import Reading


def hear(
    utterance: Annotated[list[str] | None, typer.Argument(help="What was said or typed.")] = None,
    *,
    field: Annotated[str, typer.Option(help="A name of the catalogue: email, phone, id, name ...")] = "email",
    pattern: Annotated[str | None, typer.Option(help="Makes the field an id of this form.")] = None,
    checksum: Annotated[str | None, typer.Option(help="luhn, mod97-10 or mod11-2.")] = None,
    locale: Annotated[str, typer.Option(help="BCP 47 tag.")] = "en-US",
    region: Annotated[str | None, typer.Option(help="Country, when it is not the locale's.")] = None,
    channel: Annotated[str, typer.Option(help="voice or chat.")] = "voice",
    explain: Annotated[bool, typer.Option("--explain", help="Show where each character came from.")] = False,
    file: Annotated[Path | None, typer.Option(help="Read JSON lines from here instead of stdin.")] = None,
) -> None:
    """Hear a value in an utterance.

    Example: readback hear --field email "kim dot lee at example dot com"

    Without an utterance it reads JSON lines from stdin and answers each with a line:

    {"id":"1","field":"email","utterance":"k i m at example dot com"}

    {"id":"1","value":"kim@example.com","reason":null,"complete":true}

    Further keys in: pattern, checksum, locale, region, channel, context {"today"}.
    """
    if not utterance:
        with source(file) as stream:
            for number, row in rows(stream):
                with blame(number):
                    emit(answer(row, explain=explain)[0])
        return
    for number, text in enumerate(utterance, start=1):
        given: Row = {"id": str(number), "field": field, "utterance": text, "locale": locale, "channel": channel}
        given |= {"pattern": pattern, "checksum": checksum, "region": region}
        with blame(number):
            out, reading = answer(given, explain=explain)
        if sys.stdout.isatty():
            show(text, reading, explain=explain)
        else:
            emit(out)


def answer(row: Row, *, explain: bool = False) -> tuple[Row, Reading]:
    """The output object of one row, and the Reading behind it. Raises BadLineError."""
    from langgraph_readback.fields import hear as hear_

    number, name = identity(row), take(row, "field", str)
    text = take(row, "utterance", str)
    pattern, checksum = take(row, "pattern", str, default=None), take(row, "checksum", str, default=None)
    reading = hear_(spec(name, pattern=pattern, checksum=checksum), text, **where(circumstances(row)))
    code = reading.reason.code if reading.reason else None
    out: Row = {"id": number, "value": reading.value, "reason": code, "complete": reading.complete}
    if explain:
        out["explain"] = explanation(text, reading)
    return out, reading


def explanation(text: str, reading: Reading) -> dict[str, Any]:
    """How it was heard: intent, evidence, the values in question, and the words behind each character."""
    value = reading.value or ""
    heard = [
        {"characters": value[span.index : span.index + span.length], "from": text[span.start : span.end]}
        for span in reading.spans
    ]
    return {
        "intent": reading.intent,
        "evidence": reading.evidence,
        "candidates": list(reading.candidates),
        "heard": heard,
    }


def show(text: str, reading: Reading, *, explain: bool) -> None:
    """A table for a person."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    table.add_row("utterance", Text(text))
    if reading.value is not None:
        table.add_row("value", Text(reading.value, style="bold green"))
    if reading.reason:
        table.add_row("reason", Text(reading.reason.code, style="yellow"))
    if not reading.complete:
        table.add_row("complete", Text("no: go on, and join what follows", style="yellow"))
    if explain:
        how = explanation(text, reading)
        table.add_row("intent", how["intent"])
        table.add_row("evidence", how["evidence"])
        for candidate in how["candidates"]:
            table.add_row("candidate", Text(candidate))
        for piece in how["heard"]:
            table.add_row(Text(piece["characters"], style="green"), Text(piece["from"]))
    Console().print(table)
