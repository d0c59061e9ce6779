"""The command line of the migration."""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from npu_lab import command_line
from npu_lab.command_line import USAGE, UsageError
from npu_lab.extras.migrate import explain, files, levels, reports, tree
from npu_lab.extras.migrate._texts import text
from npu_lab.extras.migrate.files import FileResult
from npu_lab.extras.migrate.finding import Options

_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # a form feed ends no line
_TOGETHER = 8  # files that a process is given at a time


def main(arguments: Sequence[str] | None = None, prog: str = "npu-lab migrate") -> int:
    """Entry point; returns the exit status: 0 done, 1 something to do, 2 usage."""
    given = command_line.read(_parser(prog), arguments)
    if isinstance(given, int):
        return given
    try:
        return _run(given)
    except UsageError as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return USAGE
    except OSError as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return 1


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=prog,
        description=text("migrate"),
        epilog=text("statuses"),
    )
    add = parser.add_argument
    add("-i", "--input", type=Path, metavar="IN", help=text("-i"))
    add("-o", "--output", type=Path, metavar="OUT", help=text("-o"))
    add("-r", "--report", type=Path, metavar="REPORT", help=text("-r"))
    add("-m", "--main", type=Path, metavar="MAIN", help=text("-m"))
    add("-d", "--distributed_mode", choices=["horovod", "tf_strategy"], help=text("-d"))
    add("-c", "--compat", action="store_true", help=text("-c"))
    add("-l", "--list", type=Path, metavar="TABLE", help=text("-l"))
    add("--tf", type=int, choices=[1, 2], help=text("--tf"))
    add("--check", action="store_true", help=text("--check"))
    add("--diff", action="store_true", help=text("--diff"))
    add("--explain", metavar="RULE", help=text("--explain"))
    add("--json", action="store_true", help=text("--json"))
    add("--profile", choices=["auto", "manual"], default="auto", help=text("--profile"))
    add(
        "--iterations-per-loop",
        type=int,
        default=1,
        metavar="N",
        help=text("--iterations-per-loop"),
    )
    add("--jobs", type=int, metavar="K", help=text("--jobs"))
    return parser


def _explain(rule: str) -> int:
    try:
        print(explain.explain(rule))
    except KeyError as problem:
        raise UsageError(problem.args[0]) from problem
    return 0


def _root(given: argparse.Namespace) -> Path:
    """The input's full path, links in it kept."""
    if given.input is None:
        raise UsageError(text("no input"))
    root = Path(os.path.abspath(given.input))  # noqa: PTH100
    if not root.exists():
        raise UsageError(text("not found", path=given.input))
    if root.is_file() and root.suffix not in tree.SOURCES:
        raise UsageError(text("no script", path=given.input))
    return root


def _table(given: argparse.Namespace, options: Options) -> str:
    table = str(given.list or "")
    try:
        levels.table(options.tf, table)
    except levels.UnusableError as problem:
        said = text("no table", path=given.list, problem=problem)
        raise UsageError(said) from problem
    return table


def _run(given: argparse.Namespace) -> int:
    if given.explain is not None:
        return _explain(given.explain)
    if given.iterations_per_loop < 1:
        raise UsageError(text("bad loop", value=given.iterations_per_loop))
    root = _root(given)
    folder, paths = tree.sources(root)
    options = _options(given, folder, paths)
    table = _table(given, options)
    stamp = time.strftime("%Y%m%d%H%M%S")
    only = root.name if root.is_file() else ""
    writes = not (given.check or given.diff)
    name = root.stem if only else root.name
    out = (given.output or Path(f"output_npu_{stamp}")) / f"{name}_npu_{stamp}"
    report = (given.report or Path(f"report_npu_{stamp}")) / f"report_npu_{stamp}"
    if writes:
        _refuse_below(folder, only, out, report)
    results = list(_migrated(folder, paths, options, table, given.jobs))
    if writes:
        results += _write(folder, only, out, results)
    made = reports.as_dict(results, options)
    if writes:
        reports.write(report, made)
    _show(given, results, made, out, report)
    to_do = made["counts"]["hand"]
    return int(bool(to_do or (given.check and made["counts"]["changed"])))


def _write(
    folder: Path, only: str, out: Path, results: Sequence[FileResult]
) -> list[FileResult]:
    """Write the result whole; what of the input could not be copied is returned."""
    partial_ = out.with_name(f".{out.name}.partial")
    failed = tree.copy(folder, partial_, only)
    for result in results:
        if result.data is None:
            continue
        try:
            tree.write(partial_ / result.path, result.data)
        except OSError as problem:
            files.unread(result, "unreadable", 0, str(problem))
    partial_.rename(out)
    known = {result.path for result in results}
    rest = [FileResult(path) for path, _ in failed if path not in known]
    for result, (_, why) in zip(
        rest, [each for each in failed if each[0] not in known], strict=True
    ):
        files.unread(result, "unreadable", 0, why)
    return rest


def _options(given: argparse.Namespace, folder: Path, paths: list[str]) -> Options:
    chosen = ""
    if given.main is not None:
        if not given.main.is_file():
            raise UsageError(text("not found", path=given.main))
        real = given.main.resolve()
        same = [path for path in paths if (folder / path).resolve() == real]
        if not same:
            raise UsageError(text("main outside", path=given.main))
        chosen = same[0]
    options = Options(
        mode=given.distributed_mode or "",
        compat=given.compat,
        main=chosen,
        # The options of a sunk loop stand in the form by hand.
        profile="manual" if given.iterations_per_loop > 1 else given.profile,
        loop=given.iterations_per_loop,
    )
    options = tree.facts(folder, paths, options, given.tf or 0)
    if options.mode == "horovod":
        refused = files.horovod_refused(folder, paths, options)
        imported = files.imported(folder, paths)
        options = replace(options, horovod_refused=refused, imported=imported)
    if options.tf != 1 and options.mode == "horovod" and not options.compat:
        raise UsageError(text("tf2 horovod"))
    return options


def _refuse_below(folder: Path, only: str, *targets: Path) -> None:
    for target in targets:
        if target.exists():
            raise UsageError(text("exists", path=target))
        inside = folder.resolve() in target.resolve().parents
        if inside and not only:
            raise UsageError(text("below input", path=target))


def _migrated(
    folder: Path, paths: list[str], options: Options, table: str, jobs: int | None
) -> Iterator[FileResult]:
    """The results in the order of `paths`, several files at a time."""
    work = partial(files.migrate, folder, options=options, table=table)
    jobs = jobs or len(os.sched_getaffinity(0))
    if jobs == 1 or len(paths) <= _TOGETHER:
        yield from _counted(map(work, paths), len(paths))
        return
    with ProcessPoolExecutor(min(jobs, len(paths) // _TOGETHER + 1)) as pool:
        yield from _counted(pool.map(work, paths, chunksize=_TOGETHER), len(paths))


def _counted(results: Iterator[FileResult], count: int) -> Iterator[FileResult]:
    """The results, with a line on a terminal that says how many there are."""
    shown = sys.stderr.isatty() and count > _TOGETHER
    for done, result in enumerate(results, 1):
        if shown:
            end = "\n" if done == count else ""
            said = text("progress", done=done, all=count)
            bar = "#" * (30 * done // count)
            print(f"\r[{bar:30}] {said}", end=end, file=sys.stderr, flush=True)
        yield result


def _show(
    given: argparse.Namespace,
    results: Sequence[FileResult],
    made: dict[str, object],
    out: Path,
    report: Path,
) -> None:
    if given.json:
        print(json.dumps(made, indent=1, ensure_ascii=False))
    elif given.diff:
        for result in results:
            print(diff(result), end="")
    said = sys.stderr
    for found in made["findings"]:  # type: ignore[attr-defined]
        if found["level"] in {"hand", "warning"} and not given.json:
            print(
                f"{found['place']}: {text('level ' + found['level'])}"
                f" [{found['rule']}] {found['reason']}",
                file=said,
            )
    print(text("counts", **made["counts"]), file=said)  # type: ignore[arg-type]
    if not (given.check or given.diff):
        print(text("written", path=out), file=said)
        print(text("reported", path=report), file=said)
    print(text("try check"), file=said)


def diff(result: FileResult) -> str:
    """The file's changes as a unified diff."""
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in difflib.unified_diff(
            _LINE.findall(result.before),
            _LINE.findall(result.after),
            f"a/{result.path}",
            f"b/{result.path}",
        )
    )
