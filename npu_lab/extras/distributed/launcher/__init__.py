"""Starts the ranks of a job on this computer, watches them, and ends them all.

Nothing here needs TensorFlow: the ranks are processes of their own.
"""

from __future__ import annotations

from npu_lab.extras.distributed.launcher.jobs import Job, Rank
from npu_lab.extras.distributed.launcher.launching import launch

__all__ = ["Job", "Rank", "launch"]
