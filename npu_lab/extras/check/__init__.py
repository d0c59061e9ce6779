"""`npu-lab check`: will this loop sink? Rules over Python files and notebooks.

>>> check_source("config = NPURunConfig(iterations_per_loop=0)").findings[0].code
'SINK032'
"""

from npu_lab.extras.check.checking import Checked, check_paths, check_source

__all__ = ["Checked", "check_paths", "check_source"]
