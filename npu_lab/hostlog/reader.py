# ruff: noqa: PTH100, PTH110, PTH111, PTH112, PTH118 - a Path raises where these answer
"""Read the host log (plog) and judge whether a training loop was built.

One file, standard library only, Python 3.7 or later, so it can be copied to a real
machine and run there:

    python3 reader.py [FOLDER] [--pid PID] [--json] [--language en|zh]

FOLDER is the log root, one of its folders, or one file; without it the folder that the
environment names. Exit status: 0 built, 1 not built, 3 cannot tell, 2 wrong usage.

Files are streamed, never loaded: a log of any size can be read, also while it is
written. A folder collects many runs: the process that compiled last is judged, and the
others are named. Process ids come round again (in a container, at once): give each run
a fresh ASCEND_PROCESS_LOG_PATH. Compressed files are named, not read.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import dataclasses
import functools
import heapq
import itertools
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

LONGEST_LINE = BLOCK = 64 * 1024  # bytes; the rest of a longer line is passed over
KEYWORD = "Insert op success"
NO_NEED = "No need FlowCtrl"
PHRASES = (KEYWORD, NO_NEED, "_per_loop")  # a line without one says only the level
_VARIABLES = ("loop_cond", "one", "zero", "iterations_per_loop")
LOOP_VARIABLES = frozenset("npu_runconfig/" + name for name in _VARIABLES)
MARKERS = ("IteratorCtrl_StreamSwitch", "FlowCtrl_LoopCond")
EXIT_STATUS = {"built": 0, "not built": 1, "cannot tell": 3}

PACKED = (".gz", ".tgz", ".zip", ".tar", ".bz2", ".xz", ".zst", ".7z")
COMPRESSED = "compressed"
DEEPEST = 4  # levels below the folder named: a home holds ascend/log/debug/plog
MOST_HEADS = 1000  # of a file; a launcher's tags make each line's head a new one
MOST_NAMED = 8  # files or processes in a sentence: the last ones

_RUN_FOLDER = os.path.join("run", "plog", "plog")
_NO_LOGS = (".", "device-", "security")  # folders of other things
_IS_LOG = re.compile(r"plog.*\.log")
_FILE_NAME = re.compile(r"plog-(\d+)_(\d+)\.")
_LINE = re.compile(
    r"\[([A-Z]+)\] ?(\w+) ?\((\d+), ?([^\[]{0,255}?)\) ?: ?"
    r"(\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d)\.(\d{3})(?:\.(\d{3}))?"
    r"(?:\s*\[([^\[\]]*?):(\d+)\])?(.*)",
    re.DOTALL,
)
_INSERTED = re.compile(KEYWORD + r", name:(.*?), type:(\w+)\.")
_SMALL_LOOP = re.compile(r"(.+)_IteratorCtrl_StreamSwitch")
_OPTION = re.compile(r"iterations?_per_loop(?: is|:) (\d+)\W")  # never half a number
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
    "late": (
        "The log holds no INFO line although ASCEND_GLOBAL_LOG_LEVEL is {level} now: it"
        " was set too late. The level is read at start-up.",
        "ASCEND_GLOBAL_LOG_LEVEL现在为 {level}，日志中却没有INFO行：设置得太晚。"
        "日志级别在启动时读取。",
    ),
    "level mend": (
        "Set ASCEND_GLOBAL_LOG_LEVEL=1 before the library is imported, and start the"
        " program (or the notebook's kernel) again.",
        "在导入库之前设置ASCEND_GLOBAL_LOG_LEVEL=1，并重新启动程序（或笔记本内核）。",
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
        "There is no line of a host log (plog-*.log; not a device's) in {folder}.",
        "{folder} 中没有任何Host日志（plog-*.log，不含Device日志）的内容。",
    ),
    "no log mend": (
        "Look in the folder ASCEND_PROCESS_LOG_PATH names, else $HOME/ascend/log; run"
        " with ASCEND_GLOBAL_LOG_LEVEL=1 and without ASCEND_SLOG_PRINT_TO_STDOUT=1.",
        "查看ASCEND_PROCESS_LOG_PATH所指目录，否则为$HOME/ascend/log；运行前设置"
        "ASCEND_GLOBAL_LOG_LEVEL=1，且不要设置ASCEND_SLOG_PRINT_TO_STDOUT=1。",
    ),
    "unreadable": ("Not all could be read: {files}.", "有内容无法读取：{files}。"),
    "unreadable mend": (
        "Unpack what is compressed, read as the user who ran the program, or ask for"
        " one process by its id.",
        "解压压缩文件，以运行程序的用户身份读取，或指定一个进程号。",
    ),
    "processes": (
        "This is about process {pid}, the last to compile. By process: {processes}.",
        "以上针对最后编译图的进程 {pid}。各进程：{processes}。",
    ),
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
    """Take one line apart; None for a line that is not in the host log's format.

    What stands before the head is passed over: a screen's output, a launcher's tag.
    """
    found = _LINE.search(line)
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


def _owner(path: str | Path) -> tuple[int | None, str]:
    """Process and time by a file's name; None and "" if it does not hold them."""
    found = _FILE_NAME.match(Path(path).name)
    return (int(found.group(1)), found.group(2)) if found else (None, "")


class Log:
    """The records of some plog files, streamed anew by every pass over it.

    Records come process by process, and in order of time within one. Length and index
    cost a pass too. After a pass, `skipped` counts the lines in no known format, and
    `unreadable` says which files could not be read, or are compressed, and why.
    """

    def __init__(self, folder: Path, pid: int | None = None) -> None:
        self.folder, self.pid, self.skipped = folder, pid, 0
        self.files, self.unreadable = _find(folder, pid)

    @property
    def pids(self) -> list[int]:
        """The processes that wrote here, by a pass over the lines."""
        return sorted({record.pid for record in self.records(telling=True)})

    def __iter__(self) -> Iterator[Record]:
        return self.records()

    def records(self, telling: bool = False) -> Iterator[Record]:
        """All records, or only the `telling` ones, in a tenth of the time.

        Those hold one of the PHRASES, or are the first of their process, level and
        module in a file. Such a pass does not count every damaged line.
        """
        self.skipped = 0
        processes: dict[object, list[tuple[str, Path]]] = {}
        for path in self.files:
            owner, stamp = _owner(path)
            processes.setdefault(owner or path, []).append((stamp, path))
        for dated in sorted(map(sorted, processes.values())):
            # One open file for each folder of a process, however many it rotated.
            folders: dict[Path, list[Path]] = {}
            for _, path in dated:
                folders.setdefault(path.parent, []).append(path)
            streams = [self._records(paths, telling) for paths in folders.values()]
            yield from heapq.merge(*streams, key=lambda record: record.time)

    def _records(self, paths: list[Path], telling: bool) -> Iterator[Record]:
        for path, following in zip(paths, [*paths[1:], Path(os.devnull)]):
            name = str(path)
            known: set[bytes] = set()  # heads of lines that tell nothing new
            self.unreadable.pop(name, None)
            try:
                for lineno, raw in _lines(path, following, known):
                    record = parse(raw.decode("utf-8", "replace"), name, lineno)
                    if record is None:
                        self.skipped += 1
                        continue
                    if telling and len(known) < MOST_HEADS and not _is_event(record):
                        head = raw.partition(b",")[0]
                        if head.endswith(b"(%d" % record.pid):
                            known.add(head)
                    if self.pid is None or record.pid == self.pid:
                        yield record
            except OSError as error:
                self.unreadable[name] = error.strerror or type(error).__name__

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
        return f"<Log {self.folder}: {len(self.files)} files>"


def _lines(
    path: Path, following: Path, known: set[bytes]
) -> Iterator[tuple[int, bytes]]:
    """Number and start of each line, but for those of a known head without a phrase.

    What the end of the file cuts off goes on where the `following` file begins.
    """
    phrases = [phrase.encode() for phrase in PHRASES]
    number, rest, block = 1, b"", b"any"
    with path.open("rb") as file:
        while block:
            block = file.read(BLOCK)
            text = rest + block
            lines = text.split(b"\n")
            rest = lines.pop()[:LONGEST_LINE]
            if rest and not block:
                with contextlib.suppress(OSError), following.open("rb") as other:
                    start = other.readline(LONGEST_LINE).rstrip(b"\n")
                    text += b"" if start.startswith(b"[") else start
                lines = [text]
            some = any(phrase in text for phrase in phrases)
            for lineno, line in enumerate(lines, number):
                if line.partition(b",")[0] not in known or (
                    some and any(phrase in line for phrase in phrases)
                ):
                    # A file truncated under its writer goes on after a hole of NULs.
                    yield lineno, line.lstrip(b"\0")[:LONGEST_LINE].rstrip(b"\r")
            number += len(lines)


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
    """Open the host log in `folder`: the root, a folder below or above it, or one file.

    Both `debug/plog` and `run/plog` are read, also when only one of them is named.
    Nothing that is missing or unreadable raises: the log is then empty, and says why.
    A `pid` that is no number of a process is a ValueError.
    """
    if pid is not None and (not isinstance(pid, int) or pid < 0):
        raise ValueError(f"pid is {pid!r}, but must be the number of a process")
    place = default_folder() if folder is None else Path(os.path.expanduser(folder))
    return Log(place, pid)


def _find(place: Path, pid: int | None) -> tuple[list[Path], dict[str, str]]:
    """The plog files of a place, and what is there but cannot be read, and why."""
    # The guide sends readers to run/plog; the lines it speaks of are in debug/plog.
    root = Path(os.path.abspath(place))
    if root.parts[-2:] in (("debug", "plog"), ("run", "plog")):
        root = root.parent.parent
    elif root.name in ("debug", "run") and os.path.isdir(root / "plog"):
        root = root.parent
    found: list[Path] = []
    errors: list[OSError] = []
    seen: set[str] = set()
    for folder, inner, names in os.walk(str(root), True, errors.append, True):
        depth = len(Path(folder).parts) - len(root.parts)
        real = os.path.realpath(folder)
        if real in seen or depth > DEEPEST:  # a link may lead back up
            inner.clear()
            continue
        seen.add(real)
        found += [Path(folder, name) for name in names]
        logs = [name for name in inner if name in ("debug", "run", "plog")]
        inner[:] = logs or [name for name in inner if not name.startswith(_NO_LOGS)]
    if os.path.exists(place) and not os.path.isdir(place):
        found, errors = [place], []
    found = [path for path in found if pid is None or _owner(path)[0] in (None, pid)]
    packed = [path for path in found if path.name.lower().endswith(PACKED)]
    unreadable = {str(path): COMPRESSED for path in packed}
    for error in errors:
        if not isinstance(error, FileNotFoundError):
            unreadable[str(error.filename)] = str(error.strerror)
    named = [path for path in found if _IS_LOG.match(path.name) or path is place]
    return sorted(path for path in named if path not in packed), unreadable


@dataclasses.dataclass(frozen=True)
class Evidence:
    """What the host log says about the loop: an answer, its ground and the mend.

    A marker proves that a loop was built, not how many steps it runs; the keyword alone
    proves nothing, it is written for every training graph. All but `processes`, the
    answer for each, and what concerns files is about the process `pid`.
    """

    answer: str
    markers: int
    flow_control_lines: int
    keyword_lines: int
    because: str
    mend: str
    pid: int | None = None
    no_need_lines: int = 0
    sunk_get_next: tuple[str, ...] = ()
    iterations_per_loop: tuple[int, ...] = ()
    processes: Mapping[int, str] = dataclasses.field(default_factory=dict)
    skipped_lines: int = 0
    unreadable: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        """The fields, as JSON holds them."""
        return dict(json.loads(json.dumps(dataclasses.asdict(self))))


class _Count:
    """What is counted in the log of one process."""

    def __init__(self) -> None:
        self.keyword = self.flow_control = self.markers = self.no_need = 0
        self.engine_info = self.info = 0
        self.asked: dict[int, None] = {}  # iterations_per_loop, as the adapter saw it
        self.needed: set[bool] = set()  # was an IterationOp found, graph by graph
        self.get_next: dict[str, None] = {}
        self.last = datetime.min  # when a phrase was written, else the engine began

    def add(self, record: Record) -> None:
        message = record.message
        phrase = next((phrase for phrase in PHRASES if phrase in message), None)
        if phrase == KEYWORD:
            self.keyword += 1
            self._operator(*(record.inserted or ("", "")))
        elif phrase == NO_NEED:
            self.no_need += 1
        elif phrase:
            self.asked.update((int(n), None) for n in _OPTION.findall(message))
            self.needed.update(flag != "0" for flag in _NEED.findall(message))
        run_log = _is_event(record) or _RUN_FOLDER in record.path
        info = record.level in ("INFO", "DEBUG") and not run_log
        engine = info and (record.module == "GE" or "need iteration" in message)
        self.info += info
        self.engine_info += engine
        if phrase or (engine and self.last == datetime.min):
            self.last = max(self.last, record.time)

    def _operator(self, name: str, kind: str) -> None:
        self.flow_control += is_flow_control(name)
        self.markers += is_marker(name)
        small = _SMALL_LOOP.fullmatch(name) if kind == "StreamSwitch" else None
        if small and small.group(1) != "Node_Output":
            self.get_next[small.group(1)] = None

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


def _is_event(record: Record) -> bool:
    """True for a run log: written at every level, by some versions as an INFO line."""
    return "OMPart" in record.message or record.message.lstrip().startswith("[EVENT]")


def judge(
    log: Iterable[Record] | None = None,
    environ: Mapping[str, str] | None = None,
    language: str = "en",
) -> Evidence:
    """Say whether the log shows a built loop, why, and what to do.

    `log` is what `read` returns (default: `read()`); of several processes the one that
    compiled last is judged. `environ` (default: the process's own) tells a level that
    was set too late from one that was not set. `language` is "en" or "zh".
    """
    log = read() if log is None else log
    environ = os.environ if environ is None else environ
    by_process: dict[int, _Count] = collections.defaultdict(_Count)
    for record in log.records(telling=True) if isinstance(log, Log) else log:
        by_process[record.pid].add(record)
    answers = {pid: count.answer() for pid, count in by_process.items()}
    pids = sorted(answers, key=lambda pid: (by_process[pid].last, pid))
    judged = pids[-1] if pids else None
    count = by_process[pids[-1]] if pids else _Count()
    unreadable = getattr(log, "unreadable", {})

    def may_matter(path: str) -> bool:
        owner, stamp = _owner(path)
        if owner is None:
            return unreadable[path] != COMPRESSED or Path(path).name.startswith("plog")
        return owner == judged or stamp > count.last.strftime("%Y%m%d%H%M%S")

    answer = count.answer()
    if answer == "built":
        keys = ["built", "fresh" if count.get_next else "repeated"]
    elif unreadable and (not answers or any(map(may_matter, unreadable))):
        answer, keys = "cannot tell", ["unreadable"]
    elif answer == "not built":
        keys = [count.reason()]
    elif not answers:
        keys = ["no log"]
    elif count.info:
        keys = ["no graph"]
    else:
        late = environ.get("ASCEND_GLOBAL_LOG_LEVEL", "").strip() in ("0", "1")
        keys = ["late" if late else "level"]
    mend = keys[0].replace("late", "level") + " mend"
    keys += ["processes"] if len(answers) > 1 else []
    keys += ["unreadable"] if unreadable and "unreadable" not in keys else []

    say = functools.partial(_text, language)
    facts = {
        "markers": count.markers,
        "names": ", ".join(count.get_next),
        "asked": ", ".join(map(str, count.asked)),
        "level": environ.get("ASCEND_GLOBAL_LOG_LEVEL"),
        "folder": getattr(log, "folder", "-"),
        "files": _few("{} ({})".format(*item) for item in unreadable.items()),
        "pid": judged,
        "processes": _few(
            "{} {}".format(pid, say("answer " + answers[pid])) for pid in pids
        ),
    }
    space = "" if language == "zh" else " "
    return Evidence(
        answer=answer, because=space.join(say(key).format(**facts) for key in keys),
        mend=say(mend), pid=judged, processes=answers, unreadable=dict(unreadable),
        markers=count.markers, flow_control_lines=count.flow_control,
        keyword_lines=count.keyword, no_need_lines=count.no_need,
        sunk_get_next=tuple(count.get_next), iterations_per_loop=tuple(count.asked),
        skipped_lines=getattr(log, "skipped", 0),
    )  # fmt: skip


def _few(items: Iterable[str]) -> str:
    every = list(items)
    return "... " * (len(every) > MOST_NAMED) + ", ".join(every[-MOST_NAMED:])


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
        answer = _text(language, "answer " + evidence.answer)
        counts = _text(language, "counts").format(**dataclasses.asdict(evidence))
        files = read(options.folder, evidence.pid).files
        print(answer, evidence.because, evidence.mend, counts, *files, sep="\n")
    return EXIT_STATUS[evidence.answer]


if __name__ == "__main__":
    sys.exit(main())
