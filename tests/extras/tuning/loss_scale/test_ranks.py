"""A step that overflows on one rank is skipped on all of them."""

from __future__ import annotations

import pytest

from tests.extras.distributed.conftest import Launch, launch, succeeded

__all__ = ["launch"]


@pytest.mark.parametrize(
    ("kind", "n"), [("loss_scale", 1), ("loss_scale", 3), ("npu", 3), ("tailing", 3)]
)
def test_the_ranks_skip_together(launch: Launch, kind: str, n: int):
    # The mean gradient is that of each; the third of six steps is left out.
    weight = 1 - 0.125 * 2 * (1 + 2 + 4 + 5 + 6)
    for rank in succeeded(launch(2, "loss_scale.py", kind, n)):
        assert f"ended {weight} 5 4.0" in rank.out
