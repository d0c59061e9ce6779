"""Keeps a notice about float16 from among the user's lines."""

from __future__ import annotations

import functools

import numpy as np

from npu_lab._tensorflow import held_back_stderr, tf
from npu_lab.device import seam

v1 = tf.compat.v1


@functools.cache
def hush() -> None:
    """Have TensorFlow say now, unseen, what it says once a process.

    On a CPU without AVX-512 that is an error line, "oneDNN supports DT_HALF only on",
    when the first float16 operator is met; nothing is wrong, and nothing to be done.
    """
    with v1.Graph().as_default(), v1.Session() as session, held_back_stderr("F"):
        given = v1.placeholder(tf.float16, [1])
        seam.plain_run(session, tf.identity(given), {given: np.zeros([1])}, None, None)
