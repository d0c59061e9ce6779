"""What statements do to what a program holds: options set, things handed away."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from npu_lab.extras.check.values import (
    Function,
    Instance,
    Mapping,
    Value,
    either,
    named,
    unknown,
)
from npu_lab.extras.check.world import (
    Config,
    ConfigPart,
    Option,
    RunConfig,
    Session,
    Sunk,
)

if TYPE_CHECKING:
    from npu_lab.extras.check.machine import Machine

_FIELDS = {"b", "i", "f", "s"}


def escape(value: Value) -> None:
    """`value` goes where the program cannot be followed."""
    for one in value.flat():
        if isinstance(one, Sunk):
            one.escaped = True
        elif isinstance(one, Session):
            one.escaped = True
            if one.config is not None:
                escape(one.config)
        elif isinstance(one, (Config, RunConfig)):
            one.seen_whole = False
        elif isinstance(one, ConfigPart):
            one.config.seen_whole = False
        elif isinstance(one, Instance):
            held, one.attributes = one.attributes, {}
            for item in held.values():
                escape(item)
            one.attributes = held
        elif isinstance(one, Function) and one.bound is not None:
            escape(one.bound)


def part(owner: Config | ConfigPart, name: str) -> Value:
    """Something inside a session's config."""
    if isinstance(owner, Config):
        return ConfigPart(config=owner, path=name)
    path = owner.path
    if path.startswith("option ") and name in _FIELDS:
        values = owner.config.option(path.removeprefix("option "))
        return values[-1] if values else unknown(f"parameter_map[{path}].{name}")
    return ConfigPart(config=owner.config, path=name)


def each(values: Value) -> Value:
    """What a loop over `values` gives in a round."""
    if isinstance(values, ConfigPart):
        return ConfigPart(config=values.config, path="custom_op")
    return unknown("", values)


def item(owner: ConfigPart, key: Value) -> Value:
    """An option, or one of the custom optimizers."""
    if owner.path == "custom_optimizers":
        return ConfigPart(config=owner.config, path="custom_op")
    if not key.is_known:
        owner.config.seen_whole = False  # it may be any option
    return part(owner, f"option {key.known}")


def set_attribute(machine: Machine, target: ast.Attribute, value: Value) -> None:
    """`owner.name = value`."""
    for owner in machine.evaluate(target.value).each():
        if isinstance(owner, ConfigPart):
            if owner.path.startswith("option "):
                key = owner.path.removeprefix("option ")
                option = Option(value, target.attr, machine.where(target))
                owner.config.options.setdefault(key, []).append(option)
        elif not isinstance(owner, Config):
            value = named(value, target.attr)
            before = owner.attributes.get(target.attr)
            if machine.branches and before is not None:
                value = either(before, value)
            owner.attributes[target.attr] = value


def set_item(machine: Machine, target: ast.Subscript, value: Value) -> None:
    """`owner[key] = value`."""
    owner, key = machine.evaluate(target.value), machine.evaluate(target.slice)
    if isinstance(owner, Mapping):
        if machine.branches:
            owner.items.append((key, value))
        else:
            kept = [
                one for one in owner.items if not (key.is_known and _same(one, key))
            ]
            owner.items = [*kept, (key, value)]
    elif key.is_known:
        owner.attributes[f"[{key.known!r}]"] = value
    else:
        owner.sources |= value.sources
        escape(value)


def _same(item: tuple[Value, Value], key: Value) -> bool:
    return bool(item[0].is_known and item[0].known == key.known)


def enter(machine: Machine, value: Value) -> Value:
    """What `with value as name` binds, inside its block."""
    scope = value.attributes.get("<scope>")
    if scope is not None and isinstance(scope.known, str) and scope.known:
        machine.scopes = (*machine.scopes, str(scope.text).strip("'\""))
    if "<graph>" in value.attributes:
        machine.graph, machine.frozen_by = value.attributes["<graph>"], None
    return value
