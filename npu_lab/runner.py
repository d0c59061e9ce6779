"""Runs an unchanged script on the emulated device, as `python SCRIPT` would run it."""

from __future__ import annotations

import sys
import tempfile
import traceback
import types
from collections.abc import Sequence
from pathlib import Path

from npu_lab._texts import text
from npu_lab.call_limit import CallLimit
from npu_lab.tf1 import placeholders


def run(
    script: Path, arguments: Sequence[str], limit: CallLimit | None = None
) -> tuple[int, BaseException | None]:
    """Execute `script` as ``__main__``; return (exit status, its error or None).

    The documentation's placeholder folders that are not there lead to a scratch folder,
    in the script and in modules beside it, which is told on stderr.  `sys.argv`,
    `sys.path` and ``__main__`` become the script's and stay so: its threads and exit
    handlers may outlast it.  An exception is shown as Python would show
    it, without the frames of the runner.  A script that `limit` has stopped has not
    failed, whatever it did then.
    """
    if limit is not None:
        limit.install()
    folder = script.resolve().parent
    module = types.ModuleType("__main__")
    module.__file__ = str(script.absolute())
    sys.modules["__main__"] = module
    sys.argv = [str(script), *arguments]
    sys.path[0] = str(folder)
    redirector = placeholders.Redirector(_Scratch(), _tell)
    ended: tuple[int, BaseException | None] = 0, None
    try:
        with redirector.siblings(folder):
            code = redirector.compile(script.read_bytes(), str(script))
            exec(code, module.__dict__)  # noqa: S102  (running it is the purpose)
    except SystemExit as stop:
        status = _status(stop)
        ended = status, stop if status else None
    except KeyboardInterrupt as stop:
        _show(stop)
        ended = 130, stop
    except BaseException as error:  # noqa: BLE001  (whatever a script may raise)
        _show(error)
        ended = 1, error
    if limit is not None:
        limit.main_is_told = True  # what is left to do here must not be interrupted
        if limit.stopped:
            return 0, None
    return ended


class _Scratch:
    """The scratch folder, made when it is first asked for."""

    def __init__(self) -> None:
        self._folder: Path | None = None

    def __call__(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="npu_lab_run_"))
        return self._folder


def _tell(old: str, new: str) -> None:
    print(f"npu-lab: {text('redirected', old=old, new=new)}", file=sys.stderr)


def _status(stop: SystemExit) -> int:
    """The status Python would give the shell for this exit."""
    if stop.code is None:
        return 0
    if isinstance(stop.code, int):
        return stop.code & 0xFF
    print(stop.code, file=sys.stderr)
    return 1


def _show(error: BaseException) -> None:
    """Print the traceback as Python does, from the script's own frame on."""
    shown = error.__traceback__
    while shown is not None and shown.tb_frame.f_code.co_filename == __file__:
        shown = shown.tb_next
    traceback.print_exception(type(error), error, shown)
