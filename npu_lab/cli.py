"""The command `npu-lab`: run a script, read a host log, look at the computer."""

from __future__ import annotations

import argparse
import atexit
import contextlib
import importlib
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npu_lab import __version__, command_line
from npu_lab._texts import text
from npu_lab.command_line import USAGE, UsageError

if TYPE_CHECKING:
    from npu_lab.call_limit import CallLimit
    from npu_lab.device import Device

COMMANDS = ("run", "log", "doctor", "trace", "export")
# Commands of extras, each found when it is asked for.
EXTRAS = (
    "migrate",
    "check",
    "launch",
    "ranktable",
    "freeze",
    "tune",
    "course",
    "grade",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status: the script's, or 2 for wrong usage."""
    command_line.take_any_text()
    asked = list(sys.argv[1:] if arguments is None else arguments)
    if asked[:1] and asked[0] in EXTRAS:
        return _extra(asked[0], asked[1:])
    given = command_line.read(_parser(), arguments)
    if isinstance(given, int):
        return given
    try:
        return int(given.action(given))
    except UsageError as error:
        print(f"npu-lab {given.command}: {error}", file=sys.stderr)
        return USAGE


def _extra(name: str, arguments: Sequence[str]) -> int:
    try:
        extra = importlib.import_module(f"npu_lab.extras.{name}.__main__")
    except ModuleNotFoundError as problem:
        if problem.name != "libcst":
            raise
        _say(text("no libcst", command=name))
        return USAGE
    return int(extra.main(arguments))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="npu-lab",
        description=text("npu-lab"),
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    run = commands.add_parser(
        "run",
        help=text("run"),
        usage="npu-lab run [--calls K] [--report FILE] [--trace FILE]"
        " [--link-delay SECONDS] [--bandwidth BYTES] SCRIPT [ARG ...]",
        description=text("run streams"),
    )
    run.add_argument("--calls", type=_calls, metavar="K", help=text("--calls"))
    run.add_argument("--report", type=Path, metavar="FILE", help=text("--report"))
    run.add_argument("--trace", type=Path, metavar="FILE", help=text("--trace"))
    run.add_argument(
        "--link-delay",
        type=float,
        metavar="SECONDS",
        help=text("--link-delay"),
    )
    run.add_argument(
        "--bandwidth", type=float, metavar="BYTES", help=text("--bandwidth")
    )
    run.add_argument("script", type=Path, metavar="SCRIPT")
    run.add_argument("arguments", nargs=argparse.REMAINDER, default=[], metavar="ARG")
    run.set_defaults(action=_run)

    log = commands.add_parser(
        "log",
        help=text("log"),
        description=text("log statuses"),
    )
    log.add_argument(
        "folder",
        nargs="?",
        type=Path,
        metavar="FOLDER",
        help=text("folder"),
    )
    log.add_argument("--pid", type=int, help=text("--pid"))
    log.add_argument("--json", action="store_true", help=text("--json"))
    log.set_defaults(action=_log)

    doctor = commands.add_parser(
        "doctor", help=text("doctor"), description=text("doctor statuses")
    )
    doctor.add_argument("--json", action="store_true", help=text("--json"))
    doctor.add_argument("--calibrate", action="store_true", help=text("--calibrate"))
    doctor.set_defaults(action=_doctor)

    _trace_parser(commands)

    export = commands.add_parser("export", help=text("export"))
    export.add_argument("lesson", metavar="LESSON", help=text("LESSON"))
    export.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help=text("--output")
    )
    export.set_defaults(action=_export)
    for name in EXTRAS:
        commands.add_parser(name, help=text(name), add_help=False)
    return parser


def _trace_parser(commands: Any) -> None:
    trace = commands.add_parser("trace", help=text("trace"), description=text("trace"))
    ways = trace.add_subparsers(dest="way", required=True, metavar="WAY")
    view = ways.add_parser("view", help=text("trace view"))
    view.add_argument("--port", type=int, default=0, help=text("--port"))
    view.add_argument("--no-browser", action="store_true", help=text("--no-browser"))
    view.set_defaults(action=_trace_view)
    show = ways.add_parser("show", help=text("trace show"))
    show.add_argument("--call", type=int, metavar="K", help=text("--call"))
    show.add_argument("--line", metavar="FILE:LINE", help=text("--line"))
    show.set_defaults(action=_trace_show)
    for way in (view, show):
        way.add_argument("trace", type=Path, metavar="TRACE", help=text("TRACE"))


def _calls(given: str) -> int:
    if given.isascii() and given.isdecimal() and int(given) >= 1:
        return int(given)
    raise argparse.ArgumentTypeError(text("bad calls", value=given))


def _run(given: argparse.Namespace) -> int:
    if not given.script.is_file():
        raise UsageError(text("no script", path=given.script))
    for wanted in (given.report, given.trace):
        if wanted is not None and not _can_be_written(wanted):
            raise UsageError(text("no folder", path=wanted))
    os.environ.setdefault("ASCEND_GLOBAL_LOG_LEVEL", "1")
    if "ASCEND_PROCESS_LOG_PATH" not in os.environ:
        log_path = tempfile.mkdtemp(prefix="npu_lab_log_")
        os.environ["ASCEND_PROCESS_LOG_PATH"] = log_path
    for name in ("ASCEND_GLOBAL_LOG_LEVEL", "ASCEND_PROCESS_LOG_PATH"):
        _say(f"{name}={os.environ[name]}")

    from npu_lab import activation, call_limit, modes, runner

    report_file = given.report.absolute() if given.report else None
    trace_file = given.trace.absolute() if given.trace else None
    try:
        mode = modes.of_program(given.script.read_bytes())
        device = activation.activate(
            mode=mode,
            view=True if mode == "tf1" else None,
            link_delay=given.link_delay,
            bandwidth=given.bandwidth,
        )
    except (TypeError, ValueError, modes.ModeError) as problem:
        raise UsageError(str(problem)) from problem
    device.on_compiled = lambda line: print(line, file=sys.stderr, flush=True)
    _show_warnings_in_a_line()
    limit = call_limit.CallLimit(device, given.calls) if given.calls else None
    ended = _Ended(limit, trace_file)
    if trace_file is not None:
        device.trace.__enter__()  # until the process ends
    # What the script's threads and exit handlers do belongs to the report as well.
    atexit.register(_finish, device, ended, report_file, os.getpid())
    ended.status, ended.error = runner.run(given.script, given.arguments, limit)
    ended.returned = _checked_status(device, ended)
    return ended.returned


@dataclass
class _Ended:
    """How the script ended, and the status that the command returned for it."""

    limit: CallLimit | None
    trace_file: Path | None = None
    status: int = 0
    error: BaseException | None = None
    returned: int = 0


def _checked_status(device: Device, ended: _Ended) -> int:
    """The script's own status if it failed, else that of the check, if one is made."""
    from npu_lab import report

    failed = ended.limit is not None and bool(report.unsunk(device))
    return ended.status or int(failed)


def _finish(device: Device, ended: _Ended, report_file: Path | None, pid: int) -> None:
    """Say what happened, at the very end of the process that ran the script."""
    from npu_lab import report

    if os.getpid() != pid:
        return  # a child that the script forked
    try:
        for line in report.summary(device):
            _say(line)
        if ended.limit is not None:
            for line in report.check(device, ended.limit, ended.status):
                _say(line)
        if ended.trace_file is not None:
            device.save_trace(ended.trace_file)
        if report_file is not None:
            report.write(report.report(device, ended.error), report_file)
        status = _checked_status(device, ended)
    except OSError as problem:
        _say(text("not written", problem=problem))
        status = ended.status or 1
    if status != ended.returned:  # found after the command had returned
        sys.stdout.flush()
        os._exit(status)


def _can_be_written(path: Path) -> bool:
    folder = path.absolute().parent
    return folder.is_dir() and os.access(folder, os.W_OK) and not path.is_dir()


def _show_warnings_in_a_line() -> None:
    """Show the device's diagnostics on stderr, one line each."""
    from npu_lab.diagnostics import NpuLabWarning

    usual = warnings.showwarning

    def show(
        message: Any,
        category: Any,
        filename: str,
        lineno: int,
        file: Any = None,
        line: Any = None,
    ) -> None:
        if issubclass(category, NpuLabWarning):
            _say(f"{filename}:{lineno}: {message}")
        else:
            usual(message, category, filename, lineno, file, line)

    warnings.showwarning = show
    warnings.simplefilter("always", NpuLabWarning)


def _log(given: argparse.Namespace) -> int:
    from npu_lab import language
    from npu_lab.hostlog import reader

    if given.pid is not None and given.pid < 0:
        raise UsageError(text("bad pid", pid=given.pid))
    arguments = [] if given.folder is None else [str(given.folder)]
    if given.pid is not None:
        arguments += ["--pid", str(given.pid)]
    if given.json:
        arguments.append("--json")
    return reader.main([*arguments, "--language", language.current()])


def _trace_show(given: argparse.Namespace) -> int:
    from npu_lab import trace_files

    try:
        found = trace_files.lines(given.trace, given.call, given.line)
    except trace_files.TraceFileError as problem:
        raise UsageError(str(problem)) from problem
    print("\n".join(found))
    return 0


def _trace_view(given: argparse.Namespace) -> int:
    from npu_lab import trace_files

    try:
        server = trace_files.server(given.trace, given.port)
    except trace_files.TraceFileError as problem:
        raise UsageError(str(problem)) from problem
    except (OSError, OverflowError) as problem:
        said = text("port taken", port=given.port, problem=problem)
        raise UsageError(said) from problem
    address = f"http://127.0.0.1:{server.server_port}"
    _say(text("viewing", path=given.trace, address=address))
    if not given.no_browser:
        import webbrowser

        webbrowser.open_new_tab(address)
    with server, contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


def _doctor(given: argparse.Namespace) -> int:
    from npu_lab import doctor

    findings, settings = doctor.examine(), doctor.real_machine()
    result = doctor.as_dict(findings, settings)
    lines = doctor.lines(findings, settings)
    ended = 0 if result["ok"] else 1
    if given.calibrate and not result["ok"]:
        _say(text("not calibrated"))
    elif given.calibrate:
        from npu_lab import calibrate

        measured = calibrate.calibrate()
        try:
            kept = calibrate.keep(measured)
        except OSError as problem:
            _say(text("not kept", problem=problem))
            ended = 1
        else:
            result["calibration"] = calibrate.as_dict(measured, kept)
            lines += calibrate.lines(measured, kept)
    print(json.dumps(result, indent=1) if given.json else "\n".join(lines))
    return ended


def _export(given: argparse.Namespace) -> int:
    from npu_lab import export, files

    try:
        script = export.export(given.lesson)
    except (KeyError, ValueError) as problem:
        raise UsageError(problem.args[0]) from problem
    if given.output is None:
        print(script, end="")
        return 0
    try:
        files.replace(given.output.absolute(), script)
    except OSError as problem:
        said = text("not exported", path=given.output, problem=problem)
        raise UsageError(said) from problem
    return 0


def _say(line: str) -> None:
    print(f"npu-lab: {line}", file=sys.stderr, flush=True)
