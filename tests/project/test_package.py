"""A wheel holds all that the package reads when it runs."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile

import pytest

from tests.project.tree import PACKAGE, ROOT, project_files

ASSETS = {".css", ".html", ".js", ".json", ".svg", ".toml", ".yaml"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The names in a wheel that is built from a copy of the project's files."""
    folder = tmp_path_factory.mktemp("wheel")
    for path in project_files():
        copy = folder / "project" / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps"]
    command += ["--no-build-isolation", "--no-index", "--wheel-dir", folder, "."]
    done = subprocess.run(
        command, cwd=folder / "project", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("npu_lab-*.whl")
    with zipfile.ZipFile(built) as archive:
        return set(archive.namelist())


def test_every_module_and_asset_of_the_package_is_in_it(wheel):
    wanted = {
        path.relative_to(ROOT).as_posix()
        for path in project_files()
        if PACKAGE in path.parents and path.suffix in {".py", *ASSETS}
    }
    assert "npu_lab/__init__.py" in wanted
    assert wanted <= wheel


def test_the_data_is_in_it_as_a_part_of_the_package(wheel):
    data = {
        f"npu_lab/{path.relative_to(ROOT).as_posix()}"
        for path in project_files()
        if ROOT / "data" in path.parents
    }
    assert "npu_lab/data/mnist/train-images-idx3-ubyte.gz" in data
    assert len(data) == 4 + 480 + 1
    assert data <= wheel


def test_the_lessons_are_in_it_as_a_part_of_the_package(wheel):
    sources = (ROOT / "notebooks" / "src").glob("*.md")
    assert {f"npu_lab/course/{path.name}" for path in sources} <= wheel
    assert "npu_lab/course/00_start_here.md" in wheel


def test_nothing_else_lands_among_the_users_packages(wheel):
    folders = {name.partition("/")[0] for name in wheel}
    others = {name for name in folders if not name.startswith("npu_lab-")}
    assert others == {"npu_lab"}


def test_the_settings_for_jupyter_are_in_it(wheel):
    settings = {name.partition(".data/data/")[2] for name in wheel}
    assert "etc/jupyter/jupyter_server_config.d/npu_lab.json" in settings
    assert "share/jupyter/lab/settings/overrides.d/npu_lab.json" in settings
