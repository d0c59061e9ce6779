"""Takes statements out of their block; comments before them stay."""

from __future__ import annotations

from typing import Any, Protocol

import libcst as cst

from npu_lab.extras.migrate.rules.base import Context, Edit


class Editing(Protocol):
    """What collects the edits of a module."""

    context: Context

    def add(
        self, node: cst.CSTNode, edit: Edit, rule: str = "", shown: str = ""
    ) -> None:
        """Change `node` by `edit`; with a rule's name, say so."""


class Dropping:
    """Takes out statements: they are marked, then left out by the block they are in."""

    def __init__(self, work: Editing) -> None:
        self._work = work
        self._marks: set[int] = set()
        self._kept: list[cst.CSTNode] = []  # so that no identity is used again
        self._blocks: set[cst.CSTNode] = set()

    def drop(self, small: cst.CSTNode, rule: str) -> None:
        """Take out a small statement, which may share its line with others."""
        parent = self._work.context.names.scopes.parent
        line = parent[small]
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) > 1:
            self._work.add(small, lambda _: cst.Pass(), rule)
            return
        self._work.add(line, self._mark, rule)
        block = parent[line]
        if block not in self._blocks:
            self._blocks.add(block)
            self._work.add(block, self._leave_out)

    def _mark(self, line: cst.SimpleStatementLine) -> cst.SimpleStatementLine:
        made = line.with_changes(body=[cst.Pass()])
        self._marks.add(id(made))
        self._kept.append(made)
        return made

    def _leave_out(self, block: Any) -> Any:
        body: list[Any] = []
        waiting: list[cst.EmptyLine] = []
        for statement in block.body:
            if id(statement) in self._marks:
                if statement.trailing_whitespace.comment is not None:
                    comment = cst.EmptyLine(
                        comment=statement.trailing_whitespace.comment,
                        newline=statement.trailing_whitespace.newline,
                    )
                    waiting += [*statement.leading_lines, comment]
                else:
                    waiting += _from_comment(statement.leading_lines)
                continue
            lines = getattr(statement, "leading_lines", None)
            if waiting and lines is not None:
                statement = statement.with_changes(leading_lines=[*waiting, *lines])  # noqa: PLW2901
                waiting = []
            body.append(statement)
        if isinstance(block, cst.IndentedBlock):
            if not body:
                body = [cst.SimpleStatementLine([cst.Pass()], leading_lines=waiting)]
                waiting = []
            return block.with_changes(body=body, footer=[*waiting, *block.footer])
        if not body:
            return block.with_changes(body=body, header=[*block.header, *waiting])
        return block.with_changes(body=body, footer=[*waiting, *block.footer])


def _from_comment(lines: Any) -> list[cst.EmptyLine]:
    """The lines when one of them is a comment; else none, for they are only blank."""
    return list(lines) if any(line.comment is not None for line in lines) else []
