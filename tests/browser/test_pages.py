"""Every lesson as a page, in both languages: what is seen, and what is said without.

A picture of each page is kept.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbconvert import HTMLExporter

from tests.browser.conftest import ROOT, screenshots

LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LESSONS += sorted((ROOT / "notebooks" / "zh").glob("*.ipynb"))
WIDTH = 1000


def name_of(path: Path) -> str:
    language = "zh" if path.parent.name == "zh" else "en"
    return f"{path.stem}.{language}"


@pytest.fixture(scope="module")
def page(browser: Any) -> Any:
    opened = browser.new_page(viewport={"width": WIDTH, "height": 1000})
    opened.route("http*://**", lambda route: route.abort())
    yield opened
    opened.close()


@pytest.mark.parametrize("path", LESSONS, ids=name_of)
def test_a_lesson_is_a_page_without_faults(
    path: Path, page: Any, tmp_path: Path
) -> None:
    content, _ = HTMLExporter().from_filename(str(path))
    (tmp_path / "lesson.html").write_text(content, encoding="utf-8")
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto((tmp_path / "lesson.html").as_uri())
    page.wait_for_load_state("load")
    page.screenshot(path=screenshots() / f"{name_of(path)}.png", full_page=True)
    # MathJax and require.js, which the page would load, are not asked for here.
    assert [f for f in faults if "require" not in f and "MathJax" not in f] == []
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= WIDTH, "something is wider than the page"
    small = page.evaluate(
        "[...document.querySelectorAll('.jp-OutputArea img, .jp-OutputArea svg')]"
        ".filter(i => i.getClientRects().length)"
        ".filter(i => i.getBoundingClientRect().width < 200).length"
    )
    assert small == 0, "a picture that nobody could read"


@pytest.mark.parametrize("path", LESSONS, ids=name_of)
def test_with_images_off_a_lesson_says_the_same(path: Path) -> None:
    for cell in nbformat.read(path, as_version=4).cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            page = data.get("text/html", "")
            if "image/png" in data or "<svg" in page or "<img" in page:
                words = data["text/plain"].split()
                assert len(words) + len(data["text/plain"]) // 8 >= 12, cell.id
                assert any(letter.isdigit() for letter in data["text/plain"]), cell.id
            # Of the ticks and of the numbers on marks words give the extent alone.
            drawn = re.findall(r'<text class="(?!tick|number)[^>]*>([^<]*)', page)
            words = html.unescape(" ".join(drawn))
            assert numbers(words) <= numbers(words_of(cell)), cell.id
            alts = re.findall(r'<img[^>]* alt="([^"]*)"', page)
            assert all(html.unescape(alt) in data["text/plain"] for alt in alts)


def words_of(cell: nbformat.NotebookNode) -> str:
    return " ".join(
        output.data["text/plain"]
        for output in cell.outputs
        if "text/plain" in output.get("data", {})
    )


def numbers(text: str) -> set[str]:
    return set(re.findall(r"\d[\d.]*", text))
