"""Makes `npu_device` importable: its modules are those of the package beside this file.

`npu_device.compat.v1` has the modules of `npu_bridge` under other names, as the
vendor's package has.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from npu_lab.bridge import finder as bridge_finder
from npu_lab.device import Device
from npu_lab.extras.tf2.state import STATE

ROOT = "npu_device"
HOME = "npu_lab.extras.tf2.npu_device"
V1 = "npu_device.compat.v1"
OWN_V1 = frozenset({V1})


def is_ours(name: str) -> bool:
    """Whether a module goes by a name of the vendor's."""
    return name.partition(".")[0] == ROOT


def home(name: str) -> str:
    """The module that goes by the vendor's `name`."""
    if name.startswith(f"{V1}."):
        return bridge_finder.home("npu_bridge" + name.removeprefix(V1))
    return HOME + name.removeprefix(ROOT)


class Finder(MetaPathFinder, Loader):
    """Finds and loads the vendor's names while `device` is active."""

    def __init__(self, device: Device) -> None:
        self.device = device

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """A specification for the vendor's names, None for all others.

        Raises:
            ModuleNotFoundError: the vendor has no module of this name.
        """
        if not is_ours(fullname):
            return None
        bridge = "npu_bridge" + fullname.removeprefix(V1)
        refused = bridge in bridge_finder.NOT_THE_VENDORS
        if refused or importlib.util.find_spec(home(fullname)) is None:
            message = f"No module named {fullname!r}"
            raise ModuleNotFoundError(message, name=fullname)
        return ModuleSpec(fullname, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:  # noqa: ARG002
        """Leave it to Python to make an empty module, which `exec_module` replaces."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Let the name stand for the module it is an alias of, and have its effects."""
        name = module.__name__
        real = importlib.import_module(home(name))
        sys.modules[name] = real
        if name == ROOT:
            self.device.log.start()
            STATE.read()
        effects = vars(real).get("_imported") if name.startswith(f"{V1}.") else None
        if effects is not None:
            effects(self.device)
