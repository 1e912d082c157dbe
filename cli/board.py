"""The board: each field with its status, for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

STYLES = {
    "CONFIRMED": ("●", "bold green"),
    "HANDOFF": ("▲", "bold magenta"),
    "DECLINED": ("○", "dim"),
    "RETRY": ("◑", "yellow"),
    "READBACK": ("◕", "cyan"),
    "VALIDATE": ("◔", "cyan"),
    "ASK": ("◔", "cyan"),
}
WAITING = ("·", "dim")


def board(captures: Mapping[str, Mapping[str, Any]], labels: Mapping[str, str] | None = None) -> Table:
    """A table of the records by field. A field that is not begun has no status."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("", "field", "status", "value", "failed", "verified"):
        table.add_column(heading, overflow="fold")
    for name, record in captures.items():
        status = record.get("status")
        mark, style = STYLES.get(status or "", WAITING)
        table.add_row(
            Text(mark, style=style),
            Text((labels or {}).get(name, name)),
            Text(status or "waiting", style=style),
            Text(record.get("value") or "", style=style),
            Text(str(record.get("attempts") or "")),
            Text(record.get("verified") or "", style="dim"),
        )
    return table
