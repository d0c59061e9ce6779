"""Answers to the exercises of lesson 04: right ones, and the known wrong ones."""
# ruff: noqa: ARG001, D103 (all have one signature, and names that say what they do)

from __future__ import annotations

import importlib
from typing import Any

import npu_lab.tf1 as tf

# Long run: time per step, and whether the device starves.


def long_run(step: float, pipeline: float) -> Any:
    return max(step, pipeline), pipeline > step


def long_run_by_branch(step: float, pipeline: float) -> Any:
    return [pipeline, True] if step < pipeline else [step, False]


def added(step: float, pipeline: float) -> Any:
    return step + pipeline, pipeline > step


def the_faster(step: float, pipeline: float) -> Any:
    return min(step, pipeline), pipeline > step


def the_step(step: float, pipeline: float) -> Any:
    return step, pipeline > step


def the_pipeline(step: float, pipeline: float) -> Any:
    return pipeline, pipeline > step


def halved(step: float, pipeline: float) -> Any:
    return (step + pipeline) / 2, pipeline > step


def upside_down(step: float, pipeline: float) -> Any:
    return max(step, pipeline), step > pipeline


def equal_too(step: float, pipeline: float) -> Any:
    return max(step, pipeline), pipeline >= step


def always(step: float, pipeline: float) -> Any:
    return max(step, pipeline), True


def never(step: float, pipeline: float) -> Any:
    return max(step, pipeline), False


def twice_as_slow(step: float, pipeline: float) -> Any:
    return max(step, pipeline), pipeline > 2 * step


def slower_by_one(step: float, pipeline: float) -> Any:
    return max(step, pipeline), pipeline > step + 1


def time_only(step: float, pipeline: float) -> Any:
    return max(step, pipeline)


def nothing(step: float, pipeline: float) -> None:
    long_run(step, pipeline)


def divided(step: float, pipeline: float) -> Any:
    return max(step, pipeline) / 0, True


LONG_RUN_RIGHT = (long_run, long_run_by_branch)
LONG_RUN_WRONG: tuple[tuple[str, Any], ...] = (
    ("no function", (5, True)),
    ("no pair", time_only),
    ("no pair", nothing),
    ("added", added),
    ("faster", the_faster),
    ("step alone", the_step),
    ("pipeline alone", the_pipeline),
    ("time", halved),
    ("reversed", upside_down),
    ("equal", equal_too),
    ("equal", always),
    ("slower", never),
    ("slower", twice_as_slow),
    ("slower", slower_by_one),
    ("raised", divided),
)

# A pipeline that sinks.


def pipeline(numbers: Any, batch_size: int) -> Any:
    dataset = tf.data.Dataset.from_tensor_slices(numbers).repeat()
    dataset = dataset.batch(batch_size, drop_remainder=True)
    return tf.data.make_initializable_iterator(dataset)


def pipeline_by_epochs(numbers: Any, batch_size: int) -> Any:
    dataset = tf.data.Dataset.from_tensor_slices(numbers).shuffle(7, seed=1)
    dataset = dataset.batch(batch_size, drop_remainder=True).repeat().prefetch(2)
    return dataset.make_initializable_iterator()


def one_shot(numbers: Any, batch_size: int) -> Any:
    dataset = tf.data.Dataset.from_tensor_slices(numbers).repeat()
    dataset = dataset.batch(batch_size, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset)


def ragged(numbers: Any, batch_size: int) -> Any:
    dataset = tf.data.Dataset.from_tensor_slices(numbers).repeat().batch(batch_size)
    return tf.data.make_initializable_iterator(dataset)


def as_it_was(numbers: Any, batch_size: int) -> Any:
    dataset = tf.data.Dataset.from_tensor_slices(numbers).repeat().batch(batch_size)
    return tf.data.make_one_shot_iterator(dataset)


def one_epoch(numbers: Any, batch_size: int) -> Any:
    dataset = tf.data.Dataset.from_tensor_slices(numbers)
    dataset = dataset.batch(batch_size, drop_remainder=True)
    return tf.data.make_initializable_iterator(dataset)


def no_batch(numbers: Any, batch_size: int) -> Any:
    dataset = tf.data.Dataset.from_tensor_slices(numbers).repeat()
    return tf.data.make_initializable_iterator(dataset)


def always_two(numbers: Any, batch_size: int) -> Any:
    return pipeline(numbers, 2)


def dataset_only(numbers: Any, batch_size: int) -> Any:
    dataset = tf.data.Dataset.from_tensor_slices(numbers).repeat()
    return dataset.batch(batch_size, drop_remainder=True)


def the_batch(numbers: Any, batch_size: int) -> Any:
    return pipeline(numbers, batch_size).get_next()


def no_iterator(numbers: Any, batch_size: int) -> None:
    pipeline(numbers, batch_size)


def first_batch_only(numbers: Any, batch_size: int) -> Any:
    dataset = tf.data.Dataset.from_tensor_slices(numbers)
    dataset = dataset.batch(batch_size, drop_remainder=True).take(1).repeat()
    return tf.data.make_initializable_iterator(dataset)


def batch_size_in_a_variable(numbers: Any, batch_size: int) -> Any:
    size = tf.Variable(batch_size, dtype=tf.int64)
    dataset = tf.data.Dataset.from_tensor_slices(numbers).repeat()
    dataset = dataset.batch(size, drop_remainder=True)
    return tf.data.make_initializable_iterator(dataset)


PIPELINE_RIGHT = (pipeline, pipeline_by_epochs)
PIPELINE_WRONG: tuple[tuple[str, Any], ...] = (
    ("no function", [1, 2]),
    ("one shot", one_shot),
    ("one shot", as_it_was),
    ("ragged", ragged),
    ("ends", one_epoch),
    ("batch size", no_batch),
    ("batch size", always_two),
    ("no iterator", dataset_only),
    ("no iterator", the_batch),
    ("no iterator", no_iterator),
    ("values", first_batch_only),
    ("raised", batch_size_in_a_variable),
)

# The order of the initializers.


def _variables() -> list[Any]:
    return [tf.global_variables_initializer(), tf.local_variables_initializer()]


def _sunk(sess: Any, train_op: Any, n: int) -> Any:
    util = importlib.import_module("npu_bridge.estimator.npu.util")
    return util.set_iteration_per_loop(sess, train_op, n)


def begin(sess: Any, iterator: Any, train_op: Any, n: int) -> Any:
    sess.run(_variables())
    sess.run(iterator.initializer)
    return _sunk(sess, train_op, n)


def iterator_first(sess: Any, iterator: Any, train_op: Any, n: int) -> Any:
    sess.run(iterator.initializer)
    sess.run(_variables())
    return _sunk(sess, train_op, n)


def iterator_last(sess: Any, iterator: Any, train_op: Any, n: int) -> Any:
    sess.run(_variables())
    train_op = _sunk(sess, train_op, n)
    sess.run(iterator.initializer)
    return train_op


def together(sess: Any, iterator: Any, train_op: Any, n: int) -> Any:
    sess.run([*_variables(), iterator.initializer])
    return _sunk(sess, train_op, n)


def grouped(sess: Any, iterator: Any, train_op: Any, n: int) -> Any:
    sess.run(tf.group(*_variables(), iterator.initializer))
    return _sunk(sess, train_op, n)


def local_ones_together(sess: Any, iterator: Any, train_op: Any, n: int) -> Any:
    sess.run(tf.global_variables_initializer())
    sess.run([tf.local_variables_initializer(), iterator.initializer])
    return _sunk(sess, train_op, n)


def no_variables(sess: Any, iterator: Any, train_op: Any, n: int) -> Any:
    sess.run(iterator.initializer)
    return _sunk(sess, train_op, n)


def global_ones_only(sess: Any, iterator: Any, train_op: Any, n: int) -> Any:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    return _sunk(sess, train_op, n)


def no_iterator_run(sess: Any, iterator: Any, train_op: Any, n: int) -> Any:
    sess.run(_variables())
    return _sunk(sess, train_op, n)


def setter_first(sess: Any, iterator: Any, train_op: Any, n: int) -> Any:
    train_op = _sunk(sess, train_op, n)
    sess.run(_variables())
    sess.run(iterator.initializer)
    return train_op


def local_ones_last(sess: Any, iterator: Any, train_op: Any, n: int) -> Any:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    train_op = _sunk(sess, train_op, n)
    sess.run(tf.local_variables_initializer())
    return train_op


def original_op(sess: Any, iterator: Any, train_op: Any, n: int) -> Any:
    begin(sess, iterator, train_op, n)
    return train_op


def no_setter(sess: Any, iterator: Any, train_op: Any, n: int) -> Any:
    sess.run(_variables())
    sess.run(iterator.initializer)
    return train_op


def no_return(sess: Any, iterator: Any, train_op: Any, n: int) -> None:
    begin(sess, iterator, train_op, n)


def one_more(sess: Any, iterator: Any, train_op: Any, n: int) -> Any:
    return begin(sess, iterator, train_op, n + 1)


def always_four(sess: Any, iterator: Any, train_op: Any, n: int) -> Any:
    return begin(sess, iterator, train_op, 4)


def trained_already(sess: Any, iterator: Any, train_op: Any, n: int) -> Any:
    sess.run(_variables())
    sess.run(iterator.initializer)
    sess.run(train_op)
    return _sunk(sess, train_op, n)


def wrong_name(sess: Any, iterator: Any, train_op: Any, n: int) -> Any:
    return sess.run(iterator.initialize)


BEGIN_RIGHT = (begin, iterator_first, iterator_last)
BEGIN_WRONG: tuple[tuple[str, Any], ...] = (
    ("no function", "begin"),
    ("together", together),
    ("together", grouped),
    ("together", local_ones_together),
    ("no variables", no_variables),
    ("no variables", global_ones_only),
    ("no iterator", no_iterator_run),
    ("setter first", setter_first),
    ("setter first", local_ones_last),
    ("original", original_op),
    ("original", no_setter),
    ("nothing", no_return),
    ("count", one_more),
    ("fixed", always_four),
    ("trained", trained_already),
    ("raised", wrong_name),
)
