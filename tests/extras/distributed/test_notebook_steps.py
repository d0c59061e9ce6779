"""The steps of ranks side by side, from traces that are written here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from npu_lab.extras.distributed.notebook_steps import plot_steps, read_steps
from npu_lab.trace_files import TraceFileError


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "en")


def trace(path: Path, data: float, compute: float, begun: float = 0.0) -> Path:
    """A trace of 30 steps, each with so many milliseconds."""
    events, now = [], begun
    for number in range(30):
        for name, spent in (("GetNext", data), ("compute", compute)):
            args = {"iteration": number}
            times = {"ts": 1000 * now, "dur": 1000 * spent}
            events.append({"ph": "X", "name": name, "args": args, **times})
            now += spent
    events.append({"ph": "X", "name": "host call 0", "ts": 0, "dur": 9, "args": {}})
    path.write_text(json.dumps({"traceEvents": events}), "utf-8")
    return path


def test_the_rank_that_does_not_wait_is_the_straggler(tmp_path: Path) -> None:
    fast = trace(tmp_path / "0", data=0.5, compute=19.5)
    slow = trace(tmp_path / "1", data=18.0, compute=2.0, begun=700.0)
    steps = read_steps([fast, slow])
    assert steps.straggler == 1
    assert steps.medians == [pytest.approx((0.5, 19.5)), pytest.approx((18.0, 2.0))]
    assert steps.table.rows == (("0", "0.5 ms", "19.5 ms"), ("1", "18.0 ms", "2.0 ms"))
    assert steps.table.chosen == 1
    assert "30 steps" in str(steps.table)
    drawn = plot_steps(steps)
    for told in ("4 steps of 2 ranks", "rank 1: 18.0 ms data", "straggler is rank 1"):
        assert told in drawn.alt
    assert drawn.png[:4] == b"\x89PNG"


def test_a_file_that_is_no_trace(tmp_path: Path) -> None:
    (tmp_path / "0").write_text("?", "utf-8")
    with pytest.raises(TraceFileError):
        read_steps([tmp_path / "0"])
