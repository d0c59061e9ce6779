"""Dumps operators while a graph runs: called from the graph, in the order of execution.

A `Dumper` belongs to a session, a `Model` to one compiled graph in it.  An operator's
result waits until its dump is done, so what comes after it is dumped later.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tensorflow.python.ops import script_ops

from npu_lab._tensorflow import tf
from npu_lab.device import seam
from npu_lab.device.options import SessionOptions
from npu_lab.diagnostics import diagnose
from npu_lab.extras.tuning.dump.files import Dumped, Operator, write, write_figures
from npu_lab.extras.tuning.dump.settings import ATOMIC, Settings

KEPT_STEPS = 10  # steps of one model with overflows that are dumped
_UNDUMPED = (tf.resource, tf.variant, tf.string, None)
_sequence = itertools.count()
_models = itertools.count()
_BEGIN = "npu_lab/dump_begin"


class Dumper:
    """Dumps what the options of one session ask for."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.lock = threading.Lock()
        self.told = False
        self._folder: Path | None = None
        self._numbers, self._training = itertools.count(1), itertools.count()

    @classmethod
    def of(cls, options: SessionOptions) -> Dumper | None:
        """The dumper of a session with these options; None where nothing is dumped."""
        settings = Settings.of(options)
        return cls(settings) if settings else None

    def model(self, *, trains: bool) -> Model:
        """What dumps one more compiled graph.

        All graphs that train count their steps together, each other one its own.
        """
        steps = self._training if trains else itertools.count()
        return Model(self, next(self._numbers), steps)

    @property
    def folder(self) -> Path:
        """The folder of this session's dumps, named when the first is written."""
        if self._folder is None:
            now = time.strftime("%Y%m%d%H%M%S")
            self._folder = self.settings.path / now / self.settings.device
        return self._folder


class Model:
    """Dumps the operators of one compiled graph, as the editor of the graph asks."""

    def __init__(self, dumper: Dumper, number: int, steps: Iterator[int]) -> None:
        self.dumper, self.settings = dumper, dumper.settings
        self.number = number
        self.name = f"ge_default_{time.strftime('%Y%m%d%H%M%S')}_{next(_models)}"
        self.step, self._steps = 0, steps
        self._tasks = itertools.count(1)
        self._overflowed: set[int] = set()
        self._functions: list[Callable[..., Any]] = []  # TensorFlow keeps none alive

    def wants(self, name: str, *, checked: bool) -> bool:
        """Whether an operator is dumped; `checked` are those that can overflow."""
        if self.settings.layers and name not in self.settings.layers:
            return False
        return self.settings.everything or checked

    def begin(self, editor: Any) -> list[str]:
        """What waits for the begin of a step; it is made in the graph's own body."""
        if editor.above:
            return []
        if _BEGIN not in editor.names:
            editor.add_call(_BEGIN, self._token(self._count), [])
        return [f"^{_BEGIN}"]

    def watch(
        self, editor: Any, node: Any, bad: list[str], inputs: Any, outputs: Any
    ) -> list[str]:
        """Let the editor call for the dump of `node`; returns what to wait for."""
        name = editor.above + node.name
        if not self.wants(name, checked=bool(bad)):
            return []
        given = [i for i, (_, t) in enumerate(inputs) if t not in _UNDUMPED]
        made = [i for i, (_, t) in enumerate(outputs) if t not in _UNDUMPED]
        sources = [one for one in node.input if not one.startswith("^")]
        operator = Operator(
            name=name,
            kind=node.op,
            task=next(self._tasks),
            inputs=tuple(editor.above + source for source in sources),
            outputs=tuple(f"{name}:{i}" for i in range(len(outputs))),
        )
        if not bad:
            bad = [editor.constant(np.bool_(False))]
        tensors = [(one, tf.bool) for one in bad]
        tensors += [inputs[i] for i in given] + [outputs[i] for i in made]
        checks = len(bad)

        def called(*values: Any) -> list[Any]:
            overflow = any(bool(value) for value in values[:checks])
            rest = values[checks:]
            self._dump(
                operator,
                overflow,
                dict(zip(given, rest, strict=False)),
                dict(zip(made, rest[len(given) :], strict=True)),
            )
            return []

        call = f"{node.name}/npu_lab/dump"
        editor.add_call(call, self._token(called), tensors, self.begin(editor))
        return [call]

    def _token(self, function: Callable[..., Any]) -> str:
        self._functions.append(function)
        return str(script_ops._py_funcs.insert(function))

    def _count(self) -> list[Any]:
        self.step = next(self._steps)
        return []

    def _dump(
        self, operator: Operator, overflow: bool, inputs: Any, outputs: Any
    ) -> None:
        settings, step = self.settings, self.step
        takes = settings.takes(step)
        counts = overflow and settings.overflows
        if settings.atomic:
            counts = counts and operator.kind in ATOMIC
        if not (takes or counts):
            return
        with self.dumper.lock:
            if counts:
                self._overflowed.add(step)
                counts = len(self._overflowed) <= KEPT_STEPS
                if not (takes or counts):
                    return
            dumped = Dumped(
                operator=operator,
                step=step,
                sequence=next(_sequence),
                timestamp=time.time_ns() // 1000,
                overflow=overflow,
                inputs=inputs if counts or settings.inputs else {},
                outputs=outputs if counts or settings.outputs else {},
            )
            folder = self.dumper.folder / self.name / str(self.number) / str(step)
            (write_figures if settings.figures else write)(folder, dumped)
            if counts and not self.dumper.told:
                self.dumper.told = True
                _tell(dumped, folder)


def _tell(dumped: Dumped, folder: Path) -> None:
    device = seam.active_device()
    if device is not None:
        op = dumped.operator
        facts = {"operator": op.name, "type": op.kind, "step": dumped.step}
        device.report(diagnose("SINK065", folder=str(folder), **facts))
