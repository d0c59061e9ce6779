"""Rules about the setter: its result, its place, its session, its number."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from npu_lab.extras.check.findings import Finding, found
from npu_lab.extras.check.questions import (
    OPTION,
    Sink,
    above_one,
    counts_of,
    depends,
    sinks,
)
from npu_lab.extras.check.rules.rule import Rule
from npu_lab.extras.check.values import Value, count_of, same
from npu_lab.extras.check.world import Loop, Session, World

_OP_BY_NAME = ('"IterationOp', "'IterationOp")


def _never_run(world: World) -> Iterator[Sink]:
    """Marked operations that nothing can run."""
    if any(name in world.text for name in _OP_BY_NAME):
        return
    for sink in sinks(world):
        result = sink.result
        if sink.above_one == "no" or result.fetched or result.escaped:
            continue
        original_run = any(
            one is result.original for run in world.runs for one in run.fetches.flat()
        )
        if sink.setter.discarded or original_run:
            yield sink


def result_not_run(world: World) -> Iterator[Finding]:
    """The setter's result is thrown away or never fetched."""
    for sink in _never_run(world):
        sure = sink.above_one == "yes" and _trains(world, sink)
        run = sink.result.original.text or "train_op"
        yield found("SINK001", sink.setter.where, sure=sure, option=sink.n, run=run)


def _trains(world: World, sink: Sink) -> bool:
    """Whether the original is run, or the session runs something in a loop."""
    original, session = sink.result.original, sink.session
    return any(
        (run.session is session and run.where.loops)
        or any(one is original for one in run.fetches.flat())
        for run in world.runs
    )


def time_scaled(world: World) -> Iterator[Finding]:
    """A time or speed is scaled by N, though no loop is built."""
    idle = [sink.n for sink in _never_run(world) if sink.above_one == "yes"]
    if not world.setters:
        idle += [
            n
            for config in world.configs
            for n in counts_of(config)
            if above_one([n]) == "yes" and config.seen_whole
        ]
    for where, value in world.scaled_times:
        for n in idle:
            if depends(value, n) or f"*{n.known}" in value.leaves:
                by_name = bool(n.leaves & value.leaves)
                if by_name or n.known not in {60, 100, 1000, 3600}:
                    yield found("SINK011", where, sure=by_name, iterations=n)


def called_in_a_loop(world: World) -> Iterator[Finding]:
    """The setter is called in every round of a loop."""
    for sink in sinks(world):
        if sink.above_one == "no":
            continue
        setter, session = sink.setter, sink.session
        born = (
            session.where.loops
            if isinstance(session, Session) and session.where
            else ()
        )
        fresh = {loop for graph in world.graphs for loop in graph.loops}
        fresh.update(loop for loop in (*born, *session.born) if isinstance(loop, Loop))
        loops = [one for one in setter.where.loops if one not in fresh]
        if not loops:
            continue
        guards = [
            (getattr(node, "test", None), side)
            for node, side in setter.where.branches
            if _inside(node, loops[0].node)
        ]
        if _runs_once(loops[-1]) or any(_is_once(*guard) for guard in guards):
            continue
        guards = [one for one in guards if _may_change(one[0], loops[0].node)]
        per_step = loops[-1].bound is not None or isinstance(loops[-1].node, ast.While)
        sure = not guards and (per_step or isinstance(session, Session))
        yield found("SINK002", setter.where, sure=sure, loop=_head(loops[-1].node))


def _inside(node: ast.AST, outer: ast.AST) -> bool:
    return any(one is node for one in ast.walk(outer))


def _may_change(test: ast.AST | None, loop: ast.AST) -> bool:
    """Whether a test may go another way in another round of the loop."""
    if test is None:
        return False
    nodes = list(ast.walk(test))
    used = {one.id for one in nodes if isinstance(one, ast.Name)}
    stored = {
        one.id
        for one in ast.walk(loop)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    called = any(isinstance(one, (ast.Call, ast.Attribute)) for one in nodes)
    return bool(used & stored) or called


def _runs_once(loop: Loop) -> bool:
    body = getattr(loop.node, "body", [])
    if not isinstance(body, list):
        return False
    inside = [stmt for one in body if isinstance(one, ast.Try) for stmt in one.body]
    return any(isinstance(one, ast.Break) for one in (*body, *inside))


def _is_once(test: ast.AST | None, side: bool) -> bool:
    """Whether a branch is taken in one round only: `step == 0`, `not made`."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and side:
        return any(_is_once(one, side) for one in test.values)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        right = test.comparators[0]
        plain = isinstance(test.left, (ast.Name, ast.Attribute))
        once = isinstance(test.ops[0], (ast.Eq, ast.Is)) and isinstance(
            right, (ast.Constant, ast.Name)
        )
        return plain and once and side
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and side


def _head(node: ast.AST) -> str:
    if isinstance(node, ast.While):
        return f"while {ast.unparse(node.test)}"
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"
    return "for ... in ..."


def called_again(world: World) -> Iterator[Finding]:
    """A second setter in one graph, so the name IterationOp is taken."""
    for first, second in combinations(sinks(world), 2):
        one, other = first.setter, second.setter
        both = first.above_one == second.above_one == "yes"
        both &= one.kind == other.kind == "set"
        same_graph = first.session is second.session and isinstance(
            first.session, Session
        )
        if (
            both
            and same_graph
            and one.graph is other.graph
            and one.where.node is not other.where.node
            and not one.where.excludes(other.where)
        ):
            yield found("SINK018", other.where, op="IterationOp_1", option=second.n)


def called_in_a_scope(world: World) -> Iterator[Finding]:
    """The setter is called in a name scope, so its operation has another name."""
    for sink in sinks(world):
        scopes = sink.setter.where.scopes
        if scopes and sink.above_one != "no":
            op = "/".join((*scopes, "IterationOp"))
            sure = sink.above_one == "yes"
            yield found("SINK019", sink.setter.where, sure=sure, op=op, option=sink.n)


def graph_is_frozen(world: World) -> Iterator[Finding]:
    """The setter changes a graph that cannot be changed any more."""
    for sink in sinks(world):
        frozen_by = sink.setter.frozen_by
        if (
            frozen_by is not None
            and sink.above_one != "no"
            and not frozen_by.excludes(sink.setter.where)
        ):
            by = ast.unparse(getattr(frozen_by.node, "func", frozen_by.node))
            sure = sink.above_one == "yes" or sink.setter.kind == "create"
            yield found("SINK014", sink.setter.where, sure=sure, frozen_by=by)


def two_numbers(world: World) -> Iterator[Finding]:
    """The setter and the session's options say different N."""
    for sink in sinks(world):
        yield from _two_numbers(world, sink)
    hooks = [one for one in world.hooks if one.name == "SetIterationsVarHook"]
    options = [n for config in world.configs for n in counts_of(config)]
    for hook in hooks:
        n = hook.arguments.get(OPTION)
        if n is not None and len(options) == 1 and _differ(n, options[0]):
            yield found("SINK007", hook.where, option=options[0], loaded=n)


def _two_numbers(world: World, sink: Sink) -> Iterator[Finding]:
    where = sink.setter.where
    if sink.setter.kind == "create":
        loads = (one.where for one in world.setters if one.kind == "load")
        where = next(loads, where)
    above = sink.above_one
    if sink.bare and above == "yes":
        yield found("SINK017", where, option=1, loaded=sink.n)
    config = sink.config
    if config is None or above == "no":
        return
    options = counts_of(config)
    if not options and config.seen_whole and not config.options.get(OPTION):
        sure = sink.linked and above == "yes"
        yield found("SINK017", where, sure=sure, option=1, loaded=sink.n)
    if len(options) != 1:
        return
    option = options[0]
    if count_of(option) == 1 and above == "yes":
        yield found("SINK017", where, sure=sink.linked, option=1, loaded=sink.n)
    elif _differ(sink.n, option):
        yield found("SINK007", where, sure=sink.linked, option=option, loaded=sink.n)
    elif not same(sink.n, option) and _related_nowhere(sink.n, option):
        yield found("SINK007", where, sure=False, option=option, loaded=sink.n)


def _differ(first: Value, second: Value) -> bool:
    one, other = count_of(first), count_of(second)
    return one is not None and other is not None and one != other


def _related_nowhere(first: Value, second: Value) -> bool:
    """One is a number, the other comes from outside the program."""
    if first.is_known == second.is_known:
        return not first.is_known and not (first.leaves & second.leaves)
    return True


def bad_number(world: World) -> Iterator[Finding]:
    """N is no whole number of at least 1."""
    for setter in world.setters:
        if setter.kind != "create" and _is_bad(setter.n):
            yield found("SINK032", setter.where, value=setter.n)
    for config in world.configs:
        for setting in config.settings(OPTION):
            if setting.proto_field == "i" and _is_bad(setting.value):
                yield found("SINK032", setting.where, value=setting.value)
    for run_config in world.run_configs:
        n = run_config.arguments.get(OPTION)
        if run_config.vendor and n is not None and _is_bad(n):
            yield found("SINK032", run_config.where, value=n)


def _is_bad(n: Value) -> bool:
    whole = count_of(n)
    return n.is_known and n.known is not None and (whole is None or whole < 1)


_DOCS = "the vendor's guide to sinking the training loop"
_ADAPTER = "the adapter's source"
RULES = (
    Rule(
        ("SINK001",),
        "the result of set_iteration_per_loop is thrown away, or the operation that was"
        " given to it is run",
        _DOCS,
        result_not_run,
    ),
    Rule(
        ("SINK011",),
        "a time is multiplied or divided by N while no loop is built",
        "public scripts",
        time_scaled,
    ),
    Rule(
        ("SINK002",),
        "set_iteration_per_loop inside a for or while, or in a function called there",
        _ADAPTER,
        called_in_a_loop,
    ),
    Rule(("SINK018",), "two setters for one session", _ADAPTER, called_again),
    Rule(("SINK019",), "a setter in a name scope", _ADAPTER, called_in_a_scope),
    Rule(
        ("SINK014",),
        "a setter after Supervisor, MonitoredTrainingSession or finalize()",
        _DOCS,
        graph_is_frozen,
    ),
    Rule(
        ("SINK007", "SINK017"),
        "different N in the session's options and in the setter or hook",
        _DOCS,
        two_numbers,
    ),
    Rule(("SINK032",), "N below 1, or not a whole number", _ADAPTER, bad_number),
)
