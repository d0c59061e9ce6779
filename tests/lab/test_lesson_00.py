"""The exercise of lesson 00: every known mistake gets the message meant for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.device import Device
from npu_lab.lab import check
from npu_lab.lab.exercises import State, ____
from npu_lab.lab.lessons import EXERCISES, start_here

pytestmark = pytest.mark.usefixtures("device")


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


def untouched(dataset: Any, count: int) -> Any:
    iterator = tf.data.make_initializable_iterator(dataset)
    iterator.get_next()
    ____  # noqa: B018
    return [____ for _ in range(count)]


def half_done(dataset: Any, count: int) -> Any:
    iterator = tf.data.make_initializable_iterator(dataset)
    iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        return [____ for _ in range(count)]


def other_half_done(dataset: Any, count: int) -> Any:
    iterator = tf.data.make_initializable_iterator(dataset)
    number = iterator.get_next()
    with tf.Session() as sess:
        ____  # noqa: B018
        return [sess.run([number, number * number]) for _ in range(count)]


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


WRONG: list[tuple[Callable[..., Any], str]] = [
    (no_initializer, "iterator.initializer once"),
    (variables_initialized_only, "iterator.initializer once"),
    (nodes, "nodes of the graph, not values"),
    (two_runs, "25 is not the square of 3: they came from two calls"),
    (operation, "sess.run of an operation gives None"),
    (restarted, "Every entry is the first element"),
    (get_next_in_the_loop, "get_next() ran in the loop"),
    (one_shot, "one-shot iterator"),
    (squares_only, "must be a pair"),
    (one_too_many, "3 entries were asked for; you returned 4."),
    (one_entry, "3 entries were asked for; you returned 1."),
    (swapped, "swapped: number first, then its square"),
    (get_next_twice, "get_next() was called twice"),
    (no_return, "returned nothing: is the return there?"),
    (two_arguments, "second argument of sess.run is feed_dict"),
    (the_iterator, "stopped with TypeError: Argument `fetch` = <"),
    (generator, "returned a generator"),
    (doubled, "6 is not the square of 3."),
    (leaves, "stopped with SystemExit: -"),
    (one_pulled_before, "holds 3, 5, 8; your numbers are 5, 8, 13"),
    (broken, "stopped with AttributeError"),
]


@pytest.mark.parametrize(
    "answer", [right, right_in_another_way, right_as_array, right_as_arrays]
)
def test_a_right_answer_passes(answer: Callable[..., Any]) -> None:
    feedback = check("number_and_square", answer)
    assert feedback.state is State.RIGHT, feedback.message


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (untouched, "Replace every ____"),
        (half_done, "One ____ is left"),
        (other_half_done, "One ____ is left"),
        (____, "Replace every ____"),
    ],
)
def test_with_a_placeholder_left_it_is_not_attempted(answer: Any, message: str) -> None:
    feedback = check("number_and_square", answer)
    assert feedback.state is State.NOT_ATTEMPTED
    assert message in feedback.message


def test_none_inside_a_pair_is_told_like_none() -> None:
    feedback = check("number_and_square", operation_in_the_pair)
    assert "sess.run of an operation gives None" in feedback.message


@pytest.mark.parametrize(
    ("answer", "message"), WRONG, ids=lambda x: getattr(x, "__name__", "")
)
def test_a_wrong_answer_gets_the_message_meant_for_it(
    answer: Callable[..., Any], message: str
) -> None:
    feedback = check("number_and_square", answer)
    assert feedback.state is State.WRONG
    assert message in feedback.message
    # and none that is meant for another mistake
    assert " at 0x" not in feedback.message
    others = {m for _, m in WRONG} - {message}
    assert not [other for other in others if other in feedback.message]


def test_a_call_in_place_of_the_function_is_told_so() -> None:
    feedback = check("number_and_square", [[3, 9]])
    assert "without brackets" in feedback.message


def test_the_solution_shown_is_right(device: Device) -> None:
    namespace: dict[str, Any] = {"tf": tf}
    exec(EXERCISES["number_and_square"].solution, namespace)  # noqa: S102
    feedback = check("number_and_square", namespace["number_and_square"])
    assert feedback.state is State.RIGHT


def test_it_is_judged_alike_once_the_migrated_script_was_imported() -> None:
    """From that import on every session is on the device."""
    from npu_bridge.npu_init import util  # noqa: F401

    assert check("number_and_square", right).state is State.RIGHT
    assert "two calls" in check("number_and_square", two_runs).message


def test_nothing_is_left_in_the_default_graph() -> None:
    with tf.Graph().as_default() as graph:
        check("number_and_square", right)
        assert not graph.get_operations()


def test_every_mistake_is_told_in_both_languages() -> None:
    for texts in start_here.MISTAKES.values():
        assert sorted(texts) == ["en", "zh"]


def test_the_skeleton_in_the_notebook_is_the_solution_with_gaps() -> None:
    source = Path(__file__).parents[2] / "notebooks" / "src" / "00_start_here.md"
    skeleton = start_here.SOLUTION.replace(
        "sess.run(iterator.initializer)", "____"
    ).replace("sess.run([number, square])", "____")
    assert skeleton in source.read_text(encoding="utf-8")
