"""What is known of an expression."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from npu_lab.extras.check import calls, effects
from npu_lab.extras.check.attributes import attribute
from npu_lab.extras.check.values import (
    Function,
    Mapping,
    Sequence,
    Value,
    constant,
    either,
    unknown,
)
from npu_lab.extras.check.world import ConfigPart, Loop

if TYPE_CHECKING:
    from npu_lab.extras.check.machine import Machine

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARISON: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def evaluate(machine: Machine, node: ast.expr) -> Value:
    """The value of `node`; what happens on the way is noted."""
    handler = _EXPRESSIONS.get(type(node))
    if handler is not None:
        return handler(machine, node)
    parts = [
        machine.evaluate(child)
        for child in ast.iter_child_nodes(node)
        if isinstance(child, ast.expr)
    ]
    return unknown(_text(node), *parts)


def _text(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004


def _constant(_: Machine, node: ast.Constant) -> Value:
    return constant(node.value, ast.unparse(node))


def _name(machine: Machine, node: ast.Name) -> Value:
    return machine.scope.find(node.id)


def _attribute(machine: Machine, node: ast.Attribute) -> Value:
    return attribute(machine, machine.evaluate(node.value), node.attr)


def _call(machine: Machine, node: ast.Call) -> Value:
    return calls.call(machine, node)


def _binary(machine: Machine, node: ast.BinOp) -> Value:
    left, right = machine.evaluate(node.left), machine.evaluate(node.right)
    result = unknown(_text(node), left, right)
    result.leaves = left.leaves | right.leaves
    if not result.leaves and not (left.is_known and right.is_known):
        result.leaves = unknown().leaves
    known = _computed(node.op, left, right)
    if known is not None:
        result.known = known
    divides = isinstance(node.op, (ast.Div, ast.FloorDiv))
    if divides:
        result.quotient = (left, right)
        factors = {leaf[1:] for leaf in right.leaves if leaf.startswith("*")}
        result.leaves |= {f"/{factor}" for factor in factors}
        if right.is_known:
            result.leaves |= {f"/{right.known}"}
    if isinstance(node.op, ast.Mult):
        result.leaves |= {f"*{one.known}" for one in (left, right) if one.is_known}
    if isinstance(node.op, ast.Mult):
        _note_products(machine, node, left, right)
    if isinstance(node.op, ast.Mod) and not isinstance(left.known, str):
        machine.world.remainders.append(right)
        if isinstance(node.left, ast.Name):
            machine.world.step_tests += [
                (machine.where(node), loop, right)
                for loop in machine.loops
                if loop.counter == node.left.id
            ]
    scales = divides or isinstance(node.op, ast.Mult)
    if scales and result.sources & machine.world.clocks:
        machine.world.scaled_times.append((machine.where(node), result))
    return result


def _note_products(
    machine: Machine, node: ast.BinOp, left: Value, right: Value
) -> None:
    """A loop's counter times something."""
    for part, factor in ((node.left, right), (node.right, left)):
        names = {one.id for one in ast.walk(part) if isinstance(one, ast.Name)}
        machine.world.counter_products += [
            (loop, factor) for loop in machine.loops if loop.counter in names
        ]


def _computed(op: ast.operator, left: Value, right: Value) -> Any:
    numbers = (int, float)
    if not (isinstance(left.known, numbers) and isinstance(right.known, numbers)):
        return None
    if type(op) not in _ARITHMETIC:
        return None
    try:
        return _ARITHMETIC[type(op)](left.known, right.known)
    except (ArithmeticError, ValueError):
        return None


def _compare(machine: Machine, node: ast.Compare) -> Value:
    left = machine.evaluate(node.left)
    rights = [machine.evaluate(one) for one in node.comparators]
    result = unknown(_text(node))
    numbers = (int, float)
    if (
        len(rights) == 1
        and type(node.ops[0]) in _COMPARISON
        and isinstance(left.known, numbers)
        and isinstance(rights[0].known, numbers)
    ):
        result.known = _COMPARISON[type(node.ops[0])](left.known, rights[0].known)
    return result


def _sequence(machine: Machine, node: ast.List | ast.Tuple | ast.Set) -> Value:
    return Sequence(_text(node), items=[machine.evaluate(one) for one in node.elts])


def _mapping(machine: Machine, node: ast.Dict) -> Value:
    made = Mapping(_text(node))
    for key, item in zip(node.keys, node.values, strict=True):
        value = machine.evaluate(item)
        if key is not None:
            made.items.append((machine.evaluate(key), value))
        elif isinstance(value, Mapping):
            made.items += value.items
        else:
            made.whole = False
    return made


def _subscript(machine: Machine, node: ast.Subscript) -> Value:
    owner, key = machine.evaluate(node.value), machine.evaluate(node.slice)
    if isinstance(owner, ConfigPart):
        return effects.item(owner, key)
    if isinstance(owner, Mapping):
        for mine, value in owner.items:
            if key.is_known and mine.known == key.known:
                return value
    length = len(owner.items) if isinstance(owner, Sequence) else 0
    if isinstance(owner, Sequence) and key.known in range(-length, length):
        return owner.items[key.known]
    if key.is_known:
        place = f"[{key.known!r}]"
        if place not in owner.attributes:
            owner.attributes[place] = unknown(_text(node), owner)
        return owner.attributes[place]
    return unknown(_text(node), owner)


def _choice(machine: Machine, node: ast.IfExp) -> Value:
    decided = machine.decide(node.test)
    if decided is not None:
        return machine.evaluate(node.body if decided else node.orelse)
    before, arms = machine.branches, []
    for side, arm in ((True, node.body), (False, node.orelse)):
        machine.branches = (*before, (node, side))
        arms.append(machine.evaluate(arm))
    machine.branches = before
    return either(*arms)


def _or(machine: Machine, node: ast.BoolOp) -> Value:
    values = [machine.evaluate(one) for one in node.values]
    result = values[0]
    for value in values[1:]:
        result = either(result, value)
    return result


def _minus(machine: Machine, node: ast.UnaryOp) -> Value:
    value = machine.evaluate(node.operand)
    if isinstance(node.op, ast.USub) and isinstance(value.known, (int, float)):
        return constant(-value.known, _text(node), value.leaves)
    return unknown(_text(node), value)


def _lambda(machine: Machine, node: ast.Lambda) -> Value:
    return Function("lambda", node=node, scope=machine.scope)


def _walrus(machine: Machine, node: ast.NamedExpr) -> Value:
    value = machine.evaluate(node.value)
    machine.assign(node.target, value)
    return value


def _yield(machine: Machine, node: ast.Yield) -> Value:
    # As a context manager's function, the commonest use, "returns" what it yields.
    if machine.returned:
        machine.returned[-1].append(machine.evaluate(node.value))
    return unknown("sent")


def _inner(
    machine: Machine, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
) -> Value:
    loops: list[Loop] = []
    for generator in node.generators:
        with machine.inside(*loops):
            values = machine.evaluate(generator.iter)
            target = generator.target
            loop = loop_of(machine, node, generator.iter, target)
            machine.assign(target, unknown("", values))
            loops.append(loop)
    with machine.inside(*loops):
        for generator in node.generators:
            for test in generator.ifs:
                machine.evaluate(test)
        if isinstance(node, ast.DictComp):
            item = unknown("", machine.evaluate(node.key), machine.evaluate(node.value))
        else:
            item = machine.evaluate(node.elt)
    return unknown(_text(node), item)


def loop_of(machine: Machine, node: ast.AST, over: ast.expr, target: ast.expr) -> Loop:
    """The loop over `over`: its bound is that of a `range`."""
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    loop = Loop(node)
    while isinstance(over, ast.Call) and over.args:
        name = getattr(over.func, "attr", getattr(over.func, "id", ""))
        if name in {"range", "xrange", "trange"}:
            given = [machine.evaluate(one) for one in over.args]
            loop.bound = given[0] if len(given) == 1 else given[1]
            if len(given) > 2:  # noqa: PLR2004  (start, stop, step)
                loop.step = given[2]
            if len(given) > 1 and not isinstance(given[0].known, int):
                loop.bound = unknown(loop.bound.text, loop.bound, given[0])
            counter = names[-1] if len(names) > 1 else names[0]
            loop.counter = getattr(counter, "id", "")
            return loop
        if name not in {"tqdm", "enumerate", "list", "iter"}:
            break
        over = over.args[0]
    return loop


_EXPRESSIONS: dict[type[ast.expr], Callable[[Machine, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.Compare: _compare,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Dict: _mapping,
    ast.Subscript: _subscript,
    ast.IfExp: _choice,
    ast.BoolOp: _or,
    ast.UnaryOp: _minus,
    ast.Lambda: _lambda,
    ast.NamedExpr: _walrus,
    ast.Yield: _yield,
    ast.ListComp: _inner,
    ast.SetComp: _inner,
    ast.GeneratorExp: _inner,
    ast.DictComp: _inner,
}
