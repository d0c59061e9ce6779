"""The migration's report in a browser: 400 findings, by keyboard, light and dark."""

from __future__ import annotations

import pytest

pytest.importorskip("libcst")

from npu_lab.extras.migrate import page
from npu_lab.extras.migrate.finding import LEVELS

pytestmark = pytest.mark.browser


def finding(number):
    return {
        "rule": "S1", "level": LEVELS[number % 4], "path": "a.py", "cell": 0,
        "line": number, "column": 1, "place": f"a.py:{number}:1", "reason": "why <b>",
        "before": f"tf.Session(g{number})", "after": f"tf.Session(g{number}, config=c)",
    }  # fmt: skip


@pytest.fixture(params=["light", "dark"])
def shown(request, browser, tmp_path, monkeypatch):
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    counts = dict.fromkeys(["files", "changed", "unread", "hand", "warning"], 1)
    report = {"findings": [finding(n) for n in range(400)], "counts": counts, "api": []}
    path = tmp_path / "report.html"
    path.write_text(page.page(report), "utf-8")
    context = browser.new_context(color_scheme=request.param)
    opened = context.new_page()
    errors = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.goto(path.as_uri())
    yield opened, request.param
    context.close()
    assert not errors


def test_search_filter_and_keys(shown):
    opened, scheme = shown
    assert opened.inner_text("#shown") == "400 / 400"
    opened.keyboard.press("/")
    opened.keyboard.type("g12")
    assert opened.inner_text("#shown") == "11 / 400"
    opened.keyboard.press("Escape")
    assert opened.input_value("input[type=search]") == "g12"
    opened.keyboard.press("j")
    opened.keyboard.press("j")
    active = "document.activeElement.querySelector('.place').textContent"
    assert opened.evaluate(active) == "a.py:120:1"
    opened.keyboard.press("k")
    assert opened.evaluate(active) == "a.py:12:1"
    opened.uncheck("input[value=hand]")
    assert opened.inner_text("#shown") == "7 / 400"
    back = opened.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (back == "rgb(255, 255, 255)") == (scheme == "light")
