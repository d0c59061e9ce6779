"""The book is made, whole, and needs no network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup

from npu_lab import lesson
from npu_lab.diagnostics import CATALOGUE
from npu_lab.language import LANGUAGES
from tests.browser.conftest import barriers, screenshots
from tests.project.tree import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
# What a reader may follow out of the book, on a click.
OUTSIDE = {"https", "http", "mailto"}


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "book"
    ran = subprocess.run(
        [sys.executable, ROOT / "tools" / "book.py", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return folder


@pytest.fixture(scope="module")
def pages(book: Path) -> dict[Path, BeautifulSoup]:
    return {
        path: BeautifulSoup(path.read_text("utf-8"), "html.parser")
        for path in sorted(book.rglob("*.html"))
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_lesson_and_diagnostic_has_its_place(book: Path, language: str) -> None:
    for name in lesson.names():
        assert (book / language / "lessons" / f"{name}.html").is_file()
        key = name.partition("_")[0]
        assert (book / language / "teaching" / f"{key}.html").is_file()
    text = (book / language / "reference" / "diagnostics.html").read_text("utf-8")
    assert all(f'id="{code.lower()}"' in text for code in CATALOGUE)


def test_every_link_and_anchor_resolves(book: Path, pages) -> None:
    anchors = {
        path: {tag["id"] for tag in page.find_all(id=True)}
        | {tag["name"] for tag in page.find_all("a", attrs={"name": True})}
        for path, page in pages.items()
    }
    lost = []
    for path, page in pages.items():
        for tag in page.find_all(["a", "link", "script", "img"]):
            link = tag.get("href") or tag.get("src") or ""
            parts = urlsplit(link)
            if parts.scheme in {*OUTSIDE, "data"}:
                continue
            target = path
            if parts.path:
                target = (path.parent / unquote(parts.path)).resolve()
            anchor = unquote(parts.fragment)
            missing = (
                anchor
                and target.suffix == ".html"
                and anchor not in anchors.get(target, ())
            )
            if not target.is_file() or missing:
                lost.append(f"{path.relative_to(book)}: {link}")
    assert lost == []


def test_nothing_is_loaded_from_elsewhere(pages) -> None:
    loaded = {
        tag.get("href") or tag.get("src")
        for page in pages.values()
        for tag in page.find_all(["link", "script", "img", "iframe", "source"])
        if tag.get("rel") != ["canonical"]
    }
    assert [one for one in loaded if one and urlsplit(one).scheme in OUTSIDE] == []
    assert not any("//" in one for one in loaded if one and not one.startswith("data:"))


@pytest.fixture
def page(browser, book: Path):
    """A page of a browser without a network; what it asks for is noted."""
    context = browser.new_context(offline=True)
    opened = context.new_page()
    opened.asked, opened.errors = [], []
    opened.on("request", lambda request: opened.asked.append(request.url))
    opened.on("pageerror", lambda error: opened.errors.append(str(error)))
    yield opened
    assert [url for url in opened.asked if not url.startswith(("file:", "data:"))] == []
    assert opened.errors == []
    context.close()


@pytest.mark.browser
def test_every_page_opens_without_a_network(page, pages) -> None:
    for path in pages:
        page.goto(path.as_uri())
        page.wait_for_load_state("load")
    assert len(page.asked) > len(pages)


@pytest.mark.browser
@pytest.mark.parametrize(
    ("language", "word", "found"),
    [("en", "starvation", "04_getnext_sinking"), ("zh", "下沉", "04_getnext_sinking")],
)
def test_the_search_finds(page, book: Path, language: str, word: str, found) -> None:
    page.goto((book / language / "search.html").as_uri() + f"?q={word}")
    page.wait_for_selector(f'#search-results a[href*="{found}"]', timeout=20_000)


@pytest.mark.browser
def test_a_reader_changes_language_and_theme(page, book: Path) -> None:
    page.goto((book / "index.html").as_uri())
    page.wait_for_url("**/en/index.html")
    page.goto((book / "en" / "lessons" / "02_device_loop.html").as_uri())
    page.click(".npu-lab-language a")
    page.wait_for_url("**/zh/lessons/02_device_loop.html")
    assert page.evaluate("document.documentElement.lang").lower().startswith("zh")
    colour = "getComputedStyle(document.body).backgroundColor"
    seen = {page.evaluate(colour)}
    for _ in range(2):
        page.click(".content-icon-container .theme-toggle")
        seen.add(page.evaluate(colour))
    assert len(seen) == 2


@pytest.mark.browser
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_cheat_sheet_prints_on_one_page(page, book: Path, language: str) -> None:
    page.goto((book / language / "reference" / "cheat_sheet.html").as_uri())
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    # A4 in points.
    (box,) = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)
    assert [round(float(one)) for one in box] == [595, 842]
    # As wide as the page is between its margins.
    page.set_viewport_size({"width": 725, "height": 1055})
    page.emulate_media(media="print")
    wide = "list => list.filter(one => one.scrollWidth > one.clientWidth + 1).length"
    assert page.locator(".npu-lab-sheet pre").count() == 2
    assert page.locator(".npu-lab-sheet pre").evaluate_all(wide) == 0
    smallest = (
        "list => Math.min(...list.map(e => parseFloat(getComputedStyle(e).fontSize)))"
    )
    assert page.locator(".npu-lab-sheet li").evaluate_all(smallest) >= 9
    page.screenshot(path=screenshots() / f"cheat-sheet-{language}.png", full_page=True)


@pytest.mark.browser
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_index_lists_goals_and_minutes(page, book: Path, language: str) -> None:
    page.goto((book / language / "index.html").as_uri())
    for name, front in lesson.fronts(language).items():
        row = page.locator("table tr", has=page.locator(f'a[href*="{name}"]'))
        assert row.locator("td").nth(1).inner_text() == str(front.minutes)
        assert row.locator("td").nth(2).inner_text().count("•") == len(front.goals)


@pytest.mark.browser
@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing_serious(page, book: Path, language: str) -> None:
    found = {}
    reference = ("options", "diagnostics", "commands", "terms", "cheat_sheet", "api")
    names = ["index", "teaching/00", *(f"reference/{name}" for name in reference)]
    names += [f"lessons/{name}" for name in lesson.names()]
    for name in names:
        page.goto((book / language / f"{name}.html").as_uri())
        if met := barriers(page):
            found[name] = met
    assert found == {}
