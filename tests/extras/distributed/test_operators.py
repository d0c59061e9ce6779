"""Collective operators, groups and queries, on one rank and on several."""

from __future__ import annotations

import pytest

from tests.extras.distributed.conftest import Launch, free_ports, succeeded


@pytest.mark.parametrize("size", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_every_collective_in_plain_runs_and_in_the_loop(launch: Launch, size: int):
    for number, rank in enumerate(succeeded(launch(size, "operators.py"))):
        assert "before: get rank id error. ret[" in rank.out
        assert "initialize_system()" in rank.out
        assert "defaults: 0 1" in rank.out
        assert f"rank {number} of {size} local {number} {size}" in rank.out
        assert ("outside: allreduce error: the group 'ends'" in rank.out) == (
            0 < number < size - 1
        )
        assert "all equal" in rank.out
        (loop,) = [x for x in rank.report["loops"] if x["in_effect"]]
        assert loop["iterations_per_loop"] == 5


def test_the_ranks_find_each_other_without_a_table(launch: Launch):
    port = str(free_ports(1))

    def each(rank: int) -> dict[str, str]:
        return {
            "CM_CHIEF_IP": "127.0.0.1",
            "CM_CHIEF_PORT": port,
            "CM_CHIEF_DEVICE": "0",
            "CM_WORKER_SIZE": "2",
            "CM_WORKER_IP": "127.0.0.1",
            "ASCEND_DEVICE_ID": str(rank),
            "JOB_ID": "10086",
        }

    for number, rank in enumerate(succeeded(launch(2, "who.py", each=each))):
        assert f"{number} of 2 sum 3.0" in rank.out
        assert f"local {number} of 2" in rank.out
        assert "replicas 2" in rank.out
        assert f"shard {[number, number + 2]}" in rank.out


def test_one_rank_needs_no_job(launch: Launch):
    (alone,) = succeeded(launch(1, "who.py", each=lambda _: {}))
    assert "0 of 1 sum 1.0" in alone.out
    assert "local 0 of 1" in alone.out
    assert "shard [0, 1, 2, 3]" in alone.out
