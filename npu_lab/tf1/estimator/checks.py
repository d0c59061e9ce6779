"""What an Estimator checks of its arguments, and how it completes them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import Any

from tensorflow.python.util import function_utils

from npu_lab._tensorflow import tf
from npu_lab.tf1.estimator import run_config

logging = tf.compat.v1.logging
train = tf.compat.v1.train
MODEL_FN_ARGUMENTS = frozenset({"features", "labels", "mode", "params", "config"})
MAY_OVERRIDE = frozenset(
    {"_about_to_train", "_call_model_fn", "_create_global_step", "_wrong_spec"}
)


def completed(config: Any, model_dir: Any) -> Any:
    """The RunConfig of an Estimator, with session options and a model folder."""
    if config is None:
        config = run_config.RunConfig()
        logging.info("Using default config.")
    if not isinstance(config, run_config.RunConfig):
        raise ValueError(  # noqa: TRY004  (so does TensorFlow)
            f"config must be a tf.estimator.RunConfig, not {config!r}."
        )
    if config.session_config is None:
        config = config.replace(session_config=run_config.default_session_config())
    model_dir = model_dir if model_dir is None else os.fspath(model_dir)
    if None not in (model_dir, config.model_dir) and model_dir != config.model_dir:
        raise ValueError(
            f"model_dir is {model_dir!r} in the Estimator and {config.model_dir!r} in "
            "its RunConfig. Give it in one of the two places."
        )
    if model_dir:
        config = config.replace(model_dir=model_dir)
    elif config.model_dir is None:
        config = config.replace(model_dir=tempfile.mkdtemp())
        logging.warning(
            "Using temporary folder as model directory: %s", config.model_dir
        )
    return config


def check_model_fn(model_fn: Any, params: Any) -> None:
    """Raise ValueError where `model_fn` has not the arguments it should have."""
    names = set(function_utils.fn_args(model_fn))
    if "features" not in names:
        raise ValueError(f"model_fn {model_fn!r} must have an argument named features.")
    if params is not None and "params" not in names:
        raise ValueError(
            f"model_fn {model_fn!r} has no argument named params, but the Estimator "
            f"got params {params!r}."
        )
    if params is None and "params" in names:
        logging.warning("model_fn takes params, but the Estimator got none.")
    if wrong := sorted(names - MODEL_FN_ARGUMENTS - {"self"}):
        raise ValueError(
            f"model_fn {model_fn!r} has arguments that the Estimator does not know: "
            f"{wrong}. It knows {sorted(MODEL_FN_ARGUMENTS)}."
        )


def check_positive(name: str, steps: int | None) -> None:
    """Raise ValueError where a number of steps is given that is not positive."""
    if steps is not None and steps <= 0:
        raise ValueError(f"Must specify {name} > 0, not {steps}.")


def checked_hooks(hooks: Sequence[Any] | None) -> list[Any]:
    """The hooks, as a list; TypeError where one is none."""
    hooks = list(hooks or ())
    for hook in hooks:
        if not isinstance(hook, train.SessionRunHook):
            raise TypeError(f"Hooks must be SessionRunHooks, not {hook!r}.")
    return hooks


def checked_listeners(listeners: Sequence[Any] | None) -> list[Any]:
    """The listeners, as a list; TypeError where one is none."""
    listeners = list(listeners or ())
    for listener in listeners:
        if not isinstance(listener, train.CheckpointSaverListener):
            raise TypeError(
                f"saving_listeners must be CheckpointSaverListeners, not {listener!r}."
            )
    return listeners


def refuse_overridden(kind: type, base: type) -> None:
    """Raise ValueError where a subclass changes what only the Estimator may do."""
    changed = {
        name
        for name in vars(kind).keys() - MAY_OVERRIDE
        if hasattr(base, name) and not name.startswith("__")
    }
    if kind is not base and changed:
        raise ValueError(
            f"{kind.__name__} overrides members of {base.__name__}: {sorted(changed)}. "
            "A subclass may give it another model_fn, nothing else."
        )
