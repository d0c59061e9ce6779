"""Contestants that train in a TensorFlow 1 session: sunk, looped by hand, step by step.

`sunk` is what a user of npu_lab writes.  The others are stock TensorFlow in processes
that never import the device.
"""

from __future__ import annotations

import tempfile
from typing import Any

from benchmarks import models
from benchmarks.worker import Contestant, repeat


def plain_tensorflow() -> Any:
    """The TensorFlow 1 API of stock TensorFlow, in graph mode."""
    import tensorflow as tf

    tf.compat.v1.disable_eager_execution()
    return tf.compat.v1


def activated_tensorflow() -> Any:
    """The TensorFlow 1.15 view with the device active."""
    import npu_lab

    npu_lab.activate(view=True)
    import npu_bridge.npu_init  # noqa: F401  (it sets the session's defaults)
    import tensorflow as tf

    return tf


def variables_of(tf: Any, model: str) -> dict[str, Any]:
    """The variables of `model` in the default graph."""
    initial = models.MODELS[model].initial()
    return {n: tf.get_variable(n, initializer=value) for n, value in initial.items()}


def device_options(tf: Any, n: int = 1, *, optimizer: bool = True) -> Any:
    """The session configuration of the migration guide.

    Without `optimizer` only what it asks of TensorFlow itself.
    """
    config = tf.ConfigProto(allow_soft_placement=True)
    rewrite = config.graph_options.rewrite_options
    if optimizer:
        custom = rewrite.custom_optimizers.add()
        custom.name = "NpuOptimizer"
        custom.parameter_map["use_off_line"].b = True
        custom.parameter_map["enable_data_pre_proc"].b = True
        custom.parameter_map["iterations_per_loop"].i = n
    rewrite.remapping = rewrite.OFF
    rewrite.memory_optimization = rewrite.OFF
    return config


def training(tf: Any, model: str, data: str = "digits") -> tuple[Any, Any, Any, Any]:
    """Build `model` on its pipeline; return iterator, variables, loss, train."""
    iterator = tf.data.make_initializable_iterator(models.pipeline(tf, data))
    x, y = iterator.get_next()
    variables = variables_of(tf, model)
    loss = models.loss(tf, model, variables, x, y)
    rate = models.MODELS[model].learning_rate
    train = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    return iterator, variables, loss, train


def _contestant(
    session: Any, fetches: Any, variables: dict[str, Any], n: int, about: str
) -> Contestant:
    def call() -> None:
        session.run(fetches)

    timed = repeat(call, n)

    def values(steps: int) -> list[Any]:
        for _ in range(steps // n):
            call()
        return list(session.run(list(variables.values())))

    return Contestant(lambda seconds: {"time": timed(seconds)}, values, about)


def sunk(
    model: str,
    data: str = "digits",
    n: int | None = None,
    *,
    traced: bool = False,
    profiled: bool = False,
) -> Contestant:
    """The sunk loop of npu_lab, as a user writes it; N is by default the model's.

    `traced` records each call; `profiled` makes a profile of each measurement.
    """
    tf = activated_tensorflow()
    from npu_bridge.npu_init import util

    n = n or models.MODELS[model].steps
    iterator, variables, loss, train = training(tf, model, data)
    session = tf.Session(config=device_options(tf, n))
    session.run(tf.global_variables_initializer())
    session.run(iterator.initializer)
    train = util.set_iteration_per_loop(session, train, n)
    made = _contestant(session, [train, loss], variables, n, f"N = {n}, device options")
    if profiled:
        return _profiled(made)
    if not traced:
        return made
    import npu_lab

    def measure(seconds: float) -> dict[str, float]:
        with npu_lab.active_device().trace:
            return dict(made.measure(seconds))

    return Contestant(measure, made.variables, f"{made.about}, traced")


def _profiled(made: Contestant) -> Contestant:
    """The same in a Profiler; the folder is written after the time is taken."""
    from npu_lab.extras.tuning import Profiler

    def measure(seconds: float) -> dict[str, float]:
        with (
            tempfile.TemporaryDirectory() as folder,
            Profiler(output_path=folder),
        ):
            return dict(made.measure(seconds))

    return Contestant(measure, made.variables, f"{made.about}, profiled")


def by_step(model: str, options: str = "default") -> Contestant:
    """Stock `session.run`, one call a step."""
    tf = plain_tensorflow()
    iterator, variables, loss, train = training(tf, model)
    session = tf.Session(config=_options(tf, options))
    session.run([tf.global_variables_initializer(), iterator.initializer])
    return _contestant(session, [train, loss], variables, 1, f"{options} options")


def by_hand(
    model: str,
    options: str = "default",
    data: str = "digits",
    control_flow: str = "v2",
) -> Contestant:
    """A hand-written `tf.while_loop` with the same body, N steps a call.

    With `data` "constant" the body has no GetNext: all else is the same, so that no
    loop on data from outside can be much faster.
    """
    tf = plain_tensorflow()
    if control_flow == "v1":
        tf.disable_control_flow_v2()
    n = models.MODELS[model].steps
    variables = variables_of(tf, model)
    optimizer = tf.train.GradientDescentOptimizer(models.MODELS[model].learning_rate)
    started = [tf.global_variables_initializer()]
    if data == "constant":
        batch = [tf.constant(part) for part in models.one_batch()]
    else:
        iterator = tf.data.make_initializable_iterator(models.pipeline(tf, data))
        started.append(iterator.initializer)

    def goes_on(step: Any, _: Any) -> Any:
        return step < n

    def one_step(step: Any, _: Any) -> tuple[Any, Any]:
        x, y = batch if data == "constant" else iterator.get_next()
        loss = models.loss(tf, model, variables, x, y)
        train = optimizer.minimize(loss)
        with tf.control_dependencies([train]):
            return step + 1, tf.identity(loss)

    loop = tf.while_loop(
        goes_on, one_step, [tf.constant(0), tf.constant(0.0)], parallel_iterations=1
    )
    session = tf.Session(config=_options(tf, options))
    session.run(started)
    about = f"N = {n}, {options} options, control flow {control_flow}"
    made = _contestant(session, loop, variables, n, about)
    return Contestant(made.measure) if data == "constant" else made


def _options(tf: Any, options: str) -> Any:
    return None if options == "default" else device_options(tf, optimizer=False)
