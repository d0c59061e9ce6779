"""`npu_optimizer`: optimizers that average gradients over ranks.

On one rank there is nothing to average, so each gives the optimizer that it is given.
"""

from __future__ import annotations

from typing import Any

from tf_keras import optimizers

from npu_lab.bridge import job
from npu_lab.bridge.later import fill

__getattr__ = fill(__name__)


class NPUDistributedOptimizer:
    """Averages the gradients of a `tf.train` optimizer over ranks.

    With one rank the call returns `optimizer` itself.

    Raises:
        NotImplementedError: there are several ranks, and no extra for them.
        ValueError: weight updates are to be shared out, and DEVICE_ID is not set.
    """

    def __new__(
        cls,
        optimizer: Any,
        is_weight_update_sharding: bool = False,
        name: str | None = None,
    ) -> Any:
        """Give an optimizer that averages, or `optimizer` itself."""
        ranks = job.several(cls.__name__)
        if ranks is None:
            return optimizer
        return ranks.DistributedOptimizer(optimizer, is_weight_update_sharding, name)


class KerasDistributeOptimizer:
    """Averages the gradients of a Keras optimizer over ranks.

    The call returns `optimizer` itself, on several ranks changed to average.

    Raises:
        NotImplementedError: there are several ranks, and no extra for them.
    """

    def __new__(
        cls,
        optimizer: Any,
        name: str = "NpuKerasOptimizer",  # noqa: ARG004
        **kwargs: Any,  # noqa: ARG004
    ) -> Any:
        """Give `optimizer` itself."""
        ranks = job.several(cls.__name__)
        return optimizer if ranks is None else ranks.average_gradients(optimizer)


def npu_distributed_optimizer_wrapper(optimizer: Any) -> Any:
    """Make an optimizer, or the Keras one of this name, average over ranks.

    With one rank nothing is changed.

    Returns:
        The optimizer itself.

    Raises:
        NotImplementedError: there are several ranks, and no extra for them.
    """
    if isinstance(optimizer, str):
        optimizer = optimizers.get(optimizer)
    ranks = job.several("npu_distributed_optimizer_wrapper")
    return optimizer if ranks is None else ranks.average_gradients(optimizer)
