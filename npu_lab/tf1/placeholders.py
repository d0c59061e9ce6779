"""Leads the documentation's placeholder folders to a scratch folder, in compiled code.

The vendor's samples read from ``/test/`` and write to ``/home/xxxx``. Where such a
folder does not exist, or cannot be written, the string constants that begin with it are
changed between parsing and compiling; file, line numbers and tracebacks stay as they
are. Docstrings are left alone, and a placeholder that can be used is used.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.abc
import importlib.machinery
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, ModuleType

from npu_lab.tf1.importing import is_library_file

PLACEHOLDERS = ("/test", "/home/xxxx")

Scratch = Path | Callable[[], Path]


def usable(folder: str) -> bool:
    """Whether `folder` exists and can be written."""
    return Path(folder).is_dir() and os.access(folder, os.W_OK | os.X_OK)


def redirect(
    source: str | bytes, filename: str, scratch: Scratch
) -> tuple[CodeType, dict[str, str]]:
    """Compile `source` with unusable placeholder folders led below `scratch`.

    Args:
        source: text, or the bytes of a file (then its encoding line holds).
        filename: what tracebacks name.
        scratch: a folder, or a function that gives one; called only when needed.

    Returns:
        The code object, and what was redirected: placeholder -> folder made for it.
    """
    redirector = Redirector(scratch)
    return redirector.compile(source, filename), redirector.redirected


class Redirector:
    """Compiles the files of one program; `redirected` holds what became of which.

    `tell`, if given, is called once for each placeholder: with it and its folder.
    """

    def __init__(
        self, scratch: Scratch, tell: Callable[[str, str], None] | None = None
    ) -> None:
        self.redirected: dict[str, str] = {}
        self._scratch = scratch
        self._tell = tell

    def compile(self, source: str | bytes, filename: str) -> CodeType:
        """The code object of `source`, its unusable placeholders redirected."""
        tree = ast.parse(source, filename)
        _Constants(self.replacement).visit(tree)
        return compile(tree, filename, "exec", dont_inherit=True)

    def replacement(self, text: str, whole: bool = True) -> str | None:
        """What stands for `text`, or None when no unusable placeholder begins it.

        With `whole` false more text follows, so a placeholder must end with a slash.
        """
        for placeholder in PLACEHOLDERS:
            ends = text.startswith(f"{placeholder}/") or (whole and text == placeholder)
            if ends and (placeholder in self.redirected or not usable(placeholder)):
                return self._folder(placeholder) + text[len(placeholder) :]
        return None

    @contextlib.contextmanager
    def siblings(self, folder: str | Path) -> Iterator[None]:
        """Meanwhile also redirect in modules imported from `folder` (not cached)."""
        finder = _SiblingFinder(Path(folder).resolve(), self)
        sys.meta_path.insert(0, finder)
        try:
            yield
        finally:
            sys.meta_path.remove(finder)

    def _folder(self, placeholder: str) -> str:
        if placeholder not in self.redirected:
            scratch = self._scratch
            root = scratch if isinstance(scratch, Path) else scratch()
            folder = root / placeholder.strip("/")
            folder.mkdir(parents=True, exist_ok=True)
            self.redirected[placeholder] = str(folder)
            if self._tell is not None:
                self._tell(placeholder, str(folder))
        return self.redirected[placeholder]


class _Constants(ast.NodeTransformer):
    """Replaces string constants, not docstrings and other bare strings."""

    def __init__(self, replacement: Callable[..., str | None]) -> None:
        self._replacement = replacement

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, str):
            node.value = self._replacement(node.value) or node.value
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if isinstance(node.value, ast.Constant):
            return node
        return self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        for index, part in enumerate(node.values):
            if not isinstance(part, ast.Constant):
                self.visit(part)
            elif index == 0:  # a later part does not begin a path
                whole = len(node.values) == 1
                part.value = self._replacement(part.value, whole) or part.value
        return node


class _SiblingFinder(importlib.abc.MetaPathFinder):
    """Finds the modules below one folder and has them compiled by a redirector."""

    def __init__(self, folder: Path, redirector: Redirector) -> None:
        self._folder = folder
        self._redirector = redirector

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        loader = spec.loader if spec else None
        if spec is None or type(loader) is not importlib.machinery.SourceFileLoader:
            return None
        below = Path(loader.path).resolve().is_relative_to(self._folder)
        if not below or is_library_file(loader.path):
            return None
        spec.loader = _SiblingLoader(name, loader.path, self._redirector)
        spec.cached = None
        return spec


class _SiblingLoader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, redirector: Redirector) -> None:
        super().__init__(name, path)
        self._redirector = redirector

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self._redirector.compile(self.get_data(path), path)
