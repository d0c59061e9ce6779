"""Runs cells in a fresh kernel, as Jupyter does, and the lessons as they are stored."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
LESSONS = sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))

Outputs = list[list[nbformat.NotebookNode]]
RunCells = Callable[..., Outputs]


@pytest.fixture(scope="session")
def run_cells() -> RunCells:
    """Run sources in one kernel; the outputs of each, stream by stream."""

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
        client.execute(env={**kernel_environment(), **environ})
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
        if not name.startswith(("ASCEND_", "PYTEST_", "TF_"))
    }
    # The kernel named python3 runs "python": the one of this environment.
    folder = str(Path(sys.executable).parent)
    return {
        **kept,
        "NPU_LAB_LANG": "en",
        "PATH": os.pathsep.join([folder, kept.get("PATH", "")]),
        "PYTHONPATH": path,
    }


@pytest.fixture(params=LESSONS, ids=lambda path: path.stem)
def lesson(request: pytest.FixtureRequest) -> nbformat.NotebookNode:
    """Each lesson as it is stored."""
    return nbformat.read(request.param, as_version=4)


def texts(outputs: list[nbformat.NotebookNode], name: str = "stdout") -> str:
    """What was written to a stream."""
    return "".join(o.text for o in outputs if o.get("name") == name)
