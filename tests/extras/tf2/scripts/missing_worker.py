"""The second worker leaves out a reduction that the first one waits for."""

import time

import npu_device as npu

from npu_lab.extras.distributed import alarm

alarm.TIMEOUT = 2.0
handle = npu.open().as_default()

import tensorflow as tf

both = npu.distribute.all_reduce(tf.constant([1.0]), "sum")
print(float(both[0]), flush=True)
if handle.worker_id == 0:
    try:
        npu.distribute.all_reduce(tf.constant([2.0]), "sum")
    except tf.errors.DeadlineExceededError as error:
        print(error, flush=True)
else:
    time.sleep(8)
