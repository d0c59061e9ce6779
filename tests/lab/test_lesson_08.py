"""Lesson 08, beyond what holds for all lessons."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("libcst")

from npu_lab import lesson
from npu_lab.device import Device
from npu_lab.extras import asking
from npu_lab.lab.lessons import lesson_08, replay, scripts_08
from npu_lab.lab.lessons.picture_08 import plot_auto_migration, plot_replay
from npu_lab.plan import Plan


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return scripts_08.lay_out(tmp_path)


@pytest.fixture
def sunk(project: Path) -> asking.Diff:
    only = scripts_08.with_loop(scripts_08.ONLY_TRAINS)
    (project / "train.py").write_text(only, encoding="utf-8")
    return asking.migrated(project, loop=10).diff("train.py")


def test_the_script_of_the_lesson_is_what_the_tool_writes(sunk: asking.Diff) -> None:
    cells = {cell.name: cell for cell in lesson.read("08_auto_migration")}
    model, train = cells["script-model"], cells["script-train"]
    for language in ("en", "zh"):
        shown = train.source[language].removeprefix("%%npu_run\n")
        assert f"{model.source[language]}\n\n\n{shown}".strip() == sunk.after.strip()


def test_a_loop_with_an_if_is_refused_with_its_reason(project: Path) -> None:
    (said,) = asking.migrated(project, loop=10).said("L1")
    assert said.startswith("train.py:34:21: not sunk: the loop does more")


def test_all_pieces_make_the_result_and_none_the_original(sunk: asking.Diff) -> None:
    assert len(sunk.pieces) == 5
    assert sunk.first(0) == sunk.before
    assert sunk.first(5) == sunk.without() == sunk.after
    assert sunk.without(1) == sunk.only(2, 3, 4, 5)
    assert "npu_bridge" not in sunk.without(1)


def test_what_the_text_says_of_each_piece(project: Path, device: Device) -> None:
    diff = asking.migrated(project).diff("train.py")
    runs = replay.replay({str(n): diff.first(n) for n in range(3)}).runs.values()
    assert [ran.graphs for ran in runs] == [0, 3, 3]
    assert {ran.calls for ran in runs} == {63}
    losses = [ran.loss for ran in runs]
    assert losses[0] == losses[1] != losses[2]


def test_a_plan_of_the_sunk_script(sunk: asking.Diff, device: Device) -> None:
    ran = replay.run(sunk.after)
    assert ran.calls == Plan(60, 10, setup_calls=7).session_runs
    assert (ran.training, ran.sunk, ran.batches, ran.markers) == (6, 60, 61, 8)
    assert len(ran.keywords.records) == 8


@pytest.mark.parametrize(
    ("missing", "code", "steps"),
    [(2, "SINK013", 6), (4, "SINK017", 6), (5, "SINK006", 60)],
)
def test_checker_and_device_agree_on_half_a_migration(
    sunk: asking.Diff, device: Device, missing: int, code: str, steps: int
) -> None:
    source = sunk.without(missing)
    ran = replay.run(source)
    assert asking.checked(source).codes == list(ran.codes) == [code]
    assert (ran.training, ran.sunk) == (steps, 0)


def test_one_fault_hides_another() -> None:
    assert asking.checked(scripts_08.FAST).codes == ["SINK005", "SINK001"]
    (right, *_) = lesson_08.answers.RIGHT_LINES
    half = lesson_08.mended([right[0], right[1], "for _ in range(STEPS):"])
    assert asking.checked(half).codes == ["SINK003"]


def test_a_run_leaves_the_process_as_it_was(device: Device) -> None:
    from tensorflow.python.client.session import Session

    before = Session.__init__
    replay.run(scripts_08.FAST)
    assert Session.__init__ is before
    assert not [one for one in sys.modules if one.startswith("npu_bridge")]
    import npu_bridge.npu_init

    after = Session.__init__
    assert after is not before
    replay.run(scripts_08.TRAIN)
    assert Session.__init__ is not before
    assert sys.modules["npu_bridge.npu_init"] is npu_bridge.npu_init


def test_a_script_that_fails_leaves_it_so_too(device: Device) -> None:
    from tensorflow.python.client.session import Session

    before = Session.__init__
    with pytest.raises(ZeroDivisionError):
        replay.run("from npu_bridge.npu_init import *\n1 / 0\n")
    assert Session.__init__ is before


@pytest.mark.parametrize(
    ("guess", "told"), [("1", "your guess 1"), (13, "your guess 13"), (None, "")]
)
def test_the_pictures_say_in_words_what_they_show(guess: Any, told: str) -> None:
    ran = replay.Ran(63, 60, 0, 0, (), 0, (), ())
    on = replay.Ran(13, 6, 60, 61, (), 7, (), ())
    runs = replay.Replay({"as found": ran, "1 import": on})
    drawn = plot_replay(runs, plan=Plan(60, 10, setup_calls=7), guess=guess)
    for words in (
        "as found: 63 calls, no graph",
        "60 steps in loops",
        "last: 13",
        told,
    ):
        assert words in drawn.alt
    assert ("guess" in drawn.provenance) == bool(told)
    assert "go back to 2" in plot_auto_migration().alt


def test_the_modules_load_without_libcst(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    monkeypatch.setitem(sys.modules, "libcst", None)
    for name in [one for one in sys.modules if one.startswith("npu_lab.extras.")]:
        monkeypatch.delitem(sys.modules, name)
    for module in (replay, scripts_08, lesson_08):
        importlib.import_module(module.__name__)
        monkeypatch.delitem(sys.modules, module.__name__)
        importlib.import_module(module.__name__)


def test_findings_are_told_with_their_place_and_mend(project: Path) -> None:
    listed = asking.migrated(project).findings
    assert "plot.py:5:1 [-]: needs a hand: Python 2" in str(listed)
    assert "<strong>train.py:12:12 [B1]</strong> changed" in listed.html
    told = asking.checked(scripts_08.FAST, "fast.py")
    assert "fast.py:33:5 SINK005" in str(told)
    assert "Set custom_op" in told.html
    assert "<strong>reader.batch(32)</strong>" in asking.judged("reader.batch(32)").html
