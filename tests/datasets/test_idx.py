from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from npu_lab.datasets import DataError, extract_images, extract_labels, read_idx
from npu_lab.datasets.idx import IMAGES_MAGIC, LABELS_MAGIC

Idx = Callable[[Any], bytes]
SMALL = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)


@pytest.mark.parametrize("code", ["u1", "i1", "i2", "i4", "f4", "f8"])
@pytest.mark.parametrize("shape", [(6,), (2, 3), (1, 2, 3, 1), (0, 4)])
@pytest.mark.parametrize("ending", [".gz", ""])
def test_every_element_type_and_shape_comes_back(
    tmp_path: Path, idx: Idx, code: str, shape: tuple[int, ...], ending: str
) -> None:
    array = (np.arange(np.prod(shape)) - 2).astype(code).reshape(shape)
    path = tmp_path / f"array{ending}"
    path.write_bytes(gzip.compress(idx(array)) if ending else idx(array))
    read = read_idx(path)
    np.testing.assert_array_equal(read, array)
    assert read.dtype == np.dtype(code)
    assert read.dtype.isnative
    assert read.flags.writeable


def test_a_path_may_be_text_or_bytes(tmp_path: Path, idx: Idx) -> None:
    path = tmp_path / "array"
    path.write_bytes(idx(SMALL))
    np.testing.assert_array_equal(read_idx(str(path)), SMALL)
    np.testing.assert_array_equal(read_idx(bytes(path)), SMALL)


def _changed(change: Callable[[bytes], bytes]) -> Callable[[Idx], bytes]:
    return lambda idx: change(idx(SMALL))


FAULTY = {
    "nothing": (_changed(lambda _: b""), "ends after 0 bytes"),
    "cut in the magic": (_changed(lambda data: data[:3]), "ends after 3 bytes"),
    "cut in the header": (_changed(lambda data: data[:9]), "9 bytes of 16"),
    "cut in the data": (
        _changed(lambda data: data[:-1]),
        r"cut off.*24 bytes.*\(2, 3, 4\).*holds 23",
    ),
    "bytes too many": (_changed(lambda data: data + b"!"), "too long.*holds 25"),
    "bad magic": (_changed(lambda data: b"\1" + data[1:]), "no IDX.*16779267"),
    "unknown type": (_changed(lambda data: b"\0\0\7" + data[3:]), "no IDX.*1795"),
    "no dimension": (_changed(lambda data: data[:3] + b"\0" + data[4:]), "no IDX"),
    "too many": (_changed(lambda data: data[:3] + b"\x41" + data[4:]), "no IDX"),
    "web page": (lambda _: b"<html>not found</html>", "no IDX.*<html>"),
    "huge promise": (
        _changed(lambda data: data[:4] + b"\xff" * 12),
        "cut off.*79,228,162,458,924,105,385,300,197,375",
    ),
}


@pytest.mark.parametrize(("content", "fault"), FAULTY.values(), ids=FAULTY)
@pytest.mark.parametrize("ending", [".gz", ""])
def test_a_damaged_file_is_named_with_its_fault_and_the_mend(
    tmp_path: Path, idx: Idx, content: Callable[[Idx], bytes], fault: str, ending: str
) -> None:
    path = tmp_path / f"digits{ending}"
    path.write_bytes(gzip.compress(content(idx)) if ending else content(idx))
    with pytest.raises(DataError, match=fault) as caught:
        read_idx(path)
    assert str(caught.value).startswith(str(path))
    assert str(caught.value).endswith("Put an undamaged copy in its place.")


def _flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]


PACKED_WRONG = {
    "not gzip": (lambda data: b"\x89PNG" + data, "not gzipped.*PNG"),
    "cut": (lambda data: data[:-9], "cannot be unpacked"),
    "only the sign": (lambda data: data[:2], "cannot be unpacked"),
    "check sum": (lambda data: _flipped(data, -6), "cannot be unpacked.*CRC"),
    "unknown method": (lambda data: _flipped(data, 2), "cannot be unpacked"),
    "broken block": (lambda data: _flipped(data, 10), "cannot be unpacked"),
    "trailing rubbish": (lambda data: data + b"rubbish", "cannot be unpacked"),
}


@pytest.mark.parametrize(("damage", "fault"), PACKED_WRONG.values(), ids=PACKED_WRONG)
def test_a_gzip_fault_is_named_with_the_file(
    tmp_path: Path, idx: Idx, damage: Callable[[bytes], bytes], fault: str
) -> None:
    path = tmp_path / "digits.gz"
    path.write_bytes(damage(gzip.compress(idx(SMALL))))
    with pytest.raises(DataError, match=fault) as caught:
        read_idx(path)
    assert str(path) in str(caught.value)


def test_a_name_that_does_not_fit_the_packing_has_its_mend(
    tmp_path: Path, idx: Idx
) -> None:
    plain, packed = tmp_path / "plain.gz", tmp_path / "packed"
    plain.write_bytes(idx(SMALL))
    packed.write_bytes(gzip.compress(idx(SMALL)))
    with pytest.raises(DataError, match=r"plain.gz is not gzipped.*Take .gz from"):
        read_idx(plain)
    with pytest.raises(DataError, match=r"packed is gzipped.*Add .gz to its name"):
        read_idx(packed)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"away.gz cannot be read \(No such file"):
        read_idx(tmp_path / "away.gz")


def test_labels_in_the_place_of_images_are_told_by_the_magic(
    tmp_path: Path, idx: Idx
) -> None:
    path = tmp_path / "labels"
    path.write_bytes(idx(SMALL.ravel()))
    assert read_idx(path, LABELS_MAGIC).shape == (24,)
    with pytest.raises(DataError, match=r"labels has .* 2049 where 2051 is needed"):
        read_idx(path, IMAGES_MAGIC)


def test_images_are_extracted_from_an_open_file_with_a_depth(
    tmp_path: Path, idx: Idx
) -> None:
    (tmp_path / "i.gz").write_bytes(gzip.compress(idx(SMALL)))
    with open(tmp_path / "i.gz", "rb") as file:
        images = extract_images(file)
    assert images.shape == (2, 3, 4, 1)
    assert images.dtype == np.uint8
    np.testing.assert_array_equal(images[..., 0], SMALL)


def test_labels_are_extracted_as_bytes_or_one_hot(idx: Idx) -> None:
    packed = gzip.compress(idx(np.array([3, 0, 11], np.uint8)))
    labels = extract_labels(io.BytesIO(packed))
    assert labels.tolist() == [3, 0, 11]
    assert labels.dtype == np.uint8
    rows = extract_labels(io.BytesIO(packed), one_hot=True, num_classes=12)
    assert rows.shape == (3, 12)
    assert rows.argmax(axis=1).tolist() == [3, 0, 11]
    with pytest.raises(DataError, match="label 11 does not fit 10 classes"):
        extract_labels(io.BytesIO(packed), one_hot=True)


def test_extracting_names_the_open_file_at_fault(tmp_path: Path, idx: Idx) -> None:
    (tmp_path / "mixed.gz").write_bytes(gzip.compress(idx(SMALL)))
    with (
        open(tmp_path / "mixed.gz", "rb") as file,
        pytest.raises(ValueError, match=r"mixed.gz has .* 2051 where 2049"),
    ):
        extract_labels(file)
    with pytest.raises(ValueError, match="the given file object is not gzipped"):
        extract_images(io.BytesIO(idx(SMALL)))
