"""The host log: written as the vendor's stack writes it, read back as evidence.

`HostLog` and `compiled` write; `read` and `judge` are those of `reader`, a file that
can be copied to a real machine, with the language and the process of the lab.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from npu_lab import language
from npu_lab.hostlog import lines, reader
from npu_lab.hostlog.lines import CompiledGraph, compiled
from npu_lab.hostlog.reader import Evidence, Log, Record, is_marker, read
from npu_lab.hostlog.writer import HostLog

__all__ = [
    "CompiledGraph",
    "Evidence",
    "HostLog",
    "Log",
    "Record",
    "compiled",
    "is_marker",
    "judge",
    "lines",
    "read",
]


def judge(
    log: Iterable[Record] | None = None, environ: Mapping[str, str] | None = None
) -> Evidence:
    """Say whether the log shows a built loop, why, and what to do.

    Without a `log`, that of this process is judged; where this process wrote none, the
    whole folder the environment names. `environ` is as for `reader.judge`; the texts
    are in the lab's language.
    """
    if log is None:
        own = read(pid=os.getpid())
        log = own if own.files else read()
    return reader.judge(log, environ, language.current())
