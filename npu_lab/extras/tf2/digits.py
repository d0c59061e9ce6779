"""`tf.keras.datasets.mnist.load_data` without a network: the bundled digits."""

from __future__ import annotations

import functools
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from npu_lab.datasets import bundled_folder, read_idx
from npu_lab.datasets.idx import data_error
from npu_lab.extras.tf2._texts import text

DEFAULT = "mnist.npz"
PARTS = {"train": "train", "test": "t10k"}
"""The names in the archive of Keras, and those of the files."""


def get_file(stock: Callable[..., Any]) -> Callable[..., Any]:  # noqa: ARG001
    """What stands for Keras's `get_file`, which would fetch the archive.

    The whole path of an archive leads there, as in Keras; a bare name to the bundled
    digits, whatever Keras may have kept of earlier downloads: so a lesson shows the
    same everywhere.  One line tells which digits they are.
    """

    def found(path: str | os.PathLike[str], *_: Any, **__: Any) -> Any:
        given = Path(path)
        if given.is_absolute():
            if not given.is_file():
                mend = f"Give load_data a file that is there, or {DEFAULT}."
                raise data_error(str(given), "is not there", mend)
            return given
        content, sizes = _bundled()
        print(text("bundled digits", sizes=sizes))
        return io.BytesIO(content)

    return found


@functools.cache
def _bundled() -> tuple[bytes, str]:
    """The digits as an archive of Keras, and how many there are."""
    folder = bundled_folder("mnist")
    arrays: dict[str, Any] = {}
    for name, file in PARTS.items():
        arrays[f"x_{name}"] = read_idx(folder / f"{file}-images-idx3-ubyte.gz")
        arrays[f"y_{name}"] = read_idx(folder / f"{file}-labels-idx1-ubyte.gz")
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    return packed.getvalue(), " / ".join(f"{len(arrays[f'y_{n}']):,}" for n in PARTS)
