"""Known troubles of TensorFlow in notebooks, each shown not to befall a lesson."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

ROOT = Path(__file__).resolve().parents[2]
SANITIZE = ROOT / "notebooks" / "nbval_sanitize.cfg"

Outputs = list[list[nbformat.NotebookNode]]
RunCells = Callable[..., Outputs]

SET_LEVEL = 'import os; os.environ["ASCEND_GLOBAL_LOG_LEVEL"] = "1"'
LOAD = "%load_ext npu_lab"
TRAIN = """
import tensorflow as tf
from npu_bridge.npu_init import *

def train(n, feed=False):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        if not feed:
            dataset = tf.data.Dataset.from_tensor_slices([1., 2., 3.]).repeat()
            iterator = tf.data.make_initializable_iterator(dataset)
            x = iterator.get_next()
        weight = tf.Variable(1.0)
        loss = tf.reduce_mean(tf.square(weight * x))
        train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        config = tf.ConfigProto()
        custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = "NpuOptimizer"
        custom_op.parameter_map["enable_data_pre_proc"].b = True
        custom_op.parameter_map["iterations_per_loop"].i = n
        with tf.Session(config=config) as sess:
            sess.run(tf.global_variables_initializer())
            if not feed:
                sess.run(iterator.initializer)
            op = util.set_iteration_per_loop(sess, train_op, n)
            sess.run(op, {x: [1.0, 2.0]} if feed else None)
"""


def streams(outputs: Outputs, name: str) -> list[str]:
    return [o.text for cell in outputs for o in cell if o.get("name") == name]


@pytest.mark.slow
def test_notebook_with_tensorflow_has_no_stderr_and_each_log_line_once(
    run_cells: RunCells, tmp_path: Path
) -> None:
    """Also when loaded again, reloaded, and when a diagnostic has something to say."""
    outputs = run_cells(
        [
            SET_LEVEL,
            LOAD,
            LOAD,  # IPython's own remark, and no second activation
            "%reload_ext npu_lab",
            TRAIN,
            "train(10)",
            "import npu_lab\nprint(npu_lab.hostlog.judge())",
            "train(10, feed=True)",
            "%unload_ext npu_lab\nprint(npu_lab.active_device())",
        ],
        ASCEND_PROCESS_LOG_PATH=str(tmp_path),
    )
    assert streams(outputs, "stderr") == []
    ready = [re.match("npu_lab .* is ready", cell[0].text) for cell in outputs[1:4]]
    assert [bool(found) for found in ready] == [True, False, True]
    assert outputs[5] == []  # the compiled lines are in the log and the verdicts

    # Six graphs: initializer, four loads, training. Counted in the file.
    evidence = outputs[6][0].text
    assert "answer='built', markers=8" in evidence
    assert "keyword_lines=18" in evidence
    files = list(tmp_path.glob("debug/plog/*.log"))
    assert len(files) == 1
    lines = files[0].read_text(encoding="utf-8").splitlines()
    assert max(Counter(lines).values()) == 1
    inserted = [line for line in lines if "LoopCond_ASSIGNADD" in line]
    assert len(inserted) == 2  # one for each of the two training graphs

    (note,) = outputs[7]
    assert note.output_type == "display_data"
    assert note.data["text/plain"].startswith("warning: SINK004 ")
    assert "\n" not in note.data["text/plain"]
    assert "ipykernel" not in note.data["text/plain"]
    assert outputs[8][0].text == "None\n"


@pytest.mark.slow
def test_what_was_set_too_late_is_told(run_cells: RunCells) -> None:
    """TensorFlow imported before the lab, the log level set after it."""
    outputs = run_cells(
        ["import tensorflow", LOAD, SET_LEVEL, TRAIN + "train(10)",
         "import npu_lab\nprint(npu_lab.hostlog.judge().because)"],
    )  # fmt: skip
    (line,) = outputs[1][0].text.splitlines()
    assert "imported before it" in line
    assert "Restart the kernel" in line
    assert "set too late" in outputs[4][0].text


@pytest.mark.slow
def test_what_was_set_in_time_holds(run_cells: RunCells, tmp_path: Path) -> None:
    outputs = run_cells(
        [SET_LEVEL + '; os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"', LOAD,
         "print(os.environ['TF_CPP_MIN_LOG_LEVEL'])", TRAIN + "train(10)",
         "import npu_lab\nprint(npu_lab.hostlog.judge().answer)"],
        ASCEND_PROCESS_LOG_PATH=str(tmp_path),
    )  # fmt: skip
    assert "host log level 1 (INFO)" in outputs[1][0].text
    assert outputs[2][0].text == "3\n"
    assert outputs[4][0].text == "built\n"
    assert streams(outputs, "stderr") == []


def test_a_returned_picture_is_shown_once(run_cells: RunCells) -> None:
    """Also beside pyplot, which shows each figure left open at a cell's end."""
    outputs = run_cells(
        [
            "import matplotlib.pyplot as plt\nfrom npu_lab import lab",
            "lab.plot_migration_stages()",
            "display(lab.plot_migration_stages())",
            "picture = lab.plot_migration_stages()",
        ]
    )
    counts = [
        sum("image/png" in o.get("data", {}) for o in cell) for cell in outputs[1:]
    ]
    assert counts == [1, 1, 0]


CHANGING = {
    "duration": ('print("took", time.perf_counter() - start, "s")', "took 0.1 s\n"),
    "address": ("print(object())", "<object object at 0x7f0123456789>\n"),
    "temporary path": ("print(tempfile.mkdtemp())", "/tmp/tmpabcdefgh\n"),
    "date": ("print(datetime.datetime.now())", "2026-01-31 09:30:00.123456\n"),
    "graph id": (
        'print("current graph id is:", os.getpid())',
        "current graph id is: 1\n",
    ),
}


def test_what_changes_from_run_to_run_passes_nbval_with_the_sanitize_file(
    tmp_path: Path,
) -> None:
    setup = "import datetime, os, tempfile, time\nstart = time.perf_counter()"
    cells = [new_code_cell(setup)]
    for source, stored in CHANGING.values():
        output = new_output("stream", text=stored)
        cells.append(new_code_cell(source, execution_count=1, outputs=[output]))
    path = tmp_path / "changing.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["--nbval", "--nbval-current-env", str(path)]

    plain = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert f"{len(CHANGING)} failed, 1 passed" in plain.stdout
    # A line each; pytest's summary, which is longer under CI, may repeat the words.
    failures, _, _ = plain.stdout.partition("short test summary")
    assert failures.count("mismatch 'stdout'") == len(CHANGING)
    sanitized = subprocess.run(
        [*command, "--nbval-sanitize-with", str(SANITIZE)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert f"{len(CHANGING) + 1} passed" in sanitized.stdout, sanitized.stdout
