"""Steps and batches are those of one rank: nothing divides or multiplies them."""

from __future__ import annotations

import pytest

from tests.extras.distributed.conftest import Launch, succeeded


@pytest.mark.parametrize(
    ("size", "steps", "whole", "samples"),
    [(1, 64, 10, 640), (2, 32, 20, 640), (2, 64, 20, 1280)],
)
def test_what_is_said_before_is_what_was_done(
    launch: Launch, size: int, steps: int, whole: int, samples: int
):
    for rank in succeeded(launch(size, "updates.py", steps)):
        assert (
            f"Each device makes {steps} updates with a batch of 10; devices: {size},"
            f" global batch: {whole}, samples in all: {samples}."
        ) in rank.out
        assert rank.report["device_iterations"] == steps
        assert rank.report["batches_pulled"] == steps
