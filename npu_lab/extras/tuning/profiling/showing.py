"""A profile as pictures, and the same as text."""

from __future__ import annotations

from typing import Any

from npu_lab.extras.tuning.profiling import advice
from npu_lab.extras.tuning.profiling._texts import TEXTS, text
from npu_lab.extras.tuning.profiling.reading import MILLISECOND, PARTS, Profile
from npu_lab.lab import picture
from npu_lab.lab.picture import DEVICE, HOST, INK, OTHER, Picture

WIDTH = 720
COLOURS = dict(zip(PARTS, (HOST, DEVICE, OTHER), strict=True))
HATCHES = dict(zip(PARTS, ("///", "", "..."), strict=True))
MOST_KINDS = 8
MOST_ITERATIONS = 60


def report(profile: Profile) -> str:
    """The twin of both pictures, and the advice, in the current language."""
    lines = [text("share title")]
    for part, share in profile.shares.items():
        median = profile.medians[part]
        lines.append("  " + text("gap row", name=part, median=median, share=share))
    lines += [_provenance(profile), "", text("kinds title")]
    lines += [f"  {line}" for line in _kinds(profile)]
    found = [said for _, said in advice.findings(profile)] or [text("no advice")]
    return "\n".join([*lines, "", text("advice"), *(f"  {one}" for one in found)])


def plot_step_trace(profile: Profile) -> Picture:
    """Each recorded iteration as a bar: the gap before it, FP to BP, refresh.

    The last ones where there are many.
    """
    rows = profile.iterations[-MOST_ITERATIONS:]
    with picture.style():
        figure = picture.canvas(WIDTH, 300)
        axes = figure.add_axes((0.09, 0.24, 0.89, 0.64))
        below = [0.0] * len(rows)
        places = range(len(rows))
        for part in PARTS:
            heights = [(row[f"{part}(us)"] or 0.0) / MILLISECOND for row in rows]
            look: Any = {"color": COLOURS[part], "hatch": HATCHES[part]}
            axes.bar(
                places, heights, 0.8, below, label=part, edgecolor=picture.PAPER, **look
            )
            below = [b + h for b, h in zip(below, heights, strict=True)]
        every = max(1, len(rows) // 10)
        axes.set_xticks(
            list(places)[::every], [str(r["Iteration ID"]) for r in rows[::every]]
        )
        axes.set(xlabel="iteration", ylabel="ms")
        axes.set_title("Where the time of each iteration goes")
        axes.legend(fontsize=8, ncols=3, frameon=False, loc="upper right")
    told = ", ".join(
        f"{part} {profile.medians[part]:.3f} ms ({share:.0f} %)"
        for part, share in profile.shares.items()
    )
    alt = f"Step trace of {len(rows)} iterations, medians: {told}."
    return picture.finished(figure, alt, _english(profile))


def plot_operators(profile: Profile) -> Picture:
    """The operator types that take longest."""
    rows = list(reversed(profile.op_statistic[:MOST_KINDS]))
    with picture.style():
        figure = picture.canvas(WIDTH, 90 + 26 * max(1, len(rows)))
        axes = figure.add_axes((0.3, 0.25, 0.6, 0.64))
        times = [(row["Total Time(us)"] or 0.0) / MILLISECOND for row in rows]
        axes.barh(range(len(rows)), times, color=DEVICE)
        axes.set_yticks(range(len(rows)), [str(row["OP Type"]) for row in rows])
        axes.tick_params(axis="y", labelcolor=INK)
        for place, row in enumerate(rows):
            axes.annotate(
                f"{row['Ratio(%)'] or 0:.1f} %",
                (times[place], place),
                (4, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
            )
        axes.set(xlabel="total time (ms)")
        axes.set_title("Operator types by total time")
    told = "; ".join(
        f"{row['OP Type']} {row['Total Time(us)'] / MILLISECOND:.3f} ms"
        for row in reversed(rows)
    )
    return picture.finished(figure, f"Operator types: {told}.", _english(profile))


def _kinds(profile: Profile) -> list[str]:
    return [
        text(
            "kind row",
            name=row["OP Type"],
            total=(row["Total Time(us)"] or 0) / MILLISECOND,
            count=row["Count"],
            share=row["Ratio(%)"] or 0,
        )
        for row in profile.op_statistic[:MOST_KINDS]
    ]


def _provenance(profile: Profile) -> str:
    facts = {"iterations": len(profile.iterations), "model": profile.model}
    return text("provenance", **facts)


def _english(profile: Profile) -> str:
    facts = {"iterations": len(profile.iterations), "model": profile.model}
    return TEXTS["provenance"]["en"].format(**facts)
