"""The form of a lesson: frame, length, tags, stored outputs."""

from __future__ import annotations

import base64
import itertools
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from npu_lab.lab.lessons import mode
from tests.notebooks.conftest import CHINESE, LESSONS

ROOT = Path(__file__).resolve().parents[2]
MACHINE = re.compile(r"/(tmp|home|root|Users)/|[A-Z]:\\\\|site-packages|ipykernel_")
IGNORE = "nbval-ignore-output"
TAGS = {IGNORE, "export"}
FRAME = {
    "en": {
        "title": ("You will be able to", "minutes", "Read before"),
        "summary": ("## Summary", "**Next lesson:**"),
    },
    "zh": {
        "title": ("学完本课", "分钟", "课前阅读"),
        "summary": ("## 小结", "**下一课：**"),
    },
}
HANZI = re.compile(r"[\u4e00-\u9fff]")

Lesson = nbformat.NotebookNode


def code_cells(lesson: Lesson) -> list[nbformat.NotebookNode]:
    return [cell for cell in lesson.cells if cell.cell_type == "code"]


def text_cells(lesson: Lesson) -> list[nbformat.NotebookNode]:
    return [cell for cell in lesson.cells if cell.cell_type == "markdown"]


def images(cell: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [o for o in cell.outputs if "image/png" in o.get("data", {})]


def language_of(path: Path) -> str:
    return "zh" if path in CHINESE else "en"


def prose(source: str) -> str:
    """The words of a text cell, without what is only there for the layout."""
    source = re.sub(r"\]\([^)]*\)", "]", source)
    return re.sub(r"</?\w[^>]*>|\||^[-:| ]+$", " ", source, flags=re.MULTILINE)


def test_each_lesson_is_there_in_both_languages() -> None:
    assert LESSONS[0].name == "00_start_here.ipynb"
    assert [path.name for path in CHINESE] == [path.name for path in LESSONS]


@pytest.mark.parametrize("paths", [LESSONS, CHINESE], ids=["en", "zh"])
def test_each_lesson_sends_its_reader_to_the_next(paths: list[Path]) -> None:
    for path, following in itertools.pairwise(paths):
        cells = {cell.id: cell for cell in nbformat.read(path, as_version=4).cells}
        assert f"]({following.name})" in cells["summary"].source, path.name


def test_number_of_cells(lesson: Lesson) -> None:
    assert 18 <= len(lesson.cells) <= 35


def test_length_of_code_cells(lesson: Lesson) -> None:
    lengths = [len(cell.source.splitlines()) for cell in code_cells(lesson)]
    assert statistics.median(lengths) <= 6
    assert statistics.quantiles(lengths, n=10, method="inclusive")[-1] <= 16
    assert max(lengths) <= 30


def test_length_of_text_cells(lesson: Lesson) -> None:
    for cell in text_cells(lesson):
        text = prose(cell.source)
        hanzi = len(HANZI.findall(text))
        assert hanzi <= 160, cell.id
        if not hanzi:
            assert len(text.split()) <= 90, cell.id


def test_texts_are_in_the_language_of_the_folder(lesson: Lesson, path: Path) -> None:
    chinese = [bool(HANZI.search(cell.source)) for cell in text_cells(lesson)]
    if language_of(path) == "zh":
        assert all(chinese)
    else:  # but for the name of the other language
        assert sum(chinese) <= 1
    for cell in code_cells(lesson):
        comments = "".join(re.findall(r"#.*", cell.source))
        assert language_of(path) == "zh" or not HANZI.search(comments), cell.id


def test_frame(lesson: Lesson, path: Path) -> None:
    words = FRAME[language_of(path)]
    cells = {cell.id: cell for cell in lesson.cells}
    ids = [cell.id for cell in lesson.cells]
    assert ids[:2] == ["title", "setup"]
    assert ids[-3:] == ["summary", "quiz", "answers"]
    assert cells["title"].source.startswith("# ")
    for name, parts in words.items():
        for part in parts:
            assert part in cells[name].source
    assert cells["summary"].source.startswith(words["summary"][0])
    assert 1 <= cells["summary"].source.count("\n- ") <= 5


def test_setup_sets_the_level_and_prints_one_ready_line(
    lesson: Lesson, path: Path
) -> None:
    setup = lesson.cells[1]
    (load,) = re.findall(r"^%load_ext (.+)$", setup.source, flags=re.MULTILINE)
    number = path.stem.partition("_")[0]
    assert load == {"tf1": "npu_lab", "tf2": "npu_lab.extras.tf2"}[mode(number)]
    assert "ASCEND_GLOBAL_LOG_LEVEL" in setup.source
    assert set(setup.metadata.tags) == TAGS
    (shown,) = setup.outputs
    assert shown.text.startswith("npu_lab ")
    assert shown.text.count("\n") == 1


def test_quiz_has_two_or_three_questions_and_its_plain_twin_the_same(
    lesson: Lesson, path: Path
) -> None:
    quiz, answers = (cell.source for cell in lesson.cells[-2:])
    asked = re.findall(r'"(\w+/\w+)"', quiz)
    assert quiz.startswith("lab.quiz(")
    assert 2 <= len(asked) <= 3
    assert re.findall(r'lab\.answer\("(\w+/\w+)", ____\)', answers) == asked
    assert {name.partition("/")[0] for name in asked} == {path.stem.partition("_")[0]}


def test_names_begin_with_the_number_of_the_lesson(lesson: Lesson, path: Path) -> None:
    number = path.stem.partition("_")[0]
    for cell in code_cells(lesson):
        for name in re.findall(
            r"lab\.(?:check|predict\w*)\(\s*\"([^\"]+)", cell.source
        ):
            assert name.startswith(f"{number}/"), cell.id


def test_predictions_come_before_and_are_three_at_most(lesson: Lesson) -> None:
    code = "\n".join(cell.source for cell in code_cells(lesson))
    predicted = re.findall(r"lab\.predict\(\s*\"([^\"]+)", code)
    assert len(predicted) <= 3
    for name in re.findall(r"lab\.prediction\(\s*\"([^\"]+)", code):
        assert name in predicted
        assert code.index(f'prediction("{name}') > code.index(f'"{name}')


def test_exercises_are_stored_unsolved(lesson: Lesson) -> None:
    for cell in code_cells(lesson):
        if "lab.check(" in cell.source:
            assert "____" in cell.source, cell.id
            assert cell.outputs[-1].data["text/plain"].startswith("○"), cell.id


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
    """Versions, and what the clock says; two cells beside the setup at most."""
    tags = {cell.id: set(cell.metadata.get("tags", [])) for cell in lesson.cells}
    assert all(one <= TAGS for one in tags.values())
    assert sum(IGNORE in one for one in tags.values()) <= 3
    assert {"quiz", "answers"}.isdisjoint(n for n, one in tags.items() if one)
    for cell in lesson.cells:
        assert set(cell.metadata) <= {"tags"}


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
    for cell in code_cells(lesson):
        shown = images(cell)
        assert len(shown) <= 1, cell.id
        assert len(shown) <= ("plot_" in cell.source), cell.id
        for output in shown:
            metadata = output.metadata["image/png"]
            assert len(metadata["alt"]) > 40
            assert metadata["alt"] in output.data["text/plain"]
            assert metadata["width"] <= 760
            assert base64.b64decode(output.data["image/png"])[:4] == b"\x89PNG"


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


def test_a_widget_cell_has_a_text_and_the_next_cell_shows_the_same(
    lesson: Lesson,
) -> None:
    cells = code_cells(lesson)
    for place, cell in enumerate(cells):
        if re.search(r"lab\.(\w+_slider|\w+_explorer|quiz)\(", cell.source):
            shown = cell.outputs[-1]
            assert shown.data["text/plain"].startswith("["), cell.id
            following = cells[place + 1]
            assert following.outputs, cell.id
            assert IGNORE not in following.metadata.get("tags", []), cell.id


def test_notebooks_are_those_of_their_sources() -> None:
    command = [sys.executable, str(ROOT / "tools" / "lessons.py"), "--check"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


def test_size_is_fit_for_a_repository(path: Path) -> None:
    assert path.stat().st_size < 600_000
