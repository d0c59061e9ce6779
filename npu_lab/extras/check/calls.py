"""Calls: of the file's own functions, of libraries, of methods."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING

from npu_lab.extras.check import effects
from npu_lab.extras.check.attributes import attribute, of_class
from npu_lab.extras.check.framework_functions import FUNCTIONS
from npu_lab.extras.check.methods import METHODS
from npu_lab.extras.check.scopes import HARMLESS, library
from npu_lab.extras.check.values import (
    Class,
    Function,
    Instance,
    Mapping,
    Path,
    Sequence,
    Value,
    either,
    named,
    unknown,
)
from npu_lab.extras.check.world import Config, ConfigPart

if TYPE_CHECKING:
    from npu_lab.extras.check.machine import Machine


@dataclass
class Call:
    """A call with its arguments; `unpacks` if it has `*args` or `**kw`."""

    node: ast.Call
    name: str
    receiver: Value | None
    given: list[Value] = field(default_factory=list)
    named: dict[str, Value] = field(default_factory=dict)
    unpacks: bool = False

    def get(self, position: int | None, name: str) -> Value | None:
        """An argument, wherever it stands; a position None: by name only."""
        if name in self.named:
            return self.named[name]
        if position is not None and position < len(self.given):
            return self.given[position]
        return None

    @property
    def values(self) -> list[Value]:
        """All arguments."""
        return [*self.given, *self.named.values()]

    def result(self, made_by: str = "") -> Value:
        """What an unknown function returns: something that all of this flows into."""
        parts = self.values if self.receiver is None else [self.receiver, *self.values]
        text = ast.unparse(self.node.func)
        return unknown(f"{text}(...)", *parts, made_by=made_by)


def call(machine: Machine, node: ast.Call) -> Value:
    """The value of a call; what it does is noted."""
    receiver = None
    if isinstance(node.func, ast.Attribute):
        receiver = machine.evaluate(node.func.value)
        name = node.func.attr
        function = _super(machine, node.func) or attribute(machine, receiver, name)
    else:
        function = machine.evaluate(node.func)
        name = getattr(node.func, "id", "")
    made = Call(node, name, receiver)
    for one in node.args:
        value = machine.evaluate(one.value if isinstance(one, ast.Starred) else one)
        if not isinstance(one, ast.Starred):
            made.given.append(value)
        elif isinstance(value, Sequence):
            made.given += value.items
        else:
            made.unpacks = True
            made.given.append(value)
    for word in node.keywords:
        value = machine.evaluate(word.value)
        if word.arg is not None:
            made.named[word.arg] = value
        elif isinstance(value, Mapping):
            made.unpacks |= not value.whole
            made.named |= {str(key.known): item for key, item in value.items}
        else:
            made.unpacks = True
            made.given.append(value)
    result = apply(machine, function, made)
    if type(result) is Value and not result.born:
        result.born = machine.loops
    return result


def _super(machine: Machine, node: ast.Attribute) -> Value | None:
    """A method reached by `super()`: that of a base in the file."""
    inner = node.value
    if not (isinstance(inner, ast.Call) and getattr(inner.func, "id", "") == "super"):
        return None
    mine = machine.scope.names.get("self")
    if isinstance(mine, Instance) and mine.of is not None:
        for base in mine.of.bases:
            found = of_class(base, node.attr) if isinstance(base, Class) else None
            if isinstance(found, Function):
                return Function(
                    found.text, node=found.node, scope=found.scope, bound=mine
                )
    return unknown("super()")


def apply(machine: Machine, function: Value, made: Call) -> Value:
    """Call `function`."""
    if isinstance(function, Function) and function.node is not None:
        return machine.call(function, made.given, made.named)
    if isinstance(function, Class):
        return _instance(machine, function, made)
    if isinstance(function, Path):
        result = _of_library(machine, function.dotted, made)
    else:
        result = _of_method(machine, made)
    if result is not None:
        return result
    if isinstance(made.receiver, (Config, ConfigPart)):
        effects.escape(made.receiver)
    if not function.made_by:
        for value in made.values:
            effects.escape(value)
            _starts(machine, value)
    return made.result(function.made_by)


def _of_library(machine: Machine, dotted: str, made: Call) -> Value | None:
    root, inside = library(dotted)
    handler = FUNCTIONS.get((root, inside.rpartition(".")[2]))
    if handler is None and root == "tensorflow" and "Dataset" in inside:
        handler = FUNCTIONS["tensorflow", "Dataset"]
    if handler is not None:
        made.name = inside
        return handler(machine, made)
    return made.result(dotted) if root in HARMLESS else None


def _of_method(machine: Machine, made: Call) -> Value | None:
    if made.receiver is None or made.name not in METHODS:
        return None
    method = METHODS[made.name]
    results = [method(machine, one, made) for one in made.receiver.each()]
    known = [one for one in results if one is not None]
    return reduce(either, known) if known else None


def _starts(machine: Machine, value: Value) -> None:
    """A function given to something unknown will be called by it, once or often."""
    if isinstance(value, Function) and isinstance(value.node, ast.Lambda):
        machine.call(value, [], {})


def _instance(machine: Machine, made: Class, given: Call) -> Value:
    first = made not in machine.made
    instance = machine.instance(made) if first else Instance(made.text, of=made)
    machine.made.add(made)
    start = of_class(made, "__init__")
    if isinstance(start, Function):
        bound = Function(start.text, node=start.node, scope=start.scope, bound=instance)
        machine.call(bound, given.given, given.named)
        return instance
    fields = _fields(made)
    for name, value in (*zip(fields, given.given, strict=False), *given.named.items()):
        instance.attributes[name] = named(value, name)
    return instance


def _fields(made: Class) -> list[str]:
    body = [] if made.node is None else made.node.body
    return [
        one.target.id
        for one in body
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
    ]
