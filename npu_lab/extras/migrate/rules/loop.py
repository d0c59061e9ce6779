"""The sunk loop (`--iterations-per-loop N`), where it is proved safe."""

from __future__ import annotations

import libcst as cst

from npu_lab.extras.migrate.rules import manual
from npu_lab.extras.migrate.rules.base import Refused, is_name, takes
from npu_lab.extras.migrate.rules.dropping import Editing
from npu_lab.extras.migrate.rules.entry import Card, option_lines
from npu_lab.extras.source import arguments
from npu_lab.extras.source.names import Names, text_of
from npu_lab.extras.source.walking import walk

_RUNS = ("tf.Session().run", "tf.InteractiveSession().run")
_FINAL = (
    "tf.train.MonitoredTrainingSession().run",
    "tf.train.SingularMonitoredSession().run",
    "tf.train.MonitoredSession().run",
)
_TRAINS = (".minimize()", ".apply_gradients()")
_STEPS = ("steps", "max_steps")

_BEFORE = (
    "import tensorflow as tf\nit = tf.compat.v1.data.make_initializable_iterator(ds)\n"
    "op = tf.train.AdamOptimizer(.1).minimize(loss)\n"
    "with tf.Session() as s:\n    s.run(it.initializer)\n"
    "    for _ in range(100):\n        s.run(op)\n"
)


class SunkLoop(Card):
    """L1: N steps of training in each call."""

    id = "L1"
    profiles = ("manual",)
    trigger = "--iterations-per-loop N: a loop of N steps or more that only trains"
    before = _BEFORE
    after = (
        "from npu_bridge.npu_init import *\n"
        + _BEFORE.partition("with")[0]
        + "npu_config = tf.ConfigProto()\n"
        + "\n".join(option_lines("npu_config", "custom_op", 10))
        + "\nwith tf.Session(config=npu_config) as s:\n    s.run(it.initializer)\n"
        "    npu_train_op = util.set_iteration_per_loop(s, op, 10)\n"
        "    for _ in range(10):\n        s.run(npu_train_op)\n"
    )
    reason = (
        "the device runs N steps before it answers: fewer calls, the same steps",
        "Device 连续执行 N 步后才返回：调用更少，训练步数不变",
    )
    source = (
        "the documented use of iterations_per_loop",
        "文档中 iterations_per_loop 的用法",
    )


def plan(work: Editing) -> None:
    """Sink the file's loop, or say what is in the way."""
    context = work.context
    if context.options.loop <= 1 or not context.options.tf1:
        return
    names, loop = context.names, context.options.loop
    if _calls(names, "set_iteration_per_loop"):
        return
    found = _training_runs(names)
    estimators = manual.calls_of(names, manual.ESTIMATOR)
    for node in found or estimators:
        try:
            if found:
                _Session(work, node, loop).sink(alone=len(found) == 1)
            else:
                _estimator(names, loop)
                context.sunk = True
        except Refused as refused:
            context.say("L1", "hand", node, refused.reason, refused.facts)


def is_call(node: cst.CSTNode, name: str) -> bool:
    """Whether a node calls something of this last name."""
    if not isinstance(node, cst.Call):
        return False
    func = node.func
    return (isinstance(func, cst.Attribute) and func.attr.value == name) or (
        isinstance(func, cst.Name) and func.value == name
    )


def _calls(names: Names, name: str) -> bool:
    """Whether the module calls something of this last name, by whatever alias."""
    return any(
        isinstance(node, cst.Call)
        and (is_call(node, name) or (names.path(node.func) or "").endswith(f".{name}"))
        for node in names.nodes
    )


def _training_runs(names: Names) -> list[cst.Call]:
    """The calls of a session that run an optimizer's step."""
    return [
        node
        for node in names.nodes
        if isinstance(node, cst.Call)
        and names.path(node.func) in {*_RUNS, *_FINAL}
        and _operations(names, node)
    ]


def _operations(names: Names, run: cst.Call) -> list[cst.Name]:
    """The names among the fetches of a run that are training operations."""
    fetches = arguments.value(run, "fetches", ("fetches",))
    if fetches is None:
        return []
    return [
        node
        for node in walk(fetches)
        if isinstance(node, cst.Name) and (names.path(node) or "").endswith(_TRAINS)
    ]


def _data(names: Names) -> None:
    """The data must come from a Dataset, by an iterator that is initialised."""
    if _calls(names, "make_one_shot_iterator"):
        raise Refused("one shot")
    if "mix_compile_mode" in names.module.code:
        raise Refused("mixed")


def constant(names: Names, node: cst.CSTNode | None) -> int | None:
    """The whole number that an expression is, followed through one assignment."""
    if isinstance(node, cst.Name):
        assigned = manual.one_assignment(names, node)
        node = assigned.value if assigned is not None else None
    return int(node.value, 0) if isinstance(node, cst.Integer) else None


class _Session:
    """A loop of calls of `session.run`."""

    def __init__(self, work: Editing, run: cst.Call, loop: int) -> None:
        self._work, self._run, self._loop = work, run, loop
        self._names = work.context.names

    def sink(self, *, alone: bool) -> None:
        """Make the edits.

        Raises:
            Refused: something is in the way.
        """
        names, parent = self._names, self._names.scopes.parent
        if not alone:
            raise Refused("several loops")
        if names.path(self._run.func) in _FINAL:
            raise Refused("finalised")
        _data(names)
        if not _calls(names, "make_initializable_iterator"):
            raise Refused("no iterator")
        given = {a.keyword.value for a in self._run.args if a.keyword}
        if (
            len(self._run.args) != 1
            or arguments.starred(self._run)
            or (given - {"fetches"})
        ):
            raise Refused("fed")
        statement = self._run
        above = parent[statement]
        while not isinstance(above, (cst.For, cst.While, cst.FunctionDef, cst.Module)):
            statement, above = above, parent[above]  # type: ignore[assignment]
        if not isinstance(above, cst.For):
            raise Refused("no loop")
        count = self._only_trains(above)
        self._once(above)
        self._configured()
        operations = _operations(names, self._run)
        if len(operations) != 1:
            raise Refused("several operations")
        self._write(operations[0], count)

    def _only_trains(self, loop: cst.For) -> cst.Call:
        """The loop's range(...), when all it does is to run the operation."""
        body = loop.body
        small = (
            [
                s
                for line in body.body
                for s in (
                    line.body if isinstance(line, cst.SimpleStatementLine) else [line]
                )
            ]
            if isinstance(body, cst.IndentedBlock)
            else list(body.body)
        )
        only = len(small) == 1 and isinstance(small[0], (cst.Expr, cst.Assign))
        if not only or getattr(small[0], "value", None) is not self._run or loop.orelse:
            raise Refused("does more")
        if not isinstance(loop.target, cst.Name):
            raise Refused("does more")
        used = [
            n for n in walk(body) if isinstance(n, cst.Name) and n is not loop.target
        ]
        if any(n.value == loop.target.value for n in used):
            raise Refused("does more")
        called = loop.iter
        ranged = (
            isinstance(called, cst.Call)
            and self._names.path(called.func) == "builtins.range"
            and len(called.args) == 1
        )
        if not ranged or not isinstance(called, cst.Call):
            raise Refused("no range")
        steps = constant(self._names, called.args[0].value)
        if steps is None:
            raise Refused("steps unknown")
        if steps % self._loop:
            raise Refused("no multiple", steps=steps, loop=self._loop)
        return called

    def _once(self, loop: cst.For) -> None:
        """The loop's variables are made where it begins, so it may begin once only."""
        names = self._names
        above = names.scopes.parent.get(loop)
        while above is not None:
            if isinstance(above, (cst.For, cst.While, cst.ClassDef)):
                raise Refused("repeated")
            if isinstance(above, cst.FunctionDef):
                calls = [n for n in names.nodes if is_call(n, above.name.value)]
                if len(calls) > 1:
                    raise Refused("repeated")
            above = names.scopes.parent.get(above)

    def _configured(self) -> None:
        """The options can be written into the config of every session of the file."""
        names = self._names
        for name in ("util", "RewriterConfig"):
            if takes(names, name):
                raise Refused("name taken", name=name)
        for call in manual.calls_of(names, "tf.Session") + manual.calls_of(
            names, "tf.InteractiveSession"
        ):
            given = arguments.value(call, "config", ("target", "graph", "config"))
            plain = given is None or is_name(given, "None")
            path = None if given is None else names.path(given)
            if isinstance(given, cst.Name) and not plain:
                plain = manual.one_assignment(names, given) is not None
                plain = plain and path == "tf.ConfigProto()"
            elif not plain:
                plain = path == "tf.ConfigProto()"
            if not plain or arguments.starred(call):
                raise Refused("config unknown")
            manual.place_before(names, call)
            written = any(
                isinstance(n, cst.SimpleString) and n.raw_value == "NpuOptimizer"
                for n in names.nodes
            )
            if written:
                raise Refused("configured")

    def _write(self, operation: cst.Name, count: cst.Call) -> None:
        context = self._work.context
        place = manual.place_before(self._names, count)
        name = manual.fresh(context, "npu_train_op")
        func = self._run.func
        assert isinstance(func, cst.Attribute)  # noqa: S101
        session = text_of(func.value)
        line = (
            f"{name} = util.set_iteration_per_loop({session}, {operation.value},"
            f" {self._loop})"
        )
        context.emitted.add("util")
        context.sunk = True
        context.before.setdefault(place, []).append(lambda: [line])
        self._work.add(operation, lambda _: cst.Name(name))
        steps = count.args[0].value
        fewer: cst.BaseExpression = cst.BinaryOperation(
            steps, cst.FloorDivide(), cst.Integer(str(self._loop))
        )
        if isinstance(steps, cst.Integer):
            fewer = cst.Integer(str(int(steps.value, 0) // self._loop))
        self._work.add(
            count, lambda now: arguments.with_value(now, 0, fewer), "L1", line
        )


def _estimator(names: Names, loop: int) -> None:
    """Every number of steps of the estimators must be a multiple of N.

    Raises:
        Refused: something is in the way.
    """
    _data(names)
    calls = (
        manual.calls_of(names, "tf.estimator.Estimator().train")
        + manual.calls_of(names, "tf.estimator.TrainSpec")
    )  # fmt: skip
    if not calls:
        raise Refused("no loop")
    for call in calls:
        given = [arguments.value(call, name) for name in _STEPS]
        known = [constant(names, value) for value in given if value is not None]
        if not known or None in known or arguments.starred(call):
            raise Refused("steps unknown")
        _multiple(known[0], loop)
    for call in manual.calls_of(names, manual.RUN_CONFIG):
        if manual.refused(call):
            raise Refused("config unknown")
        saved = arguments.value(call, "save_checkpoints_steps", manual.PARAMETERS)
        if saved is not None:
            steps = constant(names, saved)
            if steps is None:
                raise Refused("steps unknown")
            _multiple(steps, loop)


def _multiple(steps: int | None, loop: int) -> None:
    if steps is None or steps % loop:
        raise Refused("no multiple", steps=steps, loop=loop)


RULES = (SunkLoop,)
