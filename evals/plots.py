"""The plots of the report, as PNG and SVG. Needs the extra ``eval`` (matplotlib)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from langgraph_readback.evals.markdown import PUBLIC
from langgraph_readback.evals.run import LOOPS, title
from langgraph_readback.evals.tasks import TYPES

_COLOURS = {
    "loop-format": "#2b7a78",
    "loop-lookups": "#17494d",
    "self-chosen": "#8d6a9f",
    "gullible": "#c8553d",
    "agent": "#d99a2b",
}
_OTHER = "#9aa5b1"


def draw(report: Mapping[str, Any], folder: Path) -> list[Path]:
    """Draw all plots into a folder. Raises ImportError without matplotlib (the extra ``eval``)."""
    import matplotlib as mpl  # noqa: PLC0415 - an extra

    mpl.use("Agg")
    mpl.rcParams.update(
        {"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": "readback"}
    )
    main = report["sections"]["two_hundred"]
    made: list[Path] = []
    for name, how in (("pass3", _pass3), ("types", _types), ("seconds", _seconds), ("recovery", _recovery)):
        made += _save(how(main), folder, name)
    return made


def _save(figure: Any, folder: Path, name: str) -> list[Path]:
    import matplotlib.pyplot as plt  # noqa: PLC0415

    out = [folder / f"{name}.png", folder / f"{name}.svg"]
    figure.savefig(out[0], dpi=150, metadata={"Software": None})
    figure.savefig(out[1], metadata={"Date": None})
    plt.close(figure)
    return out


def _axes(width: float, height: float) -> tuple[Any, Any]:
    import matplotlib.pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(figsize=(width, height), layout="constrained")
    return figure, axes


def _pass3(main: Mapping[str, Any]) -> Any:
    """Pass^3 by arm with intervals, the public figures as lines."""
    figure, axes = _axes(8, 4)
    names = list(main["arms"])
    for place, name in enumerate(names):
        f = main["arms"][name]["supported"]["pass3"]
        error = [[f["value"] - f["low"]], [f["high"] - f["value"]]]
        axes.barh(
            place, f["value"], color=_COLOURS.get(name, _OTHER), xerr=error, error_kw={"elinewidth": 1, "capsize": 3}
        )
        axes.text(0.01, place, f"{f['value']:.2f}", va="center", color="white", fontweight="bold")
    for label, value in PUBLIC:
        axes.axvline(value, color="#333333", linestyle="--", linewidth=1)
        word = label.partition(",")[0].partition(" ")[0]
        axes.text(value, -0.55, f"{word} {value:.3f} ", fontsize=8, ha="right" if value < 0.5 else "left", va="bottom")
    axes.set_yticks(range(len(names)), [title(n) for n in names])
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("Pass^3: right in all three conditions. Dashed: best public figures (other tasks)")
    return figure


def _types(main: Mapping[str, Any]) -> Any:
    """Pass^3 by type: the spelled read-back without validation against the loop."""
    figure, axes = _axes(9, 4)
    arms = [a for a in ("one-shot", "spell-readback", *LOOPS) if a in main["arms"]]
    width = 0.8 / len(arms)
    shades = {"one-shot": "#d3d9de", "spell-readback": _OTHER}
    for number, name in enumerate(arms):
        groups = main["arms"][name]["all"]["types"]
        lost = main["unsupported_types"] if name in LOOPS else ()
        places = [i + number * width for i in range(len(TYPES))]
        values = [0.0 if t in lost else groups.get(t, {}).get("pass3", 0.0) for t in TYPES]
        axes.bar(places, values, width, label=title(name), color=_COLOURS.get(name, shades.get(name, _OTHER)))
        for place, kind in zip(places, TYPES, strict=True):
            if kind in lost:
                axes.text(
                    place, 0.01, "not supported", rotation=90, fontsize=7, ha="center", va="bottom", color="#666666"
                )
    axes.set_xticks([i + 0.4 - width / 2 for i in range(len(TYPES))], TYPES)
    axes.set_ylim(0, 1)
    axes.set_ylabel("Pass^3")
    axes.legend(frameon=False, ncols=2, loc="upper center", bbox_to_anchor=(0.5, 1.2))
    return figure


def _seconds(main: Mapping[str, Any]) -> Any:
    """Median seconds a capture against details right."""
    figure, axes = _axes(7, 4.2)
    ranked = sorted(main["arms"].items(), key=lambda pair: -pair[1]["supported"]["field"]["value"])
    spots = [arm["supported"]["field"]["value"] for _, arm in ranked]
    for place, (name, arm) in enumerate(ranked):
        s = arm["supported"]
        colour = _COLOURS.get(name, _OTHER)
        axes.plot([s["seconds_p50"], s["seconds_p90"]], [s["field"]["value"]] * 2, color=colour, linewidth=1)
        axes.scatter(s["seconds_p50"], s["field"]["value"], s=70, color=colour, zorder=3)
        crowded = place + 1 < len(ranked) and spots[place] - spots[place + 1] < 0.06
        low = place > 0 and spots[place - 1] - spots[place] < 0.06
        spot = (0, 8) if not low else (s["seconds_p90"] - s["seconds_p50"], -4) if crowded else (0, -16)
        text = f"  {title(name)}" if low and crowded else title(name)
        end = s["seconds_p90"] if low and crowded else s["seconds_p50"]
        offset = (4, -4) if low and crowded else spot
        axes.annotate(text, (end, s["field"]["value"]), xytext=offset, textcoords="offset points", fontsize=9)
    axes.set_xlabel("seconds a capture: median (dot) to 90 % (end of line)")
    axes.set_ylabel("captures right")
    axes.set_ylim(0, 1)
    axes.set_xlim(left=0)
    return figure


def _recovery(main: Mapping[str, Any]) -> Any:
    """How wrong first captures ended: put right, handed off, wrong."""
    figure, axes = _axes(8, 3.6)
    names = list(main["arms"])
    for place, name in enumerate(names):
        f = main["arms"][name]["supported"]["recovery"]
        axes.barh(place, f["value"], color=_COLOURS.get(name, _OTHER))
        axes.text(f["value"] + 0.01, place, f"{f['value']:.2f}", va="center", fontsize=9)
    axes.axvspan(0.24, 0.37, color="#333333", alpha=0.12)
    axes.text(0.305, -0.75, "public agents .24-.37", fontsize=8, ha="center")
    axes.set_yticks(range(len(names)), [title(n) for n in names])
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("stored right in the end, of captures whose first hearing was wrong")
    return figure
