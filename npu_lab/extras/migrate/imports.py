"""Adds lines of import where the file's own imports begin."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from npu_lab.extras.source.scopes import dotted


def insertion_point(body: Iterable[cst.BaseStatement]) -> int:
    """The index after the docstring and `__future__`, before the first import.

    Assignments of `__names__` may stand between; any other statement is left behind.
    """
    statements = list(body)
    start = 0
    for index, statement in enumerate(statements):
        if _is_future(statement) or (index == 0 and _is_docstring(statement)):
            start = index + 1
    after = start
    while after < len(statements) and _is_dunder(statements[after]):
        after += 1
    reached = after < len(statements) and _is_import(statements[after])
    return after if reached else start


def with_lines(module: cst.Module, lines: Iterable[str]) -> cst.Module:
    """The module with statements added, each a line of source, in their order."""
    added = [cst.parse_statement(line) for line in lines]
    if not added:
        return module
    body = list(module.body)
    index = insertion_point(body)
    if index < len(body):
        body[index], blank = _without_blanks(body[index])
        added[0] = added[0].with_changes(leading_lines=blank)
    return module.with_changes(body=[*body[:index], *added, *body[index:]])


def _without_blanks(
    statement: cst.SimpleStatementLine | cst.BaseCompoundStatement,
) -> tuple[cst.SimpleStatementLine | cst.BaseCompoundStatement, list[cst.EmptyLine]]:
    """A statement without the blank lines before it, and those."""
    lines = list(getattr(statement, "leading_lines", []))
    count = 0
    while count < len(lines) and lines[count].comment is None:
        count += 1
    if count == 0:
        return statement, []
    return statement.with_changes(leading_lines=lines[count:]), lines[:count]


def _small(statement: cst.BaseStatement) -> list[cst.BaseSmallStatement]:
    if isinstance(statement, cst.SimpleStatementLine):
        return list(statement.body)
    return []


def _is_docstring(statement: cst.BaseStatement) -> bool:
    return any(
        isinstance(small, cst.Expr)
        and isinstance(small.value, (cst.SimpleString, cst.ConcatenatedString))
        for small in _small(statement)[:1]
    )


def _is_future(statement: cst.BaseStatement) -> bool:
    return any(
        isinstance(small, cst.ImportFrom) and dotted(small.module) == "__future__"
        for small in _small(statement)
    )


def _is_import(statement: cst.BaseStatement) -> bool:
    return any(
        isinstance(small, (cst.Import, cst.ImportFrom)) for small in _small(statement)
    )


def _is_dunder(statement: cst.BaseStatement) -> bool:
    return any(
        isinstance(small, cst.Assign)
        and isinstance(small.targets[0].target, cst.Name)
        and small.targets[0].target.value.startswith("__")
        for small in _small(statement)
    )
