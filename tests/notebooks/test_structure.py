"""The form of a lesson: frame, length, tags, stored outputs."""

from __future__ import annotations

import base64
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
LESSONS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
MACHINE = re.compile(r"/(tmp|home|root|Users)/|[A-Z]:\\\\|site-packages|ipykernel_")
TAGS = {"nbval-ignore-output"}
VOLATILE = {"setup", "time"}  # versions; the clock

Lesson = nbformat.NotebookNode


def code_cells(lesson: Lesson) -> list[nbformat.NotebookNode]:
    return [cell for cell in lesson.cells if cell.cell_type == "code"]


def text_cells(lesson: Lesson) -> list[nbformat.NotebookNode]:
    return [cell for cell in lesson.cells if cell.cell_type == "markdown"]


def images(cell: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [o for o in cell.outputs if "image/png" in o.get("data", {})]


def test_there_is_a_first_lesson() -> None:
    assert LESSONS[0].name == "00_start_here.ipynb"


def test_number_of_cells(lesson: Lesson) -> None:
    assert 18 <= len(lesson.cells) <= 35


def test_length_of_code_cells(lesson: Lesson) -> None:
    lengths = [len(cell.source.splitlines()) for cell in code_cells(lesson)]
    assert statistics.median(lengths) <= 6
    assert statistics.quantiles(lengths, n=10, method="inclusive")[-1] <= 16
    assert max(lengths) <= 30


def test_length_of_text_cells(lesson: Lesson) -> None:
    for cell in text_cells(lesson):
        assert len(cell.source.split()) <= 90, cell.id


def test_frame(lesson: Lesson) -> None:
    title, setup = lesson.cells[:2]
    assert title.source.startswith("# ")
    for part in ("You will be able to", "minutes", "Read before"):
        assert part in title.source
    assert "%load_ext npu_lab" in setup.source.splitlines()
    assert "ASCEND_GLOBAL_LOG_LEVEL" in setup.source
    summary, quiz = lesson.cells[-2:]
    assert summary.source.startswith("## Summary")
    assert summary.source.count("\n- ") <= 5
    assert 2 <= quiz.source.count("<details>") <= 3
    assert "**Next lesson:**" in quiz.source


def test_text_comes_before_code(lesson: Lesson) -> None:
    """At most three code cells follow each other."""
    kinds = "".join(cell.cell_type[0] for cell in lesson.cells)
    assert "cccc" not in kinds
    assert kinds.startswith("mc")


def test_ids_are_words_and_each_is_there_once(lesson: Lesson) -> None:
    ids = [cell.id for cell in lesson.cells]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z0-9-]{3,30}", name) for name in ids)


def test_only_what_changes_from_run_to_run_is_not_compared(lesson: Lesson) -> None:
    tagged = {cell.id for cell in lesson.cells if cell.metadata.get("tags")}
    assert tagged == VOLATILE
    for cell in lesson.cells:
        assert set(cell.metadata) <= {"tags"}
        assert set(cell.metadata.get("tags", [])) <= TAGS


def test_every_code_cell_was_run_in_order(lesson: Lesson) -> None:
    counts = [cell.execution_count for cell in code_cells(lesson)]
    assert counts == list(range(1, len(counts) + 1))


def test_no_output_is_an_error_or_on_stderr(lesson: Lesson) -> None:
    for cell in code_cells(lesson):
        for output in cell.outputs:
            assert output.output_type != "error", cell.id
            assert output.get("name") != "stderr", cell.id


def test_no_output_names_this_machine(lesson: Lesson) -> None:
    for cell in code_cells(lesson):
        for output in cell.outputs:
            data = {k: v for k, v in output.get("data", {}).items() if "png" not in k}
            shown = json.dumps([data, output.get("text", ""), output.get("metadata")])
            assert not MACHINE.search(shown), cell.id
            assert str(ROOT) not in shown


def test_a_cell_shows_one_image_at_most_with_alt_text(lesson: Lesson) -> None:
    found = 0
    for cell in code_cells(lesson):
        shown = images(cell)
        assert len(shown) <= 1, cell.id
        assert len(shown) == ("lab.plot_" in cell.source), cell.id
        for output in shown:
            found += 1
            metadata = output.metadata["image/png"]
            assert len(metadata["alt"]) > 40
            assert metadata["alt"] in output.data["text/plain"]
            assert metadata["width"] <= 760
            assert base64.b64decode(output.data["image/png"])[:4] == b"\x89PNG"
    assert found


def test_markdown_images_have_alt_text(lesson: Lesson) -> None:
    for cell in text_cells(lesson):
        assert "![](" not in cell.source
        assert not re.search(r"<img(?![^>]*\balt=)", cell.source)


def test_notebook_is_stored_without_widget_state(lesson: Lesson) -> None:
    assert sorted(lesson.metadata) == ["kernelspec", "language_info"]
    assert lesson.metadata.kernelspec.name == "python3"
    assert lesson.metadata.language_info == {"name": "python"}
    for cell in code_cells(lesson):
        for output in cell.outputs:
            # Without its kernel it would show "model not found".
            assert "application/vnd.jupyter.widget-view+json" not in output.get(
                "data", {}
            )


def test_slider_cell_has_a_text_and_the_next_cell_figure_and_table(
    lesson: Lesson,
) -> None:
    cells = code_cells(lesson)
    (place,) = [n for n, cell in enumerate(cells) if "_slider(" in cell.source]
    (shown,) = cells[place].outputs
    assert "slider" in shown.data["text/plain"]
    following = cells[place + 1]
    assert images(following)
    assert any("<table>" in o.data.get("text/html", "") for o in following.outputs)
    assert not following.metadata.get("tags")  # compared


def test_notebooks_are_those_of_their_sources() -> None:
    command = [sys.executable, str(ROOT / "tools" / "lessons.py"), "--check"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_size_is_fit_for_a_repository(path: Path) -> None:
    assert path.stat().st_size < 600_000
