"""The capstone: one training script, from the GPU to a frozen graph, step by step.

project = begin("one_shot", "my_capstone")     # or the path of a script of one's own
project.migrate(); project.standing(); project.receipt()
"""

from __future__ import annotations

from npu_lab.extras.capstone.project import Project, begin
from npu_lab.extras.capstone.stages import STAGES, Stage, Standing, standing

__all__ = ["STAGES", "Project", "Stage", "Standing", "begin", "standing"]
