"""Training on several ranks, on TensorFlow's own distributed runtime.

Each rank is a process with a TensorFlow server; its sessions run there.  What the
vendor's modules have of this comes from here, under the vendor's names.  A name is
loaded when it is first asked for: reading a rank table and starting ranks need no
TensorFlow.
"""

from __future__ import annotations

import importlib
from typing import Any

NAMES = {
    "broadcasts": ("broadcast_global_variables", "broadcast_keras_variables"),
    "collectives": ("allgather", "allreduce", "broadcast", "reduce", "reduce_scatter"),
    "exchange": ("all_to_all_v", "all_to_all_v_c", "receive", "send"),
    "groups": (
        "create_group",
        "destroy_group",
        "get_group_rank_from_world_rank",
        "get_local_rank_id",
        "get_local_rank_size",
        "get_rank_id",
        "get_rank_size",
        "get_world_rank_from_group_rank",
    ),
    "optimizers": ("DistributedOptimizer", "average_gradients", "npu_allreduce"),
    "segments": ("set_split_strategy_by_idx", "set_split_strategy_by_size"),
    "servers": ("join",),
    "strategy": ("NPUStrategy",),
    "system": ("init_resource", "initialize_system", "shutdown_system"),
}
"""What each module has of the vendor's."""

_HOMES = {name: home for home, names in NAMES.items() for name in names}

__all__ = sorted(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message, name=name)
    found = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
