"""Migrates one file: read, rewrite, and the bytes to write; nothing here raises."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from npu_lab.extras.migrate import engine, levels
from npu_lab.extras.migrate.finding import Finding, Options
from npu_lab.extras.migrate.rules import horovod_uses
from npu_lab.extras.source import reading
from npu_lab.extras.source.names import Names
from npu_lab.extras.source.notebooks import Notebook
from npu_lab.extras.source.places import Place, Positions
from npu_lab.extras.source.reading import Unreadable

# In a script or in a notebook's cells.
_IMPORT = re.compile(
    r"""^[ \t"]*(?:import|from)\b(?:[^\n(]|\([^)]*\))*|\bimport_module\([^)]*\)""",
    re.MULTILINE,
)
_WORD = re.compile(r"\w+")


@dataclass
class FileResult:
    """What came of one file; `data` is None when it is to be copied as it is."""

    path: str
    lines: int = 0
    data: bytes | None = None
    before: str = ""
    after: str = ""
    unread: bool = False
    findings: list[Finding] = field(default_factory=list)
    hits: list[levels.Hit] = field(default_factory=list)


def migrate(root: Path, path: str, options: Options, table: str = "") -> FileResult:
    """The result for the file `path` below `root`."""
    result = FileResult(path)
    try:
        data = (root / path).read_bytes()
        if path.endswith(".ipynb"):
            _notebook(data, options, result, table)
        else:
            _script(data, options, result, table)
    except Unreadable as problem:
        unread(result, problem.reason, problem.line, problem.detail)
    except UnicodeEncodeError as problem:
        unread(result, "encoding lacks", 0, str(problem))
    except OSError as problem:
        unread(result, "unreadable", 0, problem.strerror or str(problem))
    except Exception as problem:  # noqa: BLE001  (one file never ends the run)
        unread(result, "failed", 0, f"{type(problem).__name__}: {problem}")
    return result


def horovod_refused(root: Path, paths: Sequence[str], options: Options) -> str:
    """The first place that keeps the files' Horovod from being converted, or ""."""
    for path in paths:
        try:
            data = (root / path).read_bytes()
            if b"horovod" not in data or not path.endswith(".py"):
                continue
            module = reading.parse(reading.decode(data).text)
            names = Names(module, options.local)
            stopped = horovod_uses.blockers(names)
            if stopped and horovod_uses.imports(names):
                line, column = Positions(module).of(stopped[0][0])
                return str(Place(path, line, column))
        except (Unreadable, OSError):
            continue  # the file has a line of its own in the report
    return ""


def imported(root: Path, paths: Sequence[str]) -> frozenset[str]:
    """The files whose names others import, or seem to."""
    importing: dict[str, set[str]] = {}
    for path in paths:
        try:
            text = reading.decode((root / path).read_bytes()).text
        except (Unreadable, OSError):
            continue
        for line in _IMPORT.findall(text):
            for name in _WORD.findall(line):
                importing.setdefault(name, set()).add(path)
    return frozenset(p for p in paths if importing.get(_module(p), set()) - {p})


def _module(path: str) -> str:
    """What an import calls a file: its own name, or that of the package's folder."""
    own = PurePosixPath(path)
    return own.parent.name if own.stem == "__init__" else own.stem


def _script(data: bytes, options: Options, result: FileResult, table: str) -> None:
    source = reading.decode(data)
    result.lines = source.text.count("\n")
    outcome = engine.migrate(source.text, options, result.path)
    _note(result, outcome, table)
    if outcome.text != source.text:
        result.data = source.encode(outcome.text)
        result.before, result.after = source.text, outcome.text


def _notebook(data: bytes, options: Options, result: FileResult, table: str) -> None:
    notebook = Notebook.read(data)
    joined = notebook.joined()
    result.lines = joined.count("\n")
    outcome = engine.migrate(joined, options, result.path)
    _note(result, outcome, table)
    result.findings = [
        replace(found, place=notebook.place(found.place)) for found in result.findings
    ] + [
        Finding(
            "-", "hand", Place(result.path, line, 1, cell), reason, {"detail": said}
        )
        for cell, line, reason, said in notebook.unread
    ]
    result.hits = [replace(hit, place=notebook.place(hit.place)) for hit in result.hits]
    if outcome.text != joined:
        result.data = notebook.written(outcome.text)
        result.before, result.after = joined, outcome.text


def _note(result: FileResult, outcome: engine.Outcome, table: str) -> None:
    result.findings = outcome.findings
    if outcome.context is not None:
        result.hits = levels.scan(outcome.context, table)
        result.findings = result.findings + levels.findings(result.hits)


def unread(result: FileResult, reason: str, line: int, detail: str) -> None:
    """Note that a file is left as it is, and why."""
    result.unread, result.data = True, None
    place = Place(result.path, max(line, 1), 1)
    result.findings = [Finding("-", "hand", place, reason, {"detail": detail})]
    result.before = result.after = ""
