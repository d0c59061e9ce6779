from __future__ import annotations

from pathlib import Path

import pytest

from npu_lab import export, lesson

SOURCE = """\
<!-- cell: setup export -->

```python
import os

os.environ["A"] = "1"  # kept | 保留
%load_ext npu_lab

import npu_lab
from npu_lab import lab
from npu_lab.lab import ____
```

<!-- cell: train export -->

```python
%%npu_run
start = len(npu_lab.hostlog.read())
for n in (1, 2):
    print(n)
display(
    lab.table(n),
)
slabs = "lab"
```

<!-- cell: widget -->

```python
print("not exported")
```
"""


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    monkeypatch.setattr(lesson, "PLACES", (tmp_path,))
    (tmp_path / "07_x.md").write_text(SOURCE, encoding="utf-8")
    return tmp_path


def test_what_only_the_lab_has_is_left_out(course: Path) -> None:
    head, *code = export.export("07_x").split("\n\n\n")
    assert head.startswith("# Lesson 07_x as a plain script")
    assert "npu-lab run" in head
    assert all(line.startswith("#") for line in head.splitlines())
    assert code == [
        'import os\n\nos.environ["A"] = "1"  # kept',
        "for n in (1, 2):\n    print(n)",
        'slabs = "lab"\n',
    ]


def test_the_script_says_which_tensorflow_it_is_for(course: Path) -> None:
    assert "with TensorFlow 1.15 and the adapter" in export.export("07_x")
    source = SOURCE.replace("import os\n", "import npu_device as npu\nimport os\n")
    (course / "08_x.md").write_text(source, encoding="utf-8")
    assert "with TensorFlow 2.6 and its adapter npu_device" in export.export("08_x")


def test_comments_are_in_the_language(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "zh")
    script = export.export("07_x")
    assert script.startswith("# 课程 07_x")
    assert "# 保留" in script


def test_a_lesson_with_nothing_to_export_is_told(course: Path) -> None:
    source = SOURCE.replace(" export -->", " -->")
    (course / "08_x.md").write_text(source, encoding="utf-8")
    with pytest.raises(ValueError, match="08_x has no code for the real machine"):
        export.export("08_x")


FILES = """\
<!-- cell: model export -->

```python
%%writefile two_devices/model.py
import tensorflow as tf

rate = 0.5
```

<!-- cell: train export -->

```python
%%writefile two_devices/train.py
# a comment | 注释
import sys

from model import rate

print(rate, sys.argv)
```
"""


def test_cells_that_write_files_become_one_script(course: Path) -> None:
    (course / "07_x.md").write_text(FILES, encoding="utf-8")
    code = export.export("07_x").partition("\n\n\n")[2]
    assert code == (
        "import tensorflow as tf\n\nrate = 0.5\n\n\n"
        "# a comment\nimport sys\n\n\nprint(rate, sys.argv)\n"
    )
