"""Training on several ranks, on TensorFlow's own distributed runtime.

Each rank is a process with a TensorFlow server; its sessions run there.  What the
vendor's modules have of this comes from here, under the vendor's names.
"""

from __future__ import annotations

from npu_lab.extras.distributed.broadcasts import (
    broadcast_global_variables,
    broadcast_keras_variables,
)
from npu_lab.extras.distributed.collectives import (
    allgather,
    allreduce,
    broadcast,
    reduce,
    reduce_scatter,
)
from npu_lab.extras.distributed.groups import (
    create_group,
    destroy_group,
    get_group_rank_from_world_rank,
    get_local_rank_id,
    get_local_rank_size,
    get_rank_id,
    get_rank_size,
    get_world_rank_from_group_rank,
)
from npu_lab.extras.distributed.optimizers import (
    DistributedOptimizer,
    average_gradients,
    npu_allreduce,
)
from npu_lab.extras.distributed.servers import join
from npu_lab.extras.distributed.strategy import NPUStrategy
from npu_lab.extras.distributed.system import (
    init_resource,
    initialize_system,
    shutdown_system,
)

__all__ = [
    "DistributedOptimizer",
    "NPUStrategy",
    "allgather",
    "allreduce",
    "average_gradients",
    "broadcast",
    "broadcast_global_variables",
    "broadcast_keras_variables",
    "create_group",
    "destroy_group",
    "get_group_rank_from_world_rank",
    "get_local_rank_id",
    "get_local_rank_size",
    "get_rank_id",
    "get_rank_size",
    "get_world_rank_from_group_rank",
    "init_resource",
    "initialize_system",
    "join",
    "npu_allreduce",
    "reduce",
    "reduce_scatter",
    "shutdown_system",
]
