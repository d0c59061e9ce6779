"""Reads a file so that it can be written back byte for byte, or says why it cannot."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from dataclasses import dataclass
from pathlib import Path

import libcst as cst

BOM = b"\xef\xbb\xbf"
# Signs, each with a line that Python 3 refuses.
_PYTHON2 = (
    re.compile(r"^\s*(print|exec)\s+[^\s=(.,:)\]]"),
    re.compile(r"^\s*print\s*$"),
    re.compile(r"^\s*print\s+\("),
    re.compile(r"^\s*print\s*>>"),
    re.compile(r"\bprint\s+['\"]"),
    re.compile(r"^\s*except\s+[\w.()\s,]+,\s*\w+\s*:"),
    re.compile(r"^\s*raise\s+[\w.]+\s*,"),
    re.compile(r"<>"),
    re.compile(r"\bur['\"]"),
    re.compile(r"\b0[0-7]+\b"),
    re.compile(r"\b\d+L\b"),
    re.compile(r"`[^`]+`"),
)


class Unreadable(Exception):  # noqa: N818  (it says what became of a site or a file)
    """A file that is no Python 3 source; `reason` is a key of the texts."""

    def __init__(self, reason: str, line: int = 0, detail: str = "") -> None:
        super().__init__(reason, line, detail)
        self.reason, self.line, self.detail = reason, line, detail


@dataclass(frozen=True)
class Source:
    """The text of a file without its byte order mark, and how to write it back."""

    text: str
    encoding: str = "utf-8"
    bom: bool = False

    def encode(self, text: str) -> bytes:
        """`text` in the bytes of this file.

        Raises:
            UnicodeEncodeError: the file's encoding lacks a character of it.
        """
        return (BOM if self.bom else b"") + text.encode(self.encoding)


def read(path: Path) -> Source:
    """The file's text; its encoding is found as Python finds it.

    Raises:
        Unreadable: the encoding is unknown, or the bytes are not in it.
        OSError: the file cannot be read.
    """
    return decode(path.read_bytes())


def decode(data: bytes) -> Source:
    """As `read`, for bytes at hand."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as problem:
        raise Unreadable("encoding", 1, str(problem)) from problem
    bom = data.startswith(BOM)
    if bom:
        data, encoding = data[len(BOM) :], "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise Unreadable("encoding", line, str(problem)) from problem
    if text.encode(encoding) != data:
        raise Unreadable("encoding", 1, f"{encoding} does not give the same bytes back")
    return Source(text, encoding, bom)


def parse(text: str) -> cst.Module:
    """The syntax tree of `text`.

    Raises:
        Unreadable: this Python does not accept the text, or libcst does not.
    """
    refused = problem_of(text)
    if refused is not None:
        raise refused
    try:
        module = cst.parse_module(text)
    except cst.ParserSyntaxError as problem:
        raise Unreadable("syntax", problem.raw_line, problem.message) from problem
    except RecursionError as problem:
        raise Unreadable("too deep") from problem
    if module.code != text:
        raise Unreadable("not the same")
    return module


def problem_of(text: str) -> Unreadable | None:
    """Why this Python does not accept `text`, None when it does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<source>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    except SyntaxError as problem:
        line = problem.lineno or 0
        reason = "python 2" if _is_python2(text, line) else "syntax"
        return Unreadable(reason, line, problem.msg or "")
    except ValueError as problem:  # a null byte
        return Unreadable("syntax", 0, str(problem))
    except (RecursionError, MemoryError):
        return Unreadable("too deep")
    return None


def _is_python2(text: str, line: int) -> bool:
    lines = text.splitlines()
    near = lines[max(0, line - 1) : line]
    return any(sign.search(each) for sign in _PYTHON2 for each in near)
