from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npu_lab._tensorflow import tf
from npu_lab.datasets import DataSet, dense_to_one_hot

Array = np.ndarray[Any, Any]
Numbers = Callable[[Array], list[int]]


def make(count: int = 10, **options: Any) -> DataSet:
    """Image i holds i in its first two bytes; its label is i."""
    images = np.zeros((count, 2, 2, 1), np.uint8)
    images[:, 0, 0, 0] = np.arange(count) // 256
    images[:, 0, 1, 0] = np.arange(count) % 256
    return DataSet(images, np.arange(count), dtype=np.uint8, **options)


def expected_stream(count: int, epochs: int, seed: int) -> list[int]:
    """What the tutorial module hands out: each epoch shuffles the order of the last."""
    generator = np.random.RandomState(seed)
    order = np.arange(count)
    stream: list[int] = []
    for _ in range(epochs):
        shuffled = np.arange(count)
        generator.shuffle(shuffled)
        order = order[shuffled]
        stream += [int(number) for number in order]
    return stream


@pytest.mark.parametrize("batch_size", [1, 3, 7, 10])
def test_batches_walk_the_shuffled_epochs_without_a_gap(
    numbers: Numbers, batch_size: int
) -> None:
    data = make(10)
    np.random.seed(4)
    batches = [data.next_batch(batch_size) for _ in range(100 // batch_size)]
    stream = [number for images, _ in batches for number in numbers(images)]
    assert stream == expected_stream(10, 10, seed=4)[: len(stream)]
    assert stream == [int(label) for _, labels in batches for label in labels]
    assert {len(images) for images, _ in batches} == {batch_size}


@pytest.mark.parametrize("batch_size", [100, 96, 7, 3000])
def test_every_example_comes_once_in_each_epoch_of_8000(
    numbers: Numbers, batch_size: int
) -> None:
    data = make(8000)
    stream: list[int] = []
    while len(stream) < 16_000:
        stream += numbers(data.next_batch(batch_size)[0])
    assert sorted(stream[:8000]) == sorted(stream[8000:16_000]) == list(range(8000))
    assert stream[:8000] != stream[8000:16_000]


def test_an_epoch_is_counted_by_the_batch_that_goes_past_its_end() -> None:
    data = make(10)
    completed = []
    for _ in range(6):
        data.next_batch(5)
        completed.append(data.epochs_completed)
    assert completed == [0, 0, 1, 1, 2, 2]
    data = make(10)
    completed = []
    for _ in range(6):
        data.next_batch(4)
        completed.append(data.epochs_completed)
    assert completed == [0, 0, 1, 1, 1, 2]


def test_the_rest_of_an_epoch_comes_before_the_next_ones_head(
    numbers: Numbers,
) -> None:
    data = make(10)
    data.next_batch(8, shuffle=False)
    images, labels = data.next_batch(5, shuffle=False)
    assert numbers(images) == labels.tolist() == [8, 9, 0, 1, 2]
    assert numbers(data.next_batch(2, shuffle=False)[0]) == [3, 4]


def test_without_shuffling_the_order_of_the_file_is_kept(numbers: Numbers) -> None:
    data = make(6)
    state = np.random.get_state()[1].tolist()  # type: ignore[index]
    assert numbers(data.next_batch(9, shuffle=False)[0]) == [0, 1, 2, 3, 4, 5, 0, 1, 2]
    assert np.random.get_state()[1].tolist() == state  # type: ignore[index]


def test_shuffling_late_leaves_the_first_epoch_in_order(numbers: Numbers) -> None:
    data = make(10)
    assert numbers(data.next_batch(5, shuffle=False)[0]) == [0, 1, 2, 3, 4]
    assert numbers(data.next_batch(5)[0]) == [5, 6, 7, 8, 9]
    assert sorted(numbers(data.next_batch(10)[0])) == list(range(10))


def test_images_and_labels_show_the_current_order(numbers: Numbers) -> None:
    data = make(10, seed=1)
    images, labels = data.next_batch(10)
    assert numbers(data.images) == numbers(images) == labels.tolist()
    assert data.labels.tolist() == labels.tolist() != list(range(10))


@pytest.mark.parametrize("batch_size", [11, 20, 25, 30, 47])
def test_a_batch_larger_than_the_set_runs_through_several_epochs(
    numbers: Numbers, batch_size: int
) -> None:
    data = make(10, seed=2)
    stream: list[int] = []
    for call in range(1, 5):
        images, labels = data.next_batch(batch_size)
        assert len(images) == len(labels) == batch_size
        assert data.epochs_completed == (call * batch_size - 1) // 10
        stream += numbers(images)
    assert stream == expected_stream(10, 19, seed=2)[: len(stream)]


@pytest.mark.parametrize(
    ("size", "error"), [(-1, ValueError), (2.0, TypeError), ("2", TypeError)]
)
def test_a_size_that_is_no_count_is_refused(size: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        make().next_batch(size)


def test_a_size_may_be_a_numpy_integer_or_zero() -> None:
    data = make()
    assert len(data.next_batch(np.int64(3))[0]) == 3
    images, labels = data.next_batch(0)
    assert images.shape == (0, 4)
    assert labels.shape == (0,)


def test_an_empty_set_gives_a_clear_error() -> None:
    with pytest.raises(ValueError, match=r"no examples.*validation_size"):
        make(0).next_batch(1)


def test_pixels_are_scaled_to_0_1_exactly_or_kept() -> None:
    images = np.arange(256, dtype=np.uint8).reshape(1, 16, 16, 1)
    scaled = DataSet(images, [0]).images
    assert scaled.dtype == np.float32
    assert scaled.shape == (1, 256)
    np.testing.assert_array_equal(
        scaled[0], np.arange(256, dtype=np.float32) * np.float32(1 / 255)
    )
    assert (scaled.min(), scaled.max()) == (0.0, 1.0)
    kept = DataSet(images, [0], dtype=np.uint8, reshape=False).images
    assert kept.dtype == np.uint8
    assert kept.shape == (1, 16, 16, 1)
    assert images.max() == 255


@pytest.mark.parametrize("name", ["float32", np.float32, tf.float32, np.dtype("f4")])
def test_the_image_type_has_the_names_of_numpy_and_tensorflow(name: Any) -> None:
    images = np.zeros((1, 2, 2, 1), np.uint8)
    assert DataSet(images, [0], dtype=name).images.dtype == np.float32


def test_tensorflows_uint8_keeps_the_bytes() -> None:
    images = np.full((1, 2, 2, 1), 200, np.uint8)
    assert DataSet(images, [0], dtype=tf.uint8).images.tolist() == [[200] * 4]


@pytest.mark.parametrize("name", [np.float64, "int32", tf.float16, "no type", None])
def test_another_image_type_is_refused(name: Any) -> None:
    with pytest.raises(TypeError, match="must be uint8 or float32"):
        DataSet(np.zeros((1, 2, 2, 1), np.uint8), [0], dtype=name)


def test_unequal_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="3 images but 2 labels"):
        DataSet(np.zeros((3, 2, 2, 1), np.uint8), [0, 1])


@pytest.mark.parametrize("shape", [(1, 2, 2, 3), (1, 2, 2), (1, 4)])
def test_only_images_of_depth_one_are_flattened(shape: tuple[int, ...]) -> None:
    images = np.zeros(shape, np.uint8)
    with pytest.raises(ValueError, match="reshape=False"):
        DataSet(images, [0])
    assert DataSet(images, [0], reshape=False).images.shape == shape


def test_made_up_batches_are_ones_with_label_0() -> None:
    plain = DataSet([], [], fake_data=True)
    assert plain.num_examples == 10_000
    assert plain.next_batch(2, fake_data=True) == ([[1] * 784] * 2, [0, 0])
    rows = DataSet([], [], fake_data=True, one_hot=True).next_batch(1, fake_data=True)
    assert rows == ([[1] * 784], [[1] + [0] * 9])
    with pytest.raises(TypeError, match="fake_data=True"):
        plain.next_batch(2)


def test_made_up_batches_of_a_real_set_do_not_move_its_place(numbers: Numbers) -> None:
    data = make(10, seed=3)
    assert data.next_batch(1, fake_data=True) == ([[1] * 784], [0])
    assert numbers(data.next_batch(10)[0]) == expected_stream(10, 1, seed=3)


def test_one_hot_rows_have_one_1_each() -> None:
    rows = dense_to_one_hot(np.array([[2], [0], [3]]), 4)
    assert rows.dtype == np.float64
    assert rows.tolist() == [[0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]]


@pytest.mark.parametrize("label", [4, -1])
def test_a_label_without_a_class_is_refused(label: int) -> None:
    with pytest.raises(ValueError, match=f"label {label} does not fit 4 classes"):
        dense_to_one_hot(np.array([0, label]), 4)


@pytest.mark.parametrize("before", [True, False])
def test_numpys_seed_decides_the_order_before_and_after_the_set_is_made(
    numbers: Numbers, before: bool
) -> None:
    with tf.Graph().as_default():
        if before:
            np.random.seed(11)
        data = make()
        if not before:
            np.random.seed(11)
        assert numbers(data.next_batch(10)[0]) == expected_stream(10, 1, seed=11)


@pytest.mark.parametrize("graph_seed", [None, 7])
def test_an_own_seed_wins_over_numpys_and_the_graphs(
    numbers: Numbers, graph_seed: int | None
) -> None:
    with tf.Graph().as_default():
        tf.compat.v1.set_random_seed(graph_seed)
        np.random.seed(11)
        data = make(seed=5)
    assert numbers(data.next_batch(10)[0]) == expected_stream(10, 1, seed=5)


@pytest.mark.parametrize(
    ("graph_seed", "seed", "used"),
    [
        (7, None, 7),
        (0, None, 0),
        (2**31 + 4, None, 5),
        (-1, None, 2**31 - 2),
        (0, 0, 2**31 - 1),
        (7, 0, 0),
        (None, 0, 0),
        (None, 2**31 + 4, 5),
        (None, -1, 2**31 - 2),
    ],
)
def test_the_seed_is_the_one_tensorflow_would_hand_out(
    numbers: Numbers, graph_seed: int | None, seed: int | None, used: int
) -> None:
    with tf.Graph().as_default():
        tf.compat.v1.set_random_seed(graph_seed)
        data = make(seed=seed)
    assert numbers(data.next_batch(10)[0]) == expected_stream(10, 1, seed=used)


def test_a_graphs_seed_stream_is_not_moved_by_making_a_set() -> None:
    def drawn(with_set: bool) -> list[float]:
        with tf.Graph().as_default():
            tf.compat.v1.set_random_seed(3)
            if with_set:
                make()
            value = tf.random.uniform([4])
            with tf.compat.v1.Session() as session:
                return [float(number) for number in session.run(value)]

    assert drawn(with_set=True) == drawn(with_set=False)


def test_tensorflow_2s_global_seed_counts_in_eager_mode(
    numbers: Numbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = sys.modules["tensorflow.python.eager.context"]
    monkeypatch.setattr(context, "executing_eagerly", lambda: True)
    monkeypatch.setattr(context, "global_seed", lambda: 9)
    assert numbers(make().next_batch(10)[0]) == expected_stream(10, 1, seed=9)


def test_no_seed_is_looked_for_where_tensorflow_is_not_loaded(
    numbers: Numbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "tensorflow.python.framework.ops")
    with tf.Graph().as_default():
        tf.compat.v1.set_random_seed(3)
        np.random.seed(11)
        data = make()
    assert numbers(data.next_batch(10)[0]) == expected_stream(10, 1, seed=11)
