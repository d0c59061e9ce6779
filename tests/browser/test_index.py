"""The course's index in a real JupyterLab: its links lead on, in both languages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from npu_lab.language import LANGUAGES
from tests.browser.conftest import RUN_SECONDS, JupyterLab, run_all, screenshots

pytestmark = [pytest.mark.browser, pytest.mark.slow]
# The learner left off in the middle of lesson 02.
NOTED = {"00/number_and_square": "right", "02/loaded": "wrong"}
ACTIVE = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook .jp-Cell.jp-mod-active"


@pytest.fixture
def progress(jupyterlab: JupyterLab):
    """The learner's file."""
    path = jupyterlab.folder / "home/.local/share/npu_lab/progress.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"exercises": NOTED}))
    yield path
    path.unlink()


@pytest.fixture
def as_installed(jupyterlab: JupyterLab):
    """Cells out of sight are treated as a learner's JupyterLab treats them.

    Where all are drawn at once, a link to a cell works from the second click on.
    """
    name = "@jupyterlab/notebook-extension/tracker.jupyterlab-settings"
    path = jupyterlab.folder / "settings" / name
    before = path.read_text("utf-8")
    path.write_text("{}")
    yield
    path.write_text(before)


def place(language: str, name: str) -> str:
    return f"notebooks/{'zh/' if language == 'zh' else ''}{name}.ipynb"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_leads_to_the_exercise_that_waits(
    jupyterlab: JupyterLab, progress: Path, as_installed: None, language: str
) -> None:
    with jupyterlab.opened(place(language, "index")) as page:
        run_all(page)
        link = page.locator('.jp-OutputArea-output a[href*="cell-id"]')
        state = {"en": "not yet right", "zh": "还不对"}[language]
        link.filter(has_text=state).wait_for()
        page.locator(".jp-OutputArea-output td", has_text="1/1").first.wait_for()
        page.screenshot(path=screenshots() / f"index-{language}.png", full_page=True)
        link.click()
        cell = page.locator(ACTIVE, has_text='lab.check("02/loaded"')
        cell.wait_for(timeout=RUN_SECONDS * 1000)
        assert cell.evaluate(IN_SIGHT)
        page.screenshot(path=screenshots() / f"index-{language}-link.png")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_questions_are_answered_before_and_after(
    jupyterlab: JupyterLab, progress: Path, language: str
) -> None:
    with jupyterlab.opened(place(language, "half_day_test")) as page:
        run_all(page)
        results = page.locator(".jp-OutputArea-output table")
        results.wait_for()
        before, after = (page.locator(".widget-vbox").nth(n) for n in (0, 1))
        before.locator("input").nth(1).check()
        noted = {"en": "Noted: b.", "zh": "已记录：b。"}[language]
        before.get_by_role("status").first.filter(has_text=noted).wait_for()
        for number, choice in enumerate("bcaba"):
            buttons = after.locator(".widget-radio").nth(number).locator("input")
            buttons.nth("abc".index(choice)).check()
        told = after.get_by_role("status")
        told.filter(has_text="✗").wait_for()
        assert told.filter(has_text="✓").count() == 4
        stored = json.loads(progress.read_text("utf-8"))
        assert stored["before"] == {"halfday/time": "b"}
        assert list(stored["after"].values()) == list("bcaba")
        page.locator(".jp-CodeCell", has_text="lab.half_day_results()").click()
        page.keyboard.press("Control+Enter")
        results.get_by_text("4/5").wait_for()
        assert results.get_by_text("✓ b").count() == 3
        page.screenshot(path=screenshots() / f"half-day-{language}.png")


IN_SIGHT = """cell => {
    const box = cell.getBoundingClientRect();
    return box.top >= 0 && box.top < innerHeight - 50;
}"""
