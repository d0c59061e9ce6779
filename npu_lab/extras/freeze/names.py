"""Names as people give them: with or without `:0`, and nearly right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.extras.freeze.errors import FreezeError


def tensor(graph: Any, name: str) -> Any:
    """The tensor called `name`; of an operation alone its first output.

    Raises:
        FreezeError: there is none; the text names those with nearly the same name.
    """
    if isinstance(name, tf.Tensor):
        name = name.name
    operation, _, number = name.strip().removeprefix("^").partition(":")
    try:
        found = graph.get_operation_by_name(operation)
    except (KeyError, ValueError, TypeError):
        names = [one.name for one in graph.get_operations() if one.outputs]
        raise FreezeError("no node", name=name, near=near(operation, names)) from None
    if not found.outputs:
        inputs = [one.name for one in [*found.inputs, *_waited_for(found)]]
        raise FreezeError("no tensor", name=name, type=found.type, near=listed(inputs))
    if number and not (number.isdecimal() and int(number) < len(found.outputs)):
        there = [one.name for one in found.outputs]
        raise FreezeError("no output", name=name, there=listed(there))
    return found.outputs[int(number or 0)]


def _waited_for(operation: Any) -> list[Any]:
    return [t for one in operation.control_inputs for t in one.outputs]


def near(name: str, names: Iterable[str]) -> str:
    """The names most like `name`, for a text; "" if there are none.

    Like it is also what has the same last part in another scope, or another case.
    """
    known = list(dict.fromkeys(names))
    last = name.rpartition("/")[2].lower()
    same = [n for n in known if n.rpartition("/")[2].lower() == last]
    lower = {n.lower(): n for n in known}
    close = difflib.get_close_matches(name.lower(), lower, n=3)
    return listed([*same, *(lower[n] for n in close)])


def listed(names: Iterable[str], most: int = 5) -> str:
    """The names, each once, and no more than `most` of them."""
    once = list(dict.fromkeys(names))
    return ", ".join(once[:most]) + (", ..." if len(once) > most else "")
