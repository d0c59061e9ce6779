"""A quiz in a real JupyterLab, by keyboard; the language is that of the folder."""

from __future__ import annotations

import pytest

from tests.browser.conftest import JupyterLab

CELL = 'from npu_lab import lab\nlab.quiz("00/loss", "00/keyword")'


@pytest.mark.browser
@pytest.mark.slow
def test_a_choice_made_by_keyboard_is_explained(jupyterlab: JupyterLab) -> None:
    with jupyterlab.opened("notebooks/zh/quiz.ipynb", [CELL]) as page:
        page.keyboard.press("Control+Enter")
        buttons = page.locator(".widget-radio input[type=radio]")
        buttons.first.wait_for()
        verdicts = page.locator(".jp-OutputArea-output [role=status]")
        assert "请在此选择" in verdicts.nth(0).inner_text()
        assert page.locator(".widget-radio input:checked").count() == 0

        buttons.nth(1).focus()
        buttons.nth(1).press("Space")
        verdicts.nth(0).filter(has_text="不会返回 Host 侧").wait_for()
        assert "✓" in verdicts.nth(0).inner_text()
        assert "请在此选择" in verdicts.nth(1).inner_text()
