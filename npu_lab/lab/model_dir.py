"""What a training of an Estimator has left in its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from npu_lab._tensorflow import tf


def saved_steps(folder: Path | str) -> list[int]:
    """The steps of the checkpoints in `folder`, ascending."""
    files = Path(folder).glob("model.ckpt-*.index")
    return sorted(int(file.stem.rpartition("-")[2]) for file in files)


def summary_points(folder: Path | str, tag: str) -> dict[int, float]:
    """The points {step: value} of the summary `tag` in `folder`, steps ascending.

    Of a step that was trained twice, the later one.
    """
    read = tf.compat.v1.train.summary_iterator
    events: list[Any] = []
    for path in Path(folder).glob("events.*"):
        events += read(str(path))
    points = {
        event.step: value.simple_value
        for event in sorted(events, key=lambda event: event.wall_time)
        for value in event.summary.value
        if value.tag == tag
    }
    return dict(sorted(points.items()))
