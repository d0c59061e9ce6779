"""Each lesson run twice from top to bottom in one kernel gives the same outputs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
LESSONS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
NOT_COMPARED = {"image/png", "application/vnd.jupyter.widget-view+json"}
COUNT_NODES = (
    "import npu_lab, tensorflow\n"
    "print(len(tensorflow.get_default_graph().get_operations()))"
)

Outputs = list[list[nbformat.NotebookNode]]


class Passes:
    """The cells of a lesson, and what each gave in the first and the second pass."""

    def __init__(self, path: Path, run_cells: Callable[..., Outputs]) -> None:
        notebook = nbformat.read(path, as_version=4)
        self.cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        sources = [*(cell.source for cell in self.cells), COUNT_NODES]
        outputs = run_cells(sources * 2)
        middle = len(sources)
        self.first, self.second = outputs[:middle], outputs[middle:]


@pytest.fixture(scope="module", params=LESSONS, ids=lambda path: path.stem)
def passes(request: pytest.FixtureRequest, run_cells: Callable[..., Outputs]) -> Passes:
    return Passes(request.param, run_cells)


pytestmark = pytest.mark.slow


def test_second_pass_gives_the_same_outputs(passes: Passes) -> None:
    for cell, first, second in zip(
        passes.cells, passes.first, passes.second, strict=False
    ):
        if "nbval-ignore-output" not in cell.metadata.get("tags", []):
            assert facts(second) == facts(first), cell.id


def test_first_pass_gives_the_stored_outputs(passes: Passes) -> None:
    for cell, first in zip(passes.cells, passes.first, strict=False):
        if "nbval-ignore-output" not in cell.metadata.get("tags", []):
            assert facts(first) == facts(cell.outputs), cell.id


def test_nothing_is_written_to_stderr(passes: Passes) -> None:
    outputs = [o for cell in passes.first + passes.second for o in cell]
    assert [o.text for o in outputs if o.get("name") == "stderr"] == []


def test_each_plot_cell_shows_exactly_one_image(passes: Passes) -> None:
    for cell, *both in zip(passes.cells, passes.first, passes.second, strict=False):
        for outputs in both:
            images = [o for o in outputs if "image/png" in o.get("data", {})]
            assert len(images) == ("lab.plot_" in cell.source), cell.id


def test_default_graph_does_not_grow(passes: Passes) -> None:
    assert passes.first[-1][0].text == passes.second[-1][0].text == "0\n"


def facts(outputs: list[nbformat.NotebookNode]) -> list[Any]:
    """What is compared: text and HTML, the id of a graph apart.

    A stream may arrive in several pieces; what stands side by side is one.
    """
    found: list[Any] = []
    for output in outputs:
        text = output.get("text", "")
        data = {
            k: v for k, v in output.get("data", {}).items() if k not in NOT_COMPARED
        }
        text = re.sub(r"current graph id is: \d+", "current graph id is: ID", text)
        name = output.get("name")
        if name and found and found[-1][0] == name:
            text = found.pop()[1] + text
        found.append((name, text, data))
    return found
