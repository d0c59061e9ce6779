"""The alarm for collectives of functions that are called eagerly, in TensorFlow 2.

They have no session beside whose calls something could wait.  Their notes stand in one
table of the process, and the alarm ends all collectives of the process, for good.
"""

from __future__ import annotations

import atexit
import threading
import time

from tensorflow.python.eager import context

from npu_lab._tensorflow import tf
from npu_lab.extras.distributed import ranks
from npu_lab.extras.distributed._texts import text

PAUSE = 1.0  # seconds between two looks
OVER = 0.0


class EagerNotes:
    """When each collective began, in a table that functions write to."""

    def __init__(self, timeout: float) -> None:
        self.count, self._timeout = 0, timeout
        self._ends = threading.Event()
        with tf.init_scope():  # outside of the function that is being built
            self.table = tf.raw_ops.MutableHashTableV2(
                key_dtype=tf.int64, value_dtype=tf.float64
            )
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        atexit.register(self._end)

    def late(self) -> float:
        """How many seconds the oldest that has not ended has waited; 0: all have."""
        begun = tf.raw_ops.LookupTableExportV2(
            table_handle=self.table, Tkeys=tf.int64, Tvalues=tf.float64
        )[1].numpy()
        waiting = begun[begun > OVER]
        return max(0.0, time.time() - float(waiting.min())) if waiting.size else 0.0

    def _look(self) -> None:
        while not self._ends.wait(PAUSE):
            if self.late() > self._timeout:
                known = ranks.current()
                facts = {"rank": known.rank, "size": known.size}
                message = text("late", seconds=self._timeout, **facts)
                code = tf.errors.DEADLINE_EXCEEDED
                context.context().abort_collective_ops(code, message)
                return

    def _end(self) -> None:
        self._ends.set()
        self._thread.join(2 * PAUSE)
