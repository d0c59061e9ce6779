"""`%load_ext npu_lab`: the emulated NPU and the TF 1.15 view for a notebook.

It prints one line: what is ready, or what to mend.  Diagnostics of npu_lab are shown in
the cell as notes, not as Python warnings on stderr with a path into a temporary file;
under `%%npu_run` its card has them.  `%%npu_run`, `%npu_log` and `%npu_check` save
typing: what they show can be had in plain Python, and what trains is plain Python as on
a real machine.
"""

from __future__ import annotations

import os
import shlex
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from npu_lab import __version__
from npu_lab.diagnostics import CATALOGUE, NpuLabWarning
from npu_lab.lab import pages
from npu_lab.lab._texts import say

LEVELS = {"0": "DEBUG", "1": "INFO", "2": "WARNING", "3": "ERROR", "4": "NULL"}

_stock_show: Callable[..., None] | None = None
_quiet = False  # while a %%npu_run is going to show the diagnostics itself


def load_ipython_extension(ip: Any) -> None:
    """Activate the device with the TF 1.15 view, and print one line.

    Raises:
        UsageError: it cannot be activated; the text says why and how to mend it.
    """
    load(ip, mode="tf1")


def load(ip: Any, mode: str) -> None:
    """As `load_ipython_extension`; in the mode "tf2" without the view."""
    from IPython.core.error import UsageError

    from npu_lab._tensorflow import imported_late, tf
    from npu_lab.activation import activate
    from npu_lab.modes import ModeError
    from npu_lab.tf1.process import ViewError

    try:
        device = activate(mode=mode, view=True if mode == "tf1" else None)
    except (ViewError, ModeError, OSError) as error:
        raise UsageError(say("not ready", reason=error)) from error
    _show_notes()
    if ip is not None:
        ip.register_magic_function(_npu_run(ip), "cell", "npu_run")
        ip.register_magic_function(_npu_log, "line", "npu_log")
        ip.register_magic_function(_npu_check, "line_cell", "npu_check")
    facts = {
        "npu_lab": __version__,
        "tensorflow": tf.__version__,
        "ipywidgets": _version("ipywidgets"),
        "level": f"{device.log.level} ({LEVELS[str(device.log.level)]})",
        "asked": os.environ.get("ASCEND_GLOBAL_LOG_LEVEL", "").strip(),
    }
    key = "ready" if mode == "tf1" else "ready tf2"
    if imported_late:
        key = "tensorflow late"
    elif facts["asked"] in LEVELS and facts["asked"] != str(device.log.level):
        key = "level late"
    print(say(key, **facts))  # noqa: T201 (the one line that loading prints)


def unload_ipython_extension(ip: Any) -> None:  # noqa: ARG001 (IPython's interface)
    """Restore TensorFlow and the way warnings are shown."""
    from npu_lab.activation import deactivate

    deactivate()
    _show_warnings()


def _npu_run(shell: Any) -> Callable[[str, str], None]:
    def npu_run(line: str, cell: str) -> None:  # noqa: ARG001 (IPython's interface)
        """Run the cell, then show verdicts and counts of what it did on the device."""
        __tracebackhide__ = True
        from npu_lab.lab import cell_runs

        global _quiet
        _quiet = True
        try:
            cell_runs.run(shell, cell)
        finally:
            _quiet = False

    return npu_run


def _npu_log(line: str) -> Any:
    """Show the host log's lines on the loop: %npu_log [--last] [WORD ...]."""
    from npu_lab.lab import cell_runs

    return cell_runs.log_lines(line)


def _npu_check(line: str, cell: str | None = None) -> None:
    """Say whether the loop will sink: of files, %npu_check PATH ..., or of the cell.

    Raises:
        UsageError: no file is named, or what the command needs is not installed.
    """
    from IPython.core.error import UsageError

    paths = [Path(one) for one in shlex.split(line)]
    missing = [str(path) for path in paths if not path.exists()]
    if missing or not (paths or cell):
        raise UsageError(say("no path to check", paths=", ".join(missing) or "-"))
    try:  # an extra, which may not be there
        check = import_module("npu_lab.extras.check")
        reports = import_module("npu_lab.extras.check.reports")
    except ModuleNotFoundError as error:
        raise UsageError(say("no checker", name=error.name)) from error
    if cell is None:
        results = list(check.check_paths(paths))
    else:
        results = [check.check_source(cell, "cell")]
    found = [line for checked in results for line in reports.lines(checked)]
    print("\n".join([*found, reports.summary(results)]))  # noqa: T201 (what it is for)


class Note(pages.Shown):
    """A diagnostic as a cell shows it: one line of text, or a card."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return say("note", severity=self._severity, text=self.text)

    @property
    def _severity(self) -> str:
        entry = CATALOGUE.get(self.text.partition(" ")[0])
        return say(entry.severity if entry else "warning")

    @property
    def html(self) -> pages.Html:
        """The card."""
        code, _blank, text = self.text.partition(" ")
        if code not in CATALOGUE:
            code, text = "", self.text
        title = f"{self._severity} {code}".strip()
        return pages.fill("warning", title=title, text=text)


def _show_notes() -> None:
    """Show npu_lab's own warnings as notes; idempotent."""
    global _stock_show
    # Not when others have put a function of theirs in front of ours since then.
    if _stock_show is None or warnings.showwarning is _stock_show:
        _stock_show = warnings.showwarning
        warnings.showwarning = _show_note


def _show_warnings() -> None:
    global _stock_show
    # Whoever has put another function in place since then keeps it.
    if warnings.showwarning is _show_note and _stock_show is not None:
        warnings.showwarning = _stock_show
        _stock_show = None


def _show_note(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: Any = None,
    line: str | None = None,
) -> None:
    if file is None and issubclass(category, NpuLabWarning):
        from IPython.display import display

        if not (_quiet and str(message).partition(" ")[0] in CATALOGUE):
            display(Note(str(message)))  # type: ignore[no-untyped-call]
    elif _stock_show is not None:
        _stock_show(message, category, filename, lineno, file, line)


def _version(package: str) -> str:
    from importlib.metadata import version

    return version(package)
