"""Makes the modules of `npu_lab.bridge` importable under the vendor's names.

The finder puts the very module into `sys.modules` a second time, so both names give one
object, which keeps its own `__name__` and `__spec__`.  A module that has a function
`_imported` gets it called, with the device, when it is first imported by the vendor's
name: that is where the documented effects of an import are.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from npu_lab.device import Device

ROOTS = {"npu_bridge": "npu_lab.bridge", "hccl": "npu_lab.bridge.hccl"}
"""The vendor's packages, and where they are here."""

NOT_THE_VENDORS = frozenset(
    {
        "hccl.hccl_ops",
        "npu_bridge.channels",
        "npu_bridge.checks",
        "npu_bridge.config_classes",
        "npu_bridge.extra",
        "npu_bridge.finder",
        "npu_bridge.hccl.manage",
        "npu_bridge.hccl.split",
        "npu_bridge.job",
        "npu_bridge.later",
        "npu_bridge.later_names",
        "npu_bridge.loop_variables",
        "npu_bridge.marks",
        "npu_bridge.run_config",
        "npu_bridge.run_config_table",
    }
)
"""Modules that would be found in these folders, but do not exist on hardware."""


def root_of(name: str) -> str:
    """The package that a dotted name begins with."""
    return name.partition(".")[0]


def home(name: str) -> str:
    """The module that goes by the vendor's `name`."""
    root = root_of(name)
    return ROOTS[root] + name.removeprefix(root)


class Finder(MetaPathFinder, Loader):
    """Finds and loads the vendor's names while `device` is active."""

    def __init__(self, device: Device) -> None:
        self.device = device

    def is_ours(self, name: str) -> bool:
        """Whether a module goes by a name of the vendor's."""
        return root_of(name) in ROOTS

    def home(self, name: str) -> str:
        """The module that goes by the vendor's `name`, if it exists."""
        return home(name)

    def is_refused(self, name: str) -> bool:
        """Whether the vendor has no module of this name, although we do."""
        return name in NOT_THE_VENDORS

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
        if not self.is_ours(fullname):
            return None
        refused = self.is_refused(fullname)
        if refused or importlib.util.find_spec(self.home(fullname)) is None:
            # Not None: the search would go on in the folders of npu_lab.
            message = f"No module named {fullname!r}"
            raise ModuleNotFoundError(message, name=fullname)
        return ModuleSpec(fullname, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:  # noqa: ARG002
        """Leave it to Python to make an empty module, which `exec_module` replaces."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Let the name stand for the module it is an alias of, and have its effects."""
        real = importlib.import_module(self.home(module.__name__))
        sys.modules[module.__name__] = real
        effects = vars(real).get("_imported")
        if effects is not None:
            effects(self.device)
