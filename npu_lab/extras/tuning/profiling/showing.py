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
LONGEST = 32  # characters of an operator type
USUAL = 0.9  # of the bars are shown whole


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
        _cut(axes, below)
        every = max(1, len(rows) // 10)
        axes.set_xticks(
            list(places)[::every], [str(r["Iteration ID"]) for r in rows[::every]]
        )
        axes.set(xlabel="iteration", ylabel="ms")
        axes.set_title("Time of each iteration")
        axes.legend(fontsize=8, ncols=3, frameon=False, loc=(0.38, 1.02))
    told = ", ".join(
        f"{part} {profile.medians[part]:.3f} ms ({share:.0f} %)"
        for part, share in profile.shares.items()
    )
    alt = f"Step trace of {len(rows)} iterations, medians: {told}."
    return picture.finished(figure, alt, _english(profile))


def _cut(axes: Any, heights: list[float]) -> None:
    """Leave room for the usual bars; one that goes on above has its number there."""
    if not heights:
        return
    usual = sorted(heights)[min(len(heights) - 1, int(USUAL * len(heights)))]
    top = 1.25 * usual
    if not 0 < top < max(heights):
        return
    axes.set_ylim(0, top)
    for place, height in enumerate(heights):
        if height > top:
            axes.annotate(
                f"{height:.3g}", (place, top), fontsize=7, ha="center", va="top"
            )


def plot_operators(profile: Profile) -> Picture:
    """The operator types that take longest."""
    kinds = profile.kinds[:MOST_KINDS][::-1]
    with picture.style():
        figure = picture.canvas(WIDTH, 90 + 26 * max(1, len(kinds)))
        axes = figure.add_axes((0.36, 0.25, 0.54, 0.64))
        axes.barh(range(len(kinds)), [kind.total for kind in kinds], color=DEVICE)
        axes.set_yticks(range(len(kinds)), [kind.name[:LONGEST] for kind in kinds])
        axes.tick_params(axis="y", labelcolor=INK)
        for place, kind in enumerate(kinds):
            axes.annotate(
                f"{kind.share:.1f} %",
                (kind.total, place),
                (4, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
            )
        axes.set(xlabel="total time (ms)")
        axes.set_title("Operator types by total time")
    told = "; ".join(f"{one.name} {one.total:.3f} ms" for one in reversed(kinds))
    return picture.finished(figure, f"Operator types: {told}.", _english(profile))


def _kinds(profile: Profile) -> list[str]:
    return [text("kind row", **kind._asdict()) for kind in profile.kinds[:MOST_KINDS]]


def _provenance(profile: Profile) -> str:
    facts = {"iterations": len(profile.iterations), "model": profile.model}
    return text("provenance", **facts)


def _english(profile: Profile) -> str:
    facts = {"iterations": len(profile.iterations), "model": profile.model}
    return TEXTS["provenance"]["en"].format(**facts)
