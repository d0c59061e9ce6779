from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from npu_lab.datasets import DataError, fashion, load_images


def draw(path: Path, value: int = 0, size: tuple[int, int] = (3, 2)) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("L", size, value).save(path, "PNG")
    return path


def test_the_bundled_folder_has_48_pictures_in_each_of_10_classes() -> None:
    listed = fashion()
    assert listed.class_names == sorted(listed.class_names)
    assert len(listed.paths) == 480
    assert len(set(listed.paths)) == 480
    assert np.bincount(listed.labels).tolist() == [48] * 10
    for path, label in zip(listed.paths, listed.labels, strict=True):
        assert Path(path).parent.name == listed.class_names[label]


def test_the_bundled_pictures_load_as_bytes() -> None:
    images, labels = fashion().load()
    assert images.shape == (480, 28, 28)
    assert images.dtype == np.uint8
    assert labels.shape == (480,)
    assert labels.dtype == np.int64
    assert images.min() == 0
    assert images.max() == 255
    assert len(np.unique(images.reshape(480, -1), axis=0)) > 450


def test_classes_and_pictures_are_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b/2.png", "b/1.PNG", "a/9.png", "c/0.png", "a/10.png"):
        draw(tmp_path / name)
    listed = fashion(tmp_path)
    assert listed.class_names == ["a", "b", "c"]
    assert listed.labels.tolist() == [0, 0, 1, 1, 2]
    assert listed.paths == [
        str(tmp_path / name)
        for name in ("a/10.png", "a/9.png", "b/1.PNG", "b/2.png", "c/0.png")
    ]


def test_hidden_folders_and_other_files_are_passed_over(tmp_path: Path) -> None:
    draw(tmp_path / "a" / "1.png")
    draw(tmp_path / ".ipynb_checkpoints" / "1.png")
    draw(tmp_path / "a" / "._1.png")
    (tmp_path / "a" / "Thumbs.db").write_bytes(b"")
    (tmp_path / "README").write_text("about")
    listed = fashion(str(tmp_path))
    assert (listed.class_names, listed.labels.tolist()) == (["a"], [0])


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="away is no folder"):
        fashion(tmp_path / "away")


def test_a_folder_without_classes_is_named(tmp_path: Path) -> None:
    draw(tmp_path / "1.png")
    with pytest.raises(DataError, match=f"{tmp_path} has no sub-folder"):
        fashion(tmp_path)


def test_a_class_without_pictures_is_named(tmp_path: Path) -> None:
    draw(tmp_path / "a" / "1.png")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="empty holds no pictures"):
        fashion(tmp_path)


def test_rows_come_first_and_colour_becomes_grey(tmp_path: Path) -> None:
    Image.new("RGB", (3, 2), (200, 200, 200)).save(tmp_path / "colour.png")
    images = load_images([draw(tmp_path / "grey.png", 7), tmp_path / "colour.png"])
    assert images.shape == (2, 2, 3)
    assert images.tolist() == [[[7] * 3] * 2, [[200] * 3] * 2]


def test_no_paths_give_no_images() -> None:
    assert len(load_images([])) == 0


@pytest.mark.parametrize("keep", [0, 20, 200])
def test_a_damaged_picture_is_named(tmp_path: Path, keep: int) -> None:
    sound = Path(fashion().paths[0])
    damaged = tmp_path / "2.png"
    damaged.write_bytes(sound.read_bytes()[:keep])
    with pytest.raises(DataError, match=r"2\.png cannot be read as a picture"):
        load_images([sound, damaged])


def test_a_picture_of_another_size_is_named(tmp_path: Path) -> None:
    first, second = draw(tmp_path / "1.png"), draw(tmp_path / "2.png", size=(4, 2))
    with pytest.raises(DataError, match=r"2.png has the size \(2, 4\).*1.png"):
        load_images([first, second])
