"""One spelling for each library name, and what calling a named thing gives."""

from __future__ import annotations

import re

# Longest first. `horovod.torch` and the like keep their own names.
_SAME = (
    ("npu_lab.tf1", "tf"),
    ("horovod.tensorflow.keras", "hvd"),
    ("horovod.tensorflow", "hvd"),
    ("horovod.keras", "hvd"),
    ("tensorflow.compat.v1", "tf"),
    ("tensorflow.python.client.session", "tf"),
    ("tensorflow.python.keras", "tf.keras"),
    ("tensorflow.python.estimator.estimator", "tf.estimator"),
    ("tensorflow.python.training.monitored_session", "tf.train"),
    ("tensorflow.python.training.training", "tf.train"),
    ("tensorflow_core", "tf"),
    ("tensorflow_estimator", "tf"),
    ("tensorflow.keras", "tf.keras"),
    ("tensorflow", "tf"),
    ("tf_slim", "tf.contrib.slim"),
    ("tf_keras", "keras"),
    ("npu_bridge.npu_init", "npu"),
    ("npu_device.compat.v1.npu_init", "npu"),
    ("tf.compat.v1", "tf"),
    ("tf.python.keras", "tf.keras"),
)
_ROOTS = {long.partition(".")[0] for long, _ in _SAME}

DATASET = "tf.data.Dataset()"
_DATASET_METHODS = {
    "apply", "batch", "cache", "concatenate", "enumerate", "filter", "flat_map",
    "group_by_window", "interleave", "map", "map_with_legacy_function", "padded_batch",
    "prefetch", "ragged_batch", "repeat", "shard", "shuffle", "skip", "snapshot",
    "take", "unbatch", "window", "with_options",
}  # fmt: skip
_DATASET_MAKERS = re.compile(
    r"tf\.(contrib\.)?data\.(experimental\.)?(\w*Dataset(V[12])?|Dataset\.\w+"
    r"|make_(csv|batched_features)_dataset|CsvDataset)"
    r"|tf\.keras\.(preprocessing|utils)\.(\w+\.)?\w+_dataset_from_directory"
)
_MODELS = re.compile(
    r"(?P<root>(tf\.)?keras)\.("
    r"(models\.|engine\.training\.|engine\.)?(Model|Sequential|load_model|clone_model"
    r"|model_from_json)|applications\.(\w+\.)?[A-Z]\w*|utils\.multi_gpu_model)"
)
_ESTIMATORS = re.compile(
    r"tf\.(contrib\.)?(estimator|tpu|learn)\.((\w*(Estimator|Classifier|Regressor))|"
    r"experimental\.\w*Estimator)|tf\.keras\.estimator\.model_to_estimator"
)
_STRATEGIES = re.compile(r"tf\.(contrib\.)?distribute\.(experimental\.)?\w*Strategy")
# Results that are a data set or not, as their arguments say.
_UNKNOWN_RESULTS = {"tensorflow_datasets.load", "functools.partial", "copy.copy"}


def canonical(path: str) -> str:
    """`path` with its beginning spelt in the one way that rules use.

    >>> canonical("tensorflow.compat.v1.train.AdamOptimizer")
    'tf.train.AdamOptimizer'
    """
    if path.partition(".")[0] not in _ROOTS:
        return path
    changed = True
    while changed:
        changed = False
        for long, short in _SAME:
            if path == long or path.startswith(f"{long}."):
                path, changed = short + path[len(long) :], True
                break
    return path


def result_of(function: str) -> str | None:  # noqa: PLR0911
    """The path of what a call of `function` gives; an instance ends in "()"."""
    if function in _UNKNOWN_RESULTS:
        return None
    owner, _, method = function.rpartition(".")
    if owner == DATASET:
        return DATASET if method in _DATASET_METHODS else f"{function}()"
    if _DATASET_MAKERS.fullmatch(function):
        return DATASET
    model = _MODELS.fullmatch(function)
    if model:
        return f"{model['root']}.Model()"
    if _ESTIMATORS.fullmatch(function):
        return "tf.estimator.Estimator()"
    if _STRATEGIES.fullmatch(function):
        return "tf.distribute.Strategy()"
    return f"{function}()"


def entered(path: str) -> str:
    """What `with` binds to its name for a context manager at `path`."""
    return {
        "tf.train.Supervisor().managed_session()": "tf.Session()",
        "tf.train.Supervisor().prepare_or_wait_for_session()": "tf.Session()",
    }.get(path, path)
