"""Several workers: TensorFlow's collectives between the eager runtimes of the ranks."""

from __future__ import annotations

from typing import Any

from tensorflow.core.protobuf import tensorflow_server_pb2
from tensorflow.python.eager import context

from npu_lab._tensorflow import tf
from npu_lab.extras.distributed import groups, ranks, servers
from npu_lab.extras.distributed.ranks import JOB

_joined: list[int] = []


def join() -> int:
    """Let this process take part, once; return its rank.

    Raises:
        ValueError: the environment or the rank table is wrong.
        OSError: the port of this rank is taken.
        TimeoutError: another rank did not start.
    """
    if not _joined:
        known = ranks.current()
        cluster: Any = tf.train.ClusterSpec({JOB: list(known.addresses)})
        definition = tensorflow_server_pb2.ServerDef(
            cluster=cluster.as_cluster_def(),
            job_name=JOB,
            task_index=known.rank,
            protocol="grpc",
        )
        definition.default_session_config.experimental.collective_group_leader = (
            servers.LEADER
        )
        runtime = context.context()
        runtime.configure_collective_ops(collective_leader=servers.LEADER)
        servers._check_port(known)
        runtime.enable_collective_ops(definition)
        runtime.ensure_initialized()
        servers._wait_for_all(known)
        groups.set_up(True)
        _joined.append(known.rank)
    return _joined[0]
