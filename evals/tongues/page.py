"""The figures by language and pooled, and the page that tells them (``docs/evaluation-locales.md``)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

from langgraph_readback.evals import looks
from langgraph_readback.evals.metrics import summary
from langgraph_readback.evals.play import CallResult, FieldResult
from langgraph_readback.evals.tongues import freeze
from langgraph_readback.evals.tongues.voices import POOLED, crowded

GOAL = 0.60
PUBLISHED = 0.34
"""EVALUATION.md: Pass^3 over six languages, the public best and our goal."""
_NAMES = {
    "en": "English", "es": "Spanish", "pt": "Portuguese", "hi": "Hindi", "zh": "Chinese", "ko": "Korean",
    "fr": "French", "de": "German", "it": "Italian",
}  # fmt: skip
_TITLES = {"loop-format": "Full loop, format only", "loop-lookups": "Full loop with lookups"}


_MADE = (
    "Made by `uv run readback eval --locale all --split all --report docs`; do not edit by hand. Caller, line and ear "
    "of each language are data of our own; the figures are of a simulation and not comparable with anybody else's."
)


def figures(results: Sequence[CallResult]) -> dict[str, Any]:
    """By arm: each language, the six of the benchmark pooled (when all are there), and all."""
    out: dict[str, Any] = {}
    for arm in dict.fromkeys(r.arm for r in results):
        mine = [r for r in results if r.arm == arm]
        there = [code for code in _NAMES if any(_language(r) == code for r in mine)]
        by = {code: summary([r for r in mine if _language(r) == code]) for code in there}
        groups = {"all": list(there), **({"six": list(POOLED)} if set(POOLED) <= set(there) else {})}
        pools = {name: summary([r for r in mine if _language(r) in these]) for name, these in groups.items()}
        out[arm] = {"languages": by, "pooled": pools}
    return out


def report(results: Sequence[CallResult], *, half: str, seeds: int, channel: str) -> dict[str, Any]:
    """Everything the page tells; figures only, no values."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    about = {"at": now, "commit": looks.commit(), "yardstick": freeze.frozen()["version"], "half": half}
    return {"about": {**about, "seeds": seeds, "channel": channel}, "arms": figures(results)}


def save(found: Mapping[str, Any], folder: Path) -> list[Path]:
    """``evaluation-locales.md`` in the folder, the same as JSON in ``evaluation/`` beside it."""
    beside = folder / "evaluation"
    beside.mkdir(parents=True, exist_ok=True)
    made = [folder / "evaluation-locales.md", beside / "locales.json"]
    made[0].write_text(markdown(found), encoding="utf-8")
    made[1].write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return made


def markdown(found: Mapping[str, Any]) -> str:
    """The page."""
    about = found["about"]
    half = "both halves" if about["half"] == "all" else f"the {about['half']} half"
    told = (
        f"{about['at']}, commit `{about['commit']}`, yardstick of other languages version {about['yardstick']}, {half}"
    )
    told += f", {about['seeds']} line seed(s), {about['channel']}."
    out = [
        "# Evaluation by language",
        "",
        _MADE,
        "",
        told + " Brackets: 95 % intervals, bootstrap over tasks.",
    ]
    for arm, arms in found["arms"].items():
        out += ["", f"## {_TITLES.get(arm, arm)}", "", *_table(arms), "", *_goal(arms), "", *_types(arms)]
    return "\n".join([*out, "", _crowding(), "", _how()]) + "\n"


def _table(arms: Mapping[str, Any]) -> list[str]:
    conditions = list(next(iter(arms["languages"].values()))["pass1"])
    head = [
        "language",
        "Pass^3",
        *conditions,
        "first capture right",
        "recovery",
        "wrong CONFIRMED",
        "hand-off",
        "time-out",
    ]
    rows = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    named = {**{_NAMES[c]: f for c, f in arms["languages"].items()}}
    named |= {{"six": "**the six, pooled**", "all": "**all, pooled**"}[n]: f for n, f in arms["pooled"].items()}
    for name, one in named.items():
        cells = [name, _with(one["pass3"]), *(f"{one['pass1'][c]['value']:.2f}" for c in conditions)]
        cells += [f"{one[k]['value']:.2f}" for k in ("first", "recovery")]
        cells += [_with(one["wrong_confirmed"], 3), f"{one['handoff']['value']:.2f}", f"{one['timeouts']:.2f}"]
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def _goal(arms: Mapping[str, Any]) -> list[str]:
    six = arms["pooled"].get("six")
    if six is None:
        return ["The pooled figure of the benchmark's six languages needs all six; not all were played here."]
    value = six["pass3"]["value"]
    told = "met" if value >= GOAL else "not met"
    return [f"Goal for the six: Pass^3 of at least {GOAL:.2f} (public best {PUBLISHED:.2f}): {value:.2f}, {told}."]


def _types(arms: Mapping[str, Any]) -> list[str]:
    names = list(arms["languages"])
    kinds = [t for t in next(iter(arms["languages"].values()))["types"] if t not in ("two", "three")]
    rows = [f"| Pass^3 by type | {' | '.join(names)} |", f"|{'---|' * (len(names) + 1)}"]
    for kind in [*sorted(kinds), "two", "three"]:
        cells = [arms["languages"][n]["types"].get(kind) for n in names]
        shown = [f"{c['pass3']:.2f}" if c else "" for c in cells]
        rows.append(f"| {kind} | {' | '.join(shown)} |")
    return [*rows, "", "Few tasks stand behind each cell (two to four): read rows and columns, not cells."]


def _with(figure: Mapping[str, float], digits: int = 2) -> str:
    return f"{figure['value']:.{digits}f} ({figure['low']:.{digits}f}-{figure['high']:.{digits}f})"


def _crowding() -> str:
    rows = [f"{_NAMES[c]} {' '.join(sorted(crowded(c)))}" for c in _NAMES if c != "en"]
    told = "; ".join(rows)
    return f"Letters with four near neighbours or more, which err at the rate of the English E-set: {told}."


def _how() -> str:
    return files("langgraph_readback.evals").joinpath("tongues", "how.md").read_text(encoding="utf-8").strip()


def _language(result: CallResult) -> str:
    return result.task.split("-")[0]


def to_rows(results: Sequence[CallResult]) -> list[dict[str, Any]]:
    """Results as plain rows (no values in them), to be kept and pooled later."""
    return [asdict(r) for r in results]


def from_rows(rows: Sequence[Mapping[str, Any]]) -> list[CallResult]:
    """Rows as results."""
    return [CallResult(**{**r, "fields": tuple(FieldResult(**f) for f in r["fields"])}) for r in rows]
