"""A quiz in a real JupyterLab: by keyboard, in the language of the folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from npu_lab.lab.notebooks import METADATA
from tests.browser.test_start_here import RUN_SECONDS, STDERR, run_all

CELL = 'from npu_lab import lab\nlab.quiz("00/loss", "00/keyword")'


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "before", "after"),
    [
        ("notebooks", "Choose here", "The nine before it"),
        ("notebooks/zh", "请在此选择", "不会返回 Host 侧"),
    ],
)
def test_a_choice_made_by_keyboard_is_explained(
    browser: Any,
    jupyterlab: Callable[[str], str],
    tmp_path: Path,
    folder: str,
    before: str,
    after: str,
) -> None:
    notebook = new_notebook(cells=[new_code_cell(CELL)], metadata=METADATA)
    nbformat.write(notebook, tmp_path / folder / "quiz.ipynb")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(RUN_SECONDS * 1000)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(jupyterlab(f"{folder}/quiz.ipynb"))
    run_all(page)

    buttons = page.locator(".widget-radio input[type=radio]")
    buttons.first.wait_for()
    verdicts = page.locator(".jp-OutputArea-output [role=status]")
    assert before in verdicts.nth(0).inner_text()
    assert page.locator(".widget-radio input:checked").count() == 0

    buttons.nth(1).focus()
    buttons.nth(1).press("Space")
    verdicts.nth(0).filter(has_text=after).wait_for()
    assert "✓" in verdicts.nth(0).inner_text()
    assert before in verdicts.nth(1).inner_text()
    assert page.locator(STDERR).count() == 0
    assert errors == []
    page.close()
