"""What is shown of ranks that run."""

from __future__ import annotations

import io
import os
from pathlib import Path

from npu_lab.extras.distributed.launcher import views
from npu_lab.extras.distributed.launcher.jobs import width
from npu_lab.extras.distributed.launcher.progress import Progress, Stage
from npu_lab.extras.distributed.launcher.views import Lines, Screen, Tail, cut


def test_whole_lines_are_read_and_the_rest_at_the_end(tmp_path: Path):
    path = tmp_path / "log"
    tail = Tail(path)
    assert tail.new() == []
    with path.open("ab", buffering=0) as file:
        file.write(b"one\ntw")
        assert (tail.new(), tail.last) == (["one"], "tw")
        file.write("o 二".encode()[:-1])
        assert tail.new() == []
        file.write("二".encode()[-1:] + b"\n10%\r20%\r\n\x1b[31mred\xff")
        assert tail.new() == ["two 二", "20%"]
        assert tail.rest() == ["[31mred�"]
        assert tail.rest() == []


def test_lines_have_the_rank_in_front(tmp_path: Path):
    said: list[str] = []
    logs = [tmp_path / "0", tmp_path / "1"]
    tails = [Tail(log) for log in logs]
    for number, log in enumerate(logs):
        log.write_text(f"of {number}\nopen", "utf-8")
    view = Lines(said.append)
    view.update([(Progress(), False, tails[0]), (Progress(), True, tails[1])])
    assert said == ["[rank 0] of 0", "[rank 1] of 1", "[rank 1] open"]
    view.close()
    with logs[0].open("a") as file:
        file.write("\nlate\n")
    view.update([(Progress(), True, tails[0])])
    assert len(said) == 3


def test_the_screen_has_a_line_for_each_rank_drawn_anew(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    monkeypatch.setattr(views, "REDRAWN", 0)
    size = os.terminal_size((40, 24))
    monkeypatch.setattr(views.shutil, "get_terminal_size", lambda: size)
    log = tmp_path / "log"
    log.write_text("loss 0.5\n", "utf-8")
    stream, tail = io.StringIO(), Tail(log)
    screen = Screen(stream)
    running = Progress(stage=Stage.TOGETHER, steps=130)
    screen.update([(Progress(), False, Tail(tmp_path / "no")), (running, False, tail)])
    first, second, rest = stream.getvalue().split("\n")
    assert "rank 0  starting" in first
    assert "rank 1  running    step 130   loss 0.5" in second
    assert rest == ""
    log.write_text("loss 0.5\n" + "长" * 40 + "\n", "utf-8")
    screen.update([(running, True, tail), (running, False, tail)])
    drawn = stream.getvalue().split("\n")
    assert drawn[2].startswith("\x1b[2A")
    assert "ended" in drawn[2]
    shown = drawn[3].removeprefix(views.ERASE)
    assert width(shown) <= 39
    assert shown.endswith("长…")
    screen.close()
    screen.close()
    assert len(stream.getvalue().split("\n")) == 7


def test_a_line_is_cut_where_the_terminal_ends():
    assert cut("abcd", 4) == "abcd"
    assert cut("abcde", 4) == "abc…"
    assert cut("二二二", 4) == "二…"
