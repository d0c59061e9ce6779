"""Checks a text, a file, a notebook or whatever lies in a folder."""

from __future__ import annotations

import ast
import os
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from npu_lab import modes
from npu_lab.extras.check import tf2
from npu_lab.extras.check.comments import Comments
from npu_lab.extras.check.findings import Finding, once
from npu_lab.extras.check.machine import Machine
from npu_lab.extras.check.rules import findings
from npu_lab.extras.source import reading
from npu_lab.extras.source.notebooks import Notebook
from npu_lab.extras.source.places import Place

# A program without any of these has no loop that could sink, and is not even parsed.
_MATTERS = re.compile(
    r"iterations?_per_loop|IterationPerLoop|IterationOp|SetIterationsVarHook"
    r"|NPURunConfig|enable_data_pre_proc|npu_device"
)
_ASIDE = {"__pycache__", "node_modules", "site-packages"}
_NOTEBOOK = ".ipynb"
SUFFIXES = {".py", _NOTEBOOK}


@dataclass(frozen=True)
class Problem:
    """Why something was not checked; `reason` is a key of the texts."""

    place: Place
    reason: str
    detail: str = ""


@dataclass(frozen=True)
class Checked:
    """What was found in one file.

    `ignored` are the findings that a comment silences, `without_reason` the comments
    that silence nothing for want of a reason.
    """

    name: str
    findings: tuple[Finding, ...] = ()
    ignored: tuple[Finding, ...] = ()
    without_reason: tuple[Place, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether it has a sure error or warning, or could not be checked."""
        return bool(self.problems) or any(one.fails for one in self.findings)


def check_source(text: str, name: str = "<source>") -> Checked:
    """Check the text of a program; where `name` ends in .ipynb, that of a notebook.

    What cannot be read as Python 3 gives no findings, but a problem.
    """
    if not _MATTERS.search(text):
        return Checked(name)
    if not name.endswith(_NOTEBOOK):
        return _check(text, name)
    try:
        notebook = Notebook.read(text.encode("utf-8", "surrogatepass"))
    except reading.Unreadable as refused:
        return _unread(name, refused)
    found = _check(notebook.joined(), name)
    unread = [
        Problem(Place(name, line, 1, cell), reason, detail)
        for cell, line, reason, detail in notebook.unread
    ]
    return Checked(
        name,
        tuple(_in_cell(one, notebook) for one in found.findings),
        tuple(_in_cell(one, notebook) for one in found.ignored),
        tuple(notebook.place(one) for one in found.without_reason),
        (*found.problems, *unread),
    )


def _in_cell(finding: Finding, notebook: Notebook) -> Finding:
    return replace(finding, place=notebook.place(finding.place))


def _unread(name: str, refused: reading.Unreadable) -> Checked:
    place = Place(name, refused.line or 1, 1)
    return Checked(name, problems=(Problem(place, refused.reason, refused.detail),))


def _check(text: str, name: str) -> Checked:
    refused = reading.problem_of(text)
    if refused is not None:
        return _unread(name, refused)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # those about the program's own text
            tree = ast.parse(text)
        machine = Machine(text)
        found = once(findings(machine.program(tree)))
        if modes.of_program(text) == "tf2":
            found = once([*found, *tf2.findings(tree)])
    except RecursionError:
        return _unread(name, reading.Unreadable("too deep"))
    if machine.gave_up:
        found = [replace(one, possible=True) for one in found]
    comments = Comments(text)
    lines = re.split(r"\r\n|[\r\n]", text)  # as Python counts them
    silenced = [one for one in found if comments.ignores(one)]
    return Checked(
        name,
        tuple(_placed(one, name, lines) for one in found if one not in silenced),
        tuple(_placed(one, name, lines) for one in silenced),
        tuple(Place(name, line, 1) for line in comments.without_reason),
    )


def _placed(finding: Finding, name: str, lines: list[str]) -> Finding:
    """The finding with its file; Python counts columns in bytes of UTF-8."""
    line, column = finding.place.line, finding.place.column
    before = "".join(lines[line - 1 : line]).encode()[: column - 1]
    place = Place(name, line, len(before.decode(errors="replace")) + 1)
    return replace(finding, place=place)


def check_file(path: Path) -> Checked:
    """Check a file."""
    name = str(path)
    try:
        data = path.read_bytes()
    except OSError as refused:
        return _unread(name, reading.Unreadable("unreadable", 1, str(refused)))
    if not _MATTERS.search(data.decode("latin-1")):
        return Checked(name)
    try:
        return check_source(reading.decode(data).text, name)
    except reading.Unreadable as refused:
        return _unread(name, refused)


def check_paths(paths: Iterable[Path]) -> Iterator[Checked]:
    """Check files, and the Python files and notebooks below folders."""
    for path in files(paths):
        yield check_file(path)


def files(paths: Iterable[Path]) -> list[Path]:
    """The files to check, each once; those of a folder in the order of their names."""
    found: dict[Path, None] = {}
    for path in paths:
        inside = _below(path) if path.is_dir() else [path]
        found.update(dict.fromkeys(inside))
    return list(found)


def _below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        aside = any(part.startswith(".") or part in _ASIDE for part in parts)
        closed = path.is_dir() and not os.access(path, os.R_OK | os.X_OK)
        source = path.suffix in SUFFIXES and path.is_file()
        if (source or closed) and not aside:
            yield path  # that a folder cannot be read is said as of a file
