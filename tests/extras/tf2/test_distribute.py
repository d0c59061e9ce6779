"""Collectives: nothing on one worker, and TensorFlow's own between two."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from npu_lab._tensorflow import tf

SCRIPT = Path(__file__).parent / "scripts" / "two_workers.py"


# One worker


def test_values_come_back_unchanged(opened):
    tensor, listed = tf.constant([1]), [tf.constant(1.0), None]
    assert opened.distribute.all_reduce(tensor) is tensor
    assert opened.distribute.all_reduce(listed) is listed


def test_a_broadcast_does_nothing(opened):
    variable = tf.Variable(1.0)
    assert opened.distribute.broadcast([variable], root_rank=0) is None
    assert opened.distribute.broadcast(variable) is None
    assert float(variable) == 1


@pytest.mark.parametrize("given", ["sgd", "optimizer"])
def test_the_wrapper_returns_the_optimizer(opened, given):
    inner = tf.keras.optimizers.SGD(0.5) if given == "optimizer" else given
    wrap = opened.distribute.npu_distributed_keras_optimizer_wrapper
    wrapped = wrap(inner)
    assert isinstance(wrapped, tf.keras.optimizers.SGD)
    if given == "optimizer":
        assert wrapped is inner
    weight = tf.Variable([1.0])
    wrapped.apply_gradients([(tf.constant([2.0]), weight)])
    assert float(weight[0]) < 1


def test_a_dataset_stays_whole(opened):
    dataset = tf.data.Dataset.range(4)
    found, batch = opened.distribute.shard_and_rebatch_dataset(dataset, 5)
    assert found is dataset
    assert batch == 5


def test_the_groupings(opened):
    given, weight = [], tf.Variable(1.0)
    pairs = [(tf.constant(1.0), weight)]
    opened.distribute.grouping_gradients_apply(given.extend, pairs)
    assert given == pairs
    assert opened.distribute.grouping_broadcast([weight]) is None


def test_the_callback_does_nothing_and_is_appended(opened):
    del opened
    from npu_device.distribute.hccl import npu_callbacks_append
    from npu_device.distribute.npu_callbacks import (
        NPUBroadcastGlobalVariablesCallback,
    )

    mine = tf.keras.callbacks.Callback()
    given = npu_callbacks_append([mine])
    assert given[0] is mine
    assert isinstance(given[1], NPUBroadcastGlobalVariablesCallback)
    assert given[1].root_rank == 0
    assert len(npu_callbacks_append()) == 1
    stock = tf.keras.callbacks.Callback.on_batch_begin
    assert NPUBroadcastGlobalVariablesCallback.on_batch_begin is stock


def test_wrappers_of_converted_scripts(opened):
    del opened
    from npu_device.distribute.hccl import (
        broadcast_keras_model,
        npu_broadcast_scope_wrapper,
    )

    strategy = tf.distribute.get_strategy()
    assert npu_broadcast_scope_wrapper(strategy) is strategy
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
    assert broadcast_keras_model(model) is model


def test_the_operators_of_one_worker(opened):
    del opened
    from npu_device.distribute import hccl_ops

    tensor = tf.constant([1.0, 2.0])
    assert hccl_ops.allreduce(tensor, "sum").numpy().tolist() == [1, 2]
    assert hccl_ops.allgather(tensor, 1).numpy().tolist() == [1, 2]
    assert hccl_ops.reduce_scatter(tensor, "sum", 1).numpy().tolist() == [1, 2]
    assert hccl_ops.broadcast([tensor], 0)[0].numpy().tolist() == [1, 2]
    with pytest.raises(TypeError):
        hccl_ops.allgather(tensor, 1, fusion=2)


# Two workers


def free_port() -> int:
    while True:
        base = random.randrange(30000, 40000)  # noqa: S311
        try:
            for port in (base, base + 1):
                with socket.socket() as trial:
                    trial.bind(("", port))
        except OSError:
            continue
        return base


def run_two(script, folder):
    """The outputs of a script on two workers, which end well."""
    device = [
        {"device_id": str(n), "device_ip": f"192.168.9.{n + 1}", "rank_id": str(n)}
        for n in range(2)
    ]
    server = {"server_id": "127.0.0.1", "device": device}
    table = {
        "version": "1.0",
        "status": "completed",
        "server_count": "1",
        "server_list": [server],
    }
    path = folder / "table.json"
    path.write_text(json.dumps(table))
    port = str(free_port())
    running = []
    for rank in range(2):
        environment = os.environ | {
            "JOB_ID": "9",
            "RANK_SIZE": "2",
            "RANK_ID": str(rank),
            "ASCEND_DEVICE_ID": str(rank),
            "RANK_TABLE_FILE": str(path),
            "HCCL_IF_BASE_PORT": port,
            "ASCEND_PROCESS_LOG_PATH": str(folder / f"log{rank}"),
        }
        command = [sys.executable, "-m", "npu_lab", "run", str(script)]
        running.append(
            subprocess.Popen(
                command,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
    ended = [process.communicate(timeout=200) for process in running]
    for process, (_, errors) in zip(running, ended, strict=True):
        assert process.returncode == 0, errors
    return [out for out, _ in ended]


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    outputs = run_two(SCRIPT, tmp_path_factory.mktemp("workers"))
    return [json.loads(out) for out in outputs]


def both(workers, name):
    one, other = (worker[name] for worker in workers)
    assert one == other
    return one


def test_who_they_are(workers):
    assert both(workers, "workers") == 2
    assert [worker["rank"] for worker in workers] == [0, 1]


def test_reductions(workers):
    assert both(workers, "mean") == [1.5, 2]
    assert both(workers, "sum") == [5]
    assert both(workers, "max") == [3]
    assert both(workers, "min") == [2]
    assert both(workers, "prod") == [6]


def test_a_mean_of_integers_is_float64_and_none_stays(workers):
    assert both(workers, "integers") == ["float64", 1.5]
    assert both(workers, "none")


def test_a_broadcast_assigns_in_place(workers):
    assert both(workers, "broadcast") is None
    assert both(workers, "variables") == [[6], [8]]


def test_each_applies_its_share_and_broadcasts_it(workers):
    assert both(workers, "grouping") == [[10], [20], [10]]


def test_the_operators_of_two(workers):
    assert both(workers, "gather") == [1, 1, 2, 1]
    assert [worker["scatter"] for worker in workers] == [[3], [2]]


def test_shards(workers):
    assert both(workers, "batch") == 2
    assert "5" in both(workers, "uneven")
    assert "2 workers" in both(workers, "uneven")


def test_a_sunk_loop_reduces_in_each_step(workers):
    assert both(workers, "same")
    # Shards 0, 2, .. and 1, 3, ..; ten steps of two numbers each, averaged: all of them
    assert both(workers, "weight") == [-sum(range(40)) / 4]


def test_models_start_alike(workers):
    assert both(workers, "model") == [[3]]


def test_who_waits_in_vain_for_the_other_is_told(tmp_path):
    first, second = run_two(SCRIPT.with_name("missing_worker.py"), tmp_path)
    assert second == "2.0\n"
    assert first.startswith("2.0\n")
    assert "rank 0 of 2: a peer did not take part in a collective within 2 s" in first
