"""Makes `npu_device` importable: its modules are those of the package beside this file.

`npu_device.compat.v1` has the modules of `npu_bridge` under other names, as the
vendor's package has.
"""

from __future__ import annotations

from types import ModuleType

from npu_lab.bridge import finder
from npu_lab.extras.tf2.state import STATE

ROOT = "npu_device"
HOME = "npu_lab.extras.tf2.npu_device"
V1 = "npu_device.compat.v1"
BRIDGE = "npu_bridge"


def is_ours(name: str) -> bool:
    """Whether a module goes by a name of the vendor's."""
    return finder.root_of(name) == ROOT


class Finder(finder.Finder):
    """Finds and loads the vendor's names while `device` is active."""

    def is_ours(self, name: str) -> bool:
        """Whether a module goes by a name of the vendor's."""
        return is_ours(name)

    def home(self, name: str) -> str:
        """The module that goes by the vendor's `name`, if it exists."""
        if name.startswith(f"{V1}."):
            return finder.home(BRIDGE + name.removeprefix(V1))
        return HOME + name.removeprefix(ROOT)

    def is_refused(self, name: str) -> bool:
        """Whether the vendor has no module of this name, although we do."""
        return super().is_refused(BRIDGE + name.removeprefix(V1))

    def exec_module(self, module: ModuleType) -> None:
        """Let the name stand for its module; the first import reads the environment."""
        super().exec_module(module)
        if module.__name__ == ROOT:
            self.device.log.start()
            STATE.read()
