"""tf.contrib.summary writes points from the graph, as host_call functions do."""

from __future__ import annotations

import pytest

import npu_lab.tf1 as tf
from tests.tf1.estimator.models import points

pytestmark = pytest.mark.usefixtures("device")
contrib = tf.contrib.summary


def write(folder, record, steps=6):
    """Points at the steps from 0, as the condition that `record` makes wants them."""
    with tf.Graph().as_default():
        step = tf.placeholder(tf.int64, [])
        with contrib.create_file_writer(str(folder), max_queue=1000).as_default():
            with record(step):
                contrib.scalar("double", tf.cast(2 * step, tf.float32), step=step)
                wanted = contrib.should_record_summaries()
            operations = contrib.all_summary_ops()
            flush = contrib.flush()
        with tf.Session() as session:
            session.run(contrib.summary_writer_initializer_op())
            asked = [
                bool(session.run([wanted, operations], {step: number})[0])
                for number in range(steps)
            ]
            session.run(flush)
    return asked, points(folder, "double")


def test_every_step_is_recorded_if_wanted(tmp_path):
    asked, found = write(tmp_path, lambda step: contrib.always_record_summaries())
    assert asked == [True] * 6
    assert found == [(step, 2.0 * step) for step in range(6)]


def test_no_step_is_recorded_if_wanted(tmp_path):
    asked, found = write(tmp_path, lambda step: contrib.never_record_summaries())
    assert asked == [False] * 6
    assert found == []


def test_every_third_step_is_recorded_if_wanted(tmp_path):
    every = contrib.record_summaries_every_n_global_steps
    asked, found = write(tmp_path, lambda step: every(3, global_step=step))
    assert asked == [True, False, False] * 2
    assert found == [(0, 0.0), (3, 6.0)]


def test_nothing_is_recorded_without_a_condition_or_without_a_writer():
    with tf.Graph().as_default(), tf.Session() as session:
        assert not session.run(contrib.should_record_summaries())
        with contrib.create_file_writer(None).as_default():
            assert not session.run(contrib.should_record_summaries())


def test_images_histograms_and_the_graph_are_written(tmp_path):
    with tf.Graph().as_default() as graph:
        step = tf.train.create_global_step()
        writer = contrib.create_file_writer(str(tmp_path))
        with writer.as_default(), contrib.always_record_summaries():
            contrib.image("picture", tf.zeros([1, 4, 4, 3]))
            contrib.histogram("spread", tf.constant([1.0, 2.0]))
            operations = contrib.all_summary_ops()
            with tf.Session() as session:
                session.run(step.initializer)
                contrib.initialize(graph=graph, session=session)
                session.run(operations)
                session.run(writer.flush())
    (file,) = tmp_path.glob("*.v2")
    events = list(tf.train.summary_iterator(str(file)))
    tags = {value.tag for event in events for value in event.summary.value}
    assert tags == {"picture/image/0", "spread"}
    assert any(event.graph_def for event in events)
