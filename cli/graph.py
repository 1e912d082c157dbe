"""``readback graph``: draws the graph that a list of fields makes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from langgraph_readback.cli.lines import fail
from langgraph_readback.cli.options import names, pairs, specs


def graph(
    *,
    fields: Annotated[str, typer.Option(help="Names, with commas.")] = "email",
    pattern: Annotated[list[str] | None, typer.Option(help="FIELD=REGEX makes the field an id.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write here instead of stdout.")] = None,
) -> None:
    """Draw the capture graph as Mermaid, which GitHub, Studio and most editors render.

    Example: readback graph --fields email,phone --out loop.mmd
    """
    from langgraph_readback.graph import build_capture_graph

    wanted = names(fields)
    what = specs(wanted, pairs(pattern, "--pattern", of=wanted))
    text = build_capture_graph(what).get_graph().draw_mermaid()
    if out is None:
        typer.echo(text, nl=False)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"cannot write {str(out)!r}: {error.strerror}")
