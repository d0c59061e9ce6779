"""The timeline of host and device in a real JupyterLab: keyboard, themes, size."""

from __future__ import annotations

import base64
import re
from typing import Any

import pytest

from tests.browser.conftest import JupyterLab, run_all, screenshots

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SETUP = """\
%load_ext npu_lab
from npu_lab import TimingModel, lab

host = TimingModel.from_profile("teaching_host")
run, before = host.schedule(20, 10), host.schedule(20, 1)"""
CELLS = {
    "run": "display(lab.plot_timeline(run, before), lab.timeline_table(run, before))",
    "100 steps": "lab.plot_timeline(host.schedule(100, 10))",
    "10000 steps": "lab.plot_timeline(host.schedule(10_000, 10))",
    "10000 calls": "lab.plot_timeline(host.schedule(10_000, 1))",
}
SVG = "svg.npu-lab-timeline"
# Of each text and mark: its colour, how opaque it is, and the colour that it lies on.
COLOURS = """(svg, marks) => {
    const of = element => getComputedStyle(element);
    const opaque = element => element === svg ? 1
        : of(element).opacity * opaque(element.parentElement);
    const paper = element => of(element).backgroundColor === "rgba(0, 0, 0, 0)"
        ? paper(element.parentElement) : of(element).backgroundColor;
    const below = text => text.matches(".on-chip") ? of(svg.querySelector(".chip")).fill
        : of(text).stroke === "none" ? paper(svg) : of(text).stroke;
    const texts = [...svg.querySelectorAll("text")].map(text =>
        [text.textContent, of(text).fill, opaque(text), below(text)]);
    return texts.concat([...svg.querySelectorAll(marks)].map(mark => {
        const colour = of(mark).fill === "none" ? of(mark).stroke : of(mark).fill;
        return ["", colour, opaque(mark), paper(svg)];
    }));
}"""
# The orange of calls and launches is too light on white: their shapes tell them apart.
MARKS = ".stop .compute, .stop .wait-thin, svg > .wait-lines, svg > .return"
READABLE, VISIBLE = 4.5, 3.0  # of text and of marks, as WCAG 2 asks for


@pytest.fixture(scope="module")
def page(jupyterlab: JupyterLab) -> Any:
    with jupyterlab.opened(
        "notebooks/timeline.ipynb", [SETUP, *CELLS.values()]
    ) as opened:
        opened.set_default_timeout(30_000)
        run_all(opened)
        opened.locator(SVG).nth(len(CELLS) - 1).wait_for()
        yield opened


def output(page: Any, name: str) -> Any:
    place = 1 + [*CELLS].index(name)
    return page.locator(".jp-CodeCell").nth(place).locator(".jp-Cell-outputArea")


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_has_one_image_that_says_in_words_what_it_shows(
    page: Any, name: str
) -> None:
    panel = output(page, name)
    assert panel.locator(f"img:visible, {SVG}:visible").count() == 1
    named = panel.get_by_role(
        "img", name=re.compile("^Timeline of host and device, N = ")
    )
    assert named.count() == 1
    text = panel.locator("desc").text_content()
    drawn = panel.locator(f"{SVG} > text.legend").all_text_contents()
    shares = re.findall(r"[\d.]+ %", " ".join(drawn))
    assert len(shares) == 3
    assert all(share in text for share in shares)


def test_the_table_below_holds_the_same_shares(page: Any) -> None:
    panel = output(page, "run")
    drawing, table = panel.locator(SVG), panel.locator("table")
    assert table.bounding_box()["y"] >= (
        drawing.bounding_box()["y"] + drawing.bounding_box()["height"]
    )
    text = panel.locator("desc").text_content()
    rows = [row.split("\t") for row in table.locator("tr").all_inner_texts()]
    shares = {row[0]: row[4] for row in rows[1:]}
    del shares["host call"], shares["whole run"]
    assert len(shares) == 5
    assert all(f"({share})" in text for share in shares.values())


def test_tab_stops_at_each_mark_in_turn(page: Any) -> None:
    panel = output(page, "run")
    titles = panel.locator(f"{SVG} .stop > title").all_text_contents()
    assert len(titles) == 22  # two calls, twenty iterations
    assert titles[0] == "call 1: 12 ms on the host"
    cell = page.locator(".jp-CodeCell").nth(1)
    cell.focus()
    reached, seen = [], set()
    unfocused = panel.locator(SVG).screenshot()
    while len(reached) < len(titles):
        page.keyboard.press("Tab")
        title = page.evaluate(
            "document.activeElement.matches('g.stop')"
            " && document.activeElement.querySelector('title').textContent"
        )
        reached += [title] if title or reached else []
        if reached and len(reached) % 10 == 1:
            seen.add(panel.locator(SVG).screenshot())
    assert reached == titles
    assert len(seen | {unfocused}) == 4, "the focus is not seen"


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_texts_and_marks_are_readable_in_both_themes(page: Any, theme: str) -> None:
    panel = output(page, "run")
    choose_theme(page, theme)
    try:
        found = panel.locator(SVG).evaluate(COLOURS, MARKS)
        panel.screenshot(path=screenshots() / f"timeline-{theme.lower()}.png")
    finally:
        choose_theme(page, "Light")
    assert len(found) > 40
    for text, colour, opacity, below in found:
        ratio = contrast(rgb(colour), opacity, rgb(below))
        assert ratio >= (READABLE if text else VISIBLE), (text, colour, below)


def test_the_still_image_follows_the_colours_of_the_system(
    page: Any, jupyterlab: JupyterLab
) -> None:
    still = output(page, "run").locator("img").get_attribute("src")
    alone = jupyterlab.context.new_page()
    corners = []
    for scheme in ("light", "dark"):
        alone.emulate_media(color_scheme=scheme)
        alone.set_content(f'<body style="margin: 0"><img src="{still}">')
        picture = alone.locator("img").screenshot(
            path=screenshots() / f"timeline-still-{scheme}.png"
        )
        corners.append(alone.evaluate(CORNER, base64.b64encode(picture).decode()))
    alone.close()
    assert corners == [[255, 255, 255], [30, 30, 30]]


CORNER = """async png => {
    const image = new Image();
    image.src = "data:image/png;base64," + png;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
    canvas.drawImage(image, 0, 0);
    return [...canvas.getImageData(image.width - 3, 3, 1, 1).data].slice(0, 3);
}"""


@pytest.mark.parametrize("name", ["10000 steps", "10000 calls"])
def test_ten_thousand_steps_are_drawn_with_few_elements(page: Any, name: str) -> None:
    few, many = (
        output(page, one).locator(f"{SVG} *").count() for one in ("100 steps", name)
    )
    assert many <= 4 * few
    assert output(page, name).locator(".stop").count() <= 60


def choose_theme(page: Any, theme: str) -> None:
    name = f"JupyterLab {theme}"
    page.keyboard.press("Control+Shift+C")
    page.locator(".lm-CommandPalette input").wait_for()
    page.keyboard.type(f"Use Theme: {name}")
    page.keyboard.press("Enter")
    page.locator(f'body[data-jp-theme-name="{name}"]').wait_for(state="attached")


def rgb(colour: str) -> list[float]:
    return [float(part) for part in re.findall(r"[\d.]+", colour)][:3]


def contrast(colour: list[float], opacity: float, below: list[float]) -> float:
    """The ratio of WCAG 2, of a colour that lets some of what is below it through."""
    mixed = [
        opacity * one + (1 - opacity) * other
        for one, other in zip(colour, below, strict=True)
    ]
    dark, light = sorted((luminance(mixed), luminance(below)))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: list[float]) -> float:
    parts = [
        part / 255 / 12.92 if part <= 10.3 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in colour
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
