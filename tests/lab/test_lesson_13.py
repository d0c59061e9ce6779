"""Lesson 13, beyond what holds for all lessons."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

import npu_lab.tf1 as tf
from npu_lab.device import Device
from npu_lab.extras.freeze import freeze
from npu_lab.lab import check
from npu_lab.lab.exercises import State
from npu_lab.lab.lessons import answers_13, lesson_13

SOURCE = Path(__file__).parents[2] / "notebooks" / "src" / "13_freeze_and_infer.md"


def cell_of(name: str) -> str:
    """The code of a cell of the source."""
    part = SOURCE.read_text("utf-8").partition(f"<!-- cell: {name}")[2]
    return part.partition("```python\n")[2].partition("```")[0]


@pytest.mark.parametrize(
    ("cell", "solution", "gaps"),
    [
        (
            "inference -->",
            lesson_13.GRAPH_SOLUTION,
            {'name="input"': "name=____", "(x, False)": "(x, ____)"},
        ),
        (
            "padded",
            lesson_13.PADDED_SOLUTION,
            {
                "import numpy as np\n\n\n": "",
                "    missing = size - len(batch)\n": "",
                "np.repeat(batch[-1:], missing, axis=0)": "____",
            },
        ),
    ],
)
def test_a_skeleton_is_the_solution_with_gaps(
    cell: str, solution: str, gaps: dict[str, str]
) -> None:
    for code, gap in gaps.items():
        assert code in solution
        solution = solution.replace(code, gap)
    assert solution in cell_of(cell)


def test_the_checkers_network_is_that_of_the_lesson(device: Device) -> None:
    names = {"tf": tf}
    code = cell_of("network ").partition("def network")
    exec("def network" + code[2].partition("\n\n\n")[0], names)  # noqa: S102 (ours)
    graphs = []
    for network in (names["network"], answers_13.network):
        with tf.Graph().as_default() as graph:
            answers_13.right_graph(network)
            graphs.append(graph.as_graph_def())
    assert graphs[0] == graphs[1]


def test_what_the_checker_takes_can_be_frozen(device: Device, tmp_path: Path) -> None:
    """The checker looks for less than `freeze` does; it must not be fooled."""
    with tf.Graph().as_default(), tf.Session() as session:
        answers_13.in_training(answers_13.network)
        session.run(tf.global_variables_initializer())
        prefix = tf.train.Saver().save(session, str(tmp_path / "c"))

    def build() -> object:
        return answers_13.right_graph(answers_13.network)

    made = freeze(prefix, tmp_path / "m.pb", model=build)
    assert made.findings == ()
    assert check("13/inference", answers_13.right_graph).state is State.RIGHT


@pytest.mark.parametrize("folder", ["", "zh"])
def test_what_the_texts_say_is_what_the_cells_show(folder: str) -> None:
    place = SOURCE.parents[1] / folder / SOURCE.with_suffix(".ipynb").name
    cells = {cell.id: cell for cell in nbformat.read(place, as_version=4).cells}

    def shown(name: str) -> str:
        return "".join(one.get("text", "") for one in cells[name].outputs)

    assert "FailedPreconditionError True" in shown("first")
    assert "placeholders False" in shown("inside")
    assert "compiled 2" in shown("online")
    assert "compiled 1" in shown("digits")
    assert "within 1e-6: True" in shown("verified")
    assert "written: False" in shown("refused")
    wrong, right = (float(shown("online").split()[n]) for n in (-1, -5))
    assert wrong + 0.02 < right
