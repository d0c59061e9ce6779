"""What is trained: one input pipeline, and three models on it.

Every contestant has the same batches in the same order, the same initial values,
plain gradient descent on the mean softmax cross-entropy in float32, and TensorFlow's
default threads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from npu_lab import datasets

BATCH = 100
PIXELS, CLASSES = 784, 10
SEED = 7

Values = Mapping[str, npt.NDArray[np.float32]]


@dataclass(frozen=True)
class Model:
    """One model: the shapes of its variables in order, and how it is trained.

    `steps` are those of one host call (N), `fit_steps` those of one Keras `fit`.
    Weights start with the variance `spread` over the number of inputs, biases at 0.
    """

    shapes: Mapping[str, Sequence[int]]
    learning_rate: float
    steps: int = 100
    fit_steps: int = 5000
    spread: float = 2.0

    def initial(self) -> Values:
        """The same start for every contestant."""
        random = np.random.default_rng(SEED)
        values = {}
        for name, shape in self.shapes.items():
            inputs = int(np.prod(shape[:-1]))
            spread = 0.0 if len(shape) == 1 else np.sqrt(self.spread / inputs)
            values[name] = (spread * random.standard_normal(shape)).astype(np.float32)
        return values


def steps_of_fit(spec: Model, seconds: float) -> int:
    """How many steps one long training has that is to take about `seconds`.

    The full method gives two seconds to a measurement and all steps to a `fit`; there
    are at least three host calls.
    """
    steps = int(spec.fit_steps * min(1.0, seconds / 2)) // spec.steps * spec.steps
    return max(steps, 3 * spec.steps)


MODELS = {
    "softmax": Model({"w": (PIXELS, CLASSES), "b": (CLASSES,)}, 0.5, spread=0),
    "cnn": Model(
        {
            "w1": (5, 5, 1, 8),
            "b1": (8,),
            "w2": (5, 5, 8, 16),
            "b2": (16,),
            "w3": (7 * 7 * 16, CLASSES),
            "b3": (CLASSES,),
        },
        0.05,
        # 300 would be over in a second: a shorter window finds faster moments.
        fit_steps=700,
    ),
    "heavy": Model(
        {
            "w1": (PIXELS, 4096),
            "b1": (4096,),
            "w2": (4096, 4096),
            "b2": (4096,),
            "w3": (4096, CLASSES),
            "b3": (CLASSES,),
        },
        0.01,
        steps=10,
    ),
}


def arrays() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The bundled digits: images [n, 784] in 0..1 and one-hot labels [n, 10]."""
    train = datasets.mnist(one_hot=True).train
    return train.images, train.labels.astype(np.float32)


def pipeline(tf: Any, data: str = "digits") -> Any:
    """The batches that all contestants train on; with "one batch" always the same.

    The shuffled digits cost more to produce than a softmax step to compute; one batch
    costs nearly nothing, which leaves the loop and its GetNext.
    """
    if data == "one batch":
        return tf.data.Dataset.from_tensors(one_batch()).repeat()
    examples = tf.data.Dataset.from_tensor_slices(arrays())
    # The last line is what tf.data would add by itself, here with the same size for all
    batches = examples.shuffle(1000, seed=SEED).repeat()
    return batches.batch(BATCH, drop_remainder=True).prefetch(2)


def one_batch() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The first images and labels."""
    images, labels = arrays()
    return images[:BATCH], labels[:BATCH]


def loss(tf: Any, name: str, variables: Mapping[str, Any], x: Any, y: Any) -> Any:
    """The loss of model `name` in a graph; `tf` is the API of TensorFlow 1.15."""
    v = variables
    if name == "softmax":
        logits = tf.matmul(x, v["w"]) + v["b"]
    elif name == "cnn":
        x = tf.reshape(x, [-1, 28, 28, 1])
        x = _convolution(tf, x, v["w1"], v["b1"])
        x = _convolution(tf, x, v["w2"], v["b2"])
        logits = tf.matmul(tf.reshape(x, [-1, 7 * 7 * 16]), v["w3"]) + v["b3"]
    else:
        x = tf.nn.relu(tf.matmul(x, v["w1"]) + v["b1"])
        x = tf.nn.relu(tf.matmul(x, v["w2"]) + v["b2"])
        logits = tf.matmul(x, v["w3"]) + v["b3"]
    return tf.reduce_mean(
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits)
    )


def _convolution(tf: Any, x: Any, weights: Any, bias: Any) -> Any:
    x = tf.nn.conv2d(x, weights, strides=[1, 1, 1, 1], padding="SAME")
    x = tf.nn.relu(tf.nn.bias_add(x, bias))
    return tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], padding="SAME")


def keras_model(keras: Any, name: str) -> Any:
    """Model `name` with its initial values, in Keras 2 or 3."""
    inputs = keras.Input((PIXELS,))
    if name == "softmax":
        outputs = keras.layers.Dense(CLASSES)(inputs)
    elif name == "cnn":
        x = keras.layers.Reshape((28, 28, 1))(inputs)
        for filters in (8, 16):
            x = keras.layers.Conv2D(filters, 5, padding="same", activation="relu")(x)
            x = keras.layers.MaxPooling2D()(x)
        outputs = keras.layers.Dense(CLASSES)(keras.layers.Flatten()(x))
    else:
        raise ValueError(f"the model {name!r} is not written for Keras")
    model = keras.Model(inputs, outputs)
    model.set_weights(list(MODELS[name].initial().values()))
    return model
