"""The handle of the opened device."""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager
from typing import Self

from npu_lab.extras.tf2 import seam

LOGGER = logging.getLogger("npu_device")


class NpuDeviceHandle:
    """One opened device: `workers_num` of them train, this one is `worker_id`."""

    def __init__(
        self, device_id: int, workers_num: int = 1, worker_id: int = 0
    ) -> None:
        self.device_id = device_id
        self.workers_num = workers_num
        self.worker_id = worker_id

    def name(self) -> str:
        """The device's name in TensorFlow."""
        return f"/job:localhost/replica:0/task:0/device:NPU:{self.device_id}"

    def scope(self) -> AbstractContextManager[None]:
        """Put what is inside the block on the device."""
        return seam.scope()

    def is_cluster_worker(self) -> bool:
        """Whether several workers train and this one is known among them."""
        return self.workers_num > 1 and 0 <= self.worker_id < self.workers_num

    def as_default(self) -> Self:
        """Make it the device of every `tf.function`.

        XLA is turned off for functions made from now on, and `tf.device` has no effect.
        """
        seam.make_default()
        LOGGER.info("Npu device instance %s is set to default", self.name())
        return self
