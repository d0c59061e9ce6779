"""The callback that converted Keras scripts get."""

from __future__ import annotations

from npu_lab._tensorflow import tf


class NPUBroadcastGlobalVariablesCallback(tf.keras.callbacks.Callback):  # type: ignore[misc]
    """Does nothing, as the vendor's: its method is never installed.

    Broadcast the variables by `npu_device.distribute.broadcast` instead.
    """

    def __init__(self, root_rank: int) -> None:
        super().__init__()
        self.root_rank = root_rank
