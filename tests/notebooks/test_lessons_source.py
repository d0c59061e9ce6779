"""The tool that turns the text source of a lesson into two notebooks."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import nbformat
import pytest

SOURCE = """\
<!-- cell: title -->
<!-- en -->
# A title
<!-- zh -->
# 标题

<!-- cell: code nbval-ignore-output -->

```python
import ipywidgets
print(6 * 7)  # the answer | 答案
ipywidgets.Label("a")
```
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "notebooks" / "src" / "01_x.md"
    path.parent.mkdir(parents=True)
    path.write_text(SOURCE, encoding="utf-8")
    return path


@pytest.fixture
def runs(tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The languages in which cells were run."""
    done: list[str] = []

    def execute(lesson: nbformat.NotebookNode, folder: Path, language: str) -> None:
        done.append(language)
        for cell in lesson.cells[1:]:
            output = nbformat.v4.new_output("stream", text="42\n")
            cell.outputs, cell.execution_count = [output], 1

    monkeypatch.setattr(tool, "execute", execute)
    return done


def test_pictures_shown_elsewhere_are_those_of_the_lessons(tool: ModuleType) -> None:
    for path, (name, cell_id) in tool.PICTURES.items():
        stored = tool.picture(tool.NOTEBOOKS / f"{name}.ipynb", cell_id)
        assert path.read_bytes() == stored
        assert len(stored) < 150_000


def test_stored_outputs_hold_no_widget_and_no_time(
    tool: ModuleType, source: Path
) -> None:
    assert tool.make(source, force=False) == []
    for language, title, comment in (
        ("en", "A title", "the answer"),
        ("zh", "标题", "答案"),
    ):
        lesson = nbformat.read(tool.place(source, language), as_version=4)
        first, code = lesson.cells
        assert first.source == f"# {title}"
        assert f"# {comment}\n" in code.source
        assert code.outputs[0].text == "42\n"
        assert list(code.outputs[1].data) == ["text/plain"]
        assert code.metadata == {"tags": ["nbval-ignore-output"]}
        assert sorted(lesson.metadata) == ["kernelspec", "language_info"]


def test_only_changed_code_is_run_again(
    tool: ModuleType, source: Path, runs: list[str]
) -> None:
    def current() -> list[bool]:
        return [tool.is_current(source, language) for language in ("en", "zh")]

    assert current() == [False, False]
    tool.make(source, force=False)
    assert current() == [True, True]
    assert runs == ["en", "zh"]
    text = SOURCE.replace("# 标题", "# 新的标题").replace("the answer", "an answer")
    source.write_text(text, encoding="utf-8")
    assert current() == [False, False]
    tool.make(source, force=False)
    assert current() == [True, True]
    assert runs == ["en", "zh"]
    stored = nbformat.read(tool.place(source, "zh"), as_version=4)
    assert stored.cells[0].source == "# 新的标题"
    assert stored.cells[1].outputs[0].text == "42\n"
    tool.make(source, force=True)
    assert len(runs) == 4
    source.write_text(SOURCE.replace("6 * 7", "7 * 6"), encoding="utf-8")
    tool.make(source, force=False)
    assert len(runs) == 6
    names = sorted(file.name for file in source.parent.parent.rglob("*.*"))
    assert names == ["01_x.ipynb", "01_x.ipynb", "01_x.md"]


def test_nothing_is_written_when_the_languages_show_other_numbers(
    tool: ModuleType, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def execute(lesson: nbformat.NotebookNode, folder: Path, language: str) -> None:
        text = "42" if language == "en" else "43"
        lesson.cells[1].outputs = [nbformat.v4.new_output("stream", text=text)]

    monkeypatch.setattr(tool, "execute", execute)
    text = SOURCE.replace(" nbval-ignore-output", "")
    source.write_text(text, encoding="utf-8")
    (wrong,) = tool.make(source, force=False)
    assert wrong.startswith("code: ")
    assert not tool.place(source, "en").exists()
