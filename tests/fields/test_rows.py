"""Every row of ``tests/tables/*.jsonl``: one utterance, the exact value it must give, or null.

A row with ``miss`` is a known miss (a null where a value was said): the value is asserted under a strict xfail.
"""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from langgraph_readback.fields import FieldSpec, hear

TABLES = Path(__file__).parents[1] / "tables"
TODAY = "2026-11-30"


def _rows() -> list[Any]:
    found = []
    for path in sorted(TABLES.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            marks = [pytest.mark.xfail(strict=True, reason=row["miss"])] if row.get("miss") else []
            found.append(pytest.param(row, id=row["id"], marks=marks))
    return found


@pytest.mark.parametrize("row", _rows())
def test_row(row: dict[str, Any]) -> None:
    """The utterance gives exactly the expected value."""
    spec = FieldSpec(name=row["field"], type=row["field"], pattern=row.get("pattern"), checksum=row.get("checksum"))
    reading = hear(
        spec,
        row["utterance"],
        locale=row.get("locale", "en-US"),
        region=row.get("region"),
        channel=row.get("channel", "voice"),
        today=date.fromisoformat(row.get("today", TODAY)),
    )
    assert reading.value == row["expected"], reading.reason
    if "reason" in row:
        assert reading.reason is not None
        assert reading.reason.code == row["reason"]
    if "complete" in row:
        assert reading.complete is row["complete"]
