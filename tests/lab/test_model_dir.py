"""What is read from the folder of an Estimator."""

from __future__ import annotations

from pathlib import Path

from npu_lab._tensorflow import tf
from npu_lab.lab import saved_steps, summary_points


def test_steps_are_numbers_not_words(tmp_path: Path) -> None:
    for step in (100, 0, 20):
        (tmp_path / f"model.ckpt-{step}.index").touch()
        (tmp_path / f"model.ckpt-{step}.meta").touch()
    assert saved_steps(tmp_path) == [0, 20, 100]


def test_of_a_step_trained_twice_the_later_point_counts(tmp_path: Path) -> None:
    def write(when: float, step: int, value: float, suffix: str) -> None:
        summary = tf.compat.v1.Summary()
        summary.value.add(tag="loss", simple_value=value)
        summary.value.add(tag="other", simple_value=7)
        event = tf.compat.v1.Event(wall_time=when, step=step, summary=summary)
        path = tmp_path / f"events.out.tfevents.{suffix}"
        with tf.io.TFRecordWriter(str(path)) as writer:
            writer.write(event.SerializeToString())

    write(3, 2, 0.5, "a")
    write(2, 2, 8.0, "b")
    write(1, 1, 0.25, "c")
    points = summary_points(tmp_path, "loss")
    assert list(points.items()) == [(1, 0.25), (2, 0.5)]
