"""TensorFlow 2 scripts: the loop size against the steps that the program asks for.

What the program says plainly is followed, in the order of its lines: functions under
`tf.function` that loop over `tf.range` and take batches, the loop size, and the number
of steps of each call.  Where a number is not plain nothing is said.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from npu_lab.diagnostics import diagnose
from npu_lab.extras.check.findings import Finding
from npu_lab.extras.source.places import Place

LOOP_SIZE = "NPU_LOOP_SIZE"
TAKES = frozenset({"next", "get_next"})
RETURNS = {"en": "it returns a value", "zh": "它有返回值"}
SEVERAL = {"en": "its graph has several Whiles", "zh": "其图中有多个 While"}
PLAIN_FIT = {
    "en": "Keras builds no loop without steps_per_execution",
    "zh": "没有 steps_per_execution 时 Keras 不构造循环",
}


@dataclass
class Loop:
    """A function that is meant to loop on the device.

    `steps` is the name of the argument, or the number, that the `tf.range` is given;
    `reasons` are why it is not NPU_LOOP.
    """

    node: ast.FunctionDef
    steps: str | int | None
    reasons: list[dict[str, str]]


@dataclass
class _Reading:
    """What is known at one line of the program; `size` None: it is not plain."""

    size: int | None = 1
    sure: bool = False  # the environment may say otherwise
    numbers: dict[str, int] = field(default_factory=dict)
    loops: dict[str, Loop] = field(default_factory=dict)
    executions: int | None = 0  # steps_per_execution; 0: nothing is compiled
    found: list[Finding] = field(default_factory=list)


def findings(tree: ast.Module) -> list[Finding]:
    """What is wrong with the loops of a program that imports npu_device."""
    reading = _Reading()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and _decorated(node):
            loop = _loop(node)
            if loop is not None:
                reading.loops[node.name] = loop
                if loop.reasons:
                    _note(reading, node, "SINK080", sure=True, reasons=loop.reasons[0])
    _read(tree, reading, certain=True)
    return reading.found


def _read(node: ast.AST, reading: _Reading, *, certain: bool) -> None:
    """Follow statements and calls in order; `certain`: they surely run once."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef) and child.name in reading.loops:
            continue
        main = isinstance(child, ast.If) and "__main__" in ast.unparse(child.test)
        branch = (ast.If, ast.Try, ast.While, ast.IfExp, ast.Match)
        inside = certain and (main or not isinstance(child, branch))
        _read(child, reading, certain=inside)
        if isinstance(child, ast.Assign):
            _assigned(child, reading)
        elif isinstance(child, ast.Call):
            _called(child, reading, certain=inside)


def _assigned(node: ast.Assign, reading: _Reading) -> None:
    value = _number(node.value, reading)
    for target in node.targets:
        if isinstance(target, ast.Name):
            if value is None:
                reading.numbers.pop(target.id, None)
            else:
                reading.numbers[target.id] = value
        elif LOOP_SIZE in ast.unparse(target):
            text = node.value.value if isinstance(node.value, ast.Constant) else None
            given = str(text)
            reading.size = int(given) if given.isdecimal() else None
            reading.sure = True


def _called(node: ast.Call, reading: _Reading, *, certain: bool) -> None:
    name = _name(node.func)
    if name == "set_npu_loop_size" and node.args:
        size = _number(node.args[0], reading)
        if size is None or size > 0:
            reading.size = size if certain else None
            reading.sure = True
    elif name in reading.loops and isinstance(node.func, ast.Name):
        _compare(node, reading, reading.loops[name], certain=certain)
    elif name == "compile":
        given = [k.value for k in node.keywords if k.arg == "steps_per_execution"]
        reading.executions = _number(given[0], reading) if given else 1
    elif name == "fit" and reading.executions and reading.size is not None:
        _fitted(node, reading, certain=certain)


def _compare(node: ast.Call, reading: _Reading, loop: Loop, *, certain: bool) -> None:
    """The loop size against the steps of one call."""
    steps, size = _steps(node, loop, reading), reading.size
    if steps is None or size is None or steps == size:
        return
    sure = certain and reading.sure
    if not loop.reasons:
        facts = {"asked": steps, "size": size}
        _note(reading, node, "SINK077", sure=sure, function=loop.node.name, **facts)
    else:
        _unequal(node, reading, loop.node.name, steps, sure=sure)


def _unequal(
    node: ast.Call, reading: _Reading, name: str, steps: int, *, sure: bool
) -> None:
    size = reading.size or 1
    if steps > size:
        facts = {"get_next": "GetNext", "mode": "BUILTIN_LOOP"}
        counts = {"pushed": size, "taken": size}
        _note(reading, node, "SINK078", sure=sure, function=name, **facts, **counts)
    else:
        counts = {"pushed": size, "taken": steps, "unread": size - steps}
        _note(reading, node, "SINK079", sure=sure, function=name, **counts)


def _fitted(node: ast.Call, reading: _Reading, *, certain: bool) -> None:
    steps, size = reading.executions or 1, reading.size or 1
    sure, name = certain and reading.sure, ast.unparse(node.func)
    if steps > 1 and steps != size:
        _unequal(node, reading, name, steps, sure=sure)
    elif steps == 1 and size > 1:
        facts = {"size": size, "reasons": PLAIN_FIT}
        _note(reading, node, "SINK082", sure=sure, function=name, **facts)


def _steps(node: ast.Call, loop: Loop, reading: _Reading) -> int | None:
    if isinstance(loop.steps, int) or loop.steps is None:
        return loop.steps
    names = [a.arg for a in loop.node.args.args]
    given = dict(zip(names, node.args, strict=False))
    given |= {k.arg: k.value for k in node.keywords if k.arg}
    value = given.get(loop.steps)
    if value is None:
        return reading.numbers.get(loop.steps) if loop.steps not in names else None
    return _number(value, reading)


def _number(node: ast.expr, reading: _Reading) -> int | None:
    """An int that the program says plainly, also within `tf.constant`."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Name):
        return reading.numbers.get(node.id)
    if isinstance(node, ast.Call) and _name(node.func) == "constant" and node.args:
        return _number(node.args[0], reading)
    return None


def _name(node: ast.expr) -> str:
    """The last part of a dotted name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _decorated(node: ast.FunctionDef) -> bool:
    for one in node.decorator_list:
        called = one.func if isinstance(one, ast.Call) else one
        if _name(called) in {"function", "npu_compat_function"}:
            return True
    return False


def _loop(node: ast.FunctionDef) -> Loop | None:
    """The loop of a function that takes batches from an iterator, or None."""
    loops = [n for n in _within(node) if isinstance(n, ast.For | ast.While)]
    taking = [n for n in loops if _takes(n)]
    ranges = [r for n in taking if (r := _range(n)) is not None]
    if not ranges:
        return None
    (bound, *_) = ranges
    steps: str | int | None = None
    if isinstance(bound, ast.Name):
        steps = bound.id
    elif isinstance(bound, ast.Constant) and type(bound.value) is int:
        steps = bound.value
    reasons = []
    outer = [n for n in node.body if isinstance(n, ast.For | ast.While)]
    if len(outer) > 1:
        reasons.append(SEVERAL)
    returned = [n for n in _within(node) if isinstance(n, ast.Return) and n.value]
    if any(not _is_none(n.value) for n in returned):
        reasons.append(RETURNS)
    return Loop(node, steps, reasons)


def _is_none(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _within(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, not those of functions inside it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield child
            yield from _within(child)


def _takes(node: ast.AST) -> bool:
    calls = (n for n in ast.walk(node) if isinstance(n, ast.Call))
    return any(_name(n.func) in TAKES for n in calls)


def _range(node: ast.AST) -> ast.expr | None:
    """The bound of a `for _ in tf.range(bound)`."""
    if not isinstance(node, ast.For) or not isinstance(node.iter, ast.Call):
        return None
    function, arguments = node.iter.func, node.iter.args
    of_tf = isinstance(function, ast.Attribute) and function.attr == "range"
    return arguments[0] if of_tf and len(arguments) == 1 else None


def _note(
    reading: _Reading, node: ast.AST, code: str, *, sure: bool, **facts: object
) -> None:
    first = getattr(node, "lineno", 1)
    last = first if isinstance(node, ast.FunctionDef) else node.end_lineno or first  # type: ignore[attr-defined]
    if isinstance(node, ast.FunctionDef):
        facts["function"] = node.name
    place = Place("", first, getattr(node, "col_offset", 0) + 1)
    lines = range(first, last + 1)
    reading.found.append(Finding(diagnose(code, **facts), place, lines, not sure))
