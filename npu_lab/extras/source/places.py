"""Where a node stands: line and column, counted from 1, columns in characters."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from types import TracebackType

import libcst as cst
from libcst._nodes.internal import CodegenState


@dataclass(frozen=True, order=True)
class Place:
    """A point in a file; `cell` counts a notebook's cells from 1, 0 in a module."""

    path: str
    line: int
    column: int
    cell: int = 0

    def __str__(self) -> str:
        cell = f"#cell{self.cell}" if self.cell else ""
        return f"{self.path}{cell}:{self.line}:{self.column}"


class Positions:
    """Line and column of every node of one module; counted when first asked."""

    def __init__(self, module: cst.Module) -> None:
        self._module = module
        self._starts: dict[cst.CSTNode, int] = {}
        self._lines: list[int] = []

    def of(self, node: cst.CSTNode) -> tuple[int, int]:
        """Line and column of the node's first character, (1, 1) for one not there."""
        if not self._lines:
            self._count()
        offset = self._starts.get(node, 0)
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def _count(self) -> None:
        state = _Recorder(self._module.default_indent, self._module.default_newline)
        self._module._codegen(state)
        self._starts = state.starts
        offset, self._lines = 0, [0]
        text = "".join(state.tokens).replace("\f", " ").replace("\v", " ")
        for line in text.splitlines(keepends=True):
            if line[-1] in "\r\n":
                self._lines.append(offset + len(line))
            offset += len(line)


@dataclass
class _Recorder(CodegenState):
    """Notes at which character each node begins."""

    starts: dict[cst.CSTNode, int] = field(default_factory=dict)
    offset: int = 0

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        self.offset += len(value)

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.add_token(token)

    def record_syntactic_position(  # type: ignore[override]
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> _Recording:
        del start_node, end_node
        return _Recording(self, node)


class _Recording:
    def __init__(self, state: _Recorder, node: cst.CSTNode) -> None:
        self._state, self._node = state, node

    def __enter__(self) -> None:
        self._state.starts[self._node] = self._state.offset

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass
