"""Goes through a program once, in its order, and notes the events.

No value is computed that is not constant. Loops are gone through once, both branches of
an `if` are, and functions of the file where they are called; those that nobody calls
are gone through at the end.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from itertools import chain

from npu_lab.extras.check import effects, expressions
from npu_lab.extras.check.scopes import Scope
from npu_lab.extras.check.statements import STATEMENTS
from npu_lab.extras.check.values import (
    Class,
    Function,
    Instance,
    Value,
    constant,
    either,
    named,
    unknown,
)
from npu_lab.extras.check.values import (
    Sequence as SequenceValue,
)
from npu_lab.extras.check.world import Loop, Where, World

MOST_STATEMENTS = 30_000
DEEPEST_CALL = 6


class Machine:
    """The state of the walk: where it is, what names mean, what was seen."""

    def __init__(self, text: str) -> None:
        self.world = World(text=text)
        self.scope = Scope()
        self.flags: dict[str, Value] = {}
        self.loops: tuple[Loop, ...] = ()
        self.branches: tuple[tuple[ast.AST, bool], ...] = ()
        self.scopes: tuple[str, ...] = ()
        self.calls: list[ast.AST] = []
        self.returned: list[list[Value]] = []
        self.instances: dict[Class, Instance] = {}
        self.entered: set[ast.AST] = set()
        self.made: set[Class] = set()
        self.frozen_by: Where | None = None
        self.graph: object = None
        self.left = MOST_STATEMENTS

    @property
    def gave_up(self) -> bool:
        """Whether the program was too long to be gone through to its end."""
        return self.left < 0

    def where(self, node: ast.AST) -> Where:
        """The present place."""
        return Where(node, self.loops, self.branches, self.scopes)

    def evaluate(self, node: ast.expr | None) -> Value:
        """What is known of an expression; its calls are noted."""
        return constant(None) if node is None else expressions.evaluate(self, node)

    def program(self, tree: ast.Module) -> World:
        """Go through a whole module."""
        self.block(tree.body)
        used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        used |= {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
        functions = self.world.functions
        first = [one for one in functions if self._is_start(one, used)]
        for function in chain(first, functions):  # it grows by functions in functions
            if function.node not in self.entered:
                self._start(function)
        return self.world

    def _is_start(self, function: Function, used: set[str]) -> bool:
        name = getattr(function.node, "name", "")
        return name == "main" or name not in used

    def _start(self, function: Function) -> None:
        self.frozen_by, self.graph = None, None
        self.loops = self.branches = self.scopes = ()
        effects.escape(self.call(function, [], {}))

    def call(
        self, function: Function, given: Sequence[Value], named_: dict[str, Value]
    ) -> Value:
        """Go through a function of the file with these arguments."""
        node = function.node
        if node is None or node in self.calls or len(self.calls) >= DEEPEST_CALL:
            for value in (*given, *named_.values()):
                effects.escape(value)
            return unknown(getattr(node, "name", ""), *given, *named_.values())
        self.entered.add(node)
        scope = Scope(function.scope)
        self._arguments(function, scope, list(given), named_)
        outer, self.scope = self.scope, scope
        self.calls.append(node)
        self.returned.append([])
        try:
            if isinstance(node, ast.Lambda):
                self.returned[-1].append(self.evaluate(node.body))
            else:
                self.block(node.body)
        finally:
            self.scope = outer
            self.calls.pop()
        results = self.returned.pop()
        return reduce(either, results) if results else constant(None)

    def _arguments(
        self,
        function: Function,
        scope: Scope,
        given: list[Value],
        named_: dict[str, Value],
    ) -> None:
        node = function.node
        assert node is not None  # noqa: S101  (only library functions have none)
        arguments = node.args
        if function.bound is not None:
            given = [function.bound, *given]
        plain = [*arguments.posonlyargs, *arguments.args]
        defaults = dict(
            zip(reversed(plain), reversed(arguments.defaults), strict=False)
        )
        by_name = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        defaults |= {one: default for one, default in by_name if default is not None}
        for position, one in enumerate([*plain, *arguments.kwonlyargs]):
            if position < len(given) and position < len(plain):
                value = given[position]
            elif one.arg in named_:
                value = named_[one.arg]
            elif one in defaults:
                value = self.evaluate(defaults[one])
            else:
                value = unknown(one.arg)
            scope.names[one.arg] = named(value, one.arg)
        for rest in (arguments.vararg, arguments.kwarg):
            if rest is not None:
                scope.names[rest.arg] = unknown(rest.arg, *given, *named_.values())

    # Statements

    def block(self, statements: Sequence[ast.stmt]) -> bool:
        """Go through statements; whether their end cannot be reached."""
        branches = self.branches
        ended = False
        for statement in statements:
            self.left -= 1
            ended = self.left >= 0 and self._statement(statement)
            if ended or self.left < 0:
                break
        self.branches = branches
        return ended

    def _statement(self, node: ast.stmt) -> bool:
        handler = STATEMENTS.get(type(node))
        if handler is not None:
            return bool(handler(self, node))
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.evaluate(child)
        return isinstance(node, (ast.Raise, ast.Continue, ast.Break))

    def assign(self, target: ast.expr, value: Value) -> None:
        """Bind what stands on the left of `=`."""
        if isinstance(target, ast.Name):
            self.counter_changes(target.id, None)
            self.scope.bind(target.id, named(value, target.id))
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = value.items if isinstance(value, SequenceValue) else []
            fits = len(items) == len(target.elts) and not any(
                isinstance(one, ast.Starred) for one in target.elts
            )
            for position, one in enumerate(target.elts):
                self.assign(one, items[position] if fits else unknown("", value))
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value)
        elif isinstance(target, ast.Attribute):
            effects.set_attribute(self, target, value)
        elif isinstance(target, ast.Subscript):
            effects.set_item(self, target, value)

    def counter_changes(self, name: str, step: Value | None) -> None:
        """A name grows by `step`, or None: changes otherwise, as a loop's counter."""
        for loop in self.loops:
            if loop.counter == name and isinstance(loop.node, ast.While):
                loop.step = step
                if step is None:
                    loop.bound = None

    def decide(self, test: ast.expr) -> bool | None:
        """Which way a test goes: known for comparisons of numbers, and main guards."""
        if _is_main_guard(test):
            return True
        value = self.evaluate(test)
        if isinstance(test, ast.Compare) and value.is_known:
            return bool(value.known)
        return None

    def fork(
        self, node: ast.AST, ways: Sequence[tuple[bool, Sequence[ast.stmt]]]
    ) -> bool:
        """Go through several ways of a branch; names then hold either value."""
        before, branches = dict(self.scope.names), self.branches
        ends, open_sides = [], []
        for side, statements in ways:
            self.scope.names = dict(before)
            self.branches = (*branches, (node, side))
            if not self.block(statements):
                ends.append(self.scope.names)
                open_sides.append(side)
        self.branches = branches
        if not ends:
            self.scope.names = before
            return True
        merged = dict(ends[0])
        for names in ends[1:]:
            for name, value in names.items():
                mine = merged.get(name, before.get(name))
                merged[name] = value if mine is None else either(mine, value)
        self.scope.names = merged
        if len(open_sides) < len(ways):  # what follows is in the branch that goes on
            self.branches = (*branches, (node, open_sides[0]))
        return False

    @contextmanager
    def inside(self, *loops: Loop) -> Iterator[None]:
        """Be in these loops."""
        outer = self.loops
        self.loops = (*outer, *loops)
        try:
            yield
        finally:
            self.loops = outer

    def instance(self, made: Class) -> Instance:
        """The first object of a class, also `self` of the methods nobody calls."""
        return self.instances.setdefault(made, Instance(made.text, of=made))


def _is_main_guard(test: ast.expr) -> bool:
    return (
        isinstance(test, ast.Compare)
        and "__name__" in ast.unparse(test)
        and isinstance(test.ops[0], ast.Eq)
    )
