"""Each lesson run twice from top to bottom in one kernel gives the same outputs.

Only `make notebooks-twice` runs this: it takes as long as all lessons, twice.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.notebooks.conftest import LESSONS, texts

NOT_COMPARED = {"image/png", "application/vnd.jupyter.widget-view+json"}
# Nodes in the default graph, graphs alive, and memory in MB.
# What libraries keep for the life of the process is let go before: ipywidgets every
# widget, and TensorFlow every custom gradient, as batch norm has one, with its graph.
COUNT = """
import gc, ipywidgets, psutil, tensorflow
ipywidgets.Widget.close_all()
from tensorflow.python.framework import ops
for name in [n for n in ops.gradient_registry.list() if n.startswith("CustomGradient")]:
    del ops.gradient_registry._registry[name]
gc.collect()
print(len(tensorflow.compat.v1.get_default_graph().get_operations()))
print(sum(isinstance(one, tensorflow.Graph) for one in gc.get_objects()))
print(psutil.Process().memory_info().rss // 2**20)
"""
GROWTH = 100  # MB; a lesson takes several hundred, and the allocator keeps some

Outputs = list[list[nbformat.NotebookNode]]


class Passes:
    """The cells of a lesson, and what each gave in the first and the second pass."""

    def __init__(self, path: Path, run_cells: Callable[..., Outputs]) -> None:
        notebook = nbformat.read(path, as_version=4)
        self.cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        sources = [*(cell.source for cell in self.cells), COUNT]
        outputs = run_cells(sources * 2)
        middle = len(sources)
        self.first, self.second = outputs[:middle], outputs[middle:]


@pytest.fixture(scope="module", params=LESSONS, ids=lambda path: path.stem)
def passes(request: pytest.FixtureRequest, run_cells: Callable[..., Outputs]) -> Passes:
    return Passes(request.param, run_cells)


pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(
        not os.environ.get("NPU_LAB_TWICE"), reason="make notebooks-twice runs it"
    ),
]


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
            assert len(images) <= ("plot_" in cell.source), cell.id


def test_graph_and_memory_do_not_grow(passes: Passes) -> None:
    first, second = (
        list(map(int, texts(one[-1]).split())) for one in (passes.first, passes.second)
    )
    assert first[0] == second[0] == 0
    assert second[1] <= first[1]
    assert second[2] - first[2] < GROWTH


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
        text, data = (numberless(one) for one in (text, data))
        name = output.get("name")
        if name and found and found[-1][0] == name:
            text = found.pop()[1] + text
        found.append((name, text, data))
    return found


def numberless(shown: Any) -> Any:
    """Without the ids of graphs: the device counts on in the second pass."""
    if isinstance(shown, dict):
        return {kind: numberless(text) for kind, text in shown.items()}
    return re.sub(
        r"(graph id(?: is)?: |subgraph_|(?:for|ge) graph )\d+", r"\1ID", shown
    )
