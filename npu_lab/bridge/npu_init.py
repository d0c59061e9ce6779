"""`from npu_bridge.npu_init import *`: all that a migrated script needs, in one line.

There is no `__all__`, as in the adapter: the star brings every public name of this
file, the modules among them.  So names of our own begin with an underscore.  Imported
by the vendor's name, it gives every session made afterwards the adapter's defaults.
"""

# ruff: noqa: F401  (imported to be exported)

from __future__ import annotations

import os
import sys as _sys
from types import ModuleType as _ModuleType
from typing import Any as _Any
from weakref import WeakKeyDictionary as _WeakKeyDictionary

from tensorflow.core.protobuf import config_pb2, rewriter_config_pb2
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
from tensorflow.python.client import session
from tensorflow.python.training import session_run_hook
from tf_keras.src import backend

from npu_lab._tensorflow import tf as _tensorflow
from npu_lab.bridge.estimator import npu_ops
from npu_lab.bridge.estimator.npu import (
    keras_to_npu,
    npu_plugin,
    npu_rnn,
    npu_scope,
    npu_strategy,
    util,
)
from npu_lab.bridge.estimator.npu.npu_callbacks import (
    NPUBroadcastGlobalVariablesCallback,
)
from npu_lab.bridge.estimator.npu.npu_config import (
    DumpConfig,
    DynamicInputConfig,
    MemoryConfig,
    NPURunConfig,
    ProfilingConfig,
    decorator_tf_session,
)
from npu_lab.bridge.estimator.npu.npu_estimator import NPUEstimator, NPUEstimatorSpec
from npu_lab.bridge.estimator.npu.npu_hook import (
    NPUBroadcastGlobalVariablesHook,
    NPUCheckpointSaverHook,
    NPUOutputTensorHook,
    SetIterationsVarHook,
    TellMeStepOrLossHook,
)
from npu_lab.bridge.estimator.npu.npu_loss_scale_manager import (
    ExponentialUpdateLossScaleManager,
    FixedLossScaleManager,
)
from npu_lab.bridge.estimator.npu.npu_loss_scale_optimizer import NPULossScaleOptimizer
from npu_lab.bridge.estimator.npu.npu_optimizer import (
    KerasDistributeOptimizer,
    NPUDistributedOptimizer,
    NPUOptimizer,
    npu_allreduce,
    npu_distributed_optimizer_wrapper,
)
from npu_lab.bridge.estimator.npu_unary_ops import npu_unary_ops
from npu_lab.bridge.extra import extra as _extra
from npu_lab.bridge.hccl import hccl_ops
from npu_lab.bridge.hccl.manage.api import (
    create_group,
    destroy_group,
    get_group_rank_from_world_rank,
    get_local_rank_id,
    get_local_rank_size,
    get_rank_id,
    get_rank_size,
    get_world_rank_from_group_rank,
)
from npu_lab.bridge.hccl.split.api import (
    set_split_strategy_by_idx,
    set_split_strategy_by_size,
)
from npu_lab.bridge.later import fill as _fill
from npu_lab.bridge.npu_cpu import npu_cpu_ops
from npu_lab.bridge.profiler import profiler
from npu_lab.bridge.scoped_graph_manager import scoped_graph_manager
from npu_lab.device import defaults as _defaults
from npu_lab.device import seam as _seam
from npu_lab.tf1 import face as _face
from npu_lab.tf1 import process as _process
from npu_lab.tf1.estimator import run_config as _run_config

del annotations

__getattr__ = _fill(__name__)

experimental_options = {
    "disable_model_pruning": False,
    "function_optimization": RewriterConfig.ON,
    "constant_folding": RewriterConfig.ON,
    "shape_optimization": RewriterConfig.ON,
    "arithmetic_optimization": RewriterConfig.ON,
    "loop_optimization": RewriterConfig.ON,
    "dependency_optimization": RewriterConfig.ON,
    "layout_optimizer": RewriterConfig.ON,
}

tf = None  # for the star, which asks the property below


class _Module(_ModuleType):
    """This module, whose `tf` is TensorFlow as the process sees it at that moment."""

    @property
    def tf(self) -> _Any:
        """The TF 1.15 view where that is on, else TensorFlow's own v1 names."""
        return _face.tf if _process.entered() else _tensorflow.compat.v1


_sys.modules[__name__].__class__ = _Module


def _imported(device: _Any) -> None:
    """What importing this file does to the sessions of the process."""
    _seam.install_defaults()
    ranks = _extra("distributed")
    if ranks is not None:
        ranks.join(device)


def npu_config_proto(config_proto: _Any = None) -> _Any:
    """Write the adapter's defaults into a ConfigProto, and return it.

    NpuOptimizer is added where it is missing, and then `memory_optimization` is turned
    off; `remapping`, the JIT and `log_device_placement` are always turned off.
    Anything but a ConfigProto is replaced by a new one.
    """
    if not isinstance(config_proto, config_pb2.ConfigProto):
        config_proto = config_pb2.ConfigProto()
    return _defaults.apply(config_proto)


def npu_graph_options(graph_options: _Any = None) -> _Any:
    """Turn the JIT off in GraphOptions (or new ones), and return them."""
    if not isinstance(graph_options, config_pb2.GraphOptions):
        graph_options = config_pb2.GraphOptions()
    npu_optimizer_options(graph_options.optimizer_options)
    return graph_options


def npu_optimizer_options(optimizer_options: _Any = None) -> _Any:
    """Turn the JIT off in OptimizerOptions (or new ones), and return them."""
    if not isinstance(optimizer_options, config_pb2.OptimizerOptions):
        optimizer_options = config_pb2.OptimizerOptions()
    optimizer_options.global_jit_level = config_pb2.OptimizerOptions.OFF
    return optimizer_options


def npu_run_config_init(run_config: _Any = None) -> _Any:
    """Write the adapter's defaults into the session configuration of a RunConfig.

    Anything but a `tf.estimator.RunConfig` is replaced by a new one.

    Returns:
        The RunConfig, for a plain `tf.estimator.Estimator`.
    """
    if not isinstance(run_config, _run_config.RunConfig):
        run_config = _run_config.RunConfig()
    run_config._session_config = npu_config_proto(run_config.session_config)
    return run_config


def npu_hooks_append(hooks_list: _Any = ()) -> list[_Any]:
    """Append the NPU's hook to a list of hooks, in place, and return the list.

    It is then the last one: `hooks[-1]` is no longer the script's own.  Anything but a
    list, a tuple included, is thrown away and replaced by a new list.
    """
    hooks = hooks_list if isinstance(hooks_list, list) else []
    index = int(os.getenv("RANK_ID", "0"))
    hooks.append(NPUBroadcastGlobalVariablesHook(0, index))
    return hooks


def npu_callbacks_append(callbacks_list: _Any = ()) -> list[_Any]:
    """Append the NPU's callback to a list of Keras callbacks, as `npu_hooks_append`."""
    callbacks = callbacks_list if isinstance(callbacks_list, list) else []
    callbacks.append(NPUBroadcastGlobalVariablesCallback(0))
    return callbacks


def npu_keras_optimizer(opt: _Any) -> _Any:
    """`KerasDistributeOptimizer(opt)`."""
    return KerasDistributeOptimizer(opt)


def npu_tf_optimizer(opt: _Any) -> _Any:
    """`NPUDistributedOptimizer(opt)`."""
    return NPUDistributedOptimizer(opt)


def set_keras_session_npu_config(config: _Any = None) -> _Any:
    """Give Keras a session with the defaults, and return it; close it at the end."""
    sess = session.Session(config=npu_config_proto(config))
    backend.set_session(sess)
    return sess


def npu_clear_session(config: _Any = None) -> None:
    """Clear Keras as `backend.clear_session` does, and give it a new session."""
    backend.clear_session()
    # It leaves a dict there, which would keep every graph that Keras meets alive.
    phases = _WeakKeyDictionary(backend._GRAPH_LEARNING_PHASES)
    backend._GRAPH_LEARNING_PHASES = phases
    set_keras_session_npu_config(config)


def shutdown_resource(sess: _Any, npu_shutdown: _Any) -> None:
    """Run the operation that `init_resource` returned."""
    sess.run(npu_shutdown)


def close_session(sess: _Any) -> None:
    """Close `sess`."""
    sess.close()


def get_npu_rank_id() -> int:
    """The rank that `init_resource` found, 0 before it."""
    return int(util.get_value("npu_rank_id", 0))


def get_npu_local_rank_id() -> int:
    """The rank within this server that `init_resource` found, 0 before it."""
    return int(util.get_value("npu_local_rank_id", 0))


def get_npu_rank_size() -> int:
    """The number of ranks that `init_resource` found, 1 before it."""
    return int(util.get_value("npu_rank_size", 1))


def get_npu_local_rank_size() -> int:
    """The number of ranks on this server that `init_resource` found, 1 before it."""
    return int(util.get_value("npu_local_rank_size", 1))


class NpuEmptyHook(session_run_hook.SessionRunHook):  # type: ignore[misc]
    """A hook that does nothing, where one is needed."""
