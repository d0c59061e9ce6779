"""What sinking saves on this machine: MNIST softmax, N steps a call, no delay injected.

Run: python benchmarks/loop_gain.py
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from common import side_by_side, table

import npu_lab
import npu_lab.tf1 as tf
from npu_lab import datasets

STEPS = 400


def trainer(n: int, stack: ExitStack) -> Callable[[], int]:
    """A session that trains STEPS steps, n to a call, each time it is asked."""
    from npu_bridge.npu_init import util

    digits = datasets.mnist(one_hot=True).train
    stack.enter_context(tf.Graph().as_default())
    data = tf.data.Dataset.from_tensor_slices((digits.images, digits.labels))
    iterator = tf.data.make_initializable_iterator(
        data.repeat().batch(100, drop_remainder=True).prefetch(4)
    )
    x, y = iterator.get_next()
    weights, bias = tf.Variable(tf.zeros([784, 10])), tf.Variable(tf.zeros([10]))
    logits = tf.matmul(x, weights) + bias
    loss = tf.losses.softmax_cross_entropy(y, logits)
    train: Any = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    config = tf.ConfigProto()
    custom = config.graph_options.rewrite_options.custom_optimizers.add()
    custom.name = "NpuOptimizer"
    custom.parameter_map["use_off_line"].b = True
    custom.parameter_map["enable_data_pre_proc"].b = True
    custom.parameter_map["iterations_per_loop"].i = n
    session = stack.enter_context(tf.Session(config=config))
    session.run(tf.global_variables_initializer())
    session.run(iterator.initializer)
    train = util.set_iteration_per_loop(session, train, n)

    def steps() -> int:
        for _ in range(STEPS // n):
            session.run([train, loss])
        return STEPS

    return steps


def main() -> None:
    """Print the time of a step for several N, side by side in one process."""
    npu_lab.activate(view=True)
    warnings.simplefilter("ignore", npu_lab.NpuLabWarning)
    variants = {}
    with ExitStack() as stack:
        for n in (1, 2, 5, 10, 100):
            variants[f"N = {n}"] = trainer(n, stack)
        times = side_by_side(variants)
    print(table("MNIST softmax, batch 100", "microseconds a step", times))


if __name__ == "__main__":
    main()
