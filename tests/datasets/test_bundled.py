from __future__ import annotations

from pathlib import Path

import pytest

from npu_lab.datasets import DataError, bundled, bundled_folder, mnist


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that lies elsewhere, without data."""
    monkeypatch.setattr(bundled, "PACKAGE", tmp_path / "site" / "npu_lab")
    return tmp_path / "site" / "npu_lab"


def test_the_data_of_this_project_is_found() -> None:
    assert (bundled_folder("mnist") / "train-images-idx3-ubyte.gz").is_file()
    assert (bundled_folder("fashion") / "bag").is_dir()


def test_a_clone_has_the_data_beside_the_package(package: Path) -> None:
    beside = package.parent / "data" / "mnist"
    beside.mkdir(parents=True)
    assert bundled_folder("mnist") == beside


def test_data_inside_the_package_goes_before_a_strangers_beside_it(
    package: Path,
) -> None:
    inside = package / "data" / "mnist"
    inside.mkdir(parents=True)
    (package.parent / "data" / "mnist").mkdir(parents=True)
    assert bundled_folder("mnist") == inside


def test_without_data_both_places_and_the_mend_are_named(package: Path) -> None:
    with pytest.raises(DataError) as caught:
        mnist()
    assert str(package / "data" / "mnist") in str(caught.value)
    assert str(package.parent / "data" / "mnist") in str(caught.value)
    assert "Install npu_lab again" in str(caught.value)


def test_an_emptied_data_folder_is_an_error_not_a_fallback_to_itself(
    package: Path,
) -> None:
    (package / "data" / "mnist").mkdir(parents=True)
    with pytest.raises(DataError, match="mnist has lost the bundled digits"):
        mnist()
