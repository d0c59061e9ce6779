"""What a host call costs that has nothing to sink: without and with the seam.

Run: python benchmarks/seam_cost.py
"""

from __future__ import annotations

from collections.abc import Callable

from common import side_by_side, table

import npu_lab
import npu_lab.tf1 as tf

CALLS = 2000


def main() -> None:
    """Print a table of a read and of a fed matrix product, in one process."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 64])
        weights = tf.get_variable("w", [64, 64])
        product = tf.reduce_sum(tf.matmul(x, weights))
        batch = [[0.5] * 64] * 8
        config = tf.ConfigProto()
        config.graph_options.rewrite_options.custom_optimizers.add().name = (
            "NpuOptimizer"
        )
        with tf.Session(config=config) as session:
            session.run(tf.global_variables_initializer())

            def read() -> int:
                for _ in range(CALLS):
                    session.run(weights)
                return CALLS

            def fed() -> int:
                for _ in range(CALLS):
                    session.run([product, weights], {x: batch})
                return CALLS

            def behind_the_seam(work: Callable[[], int]) -> Callable[[], int]:
                def run() -> int:
                    npu_lab.activate()
                    try:
                        return work()
                    finally:
                        npu_lab.deactivate()

                return run

            for title, work in {"read a variable": read, "fed product": fed}.items():
                times = side_by_side(
                    {"TensorFlow alone": work, "device active": behind_the_seam(work)}
                )
                print(table(title, "microseconds a call", times))


if __name__ == "__main__":
    main()
