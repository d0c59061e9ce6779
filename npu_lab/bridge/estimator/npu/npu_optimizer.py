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
        NotImplementedError: there is more than one rank.
    """

    def __new__(
        cls,
        optimizer: Any,
        is_weight_update_sharding: bool = False,  # noqa: ARG004
        name: str | None = None,  # noqa: ARG004
    ) -> Any:
        """Give `optimizer` itself."""
        job.one_rank(cls.__name__)
        return optimizer


class KerasDistributeOptimizer:
    """Averages the gradients of a Keras optimizer over ranks.

    With one rank the call returns `optimizer` itself.

    Raises:
        NotImplementedError: there is more than one rank.
    """

    def __new__(
        cls,
        optimizer: Any,
        name: str = "NpuKerasOptimizer",  # noqa: ARG004
        **kwargs: Any,  # noqa: ARG004
    ) -> Any:
        """Give `optimizer` itself."""
        job.one_rank(cls.__name__)
        return optimizer


def npu_distributed_optimizer_wrapper(optimizer: Any) -> Any:
    """Make an optimizer, or the Keras one of this name, average over ranks.

    With one rank nothing is changed.

    Returns:
        The optimizer itself.

    Raises:
        NotImplementedError: there is more than one rank.
    """
    job.one_rank("npu_distributed_optimizer_wrapper")
    return optimizers.get(optimizer) if isinstance(optimizer, str) else optimizer
