"""Attributes of what a program holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npu_lab.extras.check import effects
from npu_lab.extras.check.scopes import library
from npu_lab.extras.check.values import (
    Class,
    Function,
    Instance,
    Namespace,
    Path,
    Value,
    unknown,
)
from npu_lab.extras.check.world import Config, ConfigPart

if TYPE_CHECKING:
    from npu_lab.extras.check.machine import Machine


def attribute(machine: Machine, owner: Value, name: str) -> Value:
    """`owner.name`; of an unknown owner always the same value."""
    if name in owner.attributes:
        return owner.attributes[name]
    if isinstance(owner, Namespace) and name in owner.flags:
        return owner.flags[name]
    if isinstance(owner, Path):
        made: Value = _of_library(machine, f"{owner.dotted}.{name}")
    elif isinstance(owner, (Config, ConfigPart)):
        return effects.part(owner, name)
    elif isinstance(owner, Instance):
        found = of_class(owner.of, name)
        if found is not None:
            return _of_instance(machine, owner, found)
        made = unknown(f"{owner.text}.{name}")
    elif name == "parameter_map":
        config = Config(seen_whole=False, on_npu=True)
        machine.world.configs.append(config)
        made = ConfigPart(config=config, path=name)
    else:
        made = unknown(f"{owner.text}.{name}", made_by=owner.made_by)
        made.sources |= owner.sources
        made.born = owner.born
    owner.attributes[name] = made
    return made


def _of_instance(machine: Machine, owner: Instance, found: Value) -> Value:
    if not isinstance(found, Function):
        return found
    method = _bound(found, owner)
    return machine.call(method, [], {}) if _is_property(found) else method


def of_class(made: Class | None, name: str) -> Value | None:
    """An attribute of a class of the file or of one of its bases."""
    if made is None:
        return None
    if name in made.attributes:
        return made.attributes[name]
    for base in made.bases:
        found = of_class(base, name) if isinstance(base, Class) else None
        if found is not None:
            return found
    return None


def _bound(function: Function, owner: Value) -> Function:
    decorators = getattr(function.node, "decorator_list", [])
    static = any(getattr(one, "id", "") == "staticmethod" for one in decorators)
    return Function(
        function.text,
        node=function.node,
        scope=function.scope,
        bound=None if static else owner,
    )


def _is_property(function: Function) -> bool:
    decorators = getattr(function.node, "decorator_list", [])
    return any(getattr(one, "id", "") == "property" for one in decorators)


def _of_library(machine: Machine, dotted: str) -> Value:
    if dotted.endswith("flags.FLAGS") and library(dotted)[0] in {"absl", "tensorflow"}:
        return Namespace("FLAGS", flags=machine.flags)
    return Path(dotted, dotted=dotted)
