"""Contestants that call a session where there is nothing to sink.

With the device the session is on it (NpuOptimizer, N = 1, `npu_bridge` imported);
without, it has the same configuration in stock TensorFlow.
"""

from __future__ import annotations

import itertools
from typing import Any

from benchmarks import graphs, models
from benchmarks.worker import Contestant, repeat

FED, READ = "fed step", "scalar read"


def seam(*, device: bool) -> Contestant:
    """A softmax step on a batch that is fed, and the read of a variable of one number.

    Each has as long as a measurement is to take.
    """
    tf = graphs.activated_tensorflow() if device else graphs.plain_tensorflow()
    x = tf.placeholder(tf.float32, [None, models.PIXELS])
    y = tf.placeholder(tf.float32, [None, models.CLASSES])
    variables = graphs.variables_of(tf, "softmax")
    loss = models.loss(tf, "softmax", variables, x, y)
    rate = models.MODELS["softmax"].learning_rate
    train = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    scalar = tf.get_variable("scalar", initializer=0.5)
    images, labels = models.arrays()
    starts = range(0, len(images), models.BATCH)
    cuts = [slice(start, start + models.BATCH) for start in starts]
    batches = itertools.cycle([(images[cut], labels[cut]) for cut in cuts])
    session = tf.Session(config=graphs.device_options(tf))
    session.run(tf.global_variables_initializer())

    def step() -> None:
        images, labels = next(batches)
        session.run([train, loss], feed_dict={x: images, y: labels})

    def values(steps: int) -> list[Any]:
        for _ in range(steps):
            step()
        return list(session.run(list(variables.values())))

    fed, read = repeat(step), repeat(lambda: session.run(scalar))

    def measure(seconds: float) -> dict[str, float]:
        return {FED: fed(seconds), READ: read(seconds)}

    return Contestant(measure, values)
