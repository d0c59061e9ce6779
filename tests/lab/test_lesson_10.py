"""Lesson 10, beyond what holds for all lessons."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

SOURCE = Path(__file__).parents[2] / "notebooks" / "src" / "10_two_devices.md"
BOTH = pytest.mark.parametrize("folder", ["", "zh"])


def notebook(folder: str) -> dict[str, Any]:
    place = SOURCE.parents[1] / folder / SOURCE.with_suffix(".ipynb").name
    return {cell.id: cell for cell in nbformat.read(place, as_version=4).cells}


def shown(cell: Any) -> str:
    """All that a cell shows, as text."""
    return "\n".join(
        output.get("text", "") + output.get("data", {}).get("text/plain", "")
        for output in cell.outputs
    )


def printed(text: str, word: str) -> list[list[float]]:
    """What the ranks printed behind a word."""
    found = re.findall(rf"^rank \d {word} (.*)$", text, re.MULTILINE)
    return [[float(number) for number in line.split()] for line in found]


@BOTH
def test_both_ranks_make_the_step_of_the_mean(folder: str) -> None:
    text = shown(notebook(folder)["average"])
    assert re.findall(r"rank (\d) of 2 weight (\S+)", text) == [
        ("0", "-1.0"),
        ("1", "-1.0"),
    ]


@BOTH
def test_without_a_broadcast_the_difference_stays(folder: str) -> None:
    cells = notebook(folder)
    text = shown(cells["forget"])
    (b0, b1), (a0, a1) = (printed(text, word) for word in ("before", "after"))
    apart = [one - other for one, other in zip(b0, b1, strict=True)]
    assert max(map(abs, apart)) > 1
    assert [one - other for one, other in zip(a0, a1, strict=True)] == pytest.approx(
        apart, abs=2e-4
    )
    shown_apart = re.findall(r"^apart \w+ *\[(.*)\]$", text, re.MULTILINE)
    assert len(shown_apart) == 2
    assert len(set(shown_apart)) == 1


@BOTH
def test_with_it_all_four_runs_end_alike(folder: str) -> None:
    cells = notebook(folder)
    text = shown(cells["equal"])
    assert "ranks apart 0.0\nN = 1 and N = 10 apart 0.0\n" in text
    one, other = printed(text, "after")
    assert one == other == pytest.approx([1, 2, 3, 4], abs=1e-3)
    assert one != pytest.approx(printed(shown(cells["forget"]), "after")[0], abs=0.1)


@BOTH
def test_the_calls_of_all_ranks_are_those_planned(folder: str) -> None:
    rows = [line.split() for line in shown(notebook(folder)["calls"]).splitlines()[1:3]]
    assert rows == [
        ["1", "-", "200", "100", "100", "200"],
        ["10", "-", "20", "10", "10", "20"],
    ]


@BOTH
def test_the_scripts_are_plain(folder: str) -> None:
    """What a rank runs names nothing that only the lab has."""
    written = [
        cell.source
        for cell in notebook(folder).values()
        if cell.source.startswith("%%writefile two_devices/")
    ]
    assert len(written) == 5
    for source in written:
        assert not re.search(r"npu_lab|\blab\b|____", source)
        compile(source.partition("\n")[2], "script", "exec")
