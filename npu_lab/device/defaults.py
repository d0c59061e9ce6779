"""What `import npu_bridge.npu_init` writes into every session's configuration.

One rule serves the session constructors and `npu_config_proto` alike, as in the
adapter's `npu_init`: NpuOptimizer is added where it is missing, and switches of
TensorFlow that would get in its way are turned off.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from npu_lab._tensorflow import tf

NAME = "NpuOptimizer"
PARAMETERS = ("target", "graph", "config")  # of Session, without self
CONFIG_POSITION = PARAMETERS.index("config")


def apply(config: Any) -> Any:
    """Write the defaults into `config` (a ConfigProto), which is also returned.

    `memory_optimization` is only touched where NpuOptimizer had to be added;
    `log_device_placement` is always turned off, even if the caller turned it on.
    """
    off = tf.compat.v1.ConfigProto().graph_options.rewrite_options.OFF
    rewrite = config.graph_options.rewrite_options
    if not any(o.name == NAME for o in rewrite.custom_optimizers):
        rewrite.custom_optimizers.add().name = NAME
        rewrite.memory_optimization = off
    config.allow_soft_placement = True
    config.log_device_placement = False
    rewrite.remapping = off
    level = tf.compat.v1.OptimizerOptions.OFF
    config.graph_options.optimizer_options.global_jit_level = level
    return config


def with_defaults(
    constructor: Callable[..., None], place: Callable[[Any, Any], str] | None = None
) -> Callable[..., None]:
    """`constructor` of a session, given a configuration with the defaults.

    The caller's proto is changed in place.  `None` given by position is not replaced,
    as in the adapter: it raises AttributeError.  A session without a target gets what
    `place` returns for its configuration and graph.
    """

    @functools.wraps(constructor)
    def make(self: Any, *args: Any, **kwargs: Any) -> None:
        self._session = None  # or TensorFlow's __del__ complains of an error here, too
        if "config" in kwargs or len(args) <= CONFIG_POSITION:
            if kwargs.get("config") is None:
                kwargs["config"] = tf.compat.v1.ConfigProto()
            config = kwargs["config"]
        else:
            config = args[CONFIG_POSITION]
            if config is None:
                message = (
                    "config=None was given to the session by position, and the adapter "
                    "takes it for a ConfigProto: leave it out, or write config=None."
                )
                raise AttributeError(message)
        if isinstance(config, tf.compat.v1.ConfigProto):
            apply(config)
            given = dict(zip(PARAMETERS, args, strict=False)) | kwargs
            target = None
            if place is not None and not given.get("target"):
                target = place(config, given.get("graph"))
            if target:
                kwargs = {**given, "target": target}
                args = args[len(PARAMETERS) :]
        constructor(self, *args, **kwargs)

    return make
