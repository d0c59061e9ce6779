"""The first lesson in a real JupyterLab: run all, move the slider with the keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

LESSON = "notebooks/00_start_here.ipynb"
RUN_SECONDS = 150
MOVE_SECONDS = 60
STDERR = '[data-mime-type="application/vnd.jupyter.stderr"]'


@pytest.mark.browser
@pytest.mark.slow
def test_slider_moved_by_keyboard_changes_picture_and_table(
    browser: Any, jupyterlab: Callable[[str], str]
) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(RUN_SECONDS * 1000)
    page.goto(jupyterlab(LESSON))
    run_all(page)

    handle = page.locator(".widget-slider .noUi-handle")
    handle.wait_for()
    panel = page.locator(".jp-OutputArea-output .widget-vbox").first
    status = panel.get_by_role("status")
    status.filter(has_text="Measured N = 10").wait_for()
    pictures = panel.locator("img")
    assert pictures.count() == 2
    before = pictures.first.get_attribute("alt")
    assert "N=1: 100, N=10: 10 round trips" in before
    assert chosen_rows(panel) == ["10"]

    handle.focus()
    handle.press("ArrowRight")
    status.filter(has_text="Measured N = 20").wait_for(timeout=MOVE_SECONDS * 1000)

    assert "N=1: 100, N=20: 5 round trips" in pictures.first.get_attribute("alt")
    assert pictures.first.get_attribute("alt") != before
    assert pictures.first.evaluate("image => image.naturalWidth") > 0
    assert chosen_rows(panel) == ["20"]
    assert "20" in panel.locator(".widget-readout").inner_text()
    assert page.locator(STDERR).count() == 0
    page.close()


def run_all(page: Any) -> None:
    """Run > Run All Cells, once the kernel is there."""
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
    # The indicator beside the kernel's name says "idle" before there is a kernel, too.
    page.get_by_text(re.compile(r"^Python 3 .*\| Idle$")).wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.get_by_text(re.compile(r"^Python 3 .*\| Busy$")).wait_for()


def chosen_rows(panel: Any) -> list[str]:
    """N in the rows that are set off."""
    rows = panel.locator("tr.npu-lab-chosen td:first-child")
    return rows.all_inner_texts()
