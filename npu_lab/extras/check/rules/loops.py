"""Rules about the Python loop that runs the sunk operation, and what it feeds."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Literal

from npu_lab.extras.check.findings import Finding, found
from npu_lab.extras.check.questions import Sink, depends, sunk_runs, words
from npu_lab.extras.check.rules.rule import Rule
from npu_lab.extras.check.values import Mapping, Value, count_of, same, shown
from npu_lab.extras.check.world import Loop, Placeholder, Run, World

_COUNTS_CALLS = {
    "call",
    "calls",
    "host",
    "loop",
    "loops",
    "outer",
    "run",
    "runs",
    "round",
    "rounds",
    "launches",
}
_COUNTS_STEPS = {
    "batch",
    "batches",
    "examples",
    "iter",
    "iteration",
    "iterations",
    "iters",
    "num",
    "samples",
    "step",
    "steps",
    "total",
}
_IS_SCALAR = re.compile(
    r"(^|[._])(lr|learning_?rate|keep_?prob|dropout|drop_?rate|is_?train(ing)?|training"
    r"|train_?(phase|flag|mode)|phase|momentum|decay|temperature)($|[._0-9])",
    re.IGNORECASE,
)
_IS_DATA = re.compile(
    r"batch|data|imag|img|label|input|feature|target|sample|(^|[._])[xy]s?(_|$)",
    re.IGNORECASE,
)


def not_divided(world: World) -> Iterator[Finding]:
    """The loop still counts steps, though each call makes N of them."""
    for run, sink in sunk_runs(world):
        loops = _around(run, sink)
        if not loops or any(not _is_plain(loop, sink.n) for loop in loops):
            continue
        if _by_calls(world, loops, sink.n) or _only_each_n(run, loops, sink.n):
            continue
        if len(loops) == 1 and words(sink.n.text, *sink.n.leaves) & {"epoch", "epochs"}:
            continue  # a call for each epoch
        answer = _counts([loop for loop in loops if loop.bound is not None])
        if answer == "calls":
            continue
        bound = loops[-1].bound
        sure = answer == "steps" and sink.sure
        text = "" if bound is None else bound.text
        text = text if re.fullmatch(r"[\w.]*", text) else f"({text})"
        yield found("SINK003", run.where, sure=sure, bound=text, iterations=sink.n)


def _around(run: Run, sink: Sink) -> list[Loop]:
    """The loops around a run that are not around the setter, too."""
    outside = set(sink.setter.where.loops)
    return [loop for loop in run.where.loops if loop not in outside]


def _is_plain(loop: Loop, n: Value) -> bool:
    """Whether a loop surely makes as many rounds as before: N is nowhere in it."""
    if loop.bound is None or loop.leaves_early:
        return False
    if loop.step is not None and count_of(loop.step) != 1:
        return False
    return not any(depends(one, n) for one in loop.bound.each())


def _by_calls(world: World, loops: list[Loop], n: Value) -> bool:
    """Whether a counter is multiplied by N, so it was meant to count calls."""
    return any(
        loop in loops and (depends(factor, n) or same(factor, n))
        for loop, factor in world.counter_products
    )


def _only_each_n(run: Run, loops: list[Loop], n: Value) -> bool:
    """Whether the run stands below a test in which N occurs, such as `step % N`."""
    names = {leaf for leaf in n.leaves if leaf[0] not in "#/*"} | {n.text}
    inside = {id(node) for loop in loops for node in ast.walk(loop.node)}
    for node, _ in run.where.branches:
        test = getattr(node, "test", None)
        if test is not None and id(node) in inside:
            used = {ast.unparse(one) for one in ast.walk(test)}
            if names & used or str(n.known) in used:
                return True
    return False


def _counts(loops: list[Loop]) -> Literal["steps", "calls", ""]:
    """What a loop counts, as its names say."""
    names: set[str] = set()
    literal = True
    for loop in loops:
        assert loop.bound is not None  # noqa: S101  (asked before)
        inside = [leaf for leaf in loop.bound.leaves if leaf[0] not in "#/*"]
        literal &= loop.bound.is_known and not inside
        names |= words(loop.bound.text, *inside)
    counters = set().union(*(words(loop.counter) for loop in loops))
    steps = not literal and bool(names & _COUNTS_STEPS)
    if (names | counters) & _COUNTS_CALLS or (counters == {""} and not steps):
        return "calls"
    return "steps" if steps and all(_is_of_data(loop) for loop in loops) else ""


def _is_of_data(loop: Loop) -> bool:
    """Whether a bound is no quotient, or one of examples by the size of a batch."""
    quotient = None if loop.bound is None else loop.bound.quotient
    if quotient is None:
        return True
    names = words(*(f"{one.text} {' '.join(one.leaves)}" for one in quotient))
    return bool(names & {"batch", "examples", "samples", "images", "len"})


def fed(world: World) -> Iterator[Finding]:
    """A run of the sunk operation is fed: one value for all N iterations."""
    for run, sink in sunk_runs(world):
        if run.feed is None or run.feed.known is None:
            continue
        sure = sink.sure
        for feed in run.feed.each():
            if isinstance(feed, Mapping):
                yield from _fed_items(run, sink, feed, sure=sure)
            elif feed.known is not None:
                name = feed.text or "feed_dict"
                yield found(
                    "SINK004", run.where, sure=False, feeds=name, iterations=sink.n
                )


def _fed_items(run: Run, sink: Sink, feed: Mapping, *, sure: bool) -> Iterator[Finding]:
    kinds = [
        (_kind(key, value), _name(key))
        for key, value in feed.items
        if not (isinstance(key, Placeholder) and key.of_text)  # an iterator's handle
    ]
    data = [name for kind, name in kinds if kind == "data"]
    perhaps = [name for kind, name in kinds if kind == "perhaps"]
    scalars = [name for kind, name in kinds if kind == "scalar"]
    if not (data or perhaps or feed.whole):
        perhaps = [feed.text]
    if data or perhaps:
        yield found(
            "SINK004",
            run.where,
            sure=sure and bool(data),
            feeds=data or perhaps,
            iterations=sink.n,
        )
    if scalars:
        yield found("SINK039", run.where, sure=sure, feeds=scalars, iterations=sink.n)


def _name(key: Value) -> str:
    return str(shown(key))


def _kind(key: Value, value: Value) -> Literal["data", "scalar", "perhaps"]:
    name = _name(key)
    rank = key.rank if isinstance(key, Placeholder) else None
    if rank is not None:
        return "data" if rank else "scalar"
    if _IS_SCALAR.search(name) or isinstance(value.known, (bool, int, float)):
        return "scalar"
    if _IS_DATA.search(name) or _IS_DATA.search(value.text):
        return "data"
    return "perhaps"


def not_a_multiple(world: World) -> Iterator[Finding]:
    """The number of steps cannot be made of whole loops of N."""
    if world.remainders and _cares(world):
        return
    for run, sink in sunk_runs(world):
        n = count_of(sink.n)
        if n is None or n <= 1:
            continue
        for loop in _around(run, sink):
            total = _total(loop, n)
            if total is not None and total % n:
                yield _multiple(run, loop.bound, total, sink.n)
        yield from _step_tests(world, sink, n)


def _cares(world: World) -> bool:
    """Whether the program computes the rest of a division by N."""
    ns = [sink.n for _, sink in sunk_runs(world)]
    tests = {id(test) for _, _, test in world.step_tests}
    return any(
        rest is n or count_of(rest) == count_of(n) or rest.leaves & n.leaves
        for rest in world.remainders
        if id(rest) not in tests
        for n in ns
    )


def _total(loop: Loop, n: int) -> int | None:
    """The number of steps that a loop over calls divides, or goes through by N."""
    if loop.bound is None or loop.leaves_early:
        return None
    if loop.step is not None:
        return count_of(loop.bound) if count_of(loop.step) == n else None
    if loop.bound.quotient is None:
        return None
    total, divisor = loop.bound.quotient
    return count_of(total) if count_of(divisor) == n else None


def _multiple(run: Run, bound: Value | None, total: int, n: Value) -> Finding:
    text = "steps"
    if bound is not None:
        above = bound.quotient[0] if bound.quotient else bound
        names = sorted(leaf for leaf in above.leaves if leaf[0] not in "#/*")
        text = above.text if names else text
    return found("SINK008", run.where, what=text, value=total, iterations=n)


def _step_tests(world: World, sink: Sink, n: int) -> Iterator[Finding]:
    """`step % 25 == 0` where step grows by N = 10 is true every 50 steps only."""
    for where, loop, every in world.step_tests:
        interval = count_of(every)
        grows = count_of(loop.step) if loop.step is not None else None
        if interval is not None and grows == n and interval % n:
            yield found(
                "SINK008", where, what="interval", value=interval, iterations=sink.n
            )


_DOCS = "the vendor's guide to sinking the training loop"
RULES = (
    Rule(
        ("SINK003",),
        "the loop around session.run has a bound in which N does not occur",
        _DOCS,
        not_divided,
    ),
    Rule(
        ("SINK004", "SINK039"),
        "feed_dict in a run that fetches the sunk operation",
        "the adapter's source",
        fed,
    ),
    Rule(
        ("SINK008",),
        "a number of steps, or an interval of steps, that N does not divide",
        _DOCS,
        not_a_multiple,
    ),
)
