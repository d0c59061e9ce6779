"""The session of a training: its hooks in their order, its saver, its steps."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops import op_selector
from tensorflow.python.training import training_util

from npu_lab._tensorflow import tf

train = tf.compat.v1.train
keys = tf.compat.v1.GraphKeys
READERS = ("ReadVariableOp", "VarIsInitializedOp")


def all_hooks(
    config: Any, spec: Any, hooks: list[Any], listeners: list[Any]
) -> list[Any]:
    """All hooks of a training, in running order.

    Raises:
        ValueError: there are listeners, but nothing saves checkpoints.
    """
    folder, log_steps = config.model_dir, config.log_step_count_steps
    worker = [*hooks, train.NanTensorHook(spec.loss)]
    if log_steps is not None:
        shown = {"loss": spec.loss, "step": train.get_global_step()}
        worker.append(train.LoggingTensorHook(shown, every_n_iter=log_steps))
    worker += spec.training_hooks
    chief = list(spec.training_chief_hooks)
    seconds, steps = config.save_checkpoints_secs, config.save_checkpoints_steps
    savers = [h for h in [*worker, *chief] if isinstance(h, train.CheckpointSaverHook)]
    if not savers and (seconds or steps):
        saver = train.CheckpointSaverHook(
            folder, seconds, steps, scaffold=spec.scaffold
        )
        savers, chief = [saver], [saver, *chief]
    if listeners and not savers:
        raise ValueError(
            "saving_listeners need checkpoints. Set save_checkpoints_steps or "
            "save_checkpoints_secs of RunConfig."
        )
    for saver in savers:
        # As in 1.15; TensorFlow 2 reads the step anew after every run.
        saver._set_steps_per_run(1)
    if listeners:
        savers[0]._listeners.extend(listeners)
    # The next two as MonitoredTrainingSession makes them; so they are known before.
    if log_steps:
        chief.append(train.StepCounterHook(log_steps, output_dir=folder))
    if every := config.save_summary_steps:
        chief.append(
            train.SummarySaverHook(every, output_dir=folder, scaffold=spec.scaffold)
        )
    return [*chief, *worker]


def prepare(config: Any, spec: Any) -> None:
    """Complete the graph of a training as the Estimator of TensorFlow 1.15 does."""
    summaries = tf.compat.v1.get_collection(keys.SUMMARIES)
    if all(summary.op.name != "loss" for summary in summaries):
        tf.compat.v1.summary.scalar("loss", spec.loss)
    tf.compat.v1.add_to_collection(keys.LOSSES, spec.loss)
    if not (spec.scaffold.saver or tf.compat.v1.get_collection(keys.SAVERS)):
        saver = train.Saver(
            sharded=True,
            max_to_keep=config.keep_checkpoint_max,
            keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
            defer_build=True,
            save_relative_paths=True,
        )
        tf.compat.v1.add_to_collection(keys.SAVERS, saver)


def cache_step_read(graph: Any) -> None:
    """Make the tensor through which TensorFlow's hooks read the step.

    TensorFlow's own also looks whether the step is initialised; this is but a read.
    """
    step = train.get_global_step(graph)
    with tf.name_scope(""), tf.name_scope(f"{step.op.name}/"):
        read = graph.as_graph_element(step) + 0
    graph.add_to_collection(training_util.GLOBAL_STEP_READ_KEY, read)


def order_step_reads(train_op: Any) -> None:
    """Let the hooks read the step before a plain run advances it, and never after.

    Left alone the two race, and hooks that count steps are now and then one off.
    """
    step, graph = train.get_global_step(), tf.compat.v1.get_default_graph()
    read = graph.as_graph_element(step).op
    end = graph.as_graph_element(train_op)
    behind = set(op_selector.get_backward_walk_ops([end], control_inputs=True))
    for operation in step.handle.consumers():
        if operation in behind and operation.type not in READERS:
            operation._add_control_input(read)


def run(config: Any, session_config: Any, spec: Any, hooks: list[Any]) -> Any:
    """Train until a hook or the data's end says stop; the last loss, or None."""
    loss = None
    with train.MonitoredTrainingSession(
        master=config.master,
        checkpoint_dir=config.model_dir,
        scaffold=spec.scaffold,
        hooks=hooks,
        save_checkpoint_secs=0,
        save_summaries_steps=0,
        log_step_count_steps=0,
        config=session_config,
        max_wait_secs=config.session_creation_timeout_secs,
    ) as session:
        while not session.should_stop():
            _, loss = session.run([spec.train_op, spec.loss])
    return loss


def batch(features: Any) -> int | None:
    """The number of examples in a batch, where the graph says it."""
    for tensor in tf.nest.flatten(features):
        shape = getattr(tensor, "shape", None)
        if shape is not None and shape.rank:
            return shape.as_list()[0]
    return None
