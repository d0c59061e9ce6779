"""Lesson 15, beyond what holds for all lessons."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from npu_lab.extras.capstone import bundled
from npu_lab.lab.lessons import lesson_15

SOURCE = Path(__file__).parents[2] / "notebooks" / "src" / "15_capstone.md"


def test_the_solution_is_what_the_table_of_scripts_says() -> None:
    names: dict[str, dict[str, str]] = {}
    exec(lesson_15.EXERCISES[0].solution, names)  # noqa: S102  (ours)
    assert names["edits"] == dict(bundled.SCRIPTS[lesson_15.SCRIPT].edits)


def test_the_text_lists_every_script() -> None:
    text = SOURCE.read_text("utf-8")
    for name in bundled.SCRIPTS:
        assert text.count(f"| `{name}` |") == 2


@pytest.mark.parametrize("folder", ["", "zh"])
def test_the_untouched_notebook_says_where_one_stands(folder: str) -> None:
    place = SOURCE.parents[1] / folder / SOURCE.with_suffix(".ipynb").name
    cells = {cell.id: cell for cell in nbformat.read(place, as_version=4).cells}

    def shown(name: str) -> str:
        return "".join(
            one.get("text", "") or one["data"]["text/plain"]
            for one in cells[name].outputs
        )

    assert shown("first").startswith("✗")
    for name in ("second", "apply", "standing"):
        assert "✗" in shown(name)
        assert shown(name).count("○") == 4
    assert "400 0" in shown("ledger")
    assert "✓" not in shown("receipt")
