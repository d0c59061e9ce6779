"""The model in a script: its function `network`, and what it says of test digits."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from npu_lab._tensorflow import tf
from npu_lab.datasets import bundled_folder, read_data_sets

v1 = tf.compat.v1
OUTPUT, INPUT, PIXELS = "logits", "input", 784
FUNCTION = "network"


def builder(script: str) -> Any:
    """What builds the graph for inference, from the function `network` of a script.

    Raises:
        ValueError: the script has no such function.
    """
    tree = ast.parse(script)
    found = [
        one
        for one in tree.body
        if isinstance(one, ast.FunctionDef) and one.name == FUNCTION
    ]
    if not found:
        raise ValueError(FUNCTION)
    code = ast.Module([found[-1]], [])

    def inference() -> Any:
        import npu_lab.tf1 as view

        names: dict[str, Any] = {"tf": view}
        exec("from npu_bridge.npu_init import *", names)  # noqa: S102
        names["tf"] = view
        exec(compile(code, FUNCTION, "exec"), names)  # noqa: S102  (the learner's)
        images = v1.placeholder(tf.float32, [None, PIXELS], name=INPUT)
        return names[FUNCTION](images)

    return inference


def unseen_digits() -> tuple[Any, Any]:
    """1,000 digits that nobody trains with: float32 [n, 784], 0 to 1, and labels."""
    digits = read_data_sets(bundled_folder("mnist"), seed=1).test
    return digits.images, digits.labels


def accuracy(script: str, checkpoint: str) -> float:
    """The share of test digits that a checkpoint of a script gets right, in float32.

    Raises:
        ValueError: the script has no function `network`, or the checkpoint none of its
            variables.
    """
    images, labels = unseen_digits()
    with tf.Graph().as_default(), v1.Session() as session:
        scores = builder(script)()
        try:
            v1.train.Saver().restore(session, checkpoint)
        except tf.errors.NotFoundError as error:
            raise ValueError(str(error).partition("\n")[0]) from error
        given = session.graph.get_tensor_by_name(f"{INPUT}:0")
        classes = session.run(scores, {given: images}).argmax(1)
    return float(np.mean(classes == labels))


def apart(one: str, other: str) -> float:
    """The largest difference of a weight that two checkpoints share; NaN if one is."""
    readers = [tf.train.load_checkpoint(path) for path in (one, other)]
    shapes = [reader.get_variable_to_shape_map() for reader in readers]
    worst = 0.0
    for name in sorted(shapes[0]):
        if name not in shapes[1] or shapes[0][name] != shapes[1][name]:
            continue
        values = [np.asarray(reader.get_tensor(name)) for reader in readers]
        if values[0].dtype.kind == "f" and values[0].size:
            worst = float(np.maximum(worst, np.abs(values[0] - values[1]).max()))
    return worst
