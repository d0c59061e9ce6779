"""What a collective in each step costs: two ranks, sunk, looped by hand, step by step.

Every step averages a gradient over the ranks and applies it; the gradient itself costs
nothing.  A contestant is the pair: it asks both ranks at once for as many calls as fill
the time, and gives the time of the slower one.
"""

from __future__ import annotations

import atexit
import base64
import contextlib
import math
import os
import random
import socket
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import graphs
from benchmarks.harness import Entry, Worker
from benchmarks.worker import Contestant

SIZE = 2
RATE = 0.01
PORTS = 20000, 32000  # below those that systems give away by themselves
TRIES = 100


def pair(how: str, n: int, elements: int) -> Contestant:
    """Two ranks that reduce so many float32 in each step, `n` steps a call."""
    stack = ExitStack()
    atexit.register(stack.close)
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    arguments = {"how": how, "n": n, "elements": elements}
    workers = [
        stack.enter_context(Worker(entry, folder))
        for entry in _entries(folder, arguments)
    ]
    pool = stack.enter_context(ThreadPoolExecutor(SIZE))
    about = [reply["ready"] for reply in pool.map(Worker.receive, workers)]

    def steps(calls: int) -> float:
        """The seconds of a step of the slower rank, over so many calls."""
        replies = list(pool.map(lambda worker: worker.ask(measure=calls), workers))
        return max(float(reply["figures"]["time"]) for reply in replies)

    def measure(seconds: float) -> dict[str, float]:
        calls = max(1, math.ceil(seconds / (n * steps(max(1, 20 // n)))))
        return {"time": steps(calls)}

    def variables(wanted: int) -> list[Any]:
        replies = pool.map(lambda worker: worker.ask(variables=wanted), workers)
        first, second = (base64.b64decode(reply["variables"]) for reply in replies)
        if first != second:
            raise RuntimeError(f"the ranks differ after {wanted} steps")
        return [np.frombuffer(first, np.float32)]

    return Contestant(measure, variables, about[0])


def _entries(folder: str, arguments: dict[str, Any]) -> Iterator[Entry]:
    from npu_lab.extras.distributed import rank_table

    table = Path(folder) / "rank_table.json"
    rank_table.write(table, 1, SIZE)
    common = {
        "RANK_TABLE_FILE": str(table),
        "RANK_SIZE": str(SIZE),
        "JOB_ID": "10087",
        "HCCL_IF_BASE_PORT": str(_free_ports()),
    }
    for rank in range(SIZE):
        own = {"RANK_ID": str(rank), "ASCEND_DEVICE_ID": str(rank)}
        yield Entry(f"rank {rank}", "ranks.member", arguments, common | own)


def _free_ports() -> int:
    """Where free ports begin, as many as there are ranks."""
    for _ in range(TRIES):
        base = random.randrange(*PORTS, SIZE)  # noqa: S311  (not a secret)
        with ExitStack() as opened, contextlib.suppress(OSError):
            for port in range(base, base + SIZE):
                opened.enter_context(socket.socket()).bind(("", port))
            return base
    raise OSError("no free ports")


def member(how: str, n: int, elements: int) -> Contestant:
    """One rank; it measures over a number of calls, not over a time."""
    made = _sunk(n, elements) if how == "sunk" else _by_hand(how, n, elements)
    session, fetches, weights, about = made

    def call() -> None:
        session.run(fetches)

    timed = _counted(call, n)

    def variables(steps: int) -> list[Any]:
        for _ in range(steps // n):
            call()
        return [session.run(weights)]

    return Contestant(lambda calls: {"time": timed(int(calls))}, variables, about)


def _counted(call: Any, n: int) -> Any:
    def measure(calls: int) -> float:
        start = time.perf_counter()
        for _ in range(calls):
            call()
        return (time.perf_counter() - start) / (calls * n)

    return measure


def _gradient(tf: Any, elements: int) -> Any:
    """Another one on each rank, which costs nothing: a constant."""
    rank = int(os.environ["RANK_ID"])
    return tf.constant(np.full(elements, rank + 1, np.float32))


def _sunk(n: int, elements: int) -> tuple[Any, Any, Any, str]:
    """As a user writes it: the distributed optimizer, in a sunk loop."""
    tf = graphs.activated_tensorflow()
    from npu_bridge.npu_init import npu_distributed_optimizer_wrapper, util

    weights = tf.get_variable("w", initializer=tf.zeros([elements]))
    loss = tf.reduce_sum(weights * _gradient(tf, elements))
    optimizer = tf.train.GradientDescentOptimizer(RATE)
    train = npu_distributed_optimizer_wrapper(optimizer).minimize(loss)
    session = tf.Session(config=graphs.device_options(tf, n))
    session.run(tf.global_variables_initializer())
    if n > 1:
        train = util.set_iteration_per_loop(session, train, n)
    return session, train, weights, f"N = {n}"


def _by_hand(how: str, n: int, elements: int) -> tuple[Any, Any, Any, str]:
    """Stock TensorFlow: `CollectiveReduceV2` in a `tf.while_loop`, or a call a step."""
    tf = graphs.plain_tensorflow()
    rank, base = int(os.environ["RANK_ID"]), int(os.environ["HCCL_IF_BASE_PORT"])
    addresses = [f"127.0.0.1:{base + number}" for number in range(SIZE)]
    config = graphs.device_options(tf, optimizer=False)
    config.experimental.collective_group_leader = "/job:worker/replica:0/task:0"
    cluster = tf.train.ClusterSpec({"worker": addresses})
    server = tf.train.Server(cluster, job_name="worker", task_index=rank, config=config)
    with tf.device(f"/job:worker/task:{rank}/device:CPU:0"):
        weights = tf.get_variable("w", initializer=tf.zeros([elements]))
        gradient = _gradient(tf, elements)
        optimizer = tf.train.GradientDescentOptimizer(RATE)

        def step() -> Any:
            mean = tf.raw_ops.CollectiveReduceV2(
                input=gradient,
                group_size=SIZE,
                group_key=1,
                instance_key=7,
                ordering_token=[],
                merge_op="Add",
                final_op="Div",
                communication_hint="auto",
            )
            return optimizer.apply_gradients([(mean, weights)])

        def one_step(number: Any) -> Any:
            with tf.control_dependencies([step()]):
                return number + 1

        fetches = step()
        if how == "while":
            fetches = tf.while_loop(
                lambda number: number < n,
                one_step,
                [tf.constant(0)],
                parallel_iterations=1,
            )
    session = tf.Session(server.target, config=config)
    session.run(tf.global_variables_initializer())
    return session, fetches, weights, f"N = {n}, TensorFlow alone"
