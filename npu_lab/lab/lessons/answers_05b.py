"""Answers to the exercises of lesson 05b that lesson 05 does not have."""
# ruff: noqa: ARG001, D103 (all have one signature, and names that say what they do)

from __future__ import annotations

import importlib
from typing import Any

import npu_lab.tf1 as tf
from npu_lab.lab.lessons import answers_05 as answers


def _set(sess: Any, train_op: Any, n: int) -> Any:
    util = importlib.import_module("npu_bridge.estimator.npu.util")
    return util.set_iteration_per_loop(sess, train_op, n)


def five(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> Any:
    train_op = _set(sess, train_op, 5)
    return [sess.run([train_op, loss])[1] for _ in range(steps // n)]


def reset(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> Any:
    train_op = _set(sess, train_op, n)
    sess.run(tf.local_variables_initializer())
    return [sess.run([train_op, loss])[1] for _ in range(steps // n)]


def initialized_before(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> Any:
    sess.run(tf.local_variables_initializer())
    return answers.kept(sess, train_op, loss, n, steps)


def scoped(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> Any:
    with tf.name_scope("training"):
        train_op = _set(sess, train_op, n)
    return [sess.run([train_op, loss])[1] for _ in range(steps // n)]


def loop_in_scope(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> Any:
    train_op = _set(sess, train_op, n)
    with tf.name_scope("training"):
        return [sess.run([train_op, loss])[1] for _ in range(steps // n)]


def two_runs(sess: Any, iterator: Any) -> None:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)


def two_runs_the_other_way_round(sess: Any, iterator: Any) -> None:
    sess.run(iterator.initializer)
    sess.run(tf.global_variables_initializer())


def one_run(sess: Any, iterator: Any) -> None:
    sess.run([tf.global_variables_initializer(), iterator.initializer])


def one_group(sess: Any, iterator: Any) -> None:
    sess.run(tf.group(tf.global_variables_initializer(), iterator.initializer))


def variables_only(sess: Any, iterator: Any) -> None:
    sess.run(tf.global_variables_initializer())


def iterator_only(sess: Any, iterator: Any) -> None:
    sess.run(iterator.initializer)


INITIALIZING_RIGHT = (two_runs, two_runs_the_other_way_round)
INITIALIZING_WRONG: tuple[tuple[str, Any], ...] = (
    ("no function", None),
    ("together", one_run),
    ("together", one_group),
    ("no iterator", variables_only),
    ("no variables", iterator_only),
    ("raised", answers.broken),
)

# Left alone the option is in the field i: not as in lesson 05, where it is missing.
FIELD_WRONG: tuple[tuple[str, Any], ...] = (
    ("no function", True),
    ("still off", answers.switched_off),
    ("field", answers.untouched),
    ("no loop", answers.one_step),
    ("others", answers.two_steps),
    ("others", answers.hundred_steps),
    ("raised", answers.broken),
)


def _pairs(images: Any, labels: Any) -> Any:
    return tf.data.Dataset.from_tensor_slices((images, labels))


def one_shape(images: Any, labels: Any, batch_size: int) -> Any:
    return _pairs(images, labels).repeat().batch(batch_size, drop_remainder=True)


def fixed_afterwards(images: Any, labels: Any, batch_size: int) -> Any:
    def fix(x: Any, y: Any) -> Any:
        return (
            tf.ensure_shape(x, [batch_size, *x.shape[1:]]),
            tf.ensure_shape(y, [batch_size, *y.shape[1:]]),
        )

    return _pairs(images, labels).repeat().batch(batch_size).map(fix)


def short_last_batch(images: Any, labels: Any, batch_size: int) -> Any:
    return _pairs(images, labels).repeat().batch(batch_size)


def three(images: Any, labels: Any, batch_size: int) -> Any:
    return _pairs(images, labels).repeat().batch(3, drop_remainder=True)


def no_repeat(images: Any, labels: Any, batch_size: int) -> Any:
    return _pairs(images, labels).batch(batch_size, drop_remainder=True)


def first_batch_again(images: Any, labels: Any, batch_size: int) -> Any:
    return one_shape(images, labels, batch_size).take(1).repeat()


def four(images: Any, labels: Any, batch_size: int) -> Any:
    return one_shape(images, labels, 4)


def unpaired(images: Any, labels: Any, batch_size: int) -> Any:
    dataset = answers.zip_of_shuffled(images, labels).repeat()
    return dataset.batch(batch_size, drop_remainder=True)


DATASET_RIGHT = (one_shape, fixed_afterwards)
DATASET_WRONG: tuple[tuple[str, Any], ...] = (
    ("no function", 100),
    ("shape", short_last_batch),
    ("size", three),
    ("size", four),
    ("unpaired", unpaired),
    ("end", no_repeat),
    ("same rows", first_batch_again),
    ("no dataset", answers.pipeline),
    ("raised", answers.broken),
)
