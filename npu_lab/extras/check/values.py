"""What the checker knows of a value without running the program.

A value has up to four marks: the constant it is, if that is known; the names it was
computed from (`leaves`); what flows into it (`sources`: iterators, datasets, clocks);
and its text in the program. Values are compared by identity: two names of one value
are one value.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

NOT_KNOWN: Final = object()
_numbers = count()
_NAME = re.compile(r"[\w.]+")


@dataclass(eq=False)
class Value:
    """Anything; of a plain `Value` only the marks are known.

    `made_by` is the dotted name of the library function that returned it, "" where it
    came from elsewhere; `born` are the loops in which it was made.
    """

    text: str = ""
    known: Any = NOT_KNOWN
    leaves: frozenset[str] = frozenset()
    sources: frozenset[Value] = frozenset()
    attributes: dict[str, Value] = field(default_factory=dict)
    quotient: tuple[Value, Value] | None = None
    made_by: str = ""
    born: tuple[object, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether it is a constant."""
        return self.known is not NOT_KNOWN

    def each(self) -> Iterator[Value]:
        """The values it may be; itself, unless branches of the program differ."""
        yield self

    def inside(self) -> list[Value]:
        """What it holds, or may be."""
        return []

    def flat(self) -> Iterator[Value]:
        """Itself and all that it holds, as a fetch of a session is flattened."""
        seen: set[Value] = set()
        waiting = [self]
        while waiting:  # what is gone through once may come to hold itself
            value = waiting.pop()
            if value not in seen:
                seen.add(value)
                yield value
                waiting += reversed(value.inside())


def unknown(text: str = "", *parts: Value, made_by: str = "") -> Value:
    """A new value that `parts` flow into."""
    return Value(
        text,
        leaves=frozenset({f"#{next(_numbers)}"}).union(*(p.leaves for p in parts)),
        sources=frozenset().union(*(flowing(part) for part in parts)),
        made_by=made_by,
    )


def constant(known: Any, text: str = "", leaves: Iterable[str] = ()) -> Value:
    """A number, text, bool or None."""
    return Value(text or repr(known), known, frozenset(leaves))


def flowing(value: Value) -> frozenset[Value]:
    """The sources of a value and of what it holds."""
    return frozenset().union(*(one.sources for one in value.flat()))


@dataclass(eq=False)
class Path(Value):
    """A module or something of a module, by its dotted name."""

    dotted: str = ""


@dataclass(eq=False)
class Sequence(Value):
    """A list or tuple whose items are seen."""

    items: list[Value] = field(default_factory=list)

    def inside(self) -> list[Value]:
        """Its items."""
        return self.items


@dataclass(eq=False)
class Mapping(Value):
    """A dict whose items are seen; `whole` if there are no others."""

    items: list[tuple[Value, Value]] = field(default_factory=list)
    whole: bool = True

    def inside(self) -> list[Value]:
        """Its values."""
        return [value for _, value in self.items]


@dataclass(eq=False)
class Either(Value):
    """One of several, as the branches of the program decide."""

    options: tuple[Value, ...] = ()

    def each(self) -> Iterator[Value]:
        """The values it may be."""
        yield from self.options

    def inside(self) -> list[Value]:
        """The values it may be."""
        return list(self.options)


def either(first: Value, second: Value) -> Value:
    """What a name holds after two branches."""
    if first is second or (first.is_known and second.is_known and same(first, second)):
        return first
    options = tuple(dict.fromkeys((*first.each(), *second.each())))
    return Either(
        first.text or second.text,
        leaves=first.leaves | second.leaves,
        sources=first.sources | second.sources,
        options=options,
    )


@dataclass(eq=False)
class Function(Value):
    """A function of the file; `scope` is where it was written."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None = None
    scope: Any = None
    bound: Value | None = None


@dataclass(eq=False)
class Class(Value):
    """A class of the file; its body's names are its attributes."""

    node: ast.ClassDef | None = None
    bases: tuple[Value, ...] = ()


@dataclass(eq=False)
class Instance(Value):
    """An object of a class of the file."""

    of: Class | None = None


@dataclass(eq=False)
class Namespace(Value):
    """An object whose attributes are the arguments or flags of the program."""

    flags: dict[str, Value] = field(default_factory=dict)


def count_of(value: Value) -> int | None:
    """The number if `value` is a known whole number."""
    if isinstance(value.known, int) and not isinstance(value.known, bool):
        return value.known
    return None


def same(first: Value, second: Value) -> bool:
    """Whether two values surely are the same number."""
    if first.is_known and second.is_known:
        return type(first.known) is type(second.known) and first.known == second.known
    return first is second or bool(first.leaves & second.leaves)


def named(value: Value, name: str) -> Value:
    """`value` bound to `name`; what is computed from it remembers the name."""
    if type(value) is Value and (value.is_known or value.quotient):
        return Value(
            name,
            value.known,
            value.leaves | {name},
            value.sources,
            quotient=value.quotient,
        )
    if value.text == "placeholder" or not _NAME.fullmatch(value.text):
        value.text = name
    return value


def shown(value: Value) -> object:
    """The number, or the program's text for it."""
    return value.known if value.is_known else value.text or "N"
