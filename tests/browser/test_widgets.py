"""Each kind of widget in a real JupyterLab, by keyboard; a screenshot of each."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import JupyterLab, run_all, screenshots

SETUP = """\
import os
import tempfile

os.environ["ASCEND_GLOBAL_LOG_LEVEL"] = "1"
os.environ["ASCEND_PROCESS_LOG_PATH"] = tempfile.mkdtemp()
%load_ext npu_lab
from npu_lab import TimingModel, calibrate, lab

model = TimingModel.from_profile("teaching_host")
build, config = calibrate._softmax, calibrate._npu_config"""
CELLS = {
    "n explorer": "lab.n_explorer(model, guess={1: 0.004, 10: 0.001, 100: 0.0005})",
    "sweep": "lab.sweep(build, config, (1, 2, 5, 10, 20), 100, held_out=(5,), runs=3)",
    "long sweep": "lab.sweep(build, config, (1, 2, 4), 400, runs=5000)",
    "plain sweep": "measured = lab.measure_sweep(build, config, (1, 2), 20, runs=2)",
    "log explorer": "lab.log_explorer()",
    "option explorer": "lab.option_explorer()",
}
TIMELINE = "svg.npu-lab-timeline"
WAIT_SECONDS = 30


@pytest.fixture(scope="module")
def page(jupyterlab: JupyterLab) -> Any:
    """The notebook after Run All."""
    cells = [SETUP, *CELLS.values()]
    with jupyterlab.opened("notebooks/widgets.ipynb", cells) as opened:
        opened.set_default_timeout(WAIT_SECONDS * 1000)
        run_all(opened)
        yield opened


@pytest.fixture
def panel_of(page: Any) -> Any:
    """The output of a cell, by its name in CELLS; afterwards a screenshot of it."""
    seen = []

    def of(name: str) -> Any:
        cell = page.locator(".jp-CodeCell").nth(1 + [*CELLS].index(name))
        seen.append((name, cell.locator(".jp-Cell-outputArea")))
        return seen[-1][1]

    yield of
    for name, output in seen:
        output.screenshot(path=screenshots() / f"widget-{name.replace(' ', '-')}.png")


pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_the_n_explorer(panel_of: Callable[[str], Any]) -> None:
    panel = panel_of("n explorer")
    status = panel.get_by_role("status")
    status.filter(has_text="N = 10: 12 ms per call, 1.2 ms per step").wait_for()
    assert visible(panel, "img", TIMELINE) == (1, 1)
    curve, timeline = panel.locator("img:visible"), panel.locator(TIMELINE)
    before = curve.get_attribute("src"), timeline.inner_html(), height(panel)

    handle = panel.locator(".noUi-handle")
    handle.focus()
    handle.press("ArrowRight")
    status.filter(has_text="N = 20: 22 ms per call, 1.1 ms per step").wait_for()

    assert panel.locator("tr.npu-lab-chosen td").first.inner_text() == "20"
    after = curve.get_attribute("src"), timeline.inner_html(), height(panel)
    assert before[0] != after[0]
    assert before[1] != after[1]
    assert before[2] == after[2]
    assert visible(panel, "img", TIMELINE) == (1, 1)
    assert curve.evaluate("image => image.naturalWidth") > 0
    assert "your guess: N=1: 4" in curve.get_attribute("alt")


def test_the_sweep(panel_of: Callable[[str], Any]) -> None:
    panel = panel_of("sweep")
    button = panel.get_by_role("button")
    button.wait_for()
    assert visible(panel, "img", "table") == (0, 0)
    button.focus()
    button.press("Enter")
    done = "Measured N = 1, 2, 5, 10, 20: 3 runs of 100 steps each"
    panel.get_by_role("status").filter(has_text=done).wait_for()
    panel.locator("img").wait_for()
    assert visible(panel, "img", "table") == (1, 1)
    assert "error, held out: N=5:" in panel.locator("img").get_attribute("alt")


def test_a_sweep_is_interrupted(page: Any, panel_of: Callable[[str], Any]) -> None:
    panel = panel_of("long sweep")
    button, status = panel.get_by_role("button"), panel.get_by_role("status")
    button.focus()
    button.press("Space")
    # Each N was measured once.
    status.filter(has_text=re.compile(r"run ([2-9]|\d\d+) of 5000")).wait_for()
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_role("menuitem", name="Interrupt Kernel").click()
    kept = status.filter(has_text="Interrupted. Kept: N = 1, 2, 4")
    kept.wait_for(timeout=5000)
    panel.locator("img").wait_for()
    assert visible(panel, "img", "table") == (1, 1)


def test_the_plain_sweep_leaves_one_line(panel_of: Callable[[str], Any]) -> None:
    output = panel_of("plain sweep").locator(".jp-OutputArea-output")
    output.filter(has_text="Measured N = 1, 2: 2 runs").wait_for()
    assert output.count() == 1
    assert len(output.inner_text().strip().splitlines()) == 1


def test_the_log_explorer(panel_of: Callable[[str], Any]) -> None:
    panel = panel_of("log explorer")
    lines = panel.locator("pre")
    lines.filter(has_text="ge_global_step").wait_for()
    before = height(panel)
    kind = panel.get_by_label("lines")
    choose_next(kind)
    lines.filter(has_not_text="ge_global_step").wait_for()
    assert lines.inner_text().startswith("> INFO")
    contains = panel.get_by_label("contains")
    contains.fill("LoopCond")
    contains.press("Enter")
    panel.get_by_text("lines of this process's host log").wait_for()
    lines.filter(has_not_text="StreamSwitch").wait_for()
    assert "FlowCtrl_LoopCond" in lines.inner_text()
    assert height(panel) == before


def test_the_option_explorer(panel_of: Callable[[str], Any]) -> None:
    panel = panel_of("option explorer")
    verdict = panel.get_by_role("note")
    verdict.filter(has_text="in effect, iterations_per_loop 10, data fresh").wait_for()
    box = panel.get_by_label("enable_data_pre_proc")
    box.focus()
    box.press("Space")
    verdict.filter(has_text="data repeated").filter(has_text="SINK005").wait_for()
    mode = panel.get_by_label("graph_run_mode")
    choose_next(mode)
    verdict.filter(has_text="SINK025").wait_for()
    number = panel.get_by_label("iterations_per_loop")
    number.fill("0")
    number.press("Enter")
    verdict.filter(has_text="SINK032").wait_for()


def choose_next(dropdown: Any) -> None:
    """As the line above the lists says it: JupyterLab takes the arrows otherwise."""
    dropdown.focus()
    for key in ("Space", "ArrowDown", "Enter"):
        dropdown.press(key)


def visible(panel: Any, *names: str) -> tuple[int, ...]:
    """How many of each there are in the one output of the cell."""
    assert panel.locator(".jp-OutputArea-child").count() == 1
    return tuple(panel.locator(f"{name}:visible").count() for name in names)


def height(panel: Any) -> float:
    return float(panel.bounding_box()["height"])
