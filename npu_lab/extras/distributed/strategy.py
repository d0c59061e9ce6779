"""`NPUStrategy`: a distribution strategy with one device in each rank."""

from __future__ import annotations

from typing import Any

from tensorflow.python.distribute import distribute_lib, one_device_strategy

from npu_lab.bridge import job
from npu_lab.extras.distributed import groups, ranks
from npu_lab.extras.distributed._texts import text
from npu_lab.extras.distributed.ranks import JOB

DEVICE = "/cpu:0"
_Extended: Any = one_device_strategy.OneDeviceExtended
_Strategy: Any = distribute_lib.StrategyV1


class NPUStrategy(_Strategy):  # type: ignore[misc]
    """Computes on the device of this rank, and knows how many ranks there are.

    A dataset that it distributes is sharded over the ranks, which must be set up.
    Gradients are averaged by the optimizer, not by the strategy.

    Raises:
        ValueError: another device is asked for.
    """

    def __init__(self, device: str = DEVICE) -> None:
        if device != DEVICE:
            facts = {"name": "NPUStrategy", "argument": "device", "given": device}
            raise ValueError(text("argument", rule=text("strategy"), **facts))
        known = ranks.current()
        if known.size > 1:  # the strategy writes a task of its own choice otherwise
            device = f"/job:{JOB}/replica:0/task:{known.rank}/device:CPU:0"
        super().__init__(_OfRanks(self, device))


class _OfRanks(_Extended):  # type: ignore[misc]
    @property
    def _num_replicas_in_sync(self) -> int:
        return job.rank_size()

    def _experimental_distribute_dataset(self, dataset: Any, options: Any) -> Any:
        del options
        return dataset.shard(groups.get_rank_size(), groups.get_rank_id())

    def _make_dataset_iterator(self, dataset: Any) -> Any:
        shard = self._experimental_distribute_dataset(dataset, None)
        return super()._make_dataset_iterator(shard)
