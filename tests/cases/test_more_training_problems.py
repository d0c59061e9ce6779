"""Problems met in public: queue input, one-shot iterators, summaries in the loop."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import npu_lab.tf1 as tf
from npu_lab import hostlog
from npu_lab.device import Device
from npu_lab.diagnostics import NpuLabWarning
from tests.device import models
from tests.device.models import BATCH, Model, config, session, softmax


@pytest.fixture
def util(device: Device) -> Any:
    from npu_bridge.npu_init import util

    return util


def shuffled_by_queues() -> Model:
    """Input as scripts had it before tf.data."""
    images, labels = tf.train.slice_input_producer(
        [models.IMAGES, models.LABELS], shuffle=False
    )
    x, y = tf.train.shuffle_batch(
        [images, labels], BATCH, capacity=40, min_after_dequeue=8, seed=1
    )
    weights = tf.get_variable("w", [12, 4], initializer=tf.zeros_initializer())
    return models._model(tf.matmul(x, weights), y, weights, {})


@pytest.mark.parametrize("n", [1, 10])
def test_a01_queue_input(device: Device, util: Any, n: int) -> None:
    with tf.Graph().as_default():
        model = shuffled_by_queues()
        with (
            session(model, config(n)) as opened,
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("always", NpuLabWarning)
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(opened, coordinator)
            train = util.set_iteration_per_loop(opened, model.train, n)
            opened.run([train, model.loss])
            assert opened.run(model.step) == 1
            coordinator.request_stop()
            coordinator.join(threads)
    texts = [str(w.message) for w in caught if w.category is NpuLabWarning]
    if n == 1:
        assert texts == []
        return
    (text,) = texts
    assert "SINK026" in text
    assert "queue" in text.lower()
    assert "Dataset" in text
    assert hostlog.judge().markers == 0
    assert device.ledger.device_iterations == 0


def train_on(iterator: Any, n: int, util: Any) -> int:
    """The step after one call."""
    x, y = iterator.get_next()
    weights = tf.get_variable("w", [12, 4], initializer=tf.zeros_initializer())
    model = models._model(tf.matmul(x, weights), y, weights, {})
    with session(model, config(n)) as opened:
        initializer = getattr(iterator, "_initializer", None)
        if initializer is not None:
            opened.run(initializer)
        train = util.set_iteration_per_loop(opened, model.train, n)
        opened.run(train)
        return int(opened.run(model.step))


def batches() -> Any:
    data = tf.data.Dataset.from_tensor_slices((models.IMAGES, models.LABELS))
    return data.repeat().batch(BATCH, drop_remainder=True)


def test_a03_one_shot_iterator_with_a_loop(device: Device, util: Any) -> None:
    with tf.Graph().as_default():
        iterator = tf.data.make_one_shot_iterator(batches())
        with pytest.raises(Exception, match="OneShotIterator") as caught:
            train_on(iterator, 10, util)
    assert "make_initializable_iterator" in str(caught.value)
    assert device.ledger.device_iterations == 0


def test_a03_one_shot_iterator_at_1(device: Device, util: Any) -> None:
    with tf.Graph().as_default(), warnings.catch_warnings():
        warnings.simplefilter("error", NpuLabWarning)
        assert train_on(tf.data.make_one_shot_iterator(batches()), 1, util) == 1


def test_a03_initializable_iterator_with_a_loop(device: Device, util: Any) -> None:
    with tf.Graph().as_default(), warnings.catch_warnings():
        warnings.simplefilter("error", NpuLabWarning)
        assert train_on(tf.data.make_initializable_iterator(batches()), 10, util) == 10
    assert device.loops[-1].in_effect
    assert hostlog.judge().answer == "built"


def test_a10_summaries_come_once_a_call(
    device: Device, util: Any, tmp_path: Path
) -> None:
    """40 steps at N=10, a summary wanted every 4 steps."""
    with tf.Graph().as_default():
        model = softmax()
        tf.summary.scalar("loss", model.loss)
        merged = tf.summary.merge_all()
        with session(model, config(10)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 10)
            writer = tf.summary.FileWriter(str(tmp_path), flush_secs=1)
            losses, written = [], 0
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", NpuLabWarning)
                for _ in range(4):
                    _, loss, text, step = opened.run(
                        [train, model.loss, merged, model.step]
                    )
                    if step - written >= 4:
                        writer.add_summary(text, step)
                        written = step
                    losses.append(loss)
            writer.close()
    (text,) = [str(w.message) for w in caught if w.category is NpuLabWarning]
    assert "summary" in text.lower()
    assert "SINK028" in text
    assert "10" in text
    (path,) = tmp_path.glob("events.*")
    points = [
        (event.step, value.simple_value)
        for event in tf.train.summary_iterator(str(path))
        for value in event.summary.value
    ]
    assert points == list(zip([10, 20, 30, 40], losses, strict=True))
