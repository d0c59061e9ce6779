"""`npu_estimator`: the Estimator of the NPU.

It is TensorFlow's, with the options of its NPURunConfig written into the session, the
training operation marked for the sunk loop, and hooks of its own before the script's.
"""

from __future__ import annotations

import os
import random
import string
import sys
from pathlib import Path
from typing import Any

from tensorflow.python.util import function_utils, tf_inspect

from npu_lab._tensorflow import tf
from npu_lab.bridge import channels, job, loop_variables, run_config
from npu_lab.bridge.estimator.npu import npu_hook
from npu_lab.device import loop
from npu_lab.device.subgraph import Subgraph
from npu_lab.tf1.estimator import checks, estimator
from npu_lab.tf1.estimator.spec import EstimatorSpec, ModeKeys

_logging = tf.compat.v1.logging


class NPUEstimatorSpec(EstimatorSpec):
    """An EstimatorSpec that may have a host_call: what the host does for each step.

    Args:
        host_call: a pair of a function and its arguments, tensors in a list, or by name
            in a dict.  The device sends their values to the host after each of its
            steps, those inside a loop included, in training and in evaluation; the
            host runs what the function builds of them.

    Raises:
        ValueError: `host_call` is no such pair.
        TypeError: its first part is not callable.
        RuntimeError: the function takes another number of arguments.
    """

    host_call: Any = None

    def __new__(cls, *args: Any, host_call: Any = None, **kwargs: Any) -> Any:
        """As in EstimatorSpec; `host_call` may come last by position, too."""
        if len(args) > len(cls._fields):
            *args, host_call = args  # type: ignore[assignment]
        if host_call is not None:
            _check_host_call(host_call)
        spec: Any = super().__new__(cls, *args, **kwargs)
        spec.host_call = host_call
        return spec

    def _replace(self, **kwargs: Any) -> Any:
        """As of every named tuple; `host_call` is kept, or replaced as well."""
        host_call = kwargs.pop("host_call", self.host_call)
        spec = super()._replace(**kwargs)
        spec.host_call = host_call
        return spec


def _check_host_call(host_call: Any) -> None:
    if not isinstance(host_call, tuple | list) or len(host_call) != 2:  # noqa: PLR2004
        message = f"host_call must be a pair (function, tensors), not {host_call!r}."
        raise ValueError(message)
    function, tensors = host_call
    if not callable(function):
        message = f"The first part of host_call must be callable, not {function!r}."
        raise TypeError(message)
    if not isinstance(tensors, tuple | list | dict) or not tensors:
        message = (
            "The second part of host_call must be a list, tuple or dict of tensors,"
            f" one at least, not {tensors!r}."
        )
        raise ValueError(message)
    takes = function_utils.fn_args(function)
    any_number = tf_inspect.getfullargspec(function).varargs is not None
    if not (isinstance(tensors, dict) or any_number or len(tensors) == len(takes)):
        message = (
            f"host_call gives {len(tensors)} tensors, but its function takes"
            f" {len(takes)}: {', '.join(takes)}."
        )
        raise RuntimeError(message)


class NPUEstimator(estimator.Estimator):
    """Trains, evaluates and predicts on the NPU, several steps per `Session.run`.

    Args:
        model_fn: builds the model, as for TensorFlow's Estimator; it may return an
            NPUEstimatorSpec, for host_call.
        model_dir: the folder of the checkpoints; without one here and in `config`, a
            new one in the working directory.
        config: an NPURunConfig; its ConfigProto is changed.
        params: given to `model_fn`.
        job_start_file: a JSON file with the job, in place of the environment.
        warm_start_from: a checkpoint to take first values from; else the job's
            LOCAL_CHECKPOINT_DIR, else RESTORE_FROM of the environment.

    Raises:
        ValueError: `config` is no NPURunConfig, JOB_ID is not set, two different
            folders are given, or `model_fn` does not fit.
    """

    _wrong_spec = RuntimeError  # the adapter's

    def __init__(
        self,
        model_fn: Any = None,
        model_dir: str | None = None,
        config: Any = None,
        params: Any = None,
        job_start_file: str = "",
        warm_start_from: Any = None,
    ) -> None:
        if not isinstance(config, run_config.NPURunConfig):
            message = (
                "`config` must be provided with type `NPUConfigs`: make it with"
                f" NPURunConfig(...); this is {config!r}."
            )
            raise ValueError(message)  # noqa: TRY004  (the adapter's type)
        if model_fn is not None:  # which TensorFlow refuses
            checks.check_model_fn(model_fn, params)
        run_config.session_config(config)
        self._job = job.read(job_start_file)
        if not (model_dir or config.model_dir):
            model_dir = _new_folder()
        restored = self._job.local_checkpoint_dir or os.environ.get("RESTORE_FROM")
        super().__init__(
            model_fn, model_dir, config, params, warm_start_from or restored
        )

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: Any) -> Any:
        spec = super()._call_model_fn(features, labels, mode, config)
        if mode == ModeKeys.TRAIN:
            return self._for_training(spec)
        if mode == ModeKeys.EVAL:
            loss, hooks = _outfeeds(spec, [spec.loss])
            hooks += spec.evaluation_hooks
            return spec._replace(loss=loss, evaluation_hooks=tuple(hooks))
        return spec

    def _for_training(self, spec: Any) -> Any:
        config, hooks, train_op = self._config, [], spec.train_op
        ranks = job.several("NPUEstimator.train", self._job.rank_size)
        if ranks is not None and not config.horovod_mode:
            index = self._job.index
            hooks.append(npu_hook.NPUBroadcastGlobalVariablesHook(0, index))
        if config.save_checkpoints_secs or config.save_checkpoints_steps:
            hooks.append(
                npu_hook.NPUCheckpointSaverHook(
                    self.model_dir,
                    save_secs=config.save_checkpoints_secs,
                    save_steps=config.save_checkpoints_steps,
                    scaffold=spec.scaffold,
                )
            )
        loss, outfeeds = _outfeeds(spec, [train_op])
        hooks += outfeeds
        if config.iterations_per_loop > 1:
            hooks.append(npu_hook.SetIterationsVarHook(config.iterations_per_loop))
            train_op = tf.group(train_op, name=loop_variables.ITERATION_OP)
        hooks += spec.training_hooks
        return spec._replace(loss=loss, train_op=train_op, training_hooks=tuple(hooks))


def _new_folder() -> str:
    name = "".join(random.choices(string.ascii_letters + string.digits, k=10))  # noqa: S311
    folder = Path.cwd() / f"model_dir_{name}"
    folder.mkdir()
    _logging.warning("No model_dir was given: checkpoints go to %s.", folder)
    return str(folder)


def _outfeeds(spec: Any, after: list[Any]) -> tuple[Any, list[Any]]:
    """The loss, and hooks for what the device sends; it sends when `after` has run."""
    loss, hooks = spec.loss, list[Any]()
    if not hasattr(spec, "host_call"):
        return loss, hooks
    if spec.host_call is not None:
        function, given = spec.host_call
        named = isinstance(given, dict)
        tensors = _computed_after(after, given.values() if named else given, loss)
        with tf.control_dependencies(after):
            sent = channels.outfeed_enqueue_op(spec.mode, tensors)
        with tf.control_dependencies([sent]):
            loss = tf.identity(loss)
        types, shapes = [t.dtype for t in tensors], [t.shape for t in tensors]
        taken = channels.outfeed_dequeue_op(spec.mode, types, shapes)
        try:
            made = (
                function(**dict(zip(given, taken, strict=True)))
                if named
                else function(*taken)
            )
        except TypeError:
            _logging.warning(
                "host_call: the function failed with %s as its arguments.",
                list(given) if named else f"{len(taken)} tensors",
            )
            raise
        # With the values themselves, the function may leave some of them unused.
        hooks.append(npu_hook.NPUInfeedOutfeedSessionHook([made, taken], spec.mode))
    hooks.append(npu_hook.NPULogOutfeedSessionHook(sys.stderr))
    return loss, hooks


def _computed_after(after: list[Any], given: Any, loss: Any) -> list[Any]:
    """The tensors `given`; what only they need is computed when `after` has run.

    Otherwise the step would be read before or after its update, as it happens.
    """
    graph = tf.compat.v1.get_default_graph()
    with tf.control_dependencies(after):
        tensors = [tf.convert_to_tensor(tensor) for tensor in given]
    shared = Subgraph.of(graph, [*after, loss], []).names
    with tf.control_dependencies(after):
        return loop.copies(tensors, shared, "npu_lab/host_call")
