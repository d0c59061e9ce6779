"""Walks a syntax tree past its white space, some times faster than a visitor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import libcst as cst

_SKIPPED = {
    "asynchronous", "colon", "comma", "dot", "equal", "footer", "header", "lbrace",
    "lbracket", "leading_lines", "lines_after_decorators", "lpar", "operator", "rbrace",
    "rbracket", "relative", "rpar", "semicolon", "star", "trailing_whitespace",
}  # fmt: skip
_FIELDS: dict[type, tuple[str, ...]] = {}


def children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes directly inside `node`, in source order, white space left out."""
    kind = type(node)
    names = _FIELDS.get(kind)
    if names is None:
        names = _FIELDS[kind] = tuple(
            field.name
            for field in fields(kind)
            if field.name not in _SKIPPED
            and not field.name.startswith("whitespace")
            and not (kind is cst.Module and field.name != "body")
        )
    for name in names:
        value = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            yield value
        elif isinstance(value, (list, tuple)):
            for item in value:
                if isinstance(item, cst.CSTNode):
                    yield item


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """`node` and all nodes below it, parents first, in source order."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(list(children(current))))
