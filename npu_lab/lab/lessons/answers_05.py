"""Answers to the exercises of lesson 05: right ones, and the known wrong ones."""
# ruff: noqa: ARG001, D103 (all have one signature, and names that say what they do)

from __future__ import annotations

import importlib
from typing import Any

import npu_lab.tf1 as tf


def _set(sess: Any, train_op: Any, n: int) -> Any:
    util = importlib.import_module("npu_bridge.estimator.npu.util")
    return util.set_iteration_per_loop(sess, train_op, n)


def _losses(sess: Any, train_op: Any, loss: Any, calls: int) -> list[Any]:
    return [sess.run([train_op, loss])[1] for _ in range(calls)]


def kept(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> Any:
    train_op = _set(sess, train_op, n)
    return _losses(sess, train_op, loss, steps // n)


def kept_under_another_name(
    sess: Any, train_op: Any, loss: Any, n: int, steps: int
) -> Any:
    sunk = _set(sess, train_op, n)
    return [sess.run({"op": sunk, "loss": loss})["loss"] for _ in range(steps // n)]


def discarded(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> Any:
    _set(sess, train_op, n)
    return _losses(sess, train_op, loss, steps // n)


def no_setter(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> Any:
    return _losses(sess, train_op, loss, steps // n)


def ten(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> Any:
    train_op = _set(sess, train_op, 10)
    return _losses(sess, train_op, loss, steps // n)


def setter_in_the_loop(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> Any:
    losses = []
    for _ in range(steps // n):
        sunk = _set(sess, train_op, n)
        losses.append(sess.run([sunk, loss])[1])
    return losses


def not_divided(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> Any:
    return _losses(sess, _set(sess, train_op, n), loss, steps)


def one_call_short(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> Any:
    return _losses(sess, _set(sess, train_op, n), loss, steps // n - 1)


def no_return(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> None:
    kept(sess, train_op, loss, n, steps)


def zeros(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> Any:
    return [0.0 for _ in kept(sess, train_op, loss, n, steps)]


def broken(*arguments: Any) -> Any:
    return arguments[0].no_such_thing


LOSSES_RIGHT = (kept, kept_under_another_name)
LOSSES_WRONG: tuple[tuple[str, Any], ...] = (
    ("no function", [1.0]),
    ("not sunk", discarded),
    ("not sunk", no_setter),
    ("hard-coded", ten),
    ("setter again", setter_in_the_loop),
    ("not divided", not_divided),
    ("total", one_call_short),
    ("nothing", no_return),
    ("losses", zeros),
    ("raised", broken),
)


def history(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> Any:
    losses = kept(sess, train_op, loss, n, steps)
    return list(zip(range(n, steps + 1, n), losses, strict=True))


def history_of_calls_times_n(
    sess: Any, train_op: Any, loss: Any, n: int, steps: int
) -> Any:
    losses = kept(sess, train_op, loss, n, steps)
    return [((call + 1) * n, value) for call, value in enumerate(losses)]


def history_not_divided(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> Any:
    losses = not_divided(sess, train_op, loss, n, steps)
    return list(zip(range(1, steps + 1), losses, strict=True))


def history_of_calls(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> Any:
    return list(enumerate(kept(sess, train_op, loss, n, steps), start=1))


def history_from_zero(sess: Any, train_op: Any, loss: Any, n: int, steps: int) -> Any:
    losses = kept(sess, train_op, loss, n, steps)
    return list(zip(range(0, steps, n), losses, strict=True))


def history_without_the_end(
    sess: Any, train_op: Any, loss: Any, n: int, steps: int
) -> Any:
    losses = one_call_short(sess, train_op, loss, n, steps)
    return list(zip(range(n, steps, n), losses, strict=False))


HISTORY_RIGHT = (history, history_of_calls_times_n)
HISTORY_WRONG: tuple[tuple[str, Any], ...] = (
    ("no function", [(1, 1.0)]),
    ("not divided", history_not_divided),
    ("calls counted", history_of_calls),
    ("off by one", history_from_zero),
    ("total", history_without_the_end),
    ("nothing", no_return),
    ("losses", kept),
    ("raised", broken),
)


def _dataset(images: Any, labels: Any) -> Any:
    return tf.data.Dataset.from_tensor_slices((images, labels))


def pipeline(images: Any, labels: Any, batch_size: int) -> Any:
    dataset = _dataset(images, labels).repeat().batch(batch_size, drop_remainder=True)
    iterator = tf.data.make_initializable_iterator(dataset)
    return iterator, iterator.get_next()


def shuffled_pipeline(images: Any, labels: Any, batch_size: int) -> Any:
    dataset = _dataset(images, labels).shuffle(10).repeat()
    dataset = dataset.batch(batch_size, drop_remainder=True).prefetch(2)
    iterator = dataset.make_initializable_iterator()
    return iterator, iterator.get_next()


def one_shot(images: Any, labels: Any, batch_size: int) -> Any:
    dataset = _dataset(images, labels).repeat().batch(batch_size, drop_remainder=True)
    iterator = tf.data.make_one_shot_iterator(dataset)
    return iterator, iterator.get_next()


def short_last_batch(images: Any, labels: Any, batch_size: int) -> Any:
    dataset = _dataset(images, labels).repeat().batch(batch_size)
    iterator = tf.data.make_initializable_iterator(dataset)
    return iterator, iterator.get_next()


def hundred(images: Any, labels: Any, batch_size: int) -> Any:
    return pipeline(images, labels, 3)


def no_repeat(images: Any, labels: Any, batch_size: int) -> Any:
    dataset = _dataset(images, labels).batch(batch_size, drop_remainder=True)
    iterator = tf.data.make_initializable_iterator(dataset)
    return iterator, iterator.get_next()


def only_the_batch(images: Any, labels: Any, batch_size: int) -> Any:
    return pipeline(images, labels, batch_size)[1]


def constants(images: Any, labels: Any, batch_size: int) -> Any:
    iterator, _batch = pipeline(images, labels, batch_size)
    return iterator, (
        tf.constant(images[:batch_size]),
        tf.constant(labels[:batch_size]),
    )


def first_batch_again(images: Any, labels: Any, batch_size: int) -> Any:
    return pipeline(images[:batch_size], labels[:batch_size], batch_size)


def four(images: Any, labels: Any, batch_size: int) -> Any:
    return pipeline(images, labels, 4)


def get_next_twice(images: Any, labels: Any, batch_size: int) -> Any:
    iterator, (x, _y) = pipeline(images, labels, batch_size)
    return iterator, (x, iterator.get_next()[1])


def constant_labels(images: Any, labels: Any, batch_size: int) -> Any:
    iterator, (x, _y) = pipeline(images, labels, batch_size)
    return iterator, (x, tf.constant(labels[:batch_size]))


def zip_of_shuffled(images: Any, labels: Any) -> Any:
    shuffled = tf.data.Dataset.from_tensor_slices(images).shuffle(48)
    return tf.data.Dataset.zip((shuffled, tf.data.Dataset.from_tensor_slices(labels)))


def unpaired(images: Any, labels: Any, batch_size: int) -> Any:
    dataset = zip_of_shuffled(images, labels).repeat()
    dataset = dataset.batch(batch_size, drop_remainder=True)
    iterator = tf.data.make_initializable_iterator(dataset)
    return iterator, iterator.get_next()


INPUT_RIGHT = (pipeline, shuffled_pipeline)
INPUT_WRONG: tuple[tuple[str, Any], ...] = (
    ("no function", 3),
    ("one shot", one_shot),
    ("shape", short_last_batch),
    ("size", hundred),
    ("size", four),
    ("end", no_repeat),
    ("no pair", only_the_batch),
    ("not fresh", constants),
    ("twice", get_next_twice),
    ("unpaired", constant_labels),
    ("unpaired", unpaired),
    ("same rows", first_batch_again),
    ("raised", broken),
)


def switched_on(custom_op: Any) -> None:
    custom_op.parameter_map["enable_data_pre_proc"].b = True


def untouched(custom_op: Any) -> None:
    pass


def switched_off(custom_op: Any) -> None:
    custom_op.parameter_map["enable_data_pre_proc"].b = False


def as_a_number(custom_op: Any) -> None:
    custom_op.parameter_map["enable_data_pre_proc"].i = 1


def one_step(custom_op: Any) -> None:
    custom_op.parameter_map["iterations_per_loop"].i = 1
    switched_on(custom_op)


def two_steps(custom_op: Any) -> None:
    custom_op.parameter_map["iterations_per_loop"].i = 2
    switched_on(custom_op)


def hundred_steps(custom_op: Any) -> None:
    custom_op.parameter_map["iterations_per_loop"].i = 100
    switched_on(custom_op)


CONFIG_RIGHT = (switched_on,)
CONFIG_WRONG: tuple[tuple[str, Any], ...] = (
    ("no function", True),
    ("still off", untouched),
    ("still off", switched_off),
    ("field", as_a_number),
    ("no loop", one_step),
    ("others", two_steps),
    ("others", hundred_steps),
    ("raised", broken),
)
