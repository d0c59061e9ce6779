"""MNIST folders made up in a moment; the writer shares no code with the reader."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

CODES = {"u1": 8, "i1": 9, "i2": 11, "i4": 12, "f4": 13, "f8": 14}
NAMES = {
    "train": ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"),
    "test": ("t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"),
}


def idx_bytes(array: np.ndarray[Any, Any]) -> bytes:
    code = CODES[array.dtype.str[1:]]
    header = struct.pack(f">4B{array.ndim}I", 0, 0, code, array.ndim, *array.shape)
    return header + array.astype(array.dtype.newbyteorder(">")).tobytes()


def write_folder(folder: Path, train: int, test: int) -> Path:
    folder.mkdir(exist_ok=True)
    for part, count in (("train", train), ("test", test)):
        numbers = np.arange(count)
        images = np.zeros((count, 28, 28), np.uint8)
        images[:, 0, 0] = numbers // 256
        images[:, 0, 1] = numbers % 256
        labels = (numbers % 10).astype(np.uint8)
        for name, array in zip(NAMES[part], (images, labels), strict=True):
            (folder / name).write_bytes(gzip.compress(idx_bytes(array), 1))
    return folder


@pytest.fixture
def idx() -> Callable[[np.ndarray[Any, Any]], bytes]:
    """The function from an array to its IDX file."""
    return idx_bytes


@pytest.fixture
def write_set() -> Callable[[Path, int, int], Path]:
    """Writes the four files; image i has i in its first two bytes, and label i % 10."""
    return write_folder


@pytest.fixture
def numbers() -> Callable[[np.ndarray[Any, Any]], list[int]]:
    """The numbers that `write_set` put into its images, as bytes."""

    def read(images: np.ndarray[Any, Any]) -> list[int]:
        flat = images.reshape(len(images), np.prod(images.shape[1:])).astype(int)
        return [int(number) for number in flat[:, 0] * 256 + flat[:, 1]]

    return read


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A sound folder with 60 digits to train and 20 to test."""
    return write_folder(tmp_path / "digits", 60, 20)


@pytest.fixture(scope="session")
def full_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A made-up set of the full one's size."""
    return write_folder(tmp_path_factory.mktemp("full"), 60_000, 10_000)
