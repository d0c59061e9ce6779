"""Lesson 14, beyond what holds for all lessons; its kernel is that of TensorFlow 2."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import nbformat
import pytest

import npu_lab
from npu_lab._tensorflow import tf
from npu_lab.device import Device
from npu_lab.lab import check, lessons
from npu_lab.lab.exercises import State
from npu_lab.lab.lessons import answers_14, checks_14, lesson_14
from npu_lab.lab.lessons.picture_14 import Counted, count_modes, plot_modes

SOURCE = Path(__file__).parents[2] / "notebooks" / "src" / "14_tensorflow_2.md"
MODES = [
    Counted("NPU_LOOP", 1, 6, 6, 6),
    Counted("HOST_LOOP", 6, 6, 6, 0),
    Counted("BUILTIN_LOOP", 1, 6, 4, 4),
    Counted("NO_LOOP", 1, 1, 1, 0),
]

pytestmark = pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")
needs_eager = pytest.mark.eager


def cell_of(name: str) -> str:
    """The code of a cell of the source."""
    part = SOURCE.read_text("utf-8").partition(f"<!-- cell: {name} ")[2]
    return part.partition("```python\n")[2].partition("\n```")[0]


def without_magics(code: str) -> str:
    lines = code.splitlines()
    return "\n".join(one for one in lines if not one.startswith("%"))


@pytest.fixture
def names(device: Device) -> dict[str, Any]:
    """What the cells of the lesson have defined before they train."""
    import npu_device as npu

    npu.open().as_default()
    found = answers_14.run_as_cell(cell_of("model"), {"npu": npu})
    for cell, name in (("one-step", "stepwise"), ("loop", "sunk"), ("loss", "telling")):
        code = without_magics(cell_of(cell)).partition(f"def {name}")[2]
        ends = code.partition("\n\n\n")[0]
        found |= answers_14.run_as_cell(f"def {name}{ends}", found)
    return found


def test_the_mode_is_that_of_the_lesson_alone() -> None:
    found = [key for key in lessons.numbers() if lessons.mode(key) == "tf2"]
    assert found == ["14"]


def test_the_skeleton_is_what_falls_into_the_wrong_mode() -> None:
    broken = checks_14.MENDED_SOLUTION
    for code, gap in {
        "        for _": "        loss = 0.0\n        for _",
        "last_loss.assign(loss)\n": "____\n        return loss\n",
    }.items():
        assert code in broken
        broken = broken.replace(code, gap)
    assert broken in cell_of("mended")


@needs_eager
def test_what_the_checker_takes_sinks_on_the_device(names: dict[str, Any]) -> None:
    model, last = names["regression"](), tf.Variable(0.0, trainable=False)

    def step(x: Any, y: Any) -> Any:
        return names["train_step"](model, x, y)

    mended = answers_14.right(step, last)
    names["npu"].set_npu_loop_size(10)
    mended(iter(names["batches"]()), tf.constant(10))
    device = npu_lab.active_device()
    assert device is not None
    assert device.verdicts[-1].mode == "NPU_LOOP"
    assert device.ledger.device_iterations == int(model.optimizer.iterations) == 10
    assert 0 < float(last) < math.log(10)


@needs_eager
def test_checking_counts_nothing_and_leaves_the_loop_size(device: Device) -> None:
    import npu_device as npu

    from npu_lab.extras.tf2.state import STATE

    npu.open().as_default()
    npu.set_npu_loop_size(7)
    before = device.ledger.as_dict()
    assert check("14/mended", answers_14.right).state is State.RIGHT
    assert device.ledger.as_dict() == before
    assert STATE.loop_size == 7
    assert not device.verdicts


def test_in_a_kernel_of_tensorflow_1_the_checker_says_so(device: Device) -> None:
    feedback = check("14/mended", answers_14.right)
    assert feedback.state is State.WRONG
    assert "%load_ext npu_lab.extras.tf2" in feedback.message


@needs_eager
def test_steps_of_the_exercise_are_those_of_the_device(names: dict[str, Any]) -> None:
    names["npu"].set_npu_loop_size(checks_14.SIZE)
    ways = {
        "NPU_LOOP": ("sunk", True),
        "HOST_LOOP": ("sunk", False),
        "BUILTIN_LOOP": ("telling", True),
        "NO_LOOP": ("stepwise", True),
    }
    for mode, (way, known) in ways.items():
        model = names["regression"]()
        iterator = iter(names["batches"](known))
        try:
            names[way](model)(iterator, tf.constant(checks_14.STEPS))
        except tf.errors.InternalError:
            assert mode == "BUILTIN_LOOP"
        assert int(model.optimizer.iterations) == checks_14.RUN[mode]


@needs_eager
@pytest.mark.parametrize("pair", [p for _, p in lesson_14.EXERCISES[2].wrong[3:]])
def test_pairs_that_are_refused_do_what_is_said(
    names: dict[str, Any], device: Device, pair: tuple[int, int]
) -> None:
    size, steps = pair
    codes = {"no loop": "SINK082", "waits": "SINK078", "unread": "SINK079"}
    codes["remainder"] = "SINK079"
    (key,) = (k for k, p in lesson_14.EXERCISES[2].wrong if p == pair)
    names["npu"].set_npu_loop_size(size)
    model = names["regression"](steps)
    data = names["batches"]()
    if key == "waits":
        with pytest.raises(tf.errors.InternalError, match="SINK078"):
            model.fit(data, steps_per_epoch=80, verbose=0)
        return
    model.fit(data, steps_per_epoch=80, verbose=0)
    told = {d.code for one in device.verdicts for d in one.diagnostics}
    assert codes.get(key, "SINK080") in told
    assert device.ledger.training_calls == math.ceil(80 / steps)


@needs_eager
def test_counting_sets_the_loop_size_back(names: dict[str, Any]) -> None:
    from npu_lab.extras.tf2.state import STATE

    names["npu"].set_npu_loop_size(9)
    ways = (("sunk", True), ("sunk", False), ("telling", True), ("stepwise", True))
    functions = [
        (names[way](names["regression"]()), iter(names["batches"](known)))
        for way, known in ways
    ]
    assert count_modes(functions, size=6, steps=4) == MODES
    assert STATE.loop_size == 9


def test_counting_needs_the_device_of_tensorflow_2(device: Device) -> None:
    with pytest.raises(RuntimeError, match=r"%load_ext npu_lab\.extras\.tf2"):
        count_modes([], size=6, steps=4)


def test_the_picture_says_in_words_what_it_shows() -> None:
    drawn = plot_modes(MODES, size=6, steps=4)
    for words in (
        "loop size 6 and tf.range(4)",
        "HOST_LOOP: 6 host calls, 6 steps, 0 in a device loop",
        "BUILTIN_LOOP: 1 host call, 4 steps, 4 in a device loop, 2 pushed batches",
        "NO_LOOP: 1 host call, 1 step, 0",
    ):
        assert words in drawn.alt
    assert drawn.width == 720
    assert "Counted by the ledger" in drawn.provenance


@pytest.mark.parametrize("folder", ["", "zh"])
def test_what_the_texts_say_is_what_the_cells_show(folder: str) -> None:
    place = SOURCE.parents[1] / folder / SOURCE.with_suffix(".ipynb").name
    cells = {cell.id: cell for cell in nbformat.read(place, as_version=4).cells}

    def shown(name: str) -> str:
        return "".join(
            one.get("text", "") + one.get("data", {}).get("text/plain", "")
            for one in cells[name].outputs
        )

    assert "[NO_LOOP]" in shown("one-step")
    assert "[NPU_LOOP]" in shown("loop")
    assert "steps: 10\nsteps: 1\n" in shown("rules")
    assert "[BUILTIN_LOOP]" in shown("loss")
    assert "steps: 10\nInternalError\n" in shown("wait")
    assert "[HOST_LOOP]" in shown("host")
    assert "steps_per_execution 20: 4 calls" in shown("keras")
    assert shown("same").count("250 steps, same bits: True") == 3
    assert "loop size 100" in shown("log")
    assert "FlowCtrl_LoopCond" in shown("log")
