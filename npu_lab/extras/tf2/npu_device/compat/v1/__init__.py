"""The adapter of TensorFlow 1 by its names in TensorFlow 2: `compat.v1.npu_init`."""

from __future__ import annotations

from typing import Any

from npu_lab._tensorflow import tf

__all__ = ["SessionConfigBuilder"]

OPTIMIZER = "NpuOptimizer"


class SessionConfigBuilder:
    """A ConfigProto for the device: it has an NpuOptimizer, and remapping is off.

    Args:
        config: a ConfigProto to start from; without one soft placement is allowed.
    """

    def __init__(self, config: Any = None) -> None:
        v1 = tf.compat.v1
        made = v1.ConfigProto(allow_soft_placement=True)
        if isinstance(config, v1.ConfigProto):
            made.CopyFrom(config)
        rewrites = made.graph_options.rewrite_options
        self._optimizer = rewrites.custom_optimizers.add()
        self._optimizer.name = OPTIMIZER
        rewrites.remapping = 2  # OFF
        self._config = made

    @property
    def parameter_map(self) -> Any:
        """Where the options of the NpuOptimizer are set."""
        return self._optimizer.parameter_map

    @property
    def session_config(self) -> Any:
        """The ConfigProto."""
        return self._config
