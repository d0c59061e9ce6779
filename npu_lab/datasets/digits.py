"""MNIST's handwritten digits: the full set from a folder, or the bundled 10,000.

A folder that holds the four published files is read as TensorFlow 1.15's tutorial
module reads it: `validation_size` examples (5,000) from the head of the train file
become the validation set. Without them the bundled digits serve; to keep their train
file whole (8,000, an epoch of 80 batches of 100), validation and test are the first and
the last 1,000 of their test file. Nothing is fetched from a network, created, or
written.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from npu_lab._texts import text
from npu_lab.datasets.batches import DataSet
from npu_lab.datasets.bundled import bundled_folder, places
from npu_lab.datasets.idx import (
    FETCH_AGAIN,
    IMAGES_MAGIC,
    LABELS_MAGIC,
    StrPath,
    data_error,
    one_hot_of,
    read_idx,
)

# Where the tutorial module fetched the four files, and where they can be had by hand.
DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"

TRAIN_IMAGES = "train-images-idx3-ubyte"
TRAIN_LABELS = "train-labels-idx1-ubyte"
TEST_IMAGES = "t10k-images-idx3-ubyte"
TEST_LABELS = "t10k-labels-idx1-ubyte"
FILES = (TRAIN_IMAGES, TRAIN_LABELS, TEST_IMAGES, TEST_LABELS)

VALIDATION_SIZE = 5000
CLASSES = 10


class Datasets(NamedTuple):
    """The three sets of one data source."""

    train: DataSet
    validation: DataSet
    test: DataSet


class _Part(NamedTuple):
    images: npt.NDArray[np.uint8]
    labels: npt.NDArray[Any]

    def cut(self, chosen: slice) -> _Part:
        return _Part(self.images[chosen], self.labels[chosen])


def mnist(
    folder: StrPath | None = None,
    *,
    one_hot: bool = False,
    dtype: npt.DTypeLike = np.float32,
    reshape: bool = True,
    validation_size: int = VALIDATION_SIZE,
    seed: int | None = None,
) -> Datasets:
    """The bundled digits, or what `read_data_sets` finds in `folder`."""
    return read_data_sets(
        bundled_folder("mnist") if folder is None else folder,
        one_hot=one_hot,
        dtype=dtype,
        reshape=reshape,
        validation_size=validation_size,
        seed=seed,
    )


def read_data_sets(
    train_dir: StrPath,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: npt.DTypeLike = np.float32,
    reshape: bool = True,
    validation_size: int = VALIDATION_SIZE,
    seed: int | None = None,
    source_url: str = DEFAULT_SOURCE_URL,
) -> Datasets:
    """Digits to train, validate and test with, as TensorFlow 1.15's tutorials had them.

    Args:
        train_dir: folder with the four MNIST files, gzipped (`.gz`) or plain. Where it
            has none of them, one line is printed and the bundled digits are used.
        fake_data: sets without examples, see `DataSet`; no file is read.
        one_hot: labels as float64 rows [n, 10] rather than uint8 [n].
        dtype: float32 for images in 0..1, uint8 for their bytes.
        reshape: images [n, 784]; otherwise [n, 28, 28, 1].
        validation_size: how many examples at the head of the train file are set apart.
            The bundled digits have fixed sets; there it is checked but has no effect.
        seed: for the shuffling; what happens without it is told at `DataSet`.
        source_url: accepted, and never used: nothing is fetched.

    Raises:
        DataError: only some of the four files are there, or one is damaged.
        ValueError: `validation_size` is negative or above the size of the train file.
    """
    del source_url  # an old script may pass it
    if fake_data:
        made_up = [DataSet([], [], True, one_hot, dtype, seed=seed) for _ in range(3)]
        return Datasets(*made_up)
    folder = os.fsdecode(train_dir)
    files, lacking = _find(folder)
    if lacking:
        files = _bundled_files()
    train, test = _read_both(files, one_hot)
    if not 0 <= validation_size <= len(train.images):
        raise ValueError(
            f"validation_size is {validation_size}; it must be between 0 and"
            f" {len(train.images)}, the examples in the train file"
        )
    if lacking or _is_bundled(folder):
        middle = len(test.images) // 2
        parts = [train, test.cut(slice(middle)), test.cut(slice(middle, None))]
    else:
        head, rest = slice(validation_size), slice(validation_size, None)
        parts = [train.cut(rest), train.cut(head), test]
    if lacking:
        _tell_fallback(lacking, parts, validation_size)
    return Datasets(
        *(DataSet(*part, dtype=dtype, reshape=reshape, seed=seed) for part in parts)
    )


def _find(folder: str) -> tuple[dict[str, str], str]:
    """The path of each of the four files; without any, how the folder lacks them."""
    try:
        present = set(os.listdir(folder or "."))
    except FileNotFoundError:
        return {}, text("missing folder", folder=folder)
    except PermissionError:
        return {}, text("closed folder", folder=folder)
    except OSError as error:
        raise data_error(
            folder,
            f"cannot be used as a folder ({error.strerror})",
            "Give the folder with the four MNIST files, or one that does not exist"
            " for the bundled digits.",
        ) from error
    # The gzipped file of a pair wins, as the only one the tutorial module knew.
    files = {
        name: os.path.join(folder, candidate)
        for name in FILES
        for candidate in (name, f"{name}.gz")
        if candidate in present
    }
    missing = [f"{name}.gz" for name in FILES if name not in files]
    if files and missing:
        raise data_error(
            f"The folder {folder}",
            f"has some of the four MNIST files but not {', '.join(missing)}",
            f"Add them (from {DEFAULT_SOURCE_URL}), or give a folder with none of the"
            " four for the bundled digits.",
        )
    lacking = text("empty folder", folder=folder, name=FILES[0])
    return files, "" if files else lacking


def _read_both(files: dict[str, str], one_hot: bool) -> tuple[_Part, _Part]:
    train = _read(files[TRAIN_IMAGES], files[TRAIN_LABELS], one_hot)
    test = _read(files[TEST_IMAGES], files[TEST_LABELS], one_hot)
    if train.images.shape[1:] != test.images.shape[1:]:
        raise data_error(
            files[TEST_IMAGES],
            f"has images of shape {test.images.shape[1:3]}, those of"
            f" {files[TRAIN_IMAGES]} are {train.images.shape[1:3]}",
            "Take all four files from the same data set.",
        )
    return train, test


def _read(images_file: str, labels_file: str, one_hot: bool) -> _Part:
    images = read_idx(images_file, IMAGES_MAGIC)
    labels = read_idx(labels_file, LABELS_MAGIC)
    if len(images) != len(labels):
        raise data_error(
            images_file,
            f"has {len(images):,} images, but {labels_file} has {len(labels):,} labels",
            FETCH_AGAIN,
        )
    if one_hot:
        labels = one_hot_of(labels, labels_file, CLASSES)
    return _Part(images[..., np.newaxis], labels)


def _bundled_files() -> dict[str, str]:
    folder = str(bundled_folder("mnist"))
    files, lacking = _find(folder)
    if lacking:
        raise data_error(
            folder, "has lost the bundled digits", "Install npu_lab again."
        )
    return files


def _is_bundled(folder: str) -> bool:
    return Path(folder).resolve() in [place.resolve() for place in places("mnist")]


def _tell_fallback(lacking: str, parts: list[_Part], validation_size: int) -> None:
    sizes = " / ".join(f"{len(part.images):,}" for part in parts)
    told = text("bundled digits", lacking=lacking, sizes=sizes)
    if validation_size != VALIDATION_SIZE:
        told += text("bundled validation", size=validation_size)
    print(told)
