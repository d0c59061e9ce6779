"""Answers to the exercise of lesson 00: right ones, and the known wrong ones."""
# ruff: noqa: ARG001, D103 (all have one signature, and names that say what they do)

from __future__ import annotations

from typing import Any

import numpy as np

import npu_lab.tf1 as tf


def right(dataset: Any, count: int) -> Any:
    iterator = tf.data.make_initializable_iterator(dataset)
    number = iterator.get_next()
    square = number * number
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        return [sess.run([number, square]) for _ in range(count)]


def right_in_another_way(dataset: Any, count: int) -> Any:
    iterator = dataset.make_initializable_iterator()
    number = iterator.get_next()
    pair = {"number": number, "square": tf.square(number)}
    with tf.Session() as sess:
        sess.run([iterator.initializer])
        values = [sess.run(pair) for _ in range(count)]
    return tuple((value["number"], value["square"]) for value in values)


def right_as_array(dataset: Any, count: int) -> Any:
    return np.array(right(dataset, count))


def right_as_arrays(dataset: Any, count: int) -> Any:
    iterator = tf.data.make_initializable_iterator(dataset)
    number = iterator.get_next()
    square = number * number
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        return [sess.run(tf.stack([number, square])) for _ in range(count)]


def no_initializer(dataset: Any, count: int) -> Any:
    iterator = tf.data.make_initializable_iterator(dataset)
    number = iterator.get_next()
    with tf.Session() as sess:
        return [sess.run([number, number * number]) for _ in range(count)]


def variables_initialized_only(dataset: Any, count: int) -> Any:
    iterator = tf.data.make_initializable_iterator(dataset)
    number = iterator.get_next()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return [sess.run([number, number * number]) for _ in range(count)]


def nodes(dataset: Any, count: int) -> Any:
    iterator = tf.data.make_initializable_iterator(dataset)
    number = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        return [[number, number * number] for _ in range(count)]


def two_runs(dataset: Any, count: int) -> Any:
    iterator = tf.data.make_initializable_iterator(dataset)
    number = iterator.get_next()
    square = number * number
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        return [[sess.run(number), sess.run(square)] for _ in range(count)]


def operation(dataset: Any, count: int) -> Any:
    iterator = tf.data.make_initializable_iterator(dataset)
    iterator.get_next()
    with tf.Session() as sess:
        return [sess.run(iterator.initializer) for _ in range(count)]


def restarted(dataset: Any, count: int) -> Any:
    iterator = tf.data.make_initializable_iterator(dataset)
    number = iterator.get_next()
    square, pairs = number * number, []
    with tf.Session() as sess:
        for _ in range(count):
            sess.run(iterator.initializer)
            pairs.append(sess.run([number, square]))
    return pairs


def get_next_in_the_loop(dataset: Any, count: int) -> Any:
    iterator = tf.data.make_initializable_iterator(dataset)
    pairs = []
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        for _ in range(count):
            number = iterator.get_next()
            pairs.append(sess.run([number, number * number]))
    return pairs


def one_shot(dataset: Any, count: int) -> Any:
    number = tf.data.make_one_shot_iterator(dataset).get_next()
    square = number * number
    with tf.Session() as sess:
        return [sess.run([number, square]) for _ in range(count)]


def swapped(dataset: Any, count: int) -> Any:
    return [[square, number] for number, square in right(dataset, count)]


def get_next_twice(dataset: Any, count: int) -> Any:
    iterator = tf.data.make_initializable_iterator(dataset)
    number = iterator.get_next()
    square = number * iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        return [sess.run([number, square]) for _ in range(count)]


def no_return(dataset: Any, count: int) -> None:
    right(dataset, count)


def two_arguments(dataset: Any, count: int) -> Any:
    iterator = tf.data.make_initializable_iterator(dataset)
    number = iterator.get_next()
    square = number * number
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        return [sess.run(number, square) for _ in range(count)]


def the_iterator(dataset: Any, count: int) -> Any:
    iterator = tf.data.make_initializable_iterator(dataset)
    with tf.Session() as sess:
        return [sess.run(iterator) for _ in range(count)]


def generator(dataset: Any, count: int) -> Any:
    return (pair for pair in right(dataset, count))


def doubled(dataset: Any, count: int) -> Any:
    return [[number, 2 * number] for number, _ in right(dataset, count)]


def operation_in_the_pair(dataset: Any, count: int) -> Any:
    return [[number, None] for number, _ in right(dataset, count)]


def one_entry(dataset: Any, count: int) -> Any:
    return right(dataset, 1)


def leaves(dataset: Any, count: int) -> Any:
    raise SystemExit


def squares_only(dataset: Any, count: int) -> Any:
    return [square for _, square in right(dataset, count)]


def one_too_many(dataset: Any, count: int) -> Any:
    return right(dataset, count + 1)


def one_pulled_before(dataset: Any, count: int) -> Any:
    return right(dataset.skip(1), count)


def broken(dataset: Any, count: int) -> Any:
    return dataset.no_such_thing


RIGHT = (right, right_in_another_way, right_as_array, right_as_arrays)
# Each with the mistake whose message it must get.
WRONG: tuple[tuple[str, Any], ...] = (
    ("no function", [[3, 9]]),
    ("no initializer", no_initializer),
    ("no initializer", variables_initialized_only),
    ("node", nodes),
    ("two runs", two_runs),
    ("operation", operation),
    ("restarted", restarted),
    ("get_next in loop", get_next_in_the_loop),
    ("one shot", one_shot),
    ("no pair", squares_only),
    ("length", one_too_many),
    ("length", one_entry),
    ("swapped", swapped),
    ("get_next twice", get_next_twice),
    ("nothing", no_return),
    ("feed_dict", two_arguments),
    ("raised", the_iterator),
    ("generator", generator),
    ("no square", doubled),
    ("raised", leaves),
    ("values", one_pulled_before),
    ("raised", broken),
    ("operation", operation_in_the_pair),
)
