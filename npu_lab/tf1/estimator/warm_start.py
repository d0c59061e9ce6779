"""Where variables get their first values from: `tf.estimator.WarmStartSettings`."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from tensorflow.python.training.warm_starting_util import VocabInfo

from npu_lab._tensorflow import tf

__all__ = ["VocabInfo", "WarmStartSettings", "settings"]


class WarmStartSettings(NamedTuple):
    """What to take from a checkpoint, when there is none in the model folder yet."""

    ckpt_to_initialize_from: str
    vars_to_warm_start: Any = ".*"
    var_name_to_vocab_info: Any = None
    var_name_to_prev_var_name: Any = None


def settings(warm_start_from: Any) -> WarmStartSettings | None:
    """The settings that an Estimator's argument stands for.

    Raises:
        ValueError: it is neither a path nor WarmStartSettings.
    """
    if warm_start_from is None or isinstance(warm_start_from, WarmStartSettings):
        return warm_start_from
    if not isinstance(warm_start_from, (str, bytes, os.PathLike)):
        raise ValueError(  # noqa: TRY004  (so does TensorFlow)
            "warm_start_from must be a path or WarmStartSettings, not "
            f"{warm_start_from!r}."
        )
    path = os.fsdecode(warm_start_from)
    of_saved_model = os.path.join(path, "variables", "variables")
    if tf.io.gfile.exists(f"{of_saved_model}.index"):
        path = of_saved_model
    return WarmStartSettings(path)
