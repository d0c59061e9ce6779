"""Runs cells in a fresh kernel, as Jupyter does, and the lessons as they are stored."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
LESSONS = sorted(NOTEBOOKS.glob("[0-9]*_*.ipynb"))
CHINESE = sorted((NOTEBOOKS / "zh").glob("[0-9]*_*.ipynb"))

Outputs = list[list[nbformat.NotebookNode]]
RunCells = Callable[..., Outputs]


@pytest.fixture(scope="session")
def run_cells(tmp_path_factory: pytest.TempPathFactory) -> RunCells:
    """Run sources in one kernel; the outputs of each, stream by stream."""
    data = {"XDG_DATA_HOME": str(tmp_path_factory.mktemp("data"))}

    def run(
        sources: Sequence[str], folder: Path = NOTEBOOKS, **environ: str
    ) -> Outputs:
        notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            timeout=240,
            resources={"metadata": {"path": str(folder)}},
        )
        client.execute(env={**kernel_environment(), **data, **environ})
        return [cell.outputs for cell in notebook.cells]

    return run


def kernel_environment() -> dict[str, str]:
    """That of a user: no log settings, and nothing that tells of a test.

    Under pytest ipykernel does not look at file descriptor 2, where TensorFlow writes.
    """
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ASCEND_", "PYTEST_", "TF_", "XDG_"))
    }
    # The kernel named python3 runs "python": the one of this environment.
    folder = str(Path(sys.executable).parent)
    return {
        **kept,
        "NPU_LAB_LANG": "en",
        "PATH": os.pathsep.join([folder, kept.get("PATH", "")]),
        "PYTHONPATH": path,
    }


def name_of(path: Path) -> str:
    """A lesson's name, and its language where that is Chinese."""
    return path.stem + ("-zh" if path in CHINESE else "")


@pytest.fixture(params=[*LESSONS, *CHINESE], ids=name_of)
def path(request: pytest.FixtureRequest) -> Path:
    """Where each lesson is stored, in each language."""
    return request.param


@pytest.fixture
def lesson(path: Path) -> nbformat.NotebookNode:
    """Each lesson as it is stored, in each language."""
    return nbformat.read(path, as_version=4)


@pytest.fixture(scope="session")
def tool() -> ModuleType:
    """`tools/lessons.py`."""
    place = ROOT / "tools" / "lessons.py"
    specification = importlib.util.spec_from_file_location("lessons", place)
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def texts(outputs: list[nbformat.NotebookNode], name: str = "stdout") -> str:
    """What was written to a stream."""
    return "".join(o.text for o in outputs if o.get("name") == name)
