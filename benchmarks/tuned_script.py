"""A training script as a user has it, for `npu-lab tune`: `tuned_script.py MODEL`."""

from __future__ import annotations

import sys

import tensorflow as tf
from npu_bridge.npu_init import util

from benchmarks import graphs

N, STEPS = 10, 100_000

iterator, _, loss, train = graphs.training(tf, sys.argv[1])
with tf.Session(config=graphs.device_options(tf, N)) as session:
    session.run(tf.global_variables_initializer())
    session.run(iterator.initializer)
    train = util.set_iteration_per_loop(session, train, N)
    for _ in range(STEPS // N):
        session.run([train, loss])
