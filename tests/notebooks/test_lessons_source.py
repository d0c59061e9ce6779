"""The tool that turns the text source of a lesson into a notebook."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import nbformat
import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "lessons.py"
SOURCE = """\
<!-- cell: title -->

# A title

```text
no code cell
```

<!-- cell: code nbval-ignore-output another-tag -->

```python
x = 1

print("```")
```
"""


@pytest.fixture(scope="module")
def lessons() -> ModuleType:
    specification = importlib.util.spec_from_file_location("lessons", TOOL)
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_pictures_shown_elsewhere_are_those_of_the_lessons(
    lessons: ModuleType,
) -> None:
    for path, (name, cell_id) in lessons.PICTURES.items():
        stored = lessons.picture(lessons.NOTEBOOKS / f"{name}.ipynb", cell_id)
        assert path.read_bytes() == stored
        assert len(stored) < 150_000


def test_cells_have_ids_tags_and_sources(lessons: ModuleType) -> None:
    title, code = lessons.cells(SOURCE)
    assert (title.id, title.cell_type) == ("title", "markdown")
    assert title.source == "# A title\n\n```text\nno code cell\n```"
    assert (code.id, code.cell_type) == ("code", "code")
    assert code.source == 'x = 1\n\nprint("```")'
    assert code.metadata["tags"] == ["nbval-ignore-output", "another-tag"]


@pytest.mark.parametrize("source", ["# no cell\n", "# before\n\n" + SOURCE])
def test_text_outside_a_cell_is_an_error(lessons: ModuleType, source: str) -> None:
    with pytest.raises(ValueError, match="begins with"):
        lessons.cells(source)


def test_a_changed_source_is_out_of_date(lessons: ModuleType, tmp_path: Path) -> None:
    source, path = tmp_path / "01_x.md", tmp_path / "01_x.ipynb"
    source.write_text(SOURCE, encoding="utf-8")
    assert not lessons.is_current(source, path)
    lessons.write(lessons.notebook(source), path)
    assert lessons.is_current(source, path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["01_x.ipynb", "01_x.md"]
    source.write_text(SOURCE.replace("x = 1", "x = 2"), encoding="utf-8")
    assert not lessons.is_current(source, path)


def test_stored_outputs_hold_no_widget_and_no_time(
    lessons: ModuleType, tmp_path: Path
) -> None:
    source = tmp_path / "01_x.md"
    cell = "import ipywidgets\nprint(6 * 7)\nipywidgets.Label('a')"
    source.write_text(
        f"<!-- cell: widget -->\n\n```python\n{cell}\n```\n", encoding="utf-8"
    )
    lesson = lessons.notebook(source)
    lessons.execute(lesson)
    lessons.write(lesson, tmp_path / "01_x.ipynb")
    (stored,) = nbformat.read(tmp_path / "01_x.ipynb", as_version=4).cells
    assert stored.outputs[0].text == "42\n"
    assert list(stored.outputs[1].data) == ["text/plain"]
    assert not stored.metadata
    assert "widgets" not in lesson.metadata
