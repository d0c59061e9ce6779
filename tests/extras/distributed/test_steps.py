"""Steps and batches are those of one rank: nothing divides or multiplies them."""

from __future__ import annotations

import pytest

from tests.extras.distributed.conftest import Launch, succeeded


@pytest.mark.parametrize(
    ("size", "plans"),
    [(1, [(64, 10, 640)]), (2, [(32, 20, 640), (64, 20, 1280)])],
)
def test_what_is_said_before_is_what_was_done(
    launch: Launch, size: int, plans: list[tuple[int, int, int]]
):
    steps = [step for step, _, _ in plans]
    for rank in succeeded(launch(size, "updates.py", *steps)):
        said = rank.err.split("training begins\n")
        assert len(said) == len(plans) + 1
        for before, (updates, whole, samples) in zip(said, plans, strict=False):
            plan = (
                f"Each device makes {updates} updates with a batch of 10; devices:"
                f" {size}, global batch: {whole}, samples in all: {samples}."
            )
            # On one device it is a line of the log, which TensorFlow does not show.
            assert (plan in before) == (size > 1)
            assert whole == 10 * size
            assert samples == updates * whole
        # What was said is what was done: neither divided nor multiplied.
        assert rank.report["device_iterations"] == sum(steps)
        assert rank.report["batches_pulled"] == sum(steps)
        assert rank.report["training_calls"] == sum(steps) // 8
