"""Runs a frozen graph: online inference, in batches of one size.

The session is configured as the guide on online inference has it.  A graph is compiled
for each shape that is fed, which takes long on hardware: so one size of batches is
kept, the last batch is filled up, and the session stays open.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from npu_lab._tensorflow import tf
from npu_lab.activation import active_device
from npu_lab.device import programs
from npu_lab.extras.freeze import listing, names
from npu_lab.extras.freeze.errors import FreezeError
from npu_lab.extras.freeze.graph_defs import PLACEHOLDERS

v1 = tf.compat.v1


def inference_config(**options: bool | int | str) -> Any:
    """The ConfigProto of a session for online inference on the NPU.

    Args:
        options: further keys of NpuOptimizer, such as ``precision_mode="force_fp16"``
            (what the NPU does by default; here nothing is changed without it).
    """
    config = v1.ConfigProto()
    rewrite = config.graph_options.rewrite_options
    optimizer = rewrite.custom_optimizers.add()
    optimizer.name = "NpuOptimizer"
    given = {"use_off_line": True, "graph_run_mode": 0, **options}
    for key, value in given.items():
        if isinstance(value, bool):
            optimizer.parameter_map[key].b = value
        elif isinstance(value, int):
            optimizer.parameter_map[key].i = value
        else:
            optimizer.parameter_map[key].s = tf.compat.as_bytes(value)
    rewrite.remapping = rewrite.memory_optimization = rewrite.OFF
    return config


class FrozenModel:
    """A frozen graph in an open session.

    On the emulated NPU where that is active, else on plain TensorFlow.

    Args:
        path: the .pb file.
        outputs: names of tensors or operations; by default what nothing in the graph
            uses.
        batch: examples of each call. By default what the graph says, or else as many
            as the first call has.
        options: keys of NpuOptimizer, see `inference_config`.

    Raises:
        FreezeError: the file is no graph, a name or the batch does not fit.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        outputs: str | Sequence[str] | None = None,
        *,
        batch: int | None = None,
        options: Mapping[str, bool | int | str] | None = None,
    ) -> None:
        self.path = Path(os.fsdecode(path))
        self.graph = listing.imported(self.path)
        operations = self.graph.get_operations()
        placeholders = [one for one in operations if one.type in PLACEHOLDERS]
        self._inputs = {one.name: one.outputs[0] for one in placeholders}
        asked = [outputs] if isinstance(outputs, str) else list(outputs or ())
        if not asked:
            asked = [one.name for one in listing.ends_of(self.graph)]
        self._outputs = {name: names.tensor(self.graph, name) for name in asked}
        if not self._outputs or not self._inputs:
            raise FreezeError("no ends", path=self.path)
        self._batched = self._with_rows()
        self.batch = self._checked(batch)
        on_device = active_device() is not None
        config = inference_config(**(options or {})) if on_device else None
        self.session = v1.Session(graph=self.graph, config=config)

    @property
    def inputs(self) -> list[str]:
        """The names of what it takes."""
        return list(self._inputs)

    @property
    def outputs(self) -> list[str]:
        """The names of what it gives."""
        return list(self._outputs)

    @property
    def compiled(self) -> list[str]:
        """The documented line for each graph that the NPU compiled for this model."""
        device = active_device()
        number = programs.serial_number(self.graph)
        verdicts = device.verdicts if device is not None else []
        return [m for one in verdicts if one.graph == number for m in one.messages]

    def __call__(self, given: Any) -> Any:
        """What the graph gives for `given`, batch by batch.

        Args:
            given: an array with an example in each row, or several by input name.

        Returns:
            An array, or by output name where there are several.

        Raises:
            FreezeError: inputs are missing or have different numbers of rows, or an
                output has no row for each example.
        """
        fed = self._fed(given)
        split = {t: array for t, array in fed.items() if self._has_rows(t, array)}
        counts = {len(array) for array in split.values()}
        if len(counts) > 1 or 0 in counts:
            shown = {tensor.op.name: len(array) for tensor, array in split.items()}
            raise FreezeError("rows", rows=shown)
        rows = counts.pop() if counts else None
        if rows is None:
            values = self.session.run(list(self._outputs.values()), fed)
        else:
            self.batch = self.batch or rows
            starts = range(0, rows, self.batch)
            pieces = [self._piece(fed, set(split), start, rows) for start in starts]
            joined = zip(*pieces, strict=True)
            values = [p[0] if len(p) == 1 else np.concatenate(p) for p in joined]
        named = dict(zip(self._outputs, values, strict=True))
        return values[0] if len(values) == 1 else named

    def close(self) -> None:
        """Close the session."""
        self.session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _with_rows(self) -> set[Any]:
        """The inputs with an example in each row, as far as the graph tells.

        Those whose first dimension is open; without any, those that have one.
        """
        ranked = [t for t in self._inputs.values() if t.shape.rank]
        open_ended = {t for t in ranked if t.shape.as_list()[0] is None}
        return open_ended or set(ranked)

    def _has_rows(self, tensor: Any, array: Any) -> bool:
        return tensor in self._batched or (tensor.shape.rank is None and array.ndim > 0)

    def _checked(self, batch: int | None) -> int | None:
        fixed = {t.shape.as_list()[0] for t in self._batched} - {None}
        if len(fixed) > 1:
            raise FreezeError("fixed batches", sizes=sorted(fixed))
        size: int | None = fixed.pop() if fixed else None
        if batch is not None and (batch < 1 or size not in (None, batch)):
            raise FreezeError("batch", batch=batch, size=size or "1...")
        return batch or size

    def _fed(self, given: Any) -> dict[Any, Any]:
        needed = [
            name
            for name, tensor in self._inputs.items()
            if tensor.op.type != "PlaceholderWithDefault"
        ]
        if not isinstance(given, Mapping):
            if len(needed) != 1:
                raise FreezeError("which input", names=names.listed(self._inputs))
            given = {needed[0]: given}
        by_name = {name.removesuffix(":0"): value for name, value in given.items()}
        for name in by_name:
            if name not in self._inputs:
                suggested = names.near(name, self._inputs) or names.listed(self._inputs)
                raise FreezeError("no input", name=name, near=suggested)
        if missing := [name for name in needed if name not in by_name]:
            raise FreezeError("missing inputs", names=names.listed(missing))
        return {
            self._inputs[name]: np.asarray(
                value, self._inputs[name].dtype.as_numpy_dtype
            )
            for name, value in by_name.items()
        }

    def _piece(
        self, fed: Mapping[Any, Any], split: set[Any], start: int, rows: int
    ) -> list[Any]:
        """One batch, filled up with its last example; without what was filled in."""
        size = self.batch or rows
        count = min(size, rows - start)
        piece = dict(fed)
        for tensor in split:
            part = fed[tensor][start : start + count]
            filling = np.repeat(part[-1:], size - count, axis=0)
            piece[tensor] = np.concatenate([part, filling]) if size > count else part
        values = self.session.run(list(self._outputs.values()), piece)
        if count == rows == size:
            return list(values)
        for name, value in zip(self._outputs, values, strict=True):
            if np.shape(value)[:1] != (size,):
                raise FreezeError(
                    "no rows", name=name, shape=np.shape(value), batch=size, rows=rows
                )
        return [value[:count] for value in values]
