"""The code in the READMEs runs, and is the same in both languages."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from npu_lab import lesson
from tests.project.tree import ROOT


def code(name: str) -> str:
    text = (ROOT / name).read_text("utf-8")
    return re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]


def without_comments(text: str) -> str:
    return re.sub(r" *#.*", "", text)


def test_both_languages_show_the_same_code():
    assert without_comments(code("README.md")) == without_comments(code("README.zh.md"))


def test_the_code_runs_and_prints_what_it_says(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", code("README.md")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    total, verdict, ledger = done.stdout.splitlines()
    assert total == "45"
    assert verdict.startswith("IterationOp: in effect")
    assert "device_iterations=10, batches_pulled=10" in ledger
    assert done.stderr == ""


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_every_lesson_is_listed_in_order(name):
    text = (ROOT / name).read_text("utf-8")
    listed = re.findall(r"\(notebooks/(?:zh/)?(\d\d\w+)\.ipynb\)", text)
    assert listed == lesson.names()
