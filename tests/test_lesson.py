from __future__ import annotations

import re
from pathlib import Path

import pytest

from npu_lab import lesson

SOURCE = """\
<!-- cell: title -->

<!-- en -->

# A title

```text
no code cell
```

<!-- zh -->

# 标题

```text
不是代码单元
```

<!-- cell: code nbval-ignore-output export -->

```python
x = 1  # one | 一
y = x | 2  # a plain comment

print("```")  # done | 完成
```
"""


def test_a_text_has_both_languages_and_code_splits_its_comments(tmp_path: Path) -> None:
    title, code = lesson.cells(SOURCE, tmp_path)
    assert (title.name, title.tags, title.is_code) == ("title", (), False)
    assert title.source["en"] == "# A title\n\n```text\nno code cell\n```"
    assert title.source["zh"] == "# 标题\n\n```text\n不是代码单元\n```"
    assert code.is_code
    assert code.tags == ("nbval-ignore-output", "export")
    for language, one, done in ("en", "one", "done"), ("zh", "一", "完成"):
        assert code.source[language] == (
            f'x = 1  # {one}\ny = x | 2  # a plain comment\n\nprint("```")  # {done}'
        )


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "begins with"),
        ("# before\n\n" + SOURCE, "begins with"),
        ("<!-- cell: a -->\n\n# Only English\n", "Cell a is neither"),
        ("<!-- cell: a -->\n<!-- en -->\n\nOnly English\n", "Cell a is neither"),
        ("<!-- cell: a -->\n<!-- en -->\n\n<!-- zh -->\n\n", "Cell a is neither"),
    ],
)
def test_what_is_not_in_form_is_told(source: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        lesson.cells(source, tmp_path)


def test_a_link_to_a_lesson_not_yet_written_is_plain_text(tmp_path: Path) -> None:
    (tmp_path / "01_there.md").touch()
    text = "[one](01_there.ipynb), [two](02_not.ipynb), [three](https://x.y)"
    source = f"<!-- cell: a -->\n<!-- en -->\n{text}\n<!-- zh -->\n{text}\n"
    (cell,) = lesson.cells(source, tmp_path)
    linked = "[one](01_there.ipynb), two, [three](https://x.y)"
    assert cell.source == {"en": linked, "zh": linked}


def test_lessons_are_found_by_name() -> None:
    assert lesson.names()[0] == "00_start_here"
    assert lesson.read("00_start_here")[0].name == "title"
    with pytest.raises(KeyError, match="there are: 00_start_here"):
        lesson.read("00")


def test_what_is_no_lesson_is_a_page() -> None:
    assert lesson.pages() == ["half_day_test", "index"]
    assert lesson.read("index")[0].name == "title"


def test_a_page_holds_the_outline_of_the_lessons_beside_it(tmp_path: Path) -> None:
    first = (
        "<!-- cell: title -->\n<!-- en -->\n{}\n<!-- zh -->\n{}\n\n<!-- cell: b -->\n"
    )
    english, chinese = "# One\n- to do\n\n5 minutes", "# 一\n- 做\n\n5 分钟"
    (tmp_path / "01_one.md").write_text(first.format(english, chinese), "utf-8")
    mark = "<!-- outline -->"
    source = f"<!-- cell: a -->\n<!-- en -->\n{mark}\n<!-- zh -->\n{mark}\n"
    (cell,) = lesson.cells(source, tmp_path)
    assert cell.source == {
        "en": "| [01 One](01_one.ipynb) | 5 | • to do |",
        "zh": "| [01 一](01_one.ipynb) | 5 | • 做 |",
    }
    (tmp_path / "02_two.md").write_text("no cell", "utf-8")
    with pytest.raises(ValueError, match="first cell"):
        lesson.cells(source, tmp_path)
