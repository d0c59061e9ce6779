"""A folder of pictures with one sub-folder for each class, as image pipelines read it.

`fashion()` lists the bundled 480 grey pictures of clothes, or any folder of that form;
`load_images` reads listed pictures into one array.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from npu_lab.datasets.bundled import bundled_folder
from npu_lab.datasets.idx import FETCH_AGAIN, StrPath, data_error


class ImageFolder(NamedTuple):
    """Pictures of a folder: `labels[i]` is the index in `class_names` of `paths[i]`.

    Paths are lists of strings, as `tf.data.Dataset.from_tensor_slices` wants them.
    """

    paths: list[str]
    labels: npt.NDArray[np.int64]
    class_names: list[str]

    def load(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
        """All pictures as uint8 [n, rows, columns], with their labels."""
        return load_images(self.paths), self.labels


def fashion(folder: StrPath | None = None) -> ImageFolder:
    """The PNG pictures below `folder` (the bundled ones without), class by class.

    Classes are the sub-folders in alphabetical order, and each class's pictures are
    in the order of their names, so the list is the same on every machine. Hidden
    folders and files that are not `.png` are passed over.

    Raises:
        DataError: there is no such folder, no class in it, or no picture in a class.
    """
    root = bundled_folder("fashion") if folder is None else Path(os.fsdecode(folder))
    if not root.is_dir():
        raise data_error(
            str(root), "is no folder", "Give a folder with one sub-folder per class."
        )
    classes = sorted(
        (entry for entry in root.iterdir() if entry.is_dir() and _is_shown(entry)),
        key=lambda entry: entry.name,
    )
    pictures = [_pictures(entry) for entry in classes]
    for entry, found in zip(classes or [root], pictures or [[]], strict=True):
        if not found:
            raise data_error(
                str(entry),
                "holds no pictures" if classes else "has no sub-folder",
                "Each class needs a sub-folder with its .png files.",
            )
    labels = [label for label, found in enumerate(pictures) for _ in found]
    return ImageFolder(
        [path for found in pictures for path in found],
        np.array(labels, np.int64),
        [entry.name for entry in classes],
    )


def load_images(paths: Sequence[StrPath]) -> npt.NDArray[np.uint8]:
    """The pictures as grey values, uint8 [n, rows, columns], all of one size.

    Raises:
        TypeError: one path instead of a list of them.
        DataError: one cannot be read as a picture, or differs in size from the first.
    """
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise TypeError(f"paths is {paths!r}; it must be a list of paths")
    loaded: list[npt.NDArray[np.uint8]] = []
    for path in paths:
        picture = _grey(os.fsdecode(path))
        if loaded and picture.shape != loaded[0].shape:
            raise data_error(
                os.fsdecode(path),
                f"has the size {picture.shape}, {os.fsdecode(paths[0])} has"
                f" {loaded[0].shape} (rows, columns)",
                "Load pictures of one size.",
            )
        loaded.append(picture)
    return np.stack(loaded) if loaded else np.empty((0, 0, 0), np.uint8)


def _is_shown(entry: Path) -> bool:
    return not entry.name.startswith(".")


def _pictures(folder: Path) -> list[str]:
    return sorted(
        str(entry)
        for entry in folder.iterdir()
        if entry.suffix.lower() == ".png" and _is_shown(entry)
    )


def _grey(path: str) -> npt.NDArray[np.uint8]:
    try:
        with Image.open(path) as picture:
            return np.asarray(picture.convert("L"))
    except (OSError, SyntaxError, ValueError) as error:
        raise data_error(
            path, f"cannot be read as a picture ({error})", FETCH_AGAIN
        ) from error
