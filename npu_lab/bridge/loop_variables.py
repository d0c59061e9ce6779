"""What the sunk loop needs of the graph: four variables and the op `IterationOp`.

The device runs a loop when the graph that it compiles holds an operation of exactly
that name, and the variables have been loaded in the session: the count with N - 1,
because the loop tests it after each pass.  They are local variables, so neither the
global initializer nor a default Saver touches them, and `local_variables_initializer`
sets them back to a loop of one.
"""

from __future__ import annotations

from typing import Any

from tensorflow.core.framework import variable_pb2
from tensorflow.python.framework import ops
from tensorflow.python.util import deprecation

from npu_lab import language
from npu_lab._tensorflow import tf
from npu_lab.bridge.checks import format_string
from npu_lab.diagnostics import diagnose

v1 = tf.compat.v1

SCOPE = "npu_runconfig"
ITERATIONS_PER_LOOP = "iterations_per_loop"
LOOP_COND = "loop_cond"
ZERO = "zero"
ONE = "one"
NAMES = (ITERATIONS_PER_LOOP, LOOP_COND, ZERO, ONE)
ITERATION_OP = "IterationOp"

MESSAGES = {
    "tensor": {
        "en": "train_op is a value of dtype {dtype}, but the need type is Operation:"
        " give what optimizer.minimize() or apply_gradients() returned, not the loss.",
        "zh": "train_op 是 dtype 为 {dtype} 的值，但需要的类型是 Operation："
        "请传入 optimizer.minimize() 或 apply_gradients() 的返回值，而不是 loss。",
    },
    "other": {
        "en": "train_op is a {type}, which has no dtype to name; an Operation is"
        " needed: give what optimizer.minimize() or apply_gradients() returned.",
        "zh": "train_op 的类型是 {type}，没有 dtype；需要 Operation："
        "请传入 optimizer.minimize() 或 apply_gradients() 的返回值。",
    },
    "finalized": {
        "en": "Graph is finalized and cannot be modified: {op} cannot be added for"
        " {train_op} any more. An earlier line or cell finalized the graph, usually by"
        " making a tf.train.Supervisor or a MonitoredSession. Build the model anew, and"
        " call iteration = util.IterationPerLoop() and"
        " iteration.create_iteration_per_loop_var({train_op}) before that line, then"
        " iteration.load_iteration_per_loop_var(sess, N) after it.",
        "zh": "Graph is finalized and cannot be modified："
        "无法再为 {train_op} 添加 {op}。之前的某行代码或单元格已经冻结了图，"
        "通常是因为创建了 tf.train.Supervisor 或 MonitoredSession。"
        "请重新构图，并在那行代码之前调用"
        " iteration = util.IterationPerLoop() 和"
        " iteration.create_iteration_per_loop_var({train_op})，在那行代码之后调用"
        " iteration.load_iteration_per_loop_var(sess, N)。",
    },
    "eager": {
        "en": "The loop is built in a graph, but eager execution is on here. Call this"
        " inside `with graph.as_default():`, where the model was built, or start with"
        " npu_lab.activate(view=True).",
        "zh": "循环要建立在图中，但这里启用了 eager 模式。请在构图所用的"
        " `with graph.as_default():` 中调用，或者用 npu_lab.activate(view=True) 启动。",
    },
    "not created": {
        "en": "The loop variables do not exist yet: call"
        " create_iteration_per_loop_var(train_op) on this object before"
        " load_iteration_per_loop_var, and before the graph is finalized.",
        "zh": "循环变量尚未创建：请在 load_iteration_per_loop_var 之前、图冻结之前，"
        "先对同一个对象调用 create_iteration_per_loop_var(train_op)。",
    },
    "several": {
        "en": "Multiple var in collection {collection}: {count} entries, where a graph"
        " has one loop. Build the model anew, in its own tf.Graph().",
        "zh": "Multiple var in collection：{collection} 中有 {count} 个变量，"
        "而一个图只有一个循环。请在新的 tf.Graph() 中重新构图。",
    },
}


def create_or_get_var(var_name: str) -> Any:
    """The loop variable `var_name` of the default graph, made on first use.

    Raises:
        RuntimeError: its collection holds more than one.
        TypeError: the name is no string.
    """
    format_string(var_name, "var_name")
    graph = v1.get_default_graph()
    collection = f"{SCOPE}_{var_name}"
    known = graph.get_collection(collection)
    if len(known) > 1:
        raise RuntimeError(_text("several", collection=collection, count=len(known)))
    if known:
        return known[0]
    step = v1.train.get_global_step()
    with (
        graph.colocate_with(step, ignore_existing=step is None),
        v1.variable_scope(SCOPE, reuse=v1.AUTO_REUSE),
    ):
        return v1.get_variable(
            var_name,
            shape=[],
            dtype=tf.int64,
            initializer=v1.zeros_initializer(),
            trainable=False,
            collections=[collection, v1.GraphKeys.LOCAL_VARIABLES],
            use_resource=True,
        )


def register_func(var_name: str) -> None:
    """Let a meta graph keep the collection of the loop variable `var_name`."""
    collection = f"{SCOPE}_{var_name}"
    if ops.get_collection_proto_type(collection) is None:
        local = v1.GraphKeys.LOCAL_VARIABLES
        ops.register_proto_function(
            collection,
            proto_type=variable_pb2.VariableDef,
            to_proto=ops.get_to_proto_function(local),
            from_proto=ops.get_from_proto_function(local),
        )


def set_iteration_per_loop(
    sess: Any, train_op: Any, iterations_per_loop: int = 1
) -> Any:
    """Create and load the loop variables; return the operation to run from now on.

    The graph gets `IterationOp`, which runs `train_op`; a second call in the same
    graph, or one in a name scope, gives it another name, and then there is no loop.
    With `iterations_per_loop=1` nothing is made and `train_op` itself is returned.

    Args:
        sess: the session the variables are loaded in, by four runs of its own.
        train_op: the operation that updates the weights.
        iterations_per_loop: training steps per `Session.run`.  The session option of
            the same name must be equal.

    Raises:
        ValueError: `train_op` is a tensor or variable, or the number is below 1.
        AttributeError: `train_op` is something else without a dtype.
        TypeError: the number is not an int.
        RuntimeError: the graph is finalized; `IterationPerLoop` is for that case.
    """
    _check_train_op(train_op)
    checked_iterations(iterations_per_loop)
    if iterations_per_loop == 1:
        return train_op
    _check_graph(train_op)
    variables = create_all()
    load(variables, sess, iterations_per_loop)
    return tf.group(train_op, name=ITERATION_OP)


class IterationPerLoop:
    """The setter in two halves, for a graph that is finalized in between.

    Supervisor and MonitoredSession finalize the graph: create before, load after.
    """

    def __init__(self) -> None:
        self._variables: list[Any] = []

    def create_iteration_per_loop_var(self, train_op: Any) -> Any:
        """Create the loop variables; return the operation to run from now on.

        There is no exception for a loop of one, as in `set_iteration_per_loop`.

        Raises:
            ValueError, AttributeError, RuntimeError: as `set_iteration_per_loop`.
        """
        _check_train_op(train_op)
        _check_graph(train_op)
        self._variables = create_all()
        return tf.group(train_op, name=ITERATION_OP)

    def load_iteration_per_loop_var(
        self, sess: Any, iterations_per_loop: int = 1
    ) -> None:
        """Load the number of iterations in `sess`; also to change it later.

        Raises:
            TypeError, ValueError: the number is not an int, or below 1.
            AttributeError: `create_iteration_per_loop_var` was not called before.
        """
        checked_iterations(iterations_per_loop)
        if not self._variables:
            raise AttributeError(_text("not created"))
        load(self._variables, sess, iterations_per_loop)


def create_all() -> list[Any]:
    """The four variables of the default graph, in the order of `NAMES`."""
    return [create_or_get_var(name) for name in NAMES]


def load(variables: list[Any], sess: Any, iterations_per_loop: int) -> None:
    """Load the four variables, by one run of `sess` each."""
    values = (iterations_per_loop - 1, 0, 0, 1)
    with deprecation.silence():  # 1.15 had `load` without a notice
        for variable, value in zip(variables, values, strict=True):
            variable.load(value, session=sess)


def _check_train_op(train_op: Any) -> None:
    if isinstance(train_op, tf.Operation):
        return
    dtype = getattr(getattr(train_op, "dtype", None), "name", None)
    if dtype is None:
        raise AttributeError(_text("other", type=type(train_op).__name__))
    raise ValueError(_text("tensor", dtype=dtype))


def checked_iterations(iterations_per_loop: Any) -> int:
    """The number itself; TypeError or ValueError where it is no int of 1 or more."""
    if not isinstance(iterations_per_loop, int):
        raise TypeError(diagnose("SINK032", value=repr(iterations_per_loop)).text())
    if not 1 <= iterations_per_loop < 2**63:  # the variable is an int64
        raise ValueError(diagnose("SINK032", value=iterations_per_loop).text())
    return iterations_per_loop


def _check_graph(train_op: Any) -> None:
    """Say what TensorFlow would say less clearly, and after half the work."""
    if tf.executing_eagerly():
        raise RuntimeError(_text("eager"))
    if v1.get_default_graph().finalized:
        raise RuntimeError(_text("finalized", op=ITERATION_OP, train_op=train_op.name))


def _text(key: str, **facts: object) -> str:
    return MESSAGES[key][language.current()].format(**facts)
