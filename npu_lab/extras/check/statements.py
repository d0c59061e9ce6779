"""What each kind of statement does."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from npu_lab.extras.check import effects, expressions
from npu_lab.extras.check.scopes import Scope
from npu_lab.extras.check.values import Class, Function, Path, named, unknown
from npu_lab.extras.check.world import Loop, Sunk

if TYPE_CHECKING:
    from npu_lab.extras.check.machine import Machine


def _assignment(machine: Machine, node: ast.Assign | ast.AnnAssign) -> None:
    if node.value is None:
        return
    value = machine.evaluate(node.value)
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        step = _grown_by(target, node.value)
        if step is not None and isinstance(target, ast.Name):
            machine.counter_changes(target.id, machine.evaluate(step))
            machine.scope.bind(target.id, value)
        else:
            machine.assign(target, value)


def _growth(machine: Machine, node: ast.AugAssign) -> None:
    combined = ast.BinOp(_as_read(node.target), node.op, node.value)
    value = machine.evaluate(ast.copy_location(combined, node))
    if isinstance(node.target, ast.Name):
        name = node.target.id
        step = machine.evaluate(node.value) if isinstance(node.op, ast.Add) else None
        machine.counter_changes(name, step)
        machine.scope.bind(name, named(value, name))
    else:
        machine.assign(node.target, value)


def _return(machine: Machine, node: ast.Return) -> bool:
    if machine.returned:
        machine.returned[-1].append(machine.evaluate(node.value))
    return True


def _expression(machine: Machine, node: ast.Expr) -> None:
    value = machine.evaluate(node.value)
    if isinstance(value, Sunk):
        for setter in machine.world.setters:
            setter.discarded |= setter.result is value


def _if(machine: Machine, node: ast.If) -> bool:
    decided = machine.decide(node.test)
    if decided is not None:
        return machine.block(node.body if decided else node.orelse)
    return machine.fork(node, [(True, node.body), (False, node.orelse)])


def _try(machine: Machine, node: ast.Try) -> bool:
    ended = machine.block(node.body)
    for handler in node.handlers:
        machine.fork(handler, [(True, handler.body), (False, [])])
    if not ended:
        machine.block(node.orelse)
    return machine.block(node.finalbody) or (ended and not node.handlers)


def _match(machine: Machine, node: ast.Match) -> None:
    machine.evaluate(node.subject)
    for case in node.cases:
        machine.fork(case, [(True, case.body), (False, [])])


def _for(machine: Machine, node: ast.For | ast.AsyncFor) -> None:
    values = machine.evaluate(node.iter)
    loop = expressions.loop_of(machine, node, node.iter, node.target)
    loop.leaves_early = _leaves(node.body)
    _widen(machine, node)
    with machine.inside(loop):
        machine.assign(node.target, effects.each(values))
        machine.block(node.body)
    machine.block(node.orelse)


def _while(machine: Machine, node: ast.While) -> None:
    _widen(machine, node)
    machine.evaluate(node.test)
    loop = Loop(node, leaves_early=_leaves(node.body))
    ends = _end_of(node)
    if ends is not None:
        loop.counter, loop.bound = ends[0], machine.evaluate(ends[1])
        loop.leaves_early = False
    test = node.test
    if (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and isinstance(test.ops[0], (ast.Lt, ast.LtE))
    ):
        loop.counter = test.left.id
        loop.bound = machine.evaluate(test.comparators[0])
    with machine.inside(loop):
        machine.block(node.body)
    if loop.step is None:
        loop.bound = None
    machine.block(node.orelse)


def _widen(machine: Machine, node: ast.AST) -> None:
    """What a loop changes is not the constant it was before."""
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            held = machine.scope.names.get(one.id)
            if held is not None and held.is_known:
                changed = unknown(one.id, held)
                machine.scope.names[one.id] = changed


def _with(machine: Machine, node: ast.With | ast.AsyncWith) -> bool:
    scopes, graph, frozen = machine.scopes, machine.graph, machine.frozen_by
    for item in node.items:
        value = machine.evaluate(item.context_expr)
        entered = effects.enter(machine, value)
        if item.optional_vars is not None:
            machine.assign(item.optional_vars, entered)
    ended = machine.block(node.body)
    if machine.graph is not graph:
        machine.frozen_by = frozen
    machine.scopes, machine.graph = scopes, graph
    return ended


def _function(machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    function = Function(node.name, node=node, scope=machine.scope)
    machine.world.functions.append(function)
    machine.scope.bind(node.name, function)


def _class(machine: Machine, node: ast.ClassDef) -> None:
    bases = tuple(machine.evaluate(base) for base in node.bases)
    made = Class(node.name, node=node, bases=bases)
    outer, machine.scope = machine.scope, Scope(machine.scope, of_class=True)
    before = len(machine.world.functions)
    machine.block(node.body)
    made.attributes = machine.scope.names
    machine.scope = outer
    for function in machine.world.functions[before:]:
        if function.text in made.attributes and not _is_static(function):
            function.bound = machine.instance(made)
    machine.scope.bind(node.name, made)


def _import(machine: Machine, node: ast.Import) -> None:
    for alias in node.names:
        first = alias.name.partition(".")[0]
        dotted = alias.name if alias.asname else first
        machine.scope.bind(alias.asname or first, Path(dotted, dotted=dotted))


def _import_from(machine: Machine, node: ast.ImportFrom) -> None:
    module = "." * node.level + (node.module or "")
    for alias in node.names:
        if alias.name != "*":
            dotted = f"{module}.{alias.name}"
            name = alias.asname or alias.name
            machine.scope.bind(name, Path(name, dotted=dotted))


def _global(machine: Machine, node: ast.Global) -> None:
    machine.scope.of_module |= set(node.names)


def _grown_by(target: ast.expr, value: ast.expr) -> ast.expr | None:
    """The b of `a = a + b`."""
    if (
        isinstance(target, ast.Name)
        and isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.Add)
        and isinstance(value.left, ast.Name)
        and value.left.id == target.id
    ):
        return value.right
    return None


def _as_read(target: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(target), mode="eval").body


def _is_static(function: Function) -> bool:
    decorators = getattr(function.node, "decorator_list", [])
    return any(getattr(one, "id", "") == "staticmethod" for one in decorators)


def _end_of(loop: ast.While) -> tuple[str, ast.expr] | None:
    """The counter and the bound of `while True: ... if counter >= bound: break`."""
    breaks = [one for one in ast.walk(loop) if isinstance(one, ast.Break)]
    if not (isinstance(loop.test, ast.Constant) and loop.test.value) or len(breaks) > 1:
        return None
    for one in loop.body:
        if isinstance(one, ast.If) and one.body == breaks:
            test = one.test
            if (
                isinstance(test, ast.Compare)
                and isinstance(test.left, ast.Name)
                and isinstance(test.ops[0], (ast.Gt, ast.GtE, ast.Eq))
            ):
                return test.left.id, test.comparators[0]
    return None


def _leaves(statements: Sequence[ast.stmt]) -> bool:
    """Whether a loop with this body has a `break` of its own."""
    for node in statements:
        if isinstance(node, ast.Break):
            return True
        if isinstance(node, (ast.For, ast.While, ast.FunctionDef, ast.ClassDef)):
            continue
        for name in ("body", "orelse", "finalbody"):
            if _leaves(getattr(node, name, None) or []):
                return True
        for handler in getattr(node, "handlers", []):
            if _leaves(handler.body):
                return True
    return False


STATEMENTS: dict[type[ast.stmt], Callable[[Machine, Any], object]] = {
    ast.Assign: _assignment,
    ast.AnnAssign: _assignment,
    ast.AugAssign: _growth,
    ast.Return: _return,
    ast.Expr: _expression,
    ast.If: _if,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Global: _global,
}
