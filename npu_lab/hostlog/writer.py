"""Write the host log (plog) as the vendor's logger does: files, levels, line format.

`<root>/debug/plog/plog-<pid>_<time>.log` takes DEBUG to ERROR lines from the global
level on (3, ERROR, unless set); `<root>/run/plog/...` takes EVENT lines at every level.
The root is ASCEND_PROCESS_LOG_PATH, else ASCEND_WORK_PATH/log, else HOME/ascend/log.

The environment is read once, at the start: a level that is set later has no effect, as
on hardware. The logging module is not used, so a line cannot reach a second handler.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import warnings
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from npu_lab import language
from npu_lab.diagnostics import NpuLabWarning
from npu_lab.hostlog.reader import default_folder

SEVERITY = {"DEBUG": 0, "INFO": 1, "WARNING": 2, "ERROR": 3}
EVENT = "EVENT"

# Variable: allowed values, default.
VARIABLES = {
    "ASCEND_GLOBAL_LOG_LEVEL": (range(5), 3),  # 4 is NULL: nothing
    "ASCEND_GLOBAL_EVENT_ENABLE": (range(2), 1),
    "ASCEND_SLOG_PRINT_TO_STDOUT": (range(2), 0),
}
WARNINGS = {
    "value": {
        "en": "{name}={value!r} is not one of {allowed}: {default} is used, as by the"
        " vendor's logger. Set it to one of these before the program starts.",
        "zh": "{name}={value!r} 不是 {allowed} 之一：与厂商日志程序一样使用 {default}。"
        "请在程序启动前设置为其中之一。",
    },
    "folder": {
        "en": "The host log cannot be written to {folder} ({reason}): the program goes"
        " on without it. Set ASCEND_PROCESS_LOG_PATH to a folder that can be written,"
        " before the program starts.",
        "zh": "无法将Host日志写入 {folder}（{reason}）：程序继续运行，但没有日志。"
        "请在程序启动前将ASCEND_PROCESS_LOG_PATH设置为可写的目录。",
    },
}

_MICROSECOND = timedelta(microseconds=1)


class Line(NamedTuple):
    """One line to write: `source` is `file.cc:line`, `message` all that follows it."""

    level: str
    module: str
    source: str
    message: str


class HostLog:
    """The host log of this process; the first write creates the file it needs.

    `environ` (default: the process's own environment) is read by `start`, once in the
    life of this object. Whatever is wrong with the log is one warning, never an error:
    training goes on. Threads may share it; a forked child goes on in files of its own.
    """

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._environ = environ
        self._started = False
        self._usable = True
        self._last = datetime.min
        self._own()

    def start(self) -> HostLog:
        """Read level, folder and switches from the environment; again: no effect."""
        if not self._started:
            with self._lock:
                self._read(os.environ if self._environ is None else self._environ)
        return self

    def _read(self, environ: Mapping[str, str]) -> None:
        if self._started:
            return
        self._level, events, screen = (_value(environ, name) for name in VARIABLES)
        self._events, self._to_screen = bool(events), bool(screen)
        # Made absolute now: the program may change its working folder.
        self._folder = default_folder(environ).absolute()
        self._started = True

    @property
    def level(self) -> int:
        """The level in force: 0 DEBUG, 1 INFO, 2 WARNING, 3 ERROR, 4 nothing."""
        self.start()
        return self._level

    @property
    def folder(self) -> Path:
        """The root of the log, above `debug` and `run`."""
        self.start()
        return self._folder

    def writes(self, level: str) -> bool:
        """Whether lines of a level are written; ValueError for an unknown level."""
        self.start()
        if level == EVENT:
            return self._events
        if level not in SEVERITY:
            known = ", ".join([*SEVERITY, EVENT])
            raise ValueError(f"The host log has no level {level!r}; it has {known}.")
        return SEVERITY[level] >= self._level

    def write(self, level: str, module: str, source: str, message: str) -> None:
        """Write one line, unless the level holds it back."""
        self.write_block([Line(level, module, source, message)])

    def write_block(self, lines: Iterable[Line]) -> None:
        """Write lines that belong together; no other thread's line comes between."""
        if os.getpid() != self._pid:
            self._own()
        wanted = [line for line in lines if self.writes(line.level)]
        with self._lock:
            text = {"debug": "", "run": "", "screen": ""}
            for line in wanted:
                folder = "run" if line.level == EVENT else "debug"
                text["screen" if self._to_screen else folder] += self._format(line)
            if text["screen"]:
                # A closed or ASCII-only screen must not stop the program.
                with contextlib.suppress(OSError, ValueError):
                    print(text["screen"], end="", flush=True)
            for folder in ("run", "debug"):
                if text[folder] and self._usable:
                    self._append(folder, text[folder])

    def close(self) -> None:
        """Close the files; a later write opens them again and appends."""
        with self._lock:
            for descriptor in self._descriptors.values():
                os.close(descriptor)
            self._descriptors.clear()

    def _own(self) -> None:
        """Begin with files of this process, and a lock no thread held at the fork."""
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._paths: dict[str, Path] = {}
        self._descriptors: dict[str, int] = {}

    def _format(self, line: Line) -> str:
        # Strictly later than the line before, so that time alone orders both files.
        self._last = now = max(datetime.now(), self._last + _MICROSECOND)
        moment = f"{now:%Y-%m-%d-%H:%M:%S}.{now.microsecond // 1000:03}"
        message = line.message.replace("\r", " ").replace("\n", " ")
        return (
            f"[{line.level}] {line.module}({self._pid},{_PROCESS}):"
            f"{moment}.{now.microsecond % 1000:03} [{line.source}]{message}\n"
        )

    def _append(self, folder: str, text: str) -> None:
        data = text.encode("utf-8", "backslashreplace")
        try:
            if folder not in self._descriptors:
                self._descriptors[folder] = self._open(folder)
            while data:
                data = data[os.write(self._descriptors[folder], data) :]
        except OSError as error:
            self._usable = False
            reason = error.strerror or type(error).__name__
            _warn("folder", folder=self._folder, reason=reason)

    def _open(self, folder: str) -> int:
        now = datetime.now()
        stamp = f"{now:%Y%m%d%H%M%S}{now.microsecond // 1000:03}"
        path = self._folder / folder / "plog" / f"plog-{self._pid}_{stamp}.log"
        path = self._paths.setdefault(folder, path)
        path.parent.mkdir(parents=True, exist_ok=True)
        binary = getattr(os, "O_BINARY", 0)  # Windows alone has it
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | binary, 0o640)


_PROCESS = Path(sys.executable or "python3").name


def _value(environ: Mapping[str, str], name: str) -> int:
    allowed, default = VARIABLES[name]
    text = environ.get(name, "").strip()
    if text in map(str, allowed):
        return int(text)
    if text:
        known = ", ".join(map(str, allowed))
        _warn("value", name=name, value=text, allowed=known, default=default)
    return default


def _warn(key: str, **facts: object) -> None:
    text = WARNINGS[key][language.current()].format(**facts)
    warnings.warn(text, NpuLabWarning, stacklevel=2)
