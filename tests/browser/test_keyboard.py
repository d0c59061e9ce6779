"""Whole lessons in a real JupyterLab with nothing but the keyboard."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import RUN_SECONDS, JupyterLab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CELLS = ".jp-Notebook:visible .jp-Cell"
HAS_RUN = """() => [...document.querySelectorAll(".jp-CodeCell .jp-InputPrompt")]
    .every((prompt, n) => prompt.textContent.trim() === `[${n + 1}]:`)"""
# What has the focus, with a margin for its outline; nothing if it is out of sight.
PLACE = """() => {
    const box = document.activeElement.getBoundingClientRect();
    const [x, y] = [Math.max(box.left - 6, 0), Math.max(box.top - 6, 0)];
    const width = Math.min(box.right + 6, innerWidth) - x;
    const height = Math.min(box.bottom + 6, innerHeight) - y;
    return width > 12 && height > 12 ? {x, y, width, height} : null;
}"""


def test_the_first_lesson(jupyterlab: JupyterLab) -> None:
    with jupyterlab.opened("notebooks/00_start_here.ipynb") as page:
        run_each_cell(page)
        move_the_slider(page)
        answer_the_quiz(page, 'lab.quiz("00/loss"', choice=2, told="The nine before it")
        open_a_hint(page, "number_and_square")
        follow_the_link(page, "## Summary", "01 Round trips", "01_round_trips.ipynb")


def test_a_lesson_with_more_widgets(jupyterlab: JupyterLab) -> None:
    with jupyterlab.opened("notebooks/02_device_loop.ipynb") as page:
        run_each_cell(page)
        filter_the_log(page)
        answer_the_quiz(page, 'lab.quiz("02/zero"', choice=2, told="✓")
        open_a_hint(page, 'lab.check("02/loaded"')
        solve_an_exercise(page, 'lab.check("02/loaded"', "24")
        follow_the_link(page, "You will be able to", "00 Start here", "00_start_here")


def run_each_cell(page: Any) -> None:
    """Shift+Enter from the first cell to the last; the notebook opens on the first."""
    number = page.locator(CELLS).count()
    for place in range(number):
        assert chosen(page) == place
        assert page.evaluate(PLACE), "the chosen cell is out of sight"
        page.keyboard.press("Shift+Enter" if place + 1 < number else "Control+Enter")
    page.wait_for_function(HAS_RUN, timeout=RUN_SECONDS * 1000)


def move_the_slider(page: Any) -> None:
    panel = go_to(page, "lab.round_trip_slider").locator(".widget-vbox").first
    status = panel.get_by_role("status")
    status.filter(has_text="Measured N = 10").wait_for()
    pictures, rows = panel.locator("img"), panel.locator("tr.npu-lab-chosen td")
    before = pictures.first.get_attribute("alt")
    assert pictures.count() == 2
    assert "N=1: 100, N=10: 10 round trips" in before
    assert rows.first.inner_text() == "10"
    reach(page, ".noUi-handle")
    page.keyboard.press("ArrowRight")
    status.filter(has_text="Measured N = 20").wait_for()
    assert "N=1: 100, N=20: 5 round trips" in pictures.first.get_attribute("alt")
    assert pictures.first.evaluate("image => image.naturalWidth") > 0
    assert rows.first.inner_text() == "20"
    assert panel.locator(".widget-readout").inner_text() == "20"


def filter_the_log(page: Any) -> None:
    panel = go_to(page, "lab.log_explorer")
    lines = panel.locator("pre").last
    lines.filter(has_text="ge_global_step").wait_for()
    reach(page, "select")
    for key in ("Space", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    lines.filter(has_not_text="ge_global_step").wait_for()
    reach(page, "input[type=text]")
    page.keyboard.type("LoopCond")
    page.keyboard.press("Enter")
    lines.filter(has_not_text="IteratorGetNext").wait_for()
    assert "FlowCtrl_LoopCond" in lines.inner_text()
    reach(page, "select", back=True)  # in a text J is a letter


def answer_the_quiz(page: Any, code: str, choice: int, told: str) -> None:
    cell = go_to(page, code)
    for _ in range(choice):
        reach(page, "input[type=radio]")
    page.keyboard.press("Space")
    cell.get_by_role("status").first.filter(has_text=told).wait_for()


def open_a_hint(page: Any, code: str) -> None:
    cell = go_to(page, code)
    hint = cell.locator("details").first.locator(":not(summary)").first
    assert not hint.is_visible()
    reach(page, "summary")
    page.keyboard.press("Enter")
    hint.wait_for()


def solve_an_exercise(page: Any, code: str, answer: str) -> None:
    cell = go_to(page, code)
    text = cell.locator(".cm-content").inner_text()
    for key in ("Enter", "Control+a"):
        page.keyboard.press(key)
    page.keyboard.insert_text(text.replace("____", answer))
    page.keyboard.press("Control+Enter")
    cell.get_by_role("status").filter(has_text="✓").wait_for()


def follow_the_link(page: Any, text: str, name: str, target: str) -> None:
    go_to(page, text)
    while reach(page, "a[href]") != name:
        pass
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{target}*")
    page.locator(CELLS).first.wait_for()


def go_to(page: Any, text: str) -> Any:
    """Choose the first cell that holds a text, by J and K, which leave widgets, too."""
    wanted = page.locator(CELLS).filter(has_text=text).first
    place = wanted.evaluate("""cell =>
        [...cell.parentNode.querySelectorAll(".jp-Cell")].indexOf(cell)""")
    cell_has_focus = "document.activeElement.matches('.jp-Cell')"
    while (now := chosen(page)) != place or not page.evaluate(cell_has_focus):
        page.keyboard.press("j" if now < place else "k")
        assert chosen(page) != now, "the key chose no other cell"
    return wanted


def chosen(page: Any) -> int:
    """Which cell is."""
    return int(
        page.evaluate("""() => [...document.querySelectorAll(".jp-Notebook .jp-Cell")]
            .findIndex(cell => cell.matches(".jp-mod-active"))""")
    )


def reach(page: Any, selector: str, *, back: bool = False) -> str:
    """Press Tab until something has the focus, and see it; the text of it."""
    for _ in range(12):
        page.keyboard.press("Shift+Tab" if back else "Tab")
        if page.evaluate("name => document.activeElement.matches(name)", selector):
            break
    else:
        pytest.fail(f"twelve times Tab did not reach {selector}")
    place = page.evaluate(PLACE)
    assert place, f"{selector} has the focus out of sight"
    seen = page.screenshot(clip=place, caret="hide")
    page.evaluate("(window.kept = document.activeElement).blur()")
    unseen = page.screenshot(clip=place, caret="hide")
    page.evaluate("window.kept.focus()")
    assert seen != unseen, f"{selector} looks the same with the focus"
    return str(page.evaluate("document.activeElement.textContent"))
