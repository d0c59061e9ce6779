"""`tf.estimator.RunConfig` of TensorFlow 1.15, on one machine."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from typing import Any

from tensorflow.python.distribute import one_device_strategy
from tensorflow.python.util import function_utils

from npu_lab._tensorflow import tf

_UNSET: Any = object()
_INTERVALS = ("save_checkpoints_steps", "save_checkpoints_secs")
_STRATEGIES = ("train_distribute", "eval_distribute", "experimental_distribute")
REPLACEABLE = (
    "model_dir",
    "tf_random_seed",
    "save_summary_steps",
    *_INTERVALS,
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
    *_STRATEGIES,
    "device_fn",
    "protocol",
    "experimental_max_worker_delay_secs",
    "session_creation_timeout_secs",
)
"""What `RunConfig.replace` takes."""

_CHECKS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "model_dir": (bool, "must not be empty"),
    "tf_random_seed": (lambda v: isinstance(v, int), "must be an integer"),
    "save_summary_steps": (lambda v: v >= 0, "must be 0 or more"),
    "save_checkpoints_steps": (lambda v: v >= 0, "must be 0 or more"),
    "save_checkpoints_secs": (lambda v: v >= 0, "must be 0 or more"),
    "session_config": (
        lambda v: isinstance(v, tf.compat.v1.ConfigProto),
        "must be a tf.ConfigProto",
    ),
    "keep_checkpoint_max": (lambda v: v >= 0, "must be 0 or more"),
    "keep_checkpoint_every_n_hours": (lambda v: v > 0, "must be more than 0"),
    "log_step_count_steps": (lambda v: v > 0, "must be more than 0"),
    "experimental_max_worker_delay_secs": (
        lambda v: isinstance(v, int),
        "must be an integer",
    ),
    "session_creation_timeout_secs": (lambda v: v > 0, "must be more than 0"),
    "device_fn": (
        lambda v: callable(v) and set(function_utils.fn_args(v)) == {"op"},
        "must be a function of one argument, named op",
    ),
    "protocol": (lambda v: v in ("grpc", "grpc+verbs"), "must be grpc or grpc+verbs"),
}
"""What a value that is not None must be."""


class TaskType:
    """Names of the tasks of a cluster."""

    MASTER, PS, WORKER = "master", "ps", "worker"
    CHIEF, EVALUATOR = "chief", "evaluator"


def _kept(name: str) -> Any:
    return property(lambda self: getattr(self, f"_{name}"))


class RunConfig:
    """How an `Estimator` runs; the arguments are those of TensorFlow 1.15.

    Intervals named ``..._steps`` are in global steps, ``..._secs`` in seconds. Without
    `save_checkpoints_steps` and `save_checkpoints_secs` a checkpoint is written every
    600 seconds; with None for both, none is.

    Raises:
        ValueError: both checkpoint intervals are given, a value is out of its range,
            or ``TF_CONFIG`` and `model_dir` contradict each other.
        NotImplementedError: a distribution strategy of several devices is given, or
            ``TF_CONFIG`` names a cluster.
    """

    def __init__(
        self,
        model_dir: Any = None,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_steps: int | None = _UNSET,
        save_checkpoints_secs: float | None = _UNSET,
        session_config: Any = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float | None = 10000,
        log_step_count_steps: int | None = 100,
        train_distribute: Any = None,
        device_fn: Any = None,
        protocol: str | None = None,
        eval_distribute: Any = None,
        experimental_distribute: Any = None,
        experimental_max_worker_delay_secs: int | None = None,
        session_creation_timeout_secs: int | None = 7200,
    ) -> None:
        values = {name: value for name, value in locals().items() if name != "self"}
        if all(values[name] is _UNSET for name in _INTERVALS):
            values["save_checkpoints_secs"] = 600
        for name in _INTERVALS:
            values[name] = None if values[name] is _UNSET else values[name]
        environment = json.loads(os.environ.get("TF_CONFIG") or "{}")
        values["model_dir"] = _model_dir(environment, model_dir)
        self._set(values)
        _check_task(environment)
        self._service = environment.get("service")
        self._master = environment.get("session_master", "")
        self._evaluation_master = environment.get("eval_session_master", "")

    model_dir = _kept("model_dir")
    tf_random_seed = _kept("tf_random_seed")
    save_summary_steps = _kept("save_summary_steps")
    save_checkpoints_steps = _kept("save_checkpoints_steps")
    save_checkpoints_secs = _kept("save_checkpoints_secs")
    session_config = _kept("session_config")
    keep_checkpoint_max = _kept("keep_checkpoint_max")
    keep_checkpoint_every_n_hours = _kept("keep_checkpoint_every_n_hours")
    log_step_count_steps = _kept("log_step_count_steps")
    train_distribute = _kept("train_distribute")
    eval_distribute = _kept("eval_distribute")
    device_fn = _kept("device_fn")
    protocol = _kept("protocol")
    experimental_max_worker_delay_secs = _kept("experimental_max_worker_delay_secs")
    session_creation_timeout_secs = _kept("session_creation_timeout_secs")
    service = _kept("service")
    master = _kept("master")
    evaluation_master = _kept("evaluation_master")

    @property
    def cluster_spec(self) -> Any:
        """The cluster: an empty one, as the others here say, too."""
        return tf.train.ClusterSpec({})

    is_chief, task_type, task_id = True, TaskType.WORKER, 0
    global_id_in_cluster, num_ps_replicas, num_worker_replicas = 0, 0, 1

    def replace(self, **kwargs: Any) -> RunConfig:
        """A copy with other values; one checkpoint interval clears the other.

        Raises:
            ValueError: a name is not in `REPLACEABLE`, or a value is wrong.
        """
        wrong = [name for name in kwargs if name not in REPLACEABLE]
        if wrong:
            raise ValueError(
                f"RunConfig.replace cannot replace {', '.join(wrong)}. It replaces "
                f"{', '.join(REPLACEABLE)}."
            )
        given = [name for name in _INTERVALS if kwargs.get(name) is not None]
        if len(given) == 1:
            kwargs = dict.fromkeys(_INTERVALS) | kwargs
        new = copy.deepcopy(self)
        new._set(kwargs)
        return new

    def _set(self, values: dict[str, Any]) -> None:
        if all(values.get(name) is not None for name in _INTERVALS):
            raise ValueError(
                "save_checkpoints_steps and save_checkpoints_secs cannot both be set. "
                "Give one of them."
            )
        for name, value in values.items():
            if name in _STRATEGIES and value is not None and not _one_device(value):
                raise NotImplementedError(
                    f"RunConfig: {name} is {value!r}. A process of the lab trains on "
                    "one device: leave the argument out, or give a strategy of one "
                    "device, such as npu_strategy.NPUStrategy()."
                )
            correct, must = _CHECKS.get(name, (None, ""))
            if not correct or value is None:
                continue
            try:
                fits = correct(value)
            except TypeError as error:
                message = f"RunConfig: {name} {must}, not {value!r}: {error}."
                raise TypeError(message) from None
            if not fits:
                raise ValueError(f"RunConfig: {name} {must}, not {value!r}.")
        for name, value in values.items():
            setattr(self, f"_{name}", value)


def default_session_config() -> Any:
    """The session options of an Estimator whose RunConfig has none."""
    config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
    rewrites = config.graph_options.rewrite_options
    rewrites.meta_optimizer_iterations = rewrites.ONE
    return config


def _one_device(strategy: Any) -> bool:
    """Whether a strategy changes nothing for an Estimator, which does not enter it."""
    extended = getattr(strategy, "extended", None)
    return isinstance(extended, one_device_strategy.OneDeviceExtended)


def _model_dir(environment: dict[str, Any], model_dir: Any) -> Any:
    model_dir = model_dir if model_dir is None else os.fspath(model_dir)
    there = environment.get("model_dir")
    if there == "":
        raise ValueError("model_dir in TF_CONFIG must not be empty.")
    if None not in (there, model_dir) and there != model_dir:
        raise ValueError(
            f"RunConfig: model_dir is {model_dir!r}, but {there!r} in TF_CONFIG. Give "
            "it in one of the two places."
        )
    return model_dir if there is None else there


def _check_task(environment: dict[str, Any]) -> None:
    if environment.get("cluster"):
        raise NotImplementedError(
            "TF_CONFIG names a cluster. An Estimator of the lab runs on one machine; "
            "unset TF_CONFIG."
        )
    task = environment.get("task", {})
    if task.get("type", TaskType.WORKER) != TaskType.WORKER or int(
        task.get("index", 0)
    ):
        raise ValueError(
            "TF_CONFIG without a cluster: the task must be of type worker and have "
            f"index 0, not {task}."
        )
