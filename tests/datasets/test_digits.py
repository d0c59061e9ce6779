from __future__ import annotations

import gzip
import inspect
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from npu_lab.datasets import (
    DataError,
    Datasets,
    bundled_folder,
    mnist,
    read_data_sets,
)

Array = np.ndarray[Any, Any]
Numbers = Callable[[Array], list[int]]
WriteSet = Callable[[Path, int, int], Path]
Idx = Callable[[Array], bytes]

TRAIN_IMAGES = "train-images-idx3-ubyte.gz"
TRAIN_LABELS = "train-labels-idx1-ubyte.gz"
TEST_IMAGES = "t10k-images-idx3-ubyte.gz"
TEST_LABELS = "t10k-labels-idx1-ubyte.gz"


def sizes(data: Datasets) -> tuple[int, int, int]:
    return (
        data.train.num_examples,
        data.validation.num_examples,
        data.test.num_examples,
    )


def below(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path): (
            path.stat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in [folder, *sorted(folder.rglob("*"))]
    }


def test_the_signature_is_that_of_the_tutorial_module() -> None:
    parameters = inspect.signature(read_data_sets).parameters
    assert list(parameters) == [
        "train_dir",
        "fake_data",
        "one_hot",
        "dtype",
        "reshape",
        "validation_size",
        "seed",
        "source_url",
    ]
    defaults = [parameter.default for parameter in parameters.values()]
    assert defaults[1:7] == [False, False, np.float32, True, 5000, None]


# The bundled digits


def test_the_bundled_digits_keep_their_train_file_whole() -> None:
    data = mnist()
    assert sizes(data) == (8000, 1000, 1000)
    for part in data:
        assert part.images.shape == (part.num_examples, 784)
        assert part.images.dtype == np.float32
        assert part.images.min() == 0
        assert part.images.max() == 1
        assert part.labels.shape == (part.num_examples,)
        assert part.labels.dtype == np.uint8
        assert set(part.labels.tolist()) == set(range(10))


def test_an_epoch_of_the_bundled_digits_is_80_batches_of_100() -> None:
    train = mnist().train
    for _ in range(80):
        train.next_batch(100)
    assert train.epochs_completed == 0
    train.next_batch(100)
    assert train.epochs_completed == 1


def test_validation_and_test_are_the_halves_of_the_bundled_test_file() -> None:
    data = mnist(dtype=np.uint8)
    with gzip.open(bundled_folder("mnist") / TEST_IMAGES) as file:
        pixels = np.frombuffer(file.read()[16:], np.uint8).reshape(2000, 784)
    with gzip.open(bundled_folder("mnist") / TEST_LABELS) as file:
        labels = np.frombuffer(file.read()[8:], np.uint8)
    np.testing.assert_array_equal(data.validation.images, pixels[:1000])
    np.testing.assert_array_equal(data.test.images, pixels[1000:])
    np.testing.assert_array_equal(data.validation.labels, labels[:1000])
    np.testing.assert_array_equal(data.test.labels, labels[1000:])


def test_labels_can_be_one_hot_and_images_left_square() -> None:
    plain, data = mnist(), mnist(one_hot=True, reshape=False)
    assert data.train.images.shape == (8000, 28, 28, 1)
    assert data.train.labels.dtype == np.float64
    assert data.train.labels.shape == (8000, 10)
    assert (data.train.labels.sum(axis=1) == 1).all()
    np.testing.assert_array_equal(data.test.labels.argmax(axis=1), plain.test.labels)


def test_the_same_seed_gives_the_same_batches() -> None:
    first, second, other = (mnist(seed=seed).train.next_batch(50) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])
    assert not np.array_equal(first[0], other[0])


def test_numpys_seed_gives_the_same_batches() -> None:
    data = []
    for _ in range(2):
        np.random.seed(8)
        data.append(mnist().train.next_batch(50)[0])
    np.testing.assert_array_equal(*data)


def test_the_bundled_folder_given_by_name_is_still_the_bundled_set(
    capsys: pytest.CaptureFixture[str],
) -> None:
    roundabout = bundled_folder("fashion") / ".." / "mnist"
    assert sizes(read_data_sets(roundabout)) == (8000, 1000, 1000)
    assert capsys.readouterr().out == ""


# Falling back to them


@pytest.mark.parametrize("exists", [True, False])
def test_a_folder_without_the_files_falls_back_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], exists: bool
) -> None:
    folder = tmp_path / "mine"
    if exists:
        folder.mkdir()
        (folder / "notes.txt").write_text("no digits")
    before = below(tmp_path)
    assert sizes(read_data_sets(str(folder))) == (8000, 1000, 1000)
    out, err = capsys.readouterr()
    assert out.count("\n") == 1
    assert err == ""
    assert str(folder) in out
    assert "bundled digits" in out
    assert "8,000 / 1,000 / 1,000" in out
    assert ("has no train-images-idx3-ubyte.gz" in out) == exists
    assert ("there is no folder" in out) != exists
    assert below(tmp_path) == before


def test_the_line_is_there_in_chinese(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "zh")
    read_data_sets("/nowhere/", validation_size=7)
    assert capsys.readouterr().out == (
        "npu_lab：没有目录 /nowhere/；使用自带的数字图片（训练 / 验证 / 测试："
        "8,000 / 1,000 / 1,000）；validation_size=7 对其不起作用\n"
    )


def test_a_folder_that_may_not_be_read_is_said_to_be_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = os.listdir

    def listdir(folder: str) -> list[str]:
        if folder == "/locked":
            raise PermissionError(13, "Permission denied", folder)
        return listed(folder)

    monkeypatch.setattr(os, "listdir", listdir)
    assert sizes(read_data_sets("/locked")) == (8000, 1000, 1000)
    out = capsys.readouterr().out
    assert "the folder /locked may not be read; using the bundled" in out
    assert out.count("\n") == 1


def test_a_validation_size_without_effect_is_mentioned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sizes(read_data_sets(tmp_path, validation_size=0)) == (8000, 1000, 1000)
    out = capsys.readouterr().out
    assert "validation_size=0 has no effect" in out
    assert out.count("\n") == 1


@pytest.mark.parametrize("size", [-1, 8001])
def test_the_fallback_checks_the_validation_size(tmp_path: Path, size: int) -> None:
    with pytest.raises(ValueError, match="between 0 and 8000"):
        read_data_sets(tmp_path, validation_size=size)


def test_a_file_in_the_place_of_the_folder_is_an_error(folder: Path) -> None:
    with pytest.raises(DataError, match=r"gz cannot be used as a folder \(Not a dir"):
        read_data_sets(folder / TRAIN_IMAGES)


def test_nothing_is_sought_in_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    data = read_data_sets(tmp_path, source_url="http://127.0.0.1:9/")
    assert sizes(data) == (8000, 1000, 1000)


# A folder with the four files


def test_the_full_set_is_cut_as_the_tutorial_module_cuts_it(
    full_folder: Path, numbers: Numbers, capsys: pytest.CaptureFixture[str]
) -> None:
    data = read_data_sets(str(full_folder), dtype=np.uint8)
    assert sizes(data) == (55_000, 5_000, 10_000)
    assert numbers(data.validation.images) == list(range(5_000))
    assert numbers(data.train.images) == list(range(5_000, 60_000))
    assert numbers(data.test.images) == list(range(10_000))
    assert data.train.labels[:3].tolist() == [0, 1, 2]
    assert capsys.readouterr().out == ""


def test_reading_a_folder_leaves_it_as_it_is(folder: Path) -> None:
    before = below(folder)
    read_data_sets(folder, validation_size=10).train.next_batch(70)
    assert below(folder) == before


@pytest.mark.parametrize("size", [0, 1, 59, 60])
def test_validation_is_the_head_of_the_train_file(
    folder: Path, numbers: Numbers, size: int
) -> None:
    data = read_data_sets(folder, validation_size=size, dtype=np.uint8)
    assert numbers(data.validation.images) == list(range(size))
    assert numbers(data.train.images) == list(range(size, 60))
    assert sizes(data) == (60 - size, size, 20)


@pytest.mark.parametrize("size", [-1, 61, 5000])
def test_a_validation_size_beyond_the_train_file_is_refused(
    folder: Path, size: int
) -> None:
    with pytest.raises(ValueError, match=f"is {size}; .* between 0 and 60"):
        read_data_sets(folder, validation_size=size)


def test_images_and_labels_stay_together(folder: Path, numbers: Numbers) -> None:
    train = read_data_sets(folder, validation_size=7, dtype=np.uint8).train
    images, labels = train.next_batch(80)
    assert [number % 10 for number in numbers(images)] == labels.tolist()


def test_a_folder_may_be_the_current_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    for name in ("", ".", b"."):
        assert sizes(read_data_sets(name, validation_size=5)) == (55, 5, 20)


def test_unpacked_files_do_as_well(folder: Path, numbers: Numbers) -> None:
    for path in list(folder.iterdir()):
        path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
        path.unlink()
    data = read_data_sets(folder, validation_size=5, dtype=np.uint8)
    assert numbers(data.train.images) == list(range(5, 60))


def test_of_a_packed_and_an_unpacked_file_the_packed_one_is_read(folder: Path) -> None:
    (folder / TRAIN_IMAGES).with_suffix("").write_bytes(b"rubbish")
    assert sizes(read_data_sets(folder, validation_size=5)) == (55, 5, 20)


def test_a_copy_of_the_bundled_files_elsewhere_is_a_folder_like_any_other(
    tmp_path: Path,
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(bundled_folder("mnist"), copy)
    assert sizes(mnist(copy)) == (3000, 5000, 2000)


@pytest.mark.parametrize(
    "gone", [[TRAIN_IMAGES], [TEST_LABELS, TRAIN_LABELS], [TRAIN_IMAGES, TEST_IMAGES]]
)
def test_of_a_folder_with_some_of_the_files_the_missing_ones_are_named(
    folder: Path, gone: list[str]
) -> None:
    for name in gone:
        (folder / name).unlink()
    with pytest.raises(DataError) as caught:
        read_data_sets(folder)
    text = str(caught.value)
    assert str(folder) in text
    assert all(name in text for name in gone)
    kept = {TRAIN_IMAGES, TRAIN_LABELS, TEST_IMAGES, TEST_LABELS} - set(gone)
    assert not any(name in text for name in kept)


@pytest.mark.parametrize("name", [TRAIN_IMAGES, TRAIN_LABELS, TEST_IMAGES, TEST_LABELS])
@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (lambda data: data[:-20], "cannot be unpacked"),
        (lambda _: b"", "not gzipped"),
        (lambda data: gzip.compress(gzip.decompress(data)[:-1]), "cut off"),
        (lambda data: gzip.compress(b"\1" + gzip.decompress(data)), "no IDX"),
    ],
    ids=["cut gzip", "empty", "cut data", "bad magic"],
)
def test_a_damaged_file_is_an_error_never_a_fallback(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    damage: Callable[[bytes], bytes],
    fault: str,
) -> None:
    (folder / name).write_bytes(damage((folder / name).read_bytes()))
    with pytest.raises(DataError, match=fault) as caught:
        read_data_sets(folder, validation_size=5)
    assert str(folder / name) in str(caught.value)
    assert capsys.readouterr().out == ""


def test_a_folder_in_the_place_of_a_file_is_named(folder: Path) -> None:
    (folder / TEST_LABELS).unlink()
    (folder / TEST_LABELS).mkdir()
    with pytest.raises(DataError, match=f"{TEST_LABELS} cannot be read"):
        read_data_sets(folder)


def test_labels_and_images_exchanged_are_told(folder: Path) -> None:
    shutil.copy(folder / TRAIN_LABELS, folder / TRAIN_IMAGES)
    with pytest.raises(DataError, match=f"{TRAIN_IMAGES} has the magic number 2049"):
        read_data_sets(folder)


def test_unequal_counts_name_both_files(
    folder: Path, tmp_path: Path, write_set: WriteSet
) -> None:
    other = write_set(tmp_path / "other", 59, 20)
    shutil.copy(other / TRAIN_LABELS, folder)
    with pytest.raises(
        DataError, match=f"{TRAIN_IMAGES} has 60 images, but .*{TRAIN_LABELS} has 59"
    ):
        read_data_sets(folder)


def test_test_images_of_another_size_are_told(folder: Path, idx: Idx) -> None:
    images = np.zeros((20, 14, 14), np.uint8)
    (folder / TEST_IMAGES).write_bytes(gzip.compress(idx(images)))
    with pytest.raises(DataError, match=rf"{TEST_IMAGES} has .*\(14, 14\).*\(28, 28\)"):
        read_data_sets(folder)


def test_a_label_above_9_is_refused_where_it_would_be_one_hot(
    folder: Path, idx: Idx
) -> None:
    labels = np.full(20, 10, np.uint8)
    (folder / TEST_LABELS).write_bytes(gzip.compress(idx(labels)))
    with pytest.raises(DataError, match=f"{TEST_LABELS}: label 10 does not fit"):
        read_data_sets(folder, one_hot=True, validation_size=5)
    assert read_data_sets(folder, validation_size=5).test.labels.tolist() == [10] * 20


# Made-up data


@pytest.mark.parametrize(("one_hot", "label"), [(False, 0), (True, [1] + [0] * 9)])
def test_fake_data_reads_no_folder(
    capsys: pytest.CaptureFixture[str], one_hot: bool, label: Any
) -> None:
    data = read_data_sets("/no such folder", fake_data=True, one_hot=one_hot)
    assert sizes(data) == (10_000, 10_000, 10_000)
    for part in data:
        assert part.next_batch(2, fake_data=True) == ([[1] * 784] * 2, [label] * 2)
    assert capsys.readouterr().out == ""
