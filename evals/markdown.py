"""The report in Markdown: tables a colleague can read, each figure with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from langgraph_readback.evals.run import LOOPS, title
from langgraph_readback.evals.tasks import APART, TYPES, VOICE

PUBLIC = (
    ("self-chosen, best of public systems", 0.405),
    ("scripted ask-spell-read back, best of public systems", 0.540),
)
"""tau-Entity, Pass^3 (EVALUATION.md). Its tasks and voices are not ours: a mark to look at, not a like-for-like."""

GOALS = (
    ("Pass^3, format only", "loop-format", "pass3", ">=", 0.70),
    ("Pass^3, with lookups", "loop-lookups", "pass3", ">=", 0.80),
    ("Pass@1 regular", "loop-lookups", "pass1.regular", ">=", 0.93),
    ("Pass@1 noise", "loop-lookups", "pass1.noise", ">=", 0.88),
    ("Recovery of wrong first captures", "loop-lookups", "recovery", ">=", 0.85),
    ("Wrong but CONFIRMED", "loop-lookups", "wrong_confirmed", "<=", 0.005),
)

Report = Mapping[str, Any]


def markdown(report: Report) -> str:
    """The whole report."""
    main = report["sections"]["two_hundred"]
    parts = [
        _head(report, main),
        _arms(main),
        _picture("pass3", "Pass^3 by arm"),
        _goals(main, report),
        _types(main),
        _picture("types", "Pass^3 by type"),
        _time(main),
        _picture("seconds", "Seconds against accuracy"),
        _picture("recovery", "Recovery of wrong first captures"),
        _several(report),
        _apart(report),
        _twenty(report),
        _false_yes(report),
        _sweep(report),
        _off(report),
        _calibration(report),
        _how(),
    ]
    return "\n\n".join(p for p in parts if p) + "\n"


def _head(report: Report, main: Report) -> str:
    about = report["about"]
    lost = main["unsupported_types"]
    note = (
        f"\n\n**Not supported yet:** {', '.join(lost)}. The loop arms score nothing there ('all'); 'supported' has all "
        f"arms on the other {main['tasks'] - main['unsupported_tasks']} tasks."
        if lost
        else ""
    )
    return (
        "# Evaluation\n\n"
        "Made by `uv run readback eval --report docs`; do not edit by hand. In the style of tau-Entity, own values and "
        "a simulated line calibrated to its published error rates; the figures are not comparable with its own.\n\n"
        f"{about['at']}, commit `{about['commit']}`, yardstick version {about['yardstick']}, {_half(about['half'])}, "
        f"{about['seeds']} line seeds, English. Brackets: 95 % intervals, bootstrap over tasks.{note}"
    )


def _half(half: str) -> str:
    return "both halves (this look is in the log)" if half == "all" else f"the {half} half"


def _arms(section: Report) -> str:
    rows = [
        "## The two hundred, one detail a call",
        "| arm | Pass^3, all | supported types | regular | noise | speech | recovery | wrong CONFIRMED | hand-off |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, arm in section["arms"].items():
        s = arm["supported"]
        by = [_share(s["pass1"].get(c)) for c in VOICE]
        cells = [
            title(name),
            _ci(arm["all"]["pass3"]),
            _ci(s["pass3"]),
            *by,
            _ci(s["recovery"]),
            _fine(s["wrong_confirmed"]),
            _share(s["handoff"]),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    rows.append(
        "\nPass^3: right in all three conditions. Recovery: right in the end, of those whose first capture was wrong. "
        "A hand-off counts as not passed. One-shot stores what nobody confirmed, so it has no wrong confirmations."
    )
    return rows[0] + "\n\n" + "\n".join(rows[1:])


def _goals(section: Report, report: Report) -> str:
    rows = ["## Against the goals (supported types)", "| measure | today | goal | |", "|---|---|---|---|"]
    for name, arm, key, sign, goal in GOALS:
        if arm in section["arms"]:
            rows.append(_goal(name, _value(section["arms"][arm]["supported"], key), sign, goal))
    three = (
        report["sections"]["several"]["arms"].get("loop-lookups", {}).get("supported", {}).get("types", {}).get("three")
    )
    if three:
        rows.append(_goal("Three-field calls (all right, one condition)", three["pass1"], ">=", 0.85))
    five = report["sections"]["false_yes_5"]["arms"].get("loop-lookups")
    if five:
        rows.append(
            _goal("Wrong but CONFIRMED at 5 % false yes", _value(five["supported"], "wrong_confirmed"), "<=", 0.02)
        )
    extra = section["arms"].get("loop-lookups", {}).get("added_seconds", {})
    for tier, goal in (("easy", 12.0), ("hard", 21.0)):
        if tier in extra:
            ok = "met" if extra[tier] <= goal else "not met"
            rows.append(f"| Added seconds a capture, {tier} (median) | {extra[tier]:+.1f} | <= {goal:.0f} | {ok} |")
    return rows[0] + "\n\n" + "\n".join(rows[1:])


def _goal(name: str, value: float, sign: str, goal: float) -> str:
    ok = value >= goal if sign == ">=" else value <= goal
    digits = 4 if goal < 0.1 else 2
    return f"| {name} | {value:.{digits}f} | {sign} {goal:.{digits}f} | {'met' if ok else 'not met'} |"


def _types(section: Report) -> str:
    arms = section["arms"]
    rows = ["## By type", f"| type | {' | '.join(title(a) for a in arms)} |", "|---|" + "---|" * len(arms)]
    rows += [f"| {kind} | {' | '.join(_type(arms[a], kind, a, section) for a in arms)} |" for kind in TYPES]
    rows.append("\nPass^3 and, after the slash, the share handed off.")
    return rows[0] + "\n\n" + "\n".join(rows[1:])


def _type(arm: Report, kind: str, name: str, section: Report) -> str:
    if kind in section["unsupported_types"] and name in LOOPS:
        return "not supported"
    group = arm["all"]["types"].get(kind)
    return f"{group['pass3']:.2f} / {group['handoff']:.2f}" if group else ""


def _time(section: Report) -> str:
    rows = [
        "## Time",
        "| arm | seconds a capture, median | 90 % | added to one-shot: easy | hard | turns | time-outs |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, arm in section["arms"].items():
        s, extra = arm["supported"], arm["added_seconds"]
        cells = [title(name), f"{s['seconds_p50']:.0f}", f"{s['seconds_p90']:.0f}"]
        cells += [f"{extra.get(tier, 0):+.1f}" for tier in ("easy", "hard")]
        cells += [f"{s['turns']:.1f}", f"{s['timeouts']:.3f}"]
        rows.append(f"| {' | '.join(cells)} |")
    rows.append(
        "\nThe clock: two words a second, a second between turns, half a second a tool; after 240 nothing counts."
    )
    return rows[0] + "\n\n" + "\n".join(rows[1:])


def _several(report: Report) -> str:
    section = report["sections"]["several"]
    rows = [
        "## Two and three details a call",
        "| arm | details right | two: calls right | Pass^3 | three: calls right | Pass^3 |",
        "|---|---|---|---|---|---|",
    ]
    for name, arm in section["arms"].items():
        s = arm["supported"]
        two, three = s["types"].get("two", {}), s["types"].get("three", {})
        cells = [_ci(s["field"]), *(f"{g.get(k, 0):.2f}" for g in (two, three) for k in ("pass1", "pass3"))]
        rows.append(f"| {title(name)} | {' | '.join(cells)} |")
    rows.append(f"\n{_only(section)}")
    return rows[0] + "\n\n" + "\n".join(rows[1:])


def _only(section: Report) -> str:
    lost = section["unsupported_tasks"]
    return (
        f"Over the {section['tasks'] - lost} of {section['tasks']} calls whose types are all supported." if lost else ""
    )


def _apart(report: Report) -> str:
    section = report["sections"]["apart"]
    rows = ["## Reported apart: order IDs and postcodes", "| arm | order ID | postcode |", "|---|---|---|"]
    for name, arm in section["arms"].items():
        cells = [_type(arm, kind, name, section) for kind in APART]
        rows.append(f"| {title(name)} | {' | '.join(cells)} |")
    return rows[0] + "\n\n" + "\n".join(rows[1:])


def _twenty(report: Report) -> str:
    voice, chat = report["sections"]["twenty"], report["sections"]["twenty_chat"]
    rows = [
        "## The twenty",
        "| arm | voice, all three conditions | chat: typos, autocorrect, pasted |",
        "|---|---|---|",
    ]
    for name, arm in voice["arms"].items():
        rows.append(f"| {title(name)} | {_ci(arm['all']['pass3'])} | {_ci(chat['arms'][name]['all']['pass3'])} |")
    rows.append(
        "\nTypes that are not supported count as failed. One value does not exist: only lookups pass it, by a hand-off."
    )
    return rows[0] + "\n\n" + "\n".join(rows[1:])


def _false_yes(report: Report) -> str:
    parts = {"0 %": "false_yes_0", "2 %": "two_hundred", "5 %": "false_yes_5"}
    names = report["sections"]["false_yes_5"]["arms"]
    rows = ["## Callers who say yes to a wrong read-back", f"| arm | {' | '.join(parts)} |", "|---|---|---|---|"]
    for name in names:
        cells = [_fine(report["sections"][p]["arms"][name]["supported"]["wrong_confirmed"]) for p in parts.values()]
        rows.append(f"| {title(name)} | {' | '.join(cells)} |")
    rows.append("\nShare of captures that ended wrong but CONFIRMED.")
    return rows[0] + "\n\n" + "\n".join(rows[1:])


def _sweep(report: Report) -> str:
    parts = {"x 0.5": "errors_half", "x 1": "two_hundred", "x 2": "errors_double"}
    rows = ["## Fewer and more errors", f"| arm | {' | '.join(parts)} |", "|---|---|---|---|"]
    for name in report["sections"]["errors_half"]["arms"]:
        cells = [_ci(report["sections"][p]["arms"][name]["supported"]["pass3"]) for p in parts.values()]
        rows.append(f"| {title(name)} | {' | '.join(cells)} |")
    rows.append("\nPass^3 over supported types with every error rate of the line halved and doubled.")
    return rows[0] + "\n\n" + "\n".join(rows[1:])


def _off(report: Report) -> str:
    section = report["sections"]["errors_off"]
    rows = ["## The line switched off", "| arm | Pass^3, supported |", "|---|---|"]
    rows += [f"| {title(name)} | {arm['supported']['pass3']['value']:.3f} |" for name, arm in section["arms"].items()]
    rows.append("\nNo errors, no complications: what is lost here, the agent lost. It should be 1.")
    return rows[0] + "\n\n" + "\n".join(rows[1:])


def _calibration(report: Report) -> str:
    rows = [
        "## Calibration of the line",
        "| first capture wrong | published | simulated | within |",
        "|---|---|---|---|",
    ]
    for row in report["calibration"]["rows"]:
        allowed = (
            f"+-{row['allowed']:.2f}: {'yes' if row['ok'] else '**no**'}"
            if row["allowed"] is not None
            else "shown only"
        )
        rows.append(f"| {row['name']} | {row['published']:.2f} | {row['measured']:.3f} | {allowed} |")
    sweep = "; ".join(
        f"x {k}: first wrong {v['first_wrong']:.2f}, wrong again {v['wrong_again']:.2f}"
        for k, v in report["calibration"]["sweep"].items()
    )
    rows.append(f"\nSweep: {sweep}. `readback eval --calibrate` prints this check.")
    return rows[0] + "\n\n" + "\n".join(rows[1:])


def _how() -> str:
    return files("langgraph_readback.evals").joinpath("data", "how.md").read_text(encoding="utf-8").strip()


def _picture(name: str, alt: str) -> str:
    return f"![{alt}](evaluation/{name}.png)"


def _value(arm: Report, key: str) -> float:
    found: Any = arm
    for part in key.split("."):
        found = found[part]
    return float(found["value"] if isinstance(found, Mapping) else found)


def _share(figure: Report | None) -> str:
    return f"{figure['value']:.2f}" if figure else ""


def _fine(figure: Report) -> str:
    return f"{figure['value']:.3f} ({figure['low']:.3f}-{figure['high']:.3f})"


def _ci(figure: Report) -> str:
    return f"{figure['value']:.2f} ({figure['low']:.2f}-{figure['high']:.2f})" if figure["n"] else ""


def table(section: Report, arms: Sequence[str]) -> list[list[str]]:
    """Rows for a terminal: arm, Pass^3, Pass@1 by condition, recovery, wrong confirmed, hand-off, seconds."""
    out = []
    for name in arms:
        arm = section["arms"][name]
        s = arm["supported"]
        by = " ".join(f"{f['value']:.2f}" for f in s["pass1"].values())
        out.append(
            [
                title(name),
                _ci(s["pass3"]),
                by,
                _share(s["recovery"]),
                f"{s['wrong_confirmed']['value']:.3f}",
                _share(s["handoff"]),
                f"{s['seconds_p50']:.0f}",
            ]
        )
    return out
