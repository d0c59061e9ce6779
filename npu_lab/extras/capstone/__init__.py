"""The capstone: one training script, from the GPU to a frozen graph, step by step.

project = begin("one_shot", "my_capstone")     # or the path of a script of one's own
project.migrate(); project.standing(); project.receipt()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from npu_lab.extras.capstone.project import Project, begin
    from npu_lab.extras.capstone.stages import STAGES, Stage, Standing, standing

__all__ = ["STAGES", "Project", "Stage", "Standing", "begin", "standing"]


def __getattr__(name: str) -> Any:
    # The migration tool, and with it its parser, is loaded only where it is used.
    if name not in __all__:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from npu_lab.extras.capstone import project, stages

    return getattr(project if name in ("Project", "begin") else stages, name)
