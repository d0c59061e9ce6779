"""Ranks that do not do the same fail, and say which rank and which step."""

from __future__ import annotations

import signal
import socket

import pytest

from tests.extras.distributed.conftest import Launch


@pytest.mark.parametrize("n", [1, 10])
def test_a_rank_with_fewer_batches_is_an_error_with_rank_and_step(
    launch: Launch, n: int
):
    first, second = launch(2, "unequal.py", "fewer", n, 20)
    assert second.status == first.status == 1
    assert second.report["error"]["type"] == "OutOfRangeError"
    assert "rank 0 of 2, step 14: " in first.report["error"]["message"]
    assert "CollectiveReduceV2" in first.report["error"]["message"]


@pytest.mark.parametrize(
    ("kind", "steps"), [("reduction", (1, 1)), ("shape", (1, 1)), ("half", (6, 6))]
)
def test_ranks_that_do_not_do_the_same_never_mix(
    launch: Launch, kind: str, steps: tuple[int, int]
):
    ranks = launch(2, "unequal.py", kind, 10, 20)
    assert any(rank.report for rank in ranks)
    for number, (rank, step) in enumerate(zip(ranks, steps, strict=True)):
        assert rank.status in {1, -signal.SIGSEGV, -signal.SIGABRT}
        if rank.report is None:  # TensorFlow itself broke, as it does now and then
            continue
        message = rank.report["error"]["message"]
        assert f"rank {number} of 2, step {step}: " in message
        assert "within 2 s (hccl_timeout)" in message


def test_an_estimator_does_not_begin_anew_without_the_other_rank(launch: Launch):
    first, second = launch(2, "unequal.py", "fewer estimator", 10, 20)
    # The one without data has ended its training as usual, after a part of a loop.
    assert second.status == 0
    assert first.status == 1
    assert "rank 0 of 2, step 14: " in first.report["error"]["message"]
    assert first.err.count("a peer did not take part in a collective") == 1


def test_a_rank_that_never_starts_is_named(launch: Launch):
    (alone,) = launch(2, "unequal.py", "fewer", 1, 20, only=[0], connect=4)
    assert alone.status == 1
    assert alone.report["error"]["type"] == "TimeoutError"
    assert "rank 1 (127.0.0.1:" in alone.report["error"]["message"]
    assert "4 s (HCCL_CONNECT_TIMEOUT)" in alone.report["error"]["message"]
    assert "npu-lab: rank 0 of 2 waits for rank 1" in alone.err


def test_a_port_that_is_taken_is_named(launch: Launch):
    with socket.socket() as other:
        other.bind(("", 0))
        other.listen()
        port = str(other.getsockname()[1])
        (alone,) = launch(
            2, "unequal.py", "fewer", 1, 20, only=[0], HCCL_IF_BASE_PORT=port
        )
    assert alone.status == 1
    assert f"rank 0 of 2: the port {port} is taken" in alone.report["error"]["message"]
    assert "HCCL_IF_BASE_PORT" in alone.report["error"]["message"]


def test_a_wrong_environment_is_an_error_before_training(launch: Launch):
    (alone,) = launch(2, "unequal.py", "fewer", 1, 20, only=[0], RANK_SIZE="4")
    assert alone.status == 1
    assert "RANK_SIZE is 4" in alone.report["error"]["message"]
    assert alone.report["session_runs"] == 0


def test_a_killed_rank_ends_the_others(launch: Launch):
    first, second = launch(2, "unequal.py", "killed", 10, 20)
    assert second.status == -signal.SIGKILL
    # TensorFlow aborts the survivor now and then; else the error names rank and step.
    if first.report is not None:
        assert first.status == 1
        assert "rank 0 of 2, step 1" in first.report["error"]["message"]
