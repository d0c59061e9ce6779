"""The command line `npu-lab freeze SOURCE -o FILE.pb`."""

from __future__ import annotations

import argparse
import ast
import inspect
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from npu_lab import command_line
from npu_lab.activation import activate
from npu_lab.command_line import USAGE, UsageError
from npu_lab.extras.freeze._texts import text
from npu_lab.extras.freeze.errors import FreezeError
from npu_lab.extras.freeze.freezing import Frozen, freeze
from npu_lab.extras.freeze.keras_models import EAGER
from npu_lab.extras.freeze.listing import Listing, Node, nodes

NAME = "npu-lab freeze"
MODULE = "__npu_lab_freeze__"


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    given = command_line.read(_parser(), arguments)
    if isinstance(given, int):
        return given
    try:
        return _do(given)
    except UsageError as error:
        print(f"{NAME}: {error}", file=sys.stderr)
        return USAGE
    except FreezeError as error:
        print(f"{NAME}: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=NAME, description=text("about"), epilog=text("next")
    )
    add = parser.add_argument
    add("source", metavar="SOURCE", help=text("SOURCE"))
    add("-o", "--output", type=Path, metavar="FILE", help=text("--output"))
    add("--outputs", type=_names, metavar="NAME,...", help=text("--outputs"))
    add("--list", action="store_true", help=text("--list"))
    add("--all", action="store_true", help=text("--all"))
    add("--set", action="append", default=[], metavar="NAME=VALUE", help=text("--set"))
    add(
        "--iterator-inputs",
        type=_names,
        default=[],
        metavar="NAME,...",
        help=text("--iterator-inputs"),
    )
    add("--model", metavar="FILE.py[:FUNCTION]", help=text("--model"))
    add("--meta", type=Path, metavar="FILE", help=text("--meta"))
    add("--weights", type=Path, metavar="FILE", help=text("--weights"))
    add("--tags", type=_names, default=["serve"], metavar="TAG", help=text("--tags"))
    add("--signature", metavar="NAME", help=text("--signature"))
    add("--feed", type=Path, metavar="FILE.npz", help=text("--feed"))
    add("--allow-training", action="store_true", help=text("--allow-training"))
    return parser


def _names(given: str) -> list[str]:
    return [name.strip() for name in given.split(",") if name.strip()]


def _do(given: argparse.Namespace) -> int:
    if given.list == (given.output is not None):
        raise UsageError(text("choose"))
    constants = dict(map(_constant, given.set))
    feeds = _feeds(given.feed)
    activate(view=None if Path(given.source).suffix == EAGER else True)
    how = {
        "model": _model(given.model),
        "meta": given.meta,
        "weights": given.weights,
        "tags": given.tags,
        "signature": given.signature,
    }
    if given.list:
        lines: Iterable[str] = _listed(nodes(given.source, **how), given.all)
    else:
        lines = _told(
            freeze(
                given.source,
                given.output,
                given.outputs,
                constants=constants,
                iterator_inputs=given.iterator_inputs,
                feeds=feeds,
                allow_training=given.allow_training,
                **how,
            )
        )
    for line in lines:
        print(line)
    return 0


def _constant(given: str) -> tuple[str, Any]:
    name, equals, value = given.partition("=")
    if not (name and equals and value):
        raise UsageError(text("bad set", given=given))
    try:
        return name, ast.literal_eval(value.strip().capitalize())
    except (ValueError, SyntaxError):
        return name, value


def _feeds(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        with np.load(path, allow_pickle=False) as held:
            return dict(held)
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(text("bad feed", path=path, detail=error)) from error


def _model(given: str | None) -> Callable[[], Any] | None:
    """What builds the graph: the function in a file, or the file itself."""
    if given is None:
        return None
    name, _, function = given.partition(":")
    path = Path(name)
    try:
        code = compile(path.read_bytes(), str(path), "exec")
    except (OSError, SyntaxError, ValueError) as error:
        raise UsageError(text("bad model", given=given, detail=error)) from error

    def build() -> Any:
        module = types.ModuleType(MODULE)
        module.__file__ = str(path.resolve())
        sys.modules[MODULE] = module
        sys.path.insert(0, str(path.resolve().parent))
        exec(code, module.__dict__)  # noqa: S102  (running it is the purpose)
        if not function:
            return None
        called: Any = getattr(module, function, None)
        try:
            inspect.signature(called).bind()
        except TypeError as error:  # nothing, no function, or one with parameters
            raise UsageError(text("bad model", given=given, detail=error)) from error
        return called()

    return build


def _listed(listing: Listing, every: bool) -> Iterable[str]:
    parts = [("inputs", listing.inputs), ("outputs", listing.outputs)]
    if every:
        parts.append(("nodes", listing.nodes))
    for key, found in parts:
        yield text(key)
        yield from (_line("node", one) for one in found)
        if not found:
            yield text("nothing")


def _line(key: str, node: Node) -> str:
    return text(key, **node._asdict())


def _told(frozen: Frozen) -> Iterable[str]:
    yield text(
        "written",
        path=frozen.path,
        constants=frozen.constants,
        difference=frozen.difference,
    )
    yield from (_line("input", one) for one in frozen.inputs)
    yield from (_line("output", one) for one in frozen.outputs)
    if frozen.random:
        yield text("random note", names=", ".join(frozen.random))
    if frozen.findings:
        shown = ", ".join(one.name for one in frozen.findings)
        yield text("training note", names=shown)
