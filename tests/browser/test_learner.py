"""A learner goes through the course: runs each lesson, solves each exercise.

What the lessons show is looked at for barriers to those who cannot see well.

The first lesson and the last one; with NPU_LAB_LEARNER=1 (`make learner`) all of them,
which takes most of an hour for both languages; or those that it names (03_...,05_...).
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from npu_lab import lesson
from npu_lab.lab import lessons
from npu_lab.lab.exercises import Exercise
from npu_lab.language import LANGUAGES
from tests.browser.conftest import (
    RUN_SECONDS,
    JupyterLab,
    barriers,
    run_all,
    screenshots,
)

ALL = lesson.names()
CHOSEN = os.environ.get("NPU_LAB_LEARNER", "")
GONE_THROUGH = [
    name
    for name in ALL
    if CHOSEN == "1" or name in (ALL[0], ALL[-1], *CHOSEN.split(","))
]
LESSON_SECONDS = 2 * RUN_SECONDS

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.timeout(len(GONE_THROUGH) * LESSON_SECONDS),
]

ERRORS = '[data-mime-type="application/vnd.jupyter.error"]'
# The rest of the page is JupyterLab's, and so is what is known of these: it shows a
# picture without the alt text that comes with it, and a slider's handle has no name.
OURS = (".jp-OutputArea-output", ".jp-RenderedMarkdown")
NOT_OURS = (".jp-RenderedImage > img", ".noUi-handle")
HAVE_RUN = """() => [...document.querySelectorAll(".jp-CodeCell .jp-InputPrompt")]
    .every(prompt => /^\\[\\d+\\]:$/.test(prompt.textContent.trim()))"""


def place(language: str, name: str) -> str:
    return f"notebooks/{'zh/' if language == 'zh' else ''}{name}.ipynb"


@pytest.fixture
def record(jupyterlab: JupyterLab):
    """What is noted of the learner, who has done nothing yet."""
    path = jupyterlab.folder / "home/.local/share/npu_lab/progress.json"
    path.unlink(missing_ok=True)
    yield path
    path.unlink(missing_ok=True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_learner_goes_through_the_course(
    jupyterlab: JupyterLab, record: Path, language: str
) -> None:
    for name in GONE_THROUGH:
        with jupyterlab.opened(place(language, name)) as page:
            run_all(page)
            page.wait_for_function(HAVE_RUN, timeout=LESSON_SECONDS * 1000)
            assert page.locator(ERRORS).count() == 0, name
            assert exercises_of(name), name
            solve(page, exercises_of(name))
            assert barriers(page, OURS, NOT_OURS) == {}, name
            page.screenshot(path=screenshots() / f"learner-{name}-{language}.png")
            if name == ALL[-1]:
                look_at_the_receipt(page, language)
    noted = json.loads(record.read_text("utf-8"))["exercises"]
    wanted = {one.name for name in GONE_THROUGH for one in exercises_of(name)}
    assert {name for name, state in noted.items() if state == "right"} == wanted


def look_at_the_receipt(page: Any, language: str) -> None:
    """Run the capstone once more, now that it is solved, and open what it gives."""
    run_all(page)
    link = page.locator('.jp-OutputArea-output a[download="receipt.html"]')
    link.wait_for(timeout=LESSON_SECONDS * 1000)
    content = base64.b64decode(link.get_attribute("href").partition(",")[2])
    opened = page.context.new_page()
    asked: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    opened.set_content(content.decode())
    assert opened.locator("html").get_attribute("lang") == language
    assert opened.locator("svg").count() == 2
    assert opened.locator("table").first.locator("tr").count() == 5
    assert opened.get_by_text("FlowCtrl_LoopCond").count() == 1
    assert barriers(opened) == {}
    assert asked == []
    path = screenshots() / f"receipt-{language}.png"
    opened.screenshot(path=path, full_page=True)
    opened.close()


def exercises_of(name: str) -> tuple[Exercise, ...]:
    held = lessons.of(name.partition("_")[0])
    return held.EXERCISES if held else ()


def solve(page: Any, exercises: Sequence[Exercise]) -> None:
    """Write solutions into the cells that ask for them, and wait for the ticks."""
    asked: dict[str, list[Exercise]] = {}
    for one in exercises:
        cell = page.locator(".jp-CodeCell", has_text=f'lab.check("{one.name}"').first
        # A cell may ask for several answers.
        asked.setdefault(cell.locator(".cm-content").inner_text(), []).append(one)
    for together in asked.values():
        name = together[0].name
        cell = page.locator(".jp-CodeCell", has_text=f'lab.check("{name}"').first
        cell.locator(".cm-content").click()
        page.keyboard.press("Control+a")
        answers = [one.solution for one in together]
        checks = [f'lab.check("{one.name}", {answer(one)})' for one in together]
        code = "\n\n".join([*answers, f"display({', '.join(checks)})"])
        page.keyboard.insert_text(code)
        page.keyboard.press("Control+Enter")
        for number in range(len(together)):
            told = cell.get_by_role("status").nth(number).filter(has_text="✓")
            told.wait_for(timeout=RUN_SECONDS * 1000)


def answer(exercise: Exercise) -> str:
    """The Python name of its answer."""
    return exercise.name.partition("/")[2]
