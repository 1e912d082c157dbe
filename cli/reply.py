"""``readback reply``: what an answer to a read-back means, as JSON lines or for a person."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from langgraph_readback.cli.cases import circumstances, spec, where
from langgraph_readback.cli.lines import Row, blame, emit, fail, identity, rows, source, take

if TYPE_CHECKING:
    from langgraph_readback.fields import Reply


def reply(
    text: Annotated[list[str] | None, typer.Argument(metavar="[REPLY]...", help="What the user answered.")] = None,
    *,
    value: Annotated[str | None, typer.Option(help="The value that was read back.")] = None,
    field: Annotated[str, typer.Option(help="A name of the catalogue: email, phone, id, name ...")] = "email",
    pattern: Annotated[str | None, typer.Option(help="Makes the field an id of this form.")] = None,
    locale: Annotated[str, typer.Option(help="BCP 47 tag.")] = "en-US",
    region: Annotated[str | None, typer.Option(help="Country, when it is not the locale's.")] = None,
    channel: Annotated[str, typer.Option(help="voice or chat.")] = "voice",
    file: Annotated[Path | None, typer.Option(help="Read JSON lines from here instead of stdin.")] = None,
) -> None:
    """Classify the reply to a read-back. A yes with something left over is not a yes.

    Example: readback reply --field email --value kim.lee@example.com "yeah but it's l-e-i-g-h"

    Without a reply it reads JSON lines from stdin and answers each with a line:

    {"id":"1","field":"email","readback_value":"a@example.com","reply":"spot on"}

    {"id":"1","kind":"yes","value":null}

    Further keys in: pattern, checksum, locale, region, channel, context {"today"}.
    """
    if not text:
        with source(file) as stream:
            for number, row in rows(stream):
                with blame(number):
                    emit(answer(row)[0])
        return
    if value is None:
        fail("say which value was read back: --value a@example.com")
    for number, words in enumerate(text, start=1):
        given: Row = {"id": str(number), "field": field, "readback_value": value, "reply": words, "locale": locale}
        given |= {"pattern": pattern, "region": region, "channel": channel}
        with blame(number):
            out, heard = answer(given)
        if sys.stdout.isatty():
            show(value, words, heard)
        else:
            emit(out)


def answer(row: Row) -> tuple[Row, Reply]:
    """The output object of one row, and the Reply behind it. Raises BadLineError."""
    from langgraph_readback.fields import classify_reply

    number, name = identity(row), take(row, "field", str)
    value, words = take(row, "readback_value", str), take(row, "reply", str)
    pattern, checksum = take(row, "pattern", str, default=None), take(row, "checksum", str, default=None)
    what = spec(name, pattern=pattern, checksum=checksum)
    heard = classify_reply(words, spec=what, value=value, **where(circumstances(row)))
    return {"id": number, "kind": heard.kind, "value": heard.value}, heard


def show(value: str, words: str, heard: Reply) -> None:
    """A table for a person."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    table.add_row("read back", Text(value))
    table.add_row("reply", Text(words))
    table.add_row("kind", Text(heard.kind, style="green" if heard.kind == "yes" else "yellow"))
    if heard.value is not None:
        table.add_row("new value", Text(heard.value + "  (still needs its own read-back)"))
    Console().print(table)
