"""Lesson 09, beyond what holds for all lessons."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

import npu_lab.tf1 as tf
from npu_lab.device import Device
from npu_lab.lab.lessons import answers_09, by_hand, lesson_09, scripts_09

SOURCE = Path(__file__).parents[2] / "notebooks" / "src" / "09_manual_migration.md"
BOTH = pytest.mark.parametrize("folder", ["", "zh"])


def notebook(folder: str) -> dict[str, Any]:
    place = SOURCE.parents[1] / folder / SOURCE.with_suffix(".ipynb").name
    return {cell.id: cell for cell in nbformat.read(place, as_version=4).cells}


def cell_of(name: str) -> str:
    """The code of a cell of the source."""
    part = SOURCE.read_text("utf-8").partition(f"<!-- cell: {name}")[2]
    return part.partition("```python\n")[2].partition("```")[0]


def npu_config() -> Any:
    """The configuration that the lesson writes by hand, at N = 10."""
    from npu_bridge import npu_init

    names = {"tf": tf, "RewriterConfig": npu_init.RewriterConfig}
    exec(cell_of("config "), names)  # noqa: S102 (our own source)
    return names["npu_config"](10)


@pytest.fixture
def train(build_model: Callable[[], tuple[Any, Any, Any]]) -> Callable[[Any], None]:
    def run(config: Any) -> None:
        from npu_bridge.npu_init import util

        with tf.Graph().as_default(), tf.Session(config=config) as sess:
            iterator, train_op, loss = build_model()
            sess.run(tf.global_variables_initializer())
            sess.run(iterator.initializer)
            sess.run([util.set_iteration_per_loop(sess, train_op, 10), loss])

    return run


def test_three_of_the_lines_change_the_verdict(train: Callable[[Any], None]) -> None:
    table = by_hand.leave_out(train, npu_config, guess=5)
    rows = {name: rest for name, *rest in table.rows}
    plain = rows.pop("(nothing)")[:2]
    assert list(rows) == list(by_hand.LINES)
    changed = {name for name, rest in rows.items() if rest[:2] != plain}
    assert changed == {"NpuOptimizer", "enable_data_pre_proc", "iterations_per_loop"}
    assert "3 of 7 lines; predicted: 5." in table.caption
    # What the import writes again, and what it does not.
    counts = {name: rest[-1] for name, rest in rows.items()}
    assert counts["remapping"] == counts["global_jit_level"] == "OFF"
    assert counts["memory_optimization"] == "DEFAULT_MEM_OPT"
    assert counts["use_off_line"] == "True"


def test_without_a_guess_the_table_says_so(train: Callable[[Any], None]) -> None:
    table = by_hand.leave_out(train, npu_config)
    assert table.caption.endswith("predicted: nothing.")


def test_options_are_shown_as_they_are_read(device: Device) -> None:
    config = npu_config()
    custom_op = config.graph_options.rewrite_options.custom_optimizers[0]
    custom_op.parameter_map["precision_mode"].s = b"force_fp16"
    custom_op.parameter_map["enable_dump_debug"].i = 1  # the wrong field
    keys = "iterations_per_loop", "precision_mode", "enable_dump_debug", "hcom_parallel"
    rows = [row[1:] for row in by_hand.recorded(config, *keys).rows]
    assert rows[:3] == [("10", "yes"), ("force_fp16", "yes"), ("False", "yes")]
    assert rows[3][1] == "none"


def test_the_exercise_agrees_with_python(device: Device) -> None:
    from npu_bridge import npu_init

    names: dict[str, Any] = {"profiler": False, "steps": 1, "tf": npu_init.tf}
    before = dict(names)
    exec("from npu_bridge.npu_init import *", names)  # noqa: S102
    lost = {name for name in before if names[name] is not before[name]}
    for right in answers_09.RIGHT_NAMES:
        assert set(right(before, npu_init)) == lost == {"profiler"}


def test_the_names_of_the_module_in_the_exercise_are_judged_apart() -> None:
    names, module = lesson_09._case()
    given = [
        sorted(rule(names, module))
        for _, rule in answers_09.WRONG_NAMES[:6]
        if callable(rule)
    ]
    assert all(given.count(one) == 1 for one in given)


def test_the_tool_writes_the_form_by_hand() -> None:
    pytest.importorskip("libcst")
    from npu_lab.extras.check import check_source
    from npu_lab.extras.migrate.engine import migrate
    from npu_lab.extras.migrate.finding import Options

    made = migrate(scripts_09.TRAIN, Options(profile="manual", loop=10), "train.py")
    assert not check_source(made.text).findings
    by_tool = set(re.findall(r"(\w+)\"?\]?(?:\.\w)? = (?:True|[\w.]+\.OFF)", made.text))
    assert by_tool >= set(by_hand.LINES) - {"NpuOptimizer", "iterations_per_loop"}
    options = Options(profile="manual", mode="horovod")
    made = migrate(scripts_09.HOROVOD, options, "horovod_train.py")
    assert "hvd" not in made.text
    compile(made.text, "horovod_train.py", "exec")


@BOTH
def test_the_texts_say_what_the_cells_show(folder: str) -> None:
    cells = notebook(folder)
    half = cells["half"].outputs[-1].data["text/plain"]
    whole = cells["whole"].outputs[-1].data["text/plain"]
    assert re.search(r" 100[,)，）]", half)
    assert re.search(r" 10[,)，）]", whole)
    shown = "".join(output.text for output in cells["check"].outputs)
    assert "SINK001" in shown
    assert re.search(r"^ok ", shown, re.MULTILINE)
    assert "hvd" in cells["horovod"].outputs[0].text
