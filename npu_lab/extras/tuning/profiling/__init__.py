"""Profiling: where the time of an iteration goes, as `msprof` would export it.

profile = read(latest("output"))
print(report(profile))
plot_step_trace(profile)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npu_lab.extras.tuning.profiling.advice import findings
from npu_lab.extras.tuning.profiling.reading import Profile, latest, read

if TYPE_CHECKING:
    from npu_lab.extras.tuning.profiling.showing import (
        plot_operators,
        plot_step_trace,
        report,
    )

__all__ = [
    "Profile",
    "findings",
    "latest",
    "plot_operators",
    "plot_step_trace",
    "read",
    "report",
]


def __getattr__(name: str) -> Any:
    # matplotlib is loaded only where something is drawn
    if name not in {"plot_operators", "plot_step_trace", "report"}:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from npu_lab.extras.tuning.profiling import showing

    return getattr(showing, name)
