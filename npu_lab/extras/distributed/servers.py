"""TensorFlow's server of this rank, on which all sessions of the process run.

It is started with the first session, and lives as long as the process: TensorFlow
cannot stop one.  A session sees its own rank's server only, so every operation is
placed there; the collectives find the others by themselves.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.device import Device, loop
from npu_lab.device.defaults import NAME as OPTIMIZER
from npu_lab.extras.distributed import (
    alarm,
    failures,
    overwritten,
    ranks,
    rendezvous,
)
from npu_lab.extras.distributed._texts import text
from npu_lab.extras.distributed.environment import seconds
from npu_lab.extras.distributed.launcher import progress
from npu_lab.extras.distributed.ranks import JOB, Ranks

v1 = tf.compat.v1

LEADER = f"/job:{JOB}/replica:0/task:0"
QUIET = 3.0  # seconds before it is said that ranks are waited for

_started: list[Any] = []


def join(device: Device) -> None:
    """Let the sessions of `device` run on this rank's server, if there are several."""
    device.place, device.explain = place, failures.explain
    device.watch = _watch
    loop.BESIDE[:] = [alarm.beside]
    progress.follow(device)


def place(config: Any, graph: Any) -> str:
    """The target for a session of several ranks, whose `config` is completed.

    Raises:
        ValueError: the environment or the rank table is wrong.
        OSError: the port of this rank is taken.
        TimeoutError: another rank did not start.
    """
    known = ranks.current()
    if known.size == 1:
        return ""
    config.experimental.collective_group_leader = LEADER
    config.isolate_session_state = True  # as in sessions without a server
    del config.device_filters[:]
    config.device_filters.append(f"/job:{JOB}/task:{known.rank}")
    alarm.limit(graph, _timeout(config))
    return start(known)


def start(known: Ranks) -> str:
    """Start the server, once, and wait until all have; return its target."""
    if not _started:
        _check_port(known)
        _warn_of_others(known)
        config = v1.ConfigProto()
        config.experimental.collective_group_leader = LEADER
        _started.append(
            v1.train.Server(
                v1.train.ClusterSpec({JOB: list(known.addresses)}),
                job_name=JOB,
                task_index=known.rank,
                config=config,
            )
        )
        progress.reach(progress.Stage.WAITING)
        _wait_for_all(known)
        progress.reach(progress.Stage.TOGETHER)
    return str(_started[0].target)


def _watch(session: Any, subgraph: Any) -> Callable[[], None] | None:
    watched = [one(session, subgraph) for one in (overwritten.watch, alarm.watch)]
    asked = [one for one in watched if one is not None]

    def note() -> None:
        for one in asked:
            one()

    return note if asked else None


def _timeout(config: Any) -> float | None:
    """The session's hccl_timeout, seconds; None where it does not say."""
    for optimizer in config.graph_options.rewrite_options.custom_optimizers:
        if optimizer.name == OPTIMIZER and "hccl_timeout" in optimizer.parameter_map:
            return float(optimizer.parameter_map["hccl_timeout"].i) or None
    return None


def _check_port(known: Ranks) -> None:
    port = int(known.addresses[known.rank].rpartition(":")[2])
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("", port))
        except OSError as error:
            facts = {"rank": known.rank, "size": known.size, "port": port}
            message = text("port", reason=error.strerror, **facts)
            raise OSError(error.errno, message) from error


def _warn_of_others(known: Ranks) -> None:
    if not known.table.one_server:
        port = known.addresses[known.rank].rpartition(":")[2]
        told = text("open", rank=known.rank, size=known.size, port=port)
        print(told, file=sys.stderr, flush=True)


def _wait_for_all(known: Ranks) -> None:
    limit = seconds(os.environ, "HCCL_CONNECT_TIMEOUT", rendezvous.CONNECT_TIMEOUT)
    facts: dict[str, Any] = {"rank": known.rank, "size": known.size, "seconds": limit}
    begun, told = time.monotonic(), False
    missing = [rank for rank in range(known.size) if rank != known.rank]
    while missing := [r for r in missing if not _answers(known.addresses[r])]:
        waited = time.monotonic() - begun
        facts["others"] = ", ".join(
            text("one rank", rank=r, address=known.addresses[r]) for r in missing
        )
        if waited > limit:
            raise TimeoutError(text("never came", **facts))
        if waited > QUIET and not told:
            told = True
            print(text("waiting", **facts), file=sys.stderr, flush=True)
        time.sleep(rendezvous.PAUSE)


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=1).close()
    except OSError:
        return False
    return True
