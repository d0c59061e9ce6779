"""A real kernel that a test drives cell by cell, and may interrupt."""

from __future__ import annotations

import queue
import time
from dataclasses import dataclass
from pathlib import Path

from jupyter_client.manager import KernelManager

from tests.notebooks.conftest import NOTEBOOKS, kernel_environment

SECONDS = 200  # for one cell


@dataclass
class Shown:
    """What a cell showed: its streams and texts in one, and the error it ended with."""

    text: str = ""
    error: str | None = None
    traceback: str = ""

    @property
    def ok(self) -> bool:
        """Whether the cell ended well."""
        return self.error is None


class Kernel:
    """One kernel, started as Jupyter does, with a temporary folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.temporary = folder / "tmp"
        self.temporary.mkdir(parents=True)
        self._manager = KernelManager(kernel_name="python3")
        environ = {
            **kernel_environment(),
            "ASCEND_GLOBAL_LOG_LEVEL": "1",
            "ASCEND_PROCESS_LOG_PATH": str(folder / "log"),
            "HOME": str(folder),
            "TMPDIR": str(self.temporary),
        }
        self._manager.start_kernel(env=environ, cwd=str(NOTEBOOKS))
        self._client = self._manager.blocking_client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=SECONDS)

    @property
    def alive(self) -> bool:
        """Whether its process runs."""
        return self._manager.is_alive()

    def start(self, code: str) -> str:
        """Send a cell without waiting for it; `finish` waits."""
        return self._client.execute(code)

    def interrupt(self) -> None:
        """Do what the stop button does."""
        self._manager.interrupt_kernel()

    def finish(self, sent: str, until: str | None = None) -> Shown:
        """What the cell `sent` showed until the kernel was idle, or `until` was shown.

        Raises:
            TimeoutError: the cell goes on.
        """
        shown, end = Shown(), time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                message = self._client.get_iopub_msg(timeout=1)
            except queue.Empty:
                continue
            if message["parent_header"].get("msg_id") != sent:
                continue
            content = message["content"]
            if message["msg_type"] == "stream":
                shown.text += content["text"]
            elif message["msg_type"] in {"display_data", "execute_result"}:
                shown.text += content["data"].get("text/plain", "") + "\n"
            elif message["msg_type"] == "error":
                shown.error = content["ename"]
                shown.traceback = "\n".join([content["evalue"], *content["traceback"]])
            if content.get("execution_state") == "idle":
                return shown
            if until is not None and until in shown.text:
                return shown
        raise TimeoutError(f"the cell goes on; it showed {shown.text!r}")

    def run(self, code: str) -> Shown:
        """Run a cell to its end."""
        return self.finish(self.start(code))

    def good(self, code: str) -> str:
        """Run a cell that must end well; return its text."""
        shown = self.run(code)
        assert shown.ok, shown.traceback
        return shown.text

    def close(self) -> None:
        """Shut down as Jupyter does: ask, wait a while, then kill."""
        if self.alive:
            self._manager.shutdown_kernel()
        self._client.stop_channels()
