"""Read the host log (plog) and judge whether a training loop was built.

One file, standard library only, Python 3.7 or later, so it can be copied to a real
machine and run there:

    python3 reader.py [FOLDER] [--pid PID] [--json] [--language en|zh]

FOLDER is the log root, one of its folders, or one file; without it the folder that the
environment names. Exit status: 0 built, 1 not built, 3 cannot tell, 2 wrong usage.

Files are streamed, never loaded: a log of any size can be read, also while it is
written. A log folder collects many runs, and process ids come round again: give each
run a fresh ASCEND_PROCESS_LOG_PATH, or ask for one process.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import functools
import heapq
import itertools
import json
import operator
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

LONGEST_LINE = 64 * 1024  # the rest of a longer line is passed over
KEYWORD = "Insert op success"
LOOP_VARIABLES = frozenset(
    "npu_runconfig/" + name
    for name in ("loop_cond", "one", "zero", "iterations_per_loop")
)
MARKERS = ("IteratorCtrl_StreamSwitch", "FlowCtrl_LoopCond")
EXIT_STATUS = {"built": 0, "not built": 1, "cannot tell": 3}

_FILE_NAME = re.compile(r"plog-(\d+)_(\d+)\.log")
_LINE = re.compile(
    r"\[([A-Z]+)\]\s*(\w+)\s*\((\d+),\s*(.*?)\)\s*:\s*"
    r"(\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d)\.(\d{3})(?:\.(\d{3}))?"
    r"(?:\s*\[([^\[\]]*?):(\d+)\])?(.*)",
    re.DOTALL,
)
_INSERTED = re.compile(KEYWORD + r", name:(.*), type:(\w+)\.")
_SMALL_LOOP = re.compile(r"(.+)_IteratorCtrl_StreamSwitch")
_OPTION = re.compile(r"iterations?_per_loop(?: is|:) (\d+)")
_NEED = re.compile(r"need iteration: (\d)")

# Sentences by key: English, Chinese.
TEXTS = {
    "built": (
        "The log holds {markers} marker lines: the engine built the loop.",
        "日志中有 {markers} 行标志行：引擎已构建训练迭代循环。",
    ),
    "fresh": (
        "GetNext runs inside the loop: {names}.",
        "GetNext算子已下沉到循环内：{names}。",
    ),
    "repeated": (
        "No GetNext is inside the loop: one batch serves all iterations of a call.",
        "循环内没有GetNext算子：一次调用的所有迭代使用同一批数据。",
    ),
    "built mend": (
        "How many steps it runs is not in the log: look at the step counter before"
        " and after one call.",
        "日志不说明实际执行的步数：请比较一次调用前后的全局步数。",
    ),
    "option": (
        "Graphs were compiled with iterations_per_loop 1: no loop was asked for.",
        "编译图时iterations_per_loop为1：没有要求循环。",
    ),
    "option mend": (
        "Set the session option iterations_per_loop to the number given to"
        " set_iteration_per_loop.",
        "将会话配置iterations_per_loop设置为与set_iteration_per_loop相同的值。",
    ),
    "op": (
        "iterations_per_loop {asked} was asked for, but nothing that ran held an"
        " operation named IterationOp.",
        "要求iterations_per_loop为 {asked}，但所运行的图中没有名为IterationOp的算子。",
    ),
    "op mend": (
        "Run the operation that set_iteration_per_loop returned, made once per graph"
        " and outside any name scope.",
        "运行set_iteration_per_loop返回的算子；每个图只调用一次，且不在name scope内。",
    ),
    "variables": (
        "IterationOp was found with iterations_per_loop {asked}, but the engine added"
        " no flow control.",
        "找到了IterationOp（iterations_per_loop为 {asked}），但引擎没有添加循环控制。",
    ),
    "variables mend": (
        "Load the loop variables in the session that trains, keep graph_run_mode at 1,"
        " and give every input a fixed shape (drop_remainder=True).",
        "在训练所用会话中加载循环变量，graph_run_mode保持为1，"
        "并使所有输入的shape固定（drop_remainder=True）。",
    ),
    "no marker": (
        "INFO lines are there, but no marker among them: no loop was built.",
        "有INFO日志，但其中没有标志行：没有构建循环。",
    ),
    "no marker mend": (
        "Check in this order: session option iterations_per_loop > 1; the operation"
        " returned by set_iteration_per_loop is the one that runs; loop variables"
        " loaded in this session; fixed input shapes.",
        "依次检查：会话配置iterations_per_loop大于1；运行的是set_iteration_per_loop返回的"
        "算子；循环变量已在本会话中加载；输入shape固定。",
    ),
    "level": (
        "The log holds no INFO line: the level was too high (unset means 3, ERROR)"
        " when the program started.",
        "日志中没有INFO行：程序启动时日志级别过高（未设置即为3，ERROR）。",
    ),
    "level mend": (
        "Set ASCEND_GLOBAL_LOG_LEVEL=1 before the library is imported and run again.",
        "在导入库之前设置ASCEND_GLOBAL_LOG_LEVEL=1，然后重新运行。",
    ),
    "late": (
        "The log holds no INFO line although ASCEND_GLOBAL_LOG_LEVEL is {level} now: it"
        " was set too late. The level is read at start-up.",
        "ASCEND_GLOBAL_LOG_LEVEL现在为 {level}，日志中却没有INFO行：设置得太晚。"
        "日志级别在启动时读取。",
    ),
    "late mend": (
        "Set the level before the library is imported and start the program (or the"
        " notebook's kernel) again.",
        "在导入库之前设置日志级别，并重新启动程序（或笔记本内核）。",
    ),
    "no graph": (
        "INFO lines are there, but none of the graph engine: no graph was compiled.",
        "有INFO日志，但没有图引擎（GE）的：没有编译过图。",
    ),
    "no graph mend": (
        "Run at least one training call on the device, then look again.",
        "在设备上至少运行一次训练，然后再查看。",
    ),
    "no log": (
        "There is no line of a host log (plog-*.log) in {folder}.",
        "{folder} 中没有任何Host日志（plog-*.log）的内容。",
    ),
    "no log mend": (
        "Look in the folder ASCEND_PROCESS_LOG_PATH names, else $HOME/ascend/log; run"
        " with ASCEND_GLOBAL_LOG_LEVEL=1 and without ASCEND_SLOG_PRINT_TO_STDOUT=1.",
        "查看ASCEND_PROCESS_LOG_PATH所指目录，否则为$HOME/ascend/log；运行前设置"
        "ASCEND_GLOBAL_LOG_LEVEL=1，且不要设置ASCEND_SLOG_PRINT_TO_STDOUT=1。",
    ),
    "unreadable": (
        "Not everything could be read: {files}.",
        "有内容无法读取：{files}。",
    ),
    "unreadable mend": (
        "Read it as the user who ran the program, or ask for one process by its id.",
        "以运行程序的用户身份读取，或指定一个进程号。",
    ),
    "processes": ("By process: {processes}.", "各进程：{processes}。"),
    "counts": (
        "keyword lines {keyword_lines}, flow-control lines {flow_control_lines},"
        " markers {markers}",
        "关键字行 {keyword_lines}，循环控制行 {flow_control_lines}，标志行 {markers}",
    ),
    "answer built": ("built", "已构建"),
    "answer not built": ("not built", "未构建"),
    "answer cannot tell": ("cannot tell", "无法判断"),
}


class Record(NamedTuple):
    """One line of the host log; `message` is all that follows `[file:line]`."""

    level: str
    module: str
    pid: int
    process: str
    time: datetime
    source: str
    line_number_in_source: int
    message: str
    path: str
    lineno: int

    @property
    def inserted(self) -> tuple[str, str] | None:
        """Name and type of the operator a keyword line reports, else None."""
        found = _INSERTED.search(self.message) if KEYWORD in self.message else None
        return (found.group(1), found.group(2)) if found else None


def is_marker(name: str) -> bool:
    """True for an operator that is inserted only when a loop is built."""
    return any(part in name for part in MARKERS)


def is_flow_control(name: str) -> bool:
    """True for a marker or one of the four loop variables."""
    return name in LOOP_VARIABLES or is_marker(name)


def parse(line: str, path: str = "", lineno: int = 0) -> Record | None:
    """Take one line apart; None for a line that is not in the host log's format."""
    found = _LINE.match(line)
    if not found:
        return None
    level, module, pid, process, second, milli, micro, source, number, message = (
        found.groups("")
    )
    try:
        time = _second(second).replace(microsecond=int(milli + (micro or "000")))
    except ValueError:  # the 13th month: a damaged line
        return None
    return Record(
        level, module, int(pid), process, time,
        source, int(number or 0), message, path, lineno,
    )  # fmt: skip


@functools.lru_cache(maxsize=128)
def _second(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%d-%H:%M:%S")


class Log:
    """The records of some plog files, streamed anew by every pass over it.

    Records come process by process, and in order of time within one. Length and index
    cost a pass too. After a pass, `skipped` counts the lines in no known format, and
    `unreadable` says which files could not be read, and why.
    """

    def __init__(
        self, folder: Path, files: Iterable[Path] = (), pid: int | None = None
    ) -> None:
        self.folder = folder
        self.pid = pid
        self.unreadable: dict[str, str] = {}
        self._skipped: dict[Path, int] = {}
        self._named: list[tuple[Path, int | None, str]] = []  # path, pid, stamp
        for path in files:
            found = _FILE_NAME.match(path.name)
            owner = int(found.group(1)) if found else None
            stamp = found.group(2) if found else ""
            if pid is None or owner in (None, pid):
                self._named.append((path, owner, stamp))

    @property
    def files(self) -> list[Path]:
        """The files this log consists of, by path."""
        return sorted(path for path, _, _ in self._named)

    @property
    def skipped(self) -> int:
        """Lines in no known format, as of the last pass over each file."""
        return sum(self._skipped.values())

    @property
    def pids(self) -> list[int]:
        """The processes that wrote here: by file name, else by a pass over the file."""
        found = {owner for _, owner, _ in self._named if owner is not None}
        for path, owner, _ in self._named:
            if owner is None:
                found.update(record.pid for record in self._records([path]))
        return sorted(found)

    def __iter__(self) -> Iterator[Record]:
        processes: dict[object, list[tuple[str, Path]]] = {}
        for path, owner, stamp in self._named:
            key = path if owner is None else owner
            processes.setdefault(key, []).append((stamp, path))
        for dated in sorted(map(sorted, processes.values())):
            # One open file for each folder of a process, however many it rotated.
            folders: dict[Path, list[Path]] = {}
            for _, path in dated:
                folders.setdefault(path.parent, []).append(path)
            streams = [self._records(paths) for paths in folders.values()]
            yield from heapq.merge(*streams, key=operator.attrgetter("time"))

    def _records(self, paths: Iterable[Path]) -> Iterator[Record]:
        for path in paths:
            skipped, name = 0, str(path)
            try:
                for lineno, line in _lines(path):
                    record = parse(line, name, lineno)
                    if record is None:
                        skipped += 1
                    elif self.pid is None or record.pid == self.pid:
                        yield record
            except OSError as error:
                self.unreadable[name] = error.strerror or type(error).__name__
            self._skipped[path] = skipped

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def __getitem__(self, index):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204
        if isinstance(index, slice) or index < 0:
            return list(self)[index]
        for record in itertools.islice(self, index, None):
            return record
        raise IndexError(f"the log has no record {index}")

    def __repr__(self) -> str:
        return f"<Log {self.folder}: {len(self._named)} files>"


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Number and text of each line; a last line without its end counts as a line."""
    lineno, inside = 0, False
    with path.open("rb") as file:
        while True:
            raw = file.readline(LONGEST_LINE)
            if not raw:
                return
            if not inside:
                lineno += 1
                yield lineno, raw.rstrip(b"\r\n").decode("utf-8", "replace")
            inside = not raw.endswith(b"\n")


def default_folder(environ: Mapping[str, str] | None = None) -> Path:
    """The log root the environment names.

    ASCEND_PROCESS_LOG_PATH, else ASCEND_WORK_PATH/log, else HOME/ascend/log.
    """
    environ = os.environ if environ is None else environ
    if environ.get("ASCEND_PROCESS_LOG_PATH"):
        return Path(environ["ASCEND_PROCESS_LOG_PATH"])
    if environ.get("ASCEND_WORK_PATH"):
        return Path(environ["ASCEND_WORK_PATH"], "log")
    return Path(environ.get("HOME") or Path.home(), "ascend", "log")


def read(folder: str | os.PathLike[str] | None = None, pid: int | None = None) -> Log:
    """Open the host log in `folder`: the root, a folder below it, or one file.

    Both `debug/plog` and `run/plog` are read, also when only one of them is named.
    Nothing that is missing or unreadable raises: the log is then empty, and says why.
    A `pid` that is no number of a process is a ValueError.
    """
    if pid is not None and (not isinstance(pid, int) or pid < 0):
        raise ValueError(f"pid is {pid!r}, but must be the number of a process")
    place = default_folder() if folder is None else Path(folder)
    try:
        return Log(place, _plog_files(place), pid)
    except OSError as error:
        log = Log(place, (), pid)
        log.unreadable[str(place)] = error.strerror or type(error).__name__
        return log


def _plog_files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    # The guide sends readers to run/plog; the lines it speaks of are in debug/plog.
    root = place.absolute()
    if root.parts[-2:] in (("debug", "plog"), ("run", "plog")):
        root = root.parent.parent
    elif root.name in ("debug", "run") and (root / "plog").is_dir():
        root = root.parent
    both = [root / "debug" / "plog", root / "run" / "plog"]
    there = [folder for folder in both if folder.is_dir()]
    if not there:
        there = [folder for folder in (root / "plog", root) if folder.is_dir()][:1]
    found = [path for folder in there for path in folder.iterdir()]
    return [path for path in found if re.match(r"plog.*\.log", path.name)]


@dataclasses.dataclass(frozen=True)
class Evidence:
    """What the host log says about the loop: an answer, its ground and the mend.

    A marker proves that a loop was built, not how many steps it runs; the keyword alone
    proves nothing, it is written for every training graph.
    """

    answer: str
    markers: int
    flow_control_lines: int
    keyword_lines: int
    because: str
    mend: str
    no_need_lines: int = 0
    sunk_get_next: tuple[str, ...] = ()
    iterations_per_loop: tuple[int, ...] = ()
    processes: Mapping[int, str] = dataclasses.field(default_factory=dict)
    skipped_lines: int = 0

    def as_dict(self) -> dict[str, object]:
        """The fields, as JSON holds them."""
        fields: dict[str, object] = json.loads(json.dumps(dataclasses.asdict(self)))
        return fields


class _Count:
    """What is counted in the log of one process, or in all of it."""

    def __init__(self) -> None:
        self.keyword = self.flow_control = self.markers = self.no_need = 0
        self.engine_info = self.info = 0
        self.asked: list[int] = []  # iterations_per_loop, as the adapter saw it
        self.needed: set[bool] = set()  # was an IterationOp found, graph by graph
        self.get_next: list[str] = []

    def add(self, record: Record) -> None:
        message = record.message
        if KEYWORD in message:
            self.keyword += 1
            self._operator(*(record.inserted or ("", "")))
        elif "No need FlowCtrl" in message:
            self.no_need += 1
        elif "per_loop" in message:
            found = _OPTION.search(message)
            if found and int(found.group(1)) not in self.asked:
                self.asked.append(int(found.group(1)))
            need = _NEED.search(message)
            if need:
                self.needed.add(need.group(1) != "0")
        # Run logs are written at every level, by some versions as INFO lines.
        run_log = _in_run_folder(record.path) or message.lstrip().startswith("[EVENT]")
        if record.level in ("INFO", "DEBUG") and not (run_log or "OMPart" in message):
            self.info += 1
            self.engine_info += record.module == "GE" or "need iteration" in message

    def include(self, other: _Count) -> None:
        """Add what another process's log holds."""
        for name, value in vars(other).items():
            mine = getattr(self, name)
            if isinstance(value, list):
                setattr(self, name, list(dict.fromkeys(mine + value)))
            else:
                setattr(self, name, mine | value if name == "needed" else mine + value)

    def _operator(self, name: str, kind: str) -> None:
        self.flow_control += is_flow_control(name)
        self.markers += is_marker(name)
        small = _SMALL_LOOP.fullmatch(name) if kind == "StreamSwitch" else None
        if small and small.group(1) != "Node_Output":
            self.get_next.append(small.group(1))

    def answer(self) -> str:
        if self.markers:
            return "built"
        seen = self.engine_info or self.keyword or self.no_need
        return "not built" if seen else "cannot tell"

    def reason(self) -> str:
        """The key of the sentence that says why no loop was built."""
        if True in self.needed:
            return "variables"
        if max(self.asked, default=0) == 1:
            return "option"
        return "op" if self.needed and self.asked else "no marker"


@functools.lru_cache(maxsize=128)
def _in_run_folder(path: str) -> bool:
    return Path(path).parts[-3:-1] == ("run", "plog")


def judge(
    log: Iterable[Record] | None = None,
    environ: Mapping[str, str] | None = None,
    language: str = "en",
) -> Evidence:
    """Say whether the log shows a built loop, why, and what to do.

    `log` is what `read` returns (default: `read()`); `environ` (default: the process's
    own) tells a level that was set too late from one that was not set. `language` is
    "en" or "zh".
    """
    log = read() if log is None else log
    environ = os.environ if environ is None else environ
    by_process: dict[int, _Count] = collections.defaultdict(_Count)
    for record in log:
        by_process[record.pid].add(record)
    total = _Count()
    for count in by_process.values():
        total.include(count)
    answers = {pid: count.answer() for pid, count in by_process.items()}
    unreadable = getattr(log, "unreadable", {})

    answer = total.answer()
    if answer == "built":
        keys = ["built", "fresh" if total.get_next else "repeated"]
    elif unreadable:  # what is missing might hold the markers
        answer, keys = "cannot tell", ["unreadable"]
    elif answer == "not built":
        keys = [total.reason()]
    elif not answers:
        keys = ["no log"]
    elif total.info:
        keys = ["no graph"]
    else:
        late = environ.get("ASCEND_GLOBAL_LOG_LEVEL", "").strip() in ("0", "1")
        keys = ["late" if late else "level"]
    mend = keys[0] + " mend"
    keys += ["processes"] if len(answers) > 1 else []

    say = functools.partial(_text, language)
    facts = {
        "markers": total.markers,
        "names": ", ".join(total.get_next),
        "asked": ", ".join(map(str, total.asked)),
        "level": environ.get("ASCEND_GLOBAL_LOG_LEVEL"),
        "folder": getattr(log, "folder", "-"),
        "files": ", ".join("{} ({})".format(*item) for item in unreadable.items()),
        "processes": ", ".join(
            "{} {}".format(pid, say("answer " + one)) for pid, one in answers.items()
        ),
    }
    space = "" if language == "zh" else " "
    return Evidence(
        answer=answer,
        markers=total.markers,
        flow_control_lines=total.flow_control,
        keyword_lines=total.keyword,
        because=space.join(say(key).format(**facts) for key in keys),
        mend=say(mend),
        no_need_lines=total.no_need,
        sunk_get_next=tuple(total.get_next),
        iterations_per_loop=tuple(total.asked),
        processes=answers,
        skipped_lines=getattr(log, "skipped", 0),
    )


def _text(language: str, key: str) -> str:
    return TEXTS[key][1 if language == "zh" else 0]


def main(arguments: list[str] | None = None) -> int:
    """The command: print the judgement, return the exit status."""
    parser = argparse.ArgumentParser(
        description="Judge from the host log whether a training loop was built.",
        epilog="Exit status: 0 built, 1 not built, 3 cannot tell, 2 wrong usage.",
    )
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="log root or file")
    parser.add_argument("--pid", type=int, help="only the log of this process")
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    parser.add_argument("--language", choices=("en", "zh"), help="default: en")
    options = parser.parse_args(arguments)
    language = options.language or os.environ.get("NPU_LAB_LANG", "en")
    log = read(options.folder, options.pid)
    evidence = judge(log, language=language)
    if hasattr(sys.stdout, "reconfigure"):  # a terminal without Chinese must not fail
        sys.stdout.reconfigure(errors="replace")
    if options.json:
        print(json.dumps(dict(evidence.as_dict(), folder=str(log.folder)), indent=1))
    else:
        print(_text(language, "answer " + evidence.answer))
        print(evidence.because)
        print(evidence.mend)
        print(_text(language, "counts").format(**dataclasses.asdict(evidence)))
        print("\n".join(map(str, log.files)))
    return EXIT_STATUS[evidence.answer]


if __name__ == "__main__":
    sys.exit(main())
