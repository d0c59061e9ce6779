"""What it takes to build the loop, against the user's own graph, in one process.

The model's own graph is everything from the pipeline to the update, gradients and
initializer included.  The loop is what the first sunk `session.run` takes before
TensorFlow starts to run it: the whole call, less TensorFlow's own run of the loop (its
last one in the call), which a loop written by hand costs as well.  So the judgement of
the conditions, the copy, and the session's counters with their runs are in it; the
migration's own line (`set_iteration_per_loop`) is not.
"""

from __future__ import annotations

import time
from typing import Any

from benchmarks import graphs, models
from benchmarks.worker import Contestant

MODEL, LOOP, OPS = "model's own graph", "loop", "ops added by another N"


def loop(model: str) -> Contestant:
    """Build `model` and its loop anew for each measurement."""
    last_run = _time_tensorflow()
    tf = graphs.activated_tensorflow()
    from npu_bridge.npu_init import util

    n = models.MODELS[model].steps
    config = graphs.device_options(tf, n)

    def once() -> dict[str, float]:
        with tf.Graph().as_default() as graph:
            start = time.perf_counter()
            iterator, _, loss, train = graphs.training(tf, model)
            initializer = tf.global_variables_initializer()
            built = time.perf_counter() - start
            with tf.Session(config=config) as session:
                session.run(initializer)
                session.run(iterator.initializer)
                iteration = util.IterationPerLoop()
                train = iteration.create_iteration_per_loop_var(train)
                iteration.load_iteration_per_loop_var(session, 2)
                start = time.perf_counter()
                session.run([train, loss])
                first = time.perf_counter() - start - last_run[0]
                before = len(graph.get_operations())
                iteration.load_iteration_per_loop_var(session, 3)
                session.run([train, loss])
                added = len(graph.get_operations()) - before
        return {MODEL: built, LOOP: first, OPS: float(added)}

    def measure(seconds: float) -> dict[str, float]:
        start = time.perf_counter()
        found = [once()]
        while time.perf_counter() - start < seconds:
            found.append(once())
        return {
            MODEL: min(one[MODEL] for one in found),
            LOOP: min(one[LOOP] for one in found),
            OPS: max(one[OPS] for one in found),
        }

    return Contestant(measure)


def _time_tensorflow() -> list[float]:
    """Wrap `BaseSession.run` below the device; the list has the last call's seconds."""
    from tensorflow.python.client import session as tf_session

    plain = tf_session.BaseSession.run
    last = [0.0]

    def run(*args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        try:
            return plain(*args, **kwargs)
        finally:
            last[0] = time.perf_counter() - start

    tf_session.BaseSession.run = run
    return last
