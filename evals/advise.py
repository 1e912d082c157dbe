"""``readback advise``: which fields cost a builder most, and what to do about them, from their own records.

A record is one capture: ``{"field", "status", "attempts"?, "seconds"?, "call"?, "verified"?, "reason"?, "prefillable"?,
"optional"?, "used"?}``. No value is read or needed. Cost counts the caller's seconds, and a person's time for each
hand-off; a wrong value that got through (``"wrong": true``, found out later) costs most.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

HANDOFF_SECONDS = 300.0
"""What a hand-off costs: five minutes of a person, as a callback is often reckoned. ``--handoff`` sets your own."""
WRONG_SECONDS = 3600.0
"""What a wrong value costs when it is found out later."""
MANY_FIELDS = 4
ENOUGH = 20
REFUSED = frozenset(
    {"too_short", "too_long", "bad_pattern", "checksum", "bad_syntax", "bad_character", "not_understood"}
)


@dataclass(frozen=True, slots=True)
class Advice:
    """One field: what it costs a capture (seconds), its rates (0 to 1), and what to do, most useful first."""

    field: str
    captures: int
    confirmed: float
    handoff: float
    declined: float
    retries: float
    seconds: float
    cost: float
    todo: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """All fields, dearest first; and what there is to say about whole calls."""

    fields: tuple[Advice, ...]
    calls: tuple[str, ...]

    def plain(self) -> dict[str, Any]:
        """As JSON data."""
        return {"fields": [asdict(f) for f in self.fields], "calls": list(self.calls)}


def advise(rows: Iterable[Mapping[str, Any]], *, handoff_seconds: float = HANDOFF_SECONDS) -> Findings:
    """Rank the fields of some records. Raises ValueError for a record without field or status."""
    by_field: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    by_call: dict[Any, set[str]] = defaultdict(set)
    for number, row in enumerate(rows, start=1):
        if not isinstance(row.get("field"), str) or not isinstance(row.get("status"), str):
            raise ValueError(f'record {number} needs "field" and "status"')  # noqa: TRY004 - it is bad data
        by_field[row["field"]].append(row)
        if row.get("call") is not None:
            by_call[row["call"]].add(row["field"])
    found = [_field(name, these, handoff_seconds) for name, these in by_field.items()]
    found.sort(key=lambda a: -a.cost * a.captures)
    return Findings(tuple(found), tuple(_calls(by_call, found)))


def _field(name: str, rows: Sequence[Mapping[str, Any]], handoff_seconds: float) -> Advice:
    count = len(rows)
    share = Counter(str(r["status"]) for r in rows)
    seconds = [float(r["seconds"]) for r in rows if isinstance(r.get("seconds"), int | float)]
    retries = sum(int(r.get("attempts") or 0) for r in rows) / count
    wrong = sum(bool(r.get("wrong")) for r in rows) / count
    mean = sum(seconds) / len(seconds) if seconds else 0.0
    handoff = share["HANDOFF"] / count
    cost = mean + handoff * handoff_seconds + wrong * WRONG_SECONDS
    todo = tuple(_todo(rows, handoff, share["DECLINED"] / count, retries, wrong))
    return Advice(
        field=name,
        captures=count,
        confirmed=round(share["CONFIRMED"] / count, 3),
        handoff=round(handoff, 3),
        declined=round(share["DECLINED"] / count, 3),
        retries=round(retries, 2),
        seconds=round(mean, 1),
        cost=round(cost, 1),
        todo=todo,
    )


def _todo(
    rows: Sequence[Mapping[str, Any]], handoff: float, declined: float, retries: float, wrong: float
) -> Iterable[str]:
    """What to do about one field, most useful first."""
    if len(rows) < ENOUGH:
        yield f"too few captures to judge ({len(rows)}; {ENOUGH} say something)"
    used = [r["used"] for r in rows if isinstance(r.get("used"), bool)]
    if used and sum(used) / len(used) < 0.05:
        yield "drop it: hardly any call uses it"
    known = [r["prefillable"] for r in rows if isinstance(r.get("prefillable"), bool)]
    if known and sum(known) / len(known) > 0.3:
        yield f"prefill it: {sum(known) / len(known):.0%} of callers have it on file; read it back instead of asking"
    if declined > 0.15:
        yield f"make it optional, or drop it: {declined:.0%} decline"
    if wrong > 0.005:
        yield f"confirm it harder: {wrong:.1%} turned out wrong; set confirm='challenge' or high_stakes=True"
    weak = [r for r in rows if r.get("verified") == "format"]
    if weak and len(weak) / len(rows) > 0.5 and (handoff > 0.05 or retries > 0.3 or wrong > 0):
        yield "add a lookup: most are checked for format only; it refuses a wrong value before it is read back"
    reasons = Counter(str(r["reason"]) for r in rows if r.get("reason"))
    if reasons:
        yield from _reason(*reasons.most_common(1)[0], len(rows))
    if handoff > 0.1:
        yield f"offer another way after the first failure (a link to type it): {handoff:.0%} end with a person"


def _reason(code: str, count: int, size: int) -> Iterable[str]:
    if count / size < 0.1:
        return
    if code in ("not_found", "other_owner"):
        yield f"say where to find it: {count / size:.0%} give one that the lookup refuses ({code})"
    elif code in REFUSED:
        yield f"tighten its pattern or add a check digit, and say what it looks like: {count / size:.0%} fail on {code}"
    else:
        yield f"look at {code}: {count / size:.0%} of captures"


def _calls(by_call: Mapping[Any, set[str]], found: Sequence[Advice]) -> Iterable[str]:
    """What there is to say about whole calls."""
    sizes = [len(fields) for fields in by_call.values()]
    share = sum(n > MANY_FIELDS for n in sizes) / len(sizes) if sizes else 0.0
    if share > 0.1:
        chance = 1.0
        for advice in sorted(found, key=lambda a: -a.captures)[: max(sizes)]:
            chance *= advice.confirmed
        yield (
            f"{share:.0%} of calls ask for over {MANY_FIELDS} details; at today's "
            f"rates all {max(sizes)} succeed in {chance:.0%} of calls. Drop or prefill some."
        )
