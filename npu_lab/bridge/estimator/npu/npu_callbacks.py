"""`npu_callbacks`: Keras callbacks for several ranks."""

from __future__ import annotations

from typing import Any

from tf_keras import callbacks

from npu_lab.bridge import job


class NPUBroadcastGlobalVariablesCallback(callbacks.Callback):  # type: ignore[misc]
    """Gives all ranks the variables of one; nothing is to do on one rank.

    Raises:
        NotImplementedError: when training begins, where there is more than one rank.
    """

    def __init__(self, root_rank: int) -> None:
        super().__init__()
        self._root_rank = root_rank

    def on_train_begin(self, logs: Any = None) -> None:  # noqa: ARG002
        """Look at the number of ranks."""
        job.one_rank(type(self).__name__)
