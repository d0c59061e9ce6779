"""`npu_callbacks`: Keras callbacks for several ranks."""

from __future__ import annotations

from typing import Any

from tf_keras import callbacks

from npu_lab.bridge import job


class NPUBroadcastGlobalVariablesCallback(callbacks.Callback):  # type: ignore[misc]
    """Gives all ranks the variables of one, at the first batch; nothing on one rank.

    Raises:
        NotImplementedError: when training begins, where there are several ranks and no
            extra for them.
    """

    def __init__(self, root_rank: int) -> None:
        super().__init__()
        self._root_rank = root_rank
        self._ranks: Any = None

    def on_train_begin(self, logs: Any = None) -> None:  # noqa: ARG002
        """Look at the number of ranks."""
        self._ranks = job.several(type(self).__name__)

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002
        """Broadcast, once."""
        if self._ranks is not None:
            self._ranks.broadcast_keras_variables(self._root_rank)
            self._ranks = None
