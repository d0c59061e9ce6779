"""Files in the IDX format, in which MNIST and its kin are published.

A file is a magic number (two zero bytes, one for the element type, one for the number
of dimensions), the length of each dimension as a big-endian 32-bit number, and the
elements. All of it is checked against the bytes that are there: a damaged file never
becomes a smaller or shifted data set, but a `DataError` that names it.
"""

from __future__ import annotations

import gzip
import math
import os
import struct
import zlib
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from npu_lab.datasets.batches import dense_to_one_hot

IMAGES_MAGIC = 0x0803  # 2051: bytes in three dimensions
LABELS_MAGIC = 0x0801  # 2049: bytes in one dimension
ELEMENT_TYPES = {
    0x08: "u1",
    0x09: "i1",
    0x0B: ">i2",
    0x0C: ">i4",
    0x0D: ">f4",
    0x0E: ">f8",
}
MOST_DIMENSIONS = 64  # numpy has no more
GZIP_SIGN = b"\x1f\x8b"
FETCH_AGAIN = "Put an undamaged copy in its place."

StrPath = str | bytes | os.PathLike[str] | os.PathLike[bytes]


class DataError(ValueError):
    """A data file or folder that cannot be used; the text has fault and mend."""


def data_error(source: str, fault: str, mend: str) -> DataError:
    """The error to raise for `source`, which "is ..." or "has ..." the fault."""
    return DataError(f"{source} {fault}. {mend}")


def read_idx(path: StrPath, magic: int | None = None) -> npt.NDArray[Any]:
    """The array in an IDX file, unpacked first when the name ends in `.gz`.

    Args:
        path: the file.
        magic: the magic number it must have, such as `IMAGES_MAGIC`; any without.

    Returns:
        An array of its own, in the machine's byte order, of the file's type and shape.

    Raises:
        DataError: the file cannot be read, is damaged, or has another magic number.
    """
    source = os.fsdecode(path)
    try:
        with open(source, "rb") as file:
            content = file.read()
    except OSError as error:
        raise data_error(
            source,
            f"cannot be read ({error.strerror})",
            "Check the name and the rights of the file.",
        ) from error
    if source.lower().endswith(".gz"):
        content = _unpack(content, source)
    elif content.startswith(GZIP_SIGN):
        raise data_error(
            source, "is gzipped but not named so", "Add .gz to its name, or unpack it."
        )
    return parse_idx(content, source, magic)


def parse_idx(
    content: bytes, source: str, magic: int | None = None
) -> npt.NDArray[Any]:
    """The array that the bytes of an IDX file describe; errors call them `source`."""
    if len(content) < 4:
        raise data_error(source, f"ends after {len(content)} bytes", FETCH_AGAIN)
    (found,) = struct.unpack(">I", content[:4])
    code, dimensions = content[2], content[3]
    known = content[:2] == b"\0\0" and code in ELEMENT_TYPES
    if not known or not 1 <= dimensions <= MOST_DIMENSIONS:
        raise data_error(
            source,
            f"is no IDX file: it begins with {content[:8]!r}, magic number {found}",
            FETCH_AGAIN,
        )
    if magic is not None and found != magic:
        raise data_error(
            source,
            f"has the magic number {found} where {magic} is needed"
            f" ({IMAGES_MAGIC} images, {LABELS_MAGIC} labels)",
            "Put the file in its place whose content its name promises.",
        )
    start = 4 + 4 * dimensions
    if len(content) < start:
        raise data_error(
            source,
            f"ends inside its header: {len(content)} bytes of {start}",
            FETCH_AGAIN,
        )
    shape = struct.unpack(f">{dimensions}I", content[4:start])
    stored = np.dtype(ELEMENT_TYPES[code])
    promised, present = math.prod(shape) * stored.itemsize, len(content) - start
    if present != promised:
        kind = "is cut off" if present < promised else "is too long"
        raise data_error(
            source,
            f"{kind}: its header promises {promised:,} bytes of data (shape {shape}),"
            f" it holds {present:,}",
            FETCH_AGAIN,
        )
    elements = np.frombuffer(content, stored, offset=start)
    return elements.reshape(shape).astype(stored.newbyteorder("="))


def extract_images(f: BinaryIO) -> npt.NDArray[np.uint8]:
    """The images of an opened gzipped IDX file, uint8 [n, rows, columns, 1]."""
    return _extract(f, IMAGES_MAGIC)[..., np.newaxis]


def extract_labels(
    f: BinaryIO, one_hot: bool = False, num_classes: int = 10
) -> npt.NDArray[Any]:
    """The labels of an opened gzipped IDX file: uint8 [n], or one-hot rows of them."""
    labels = _extract(f, LABELS_MAGIC)
    return one_hot_of(labels, _name(f), num_classes) if one_hot else labels


def one_hot_of(
    labels: npt.NDArray[Any], source: str, num_classes: int
) -> npt.NDArray[np.float64]:
    """`dense_to_one_hot`, whose complaint names the file the labels are from."""
    try:
        return dense_to_one_hot(labels, num_classes)
    except ValueError as error:
        raise DataError(f"{source}: {error}") from error


def _extract(file: BinaryIO, magic: int) -> npt.NDArray[Any]:
    return parse_idx(_unpack(file.read(), _name(file)), _name(file), magic)


def _name(file: BinaryIO) -> str:
    return str(getattr(file, "name", "the given file object"))


def _unpack(content: bytes, source: str) -> bytes:
    if not content.startswith(GZIP_SIGN):
        plain = content.startswith(b"\0\0")
        mend = "Take .gz from its name." if plain else FETCH_AGAIN
        raise data_error(
            source, f"is not gzipped: it begins with {content[:8]!r}", mend
        )
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise data_error(
            source, f"is damaged and cannot be unpacked ({error})", FETCH_AGAIN
        ) from error
