"""%%npu_run and %npu_log, in a shell of IPython without a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from npu_lab.device import Device
from npu_lab.lab import magics

SETUP = """
import npu_lab.tf1 as tf
from npu_bridge.npu_init import *

def train(n, calls=1):
    with tf.Graph().as_default(), tf.Session(config=npu_config(n)) as sess:
        iterator, train_op, loss = build_model()
        sess.run(tf.global_variables_initializer())
        sess.run(iterator.initializer)
        op = util.set_iteration_per_loop(sess, train_op, n)
        for _ in range(calls):
            sess.run(op)
"""


class Shell:
    """A shell with the magics, and what was displayed."""

    def __init__(self, shell: InteractiveShell, shown: list[Any]) -> None:
        self._shell = shell
        self.shown = shown

    def __call__(self, cell: str) -> Any:
        """Run a cell; return what it displayed last, or raise its error."""
        self.shown.clear()
        result = self._shell.run_cell(cell)
        result.raise_error()
        return self.shown[-1] if self.shown else result.result

    @property
    def names(self) -> dict[str, Any]:
        return self._shell.user_ns


@pytest.fixture
def shell(
    device: Device, build_model: Any, npu_config: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Shell]:
    shown: list[Any] = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    made = InteractiveShell()
    made.user_ns.update(build_model=build_model, npu_config=npu_config)
    magics.load_ipython_extension(made)
    shell = Shell(made, shown)
    shell(SETUP)
    yield shell
    magics.unload_ipython_extension(made)


def test_the_card_says_what_this_cell_did(shell: Shell) -> None:
    shell("train(10)")
    run = shell("%%npu_run\ntrain(10, calls=2)")
    text = str(run)
    assert text.splitlines()[0] == (
        "IterationOp: in effect, iterations_per_loop 10, data fresh"
    )
    for part in (
        "8 (initialize 1, iterator 1, load 4, training 2)",
        "device iterations",
        "Counted by the ledger while the cell ran.",
    ):
        assert part in text
        assert part in run.html
    assert [row[1] for row in run.table.rows[1:]] == ["20", "20"]
    assert "npu-lab-right" in run.html


def test_it_can_be_run_again_and_says_the_same(shell: Shell) -> None:
    texts = [str(shell("%%npu_run\ntrain(10)")) for _ in range(3)]
    assert len(set(texts)) == 1


def test_a_session_that_goes_on_is_counted_by_cell(shell: Shell) -> None:
    shell(
        "graph = tf.Graph()\n"
        "with graph.as_default():\n"
        "    iterator, train_op, loss = build_model()\n"
        "    init = tf.global_variables_initializer()\n"
        "sess = tf.Session(graph=graph, config=npu_config(1))\n"
        "sess.run([init, iterator.initializer])"
    )
    for calls in (3, 2):
        run = shell(f"%%npu_run\nfor _ in range({calls}):\n    sess.run(train_op)")
        (verdict,) = run.verdicts
        assert verdict.calls == calls
        assert f"{calls} (training {calls})" in str(run)
        assert "npu-lab-plain" in run.html  # N = 1 is no fault
    shell("sess.close()")


def test_diagnostics_are_in_the_card_and_not_beside_it(shell: Shell) -> None:
    shell("import warnings\nwarnings.simplefilter('always')")
    cell = (
        "x = tf.placeholder(tf.float32, [2])\n"
        "w = tf.get_variable('w', [])\n"
        "step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(w * x))\n"
        "with tf.Session(config=npu_config(10)) as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    step = util.set_iteration_per_loop(sess, step, 10)\n"
        "    sess.run(step, {x: [1.0, 2.0]})"
    )
    body = "with tf.Graph().as_default():\n    " + cell.replace("\n", "\n    ")
    run = shell(f"%%npu_run\n{body}")
    assert shell.shown == [run]
    assert "SINK004" in str(run)
    assert "Read the data with a Dataset" in run.html
    assert "npu-lab-wrong" in run.html
    shell(body)
    assert any(isinstance(one, magics.Note) for one in shell.shown)


def test_an_error_in_the_cell_goes_on_and_what_was_done_is_shown(shell: Shell) -> None:
    with pytest.raises(ZeroDivisionError):
        shell("%%npu_run\ntrain(10)\n1 / 0")
    (run,) = shell.shown
    assert "training 1" in str(run)
    assert "training 1" in str(shell("%%npu_run\ntrain(10)"))


def test_it_is_a_cell_like_any_other(shell: Shell) -> None:
    run = shell("%%npu_run\nname = 6 * 7\n%time other = name")
    assert shell.names["name"] == shell.names["other"] == 42
    assert "No training call was made" in str(run)
    assert run.table.rows[0][1] == "0"
    with pytest.raises(SyntaxError):
        shell("%%npu_run\nname =")


def test_the_log_shows_the_lines_on_the_loop_with_markers_set_off(
    shell: Shell,
) -> None:
    shell("train(1)")
    shell("%%npu_run\ntrain(10)")
    lines = str(shell("%npu_log --last")).splitlines()
    marked = [line for line in lines if line.startswith(">")]
    assert len(marked) == 8
    assert (
        "> INFO  GE  Insert op success, name:Node_Output_IteratorCtrl_StreamSwitch,"
        in (marked[0])
    )
    assert "markers: 8" in lines[-1]
    assert any("need iteration: 1" in line for line in lines)
    assert str(shell("%npu_log --last")).splitlines() == lines
    page = shell("%npu_log --last").html
    assert page.count("<strong>") == 8
    everything = str(shell("%npu_log")).splitlines()
    assert len(everything) > len(lines)
    assert lines[:-1] == everything[-len(lines) : -1]


def test_the_log_is_filtered_by_words(shell: Shell) -> None:
    shell("train(10)")
    lines = str(shell("%npu_log NAME:flowctrl")).splitlines()
    assert [line.split("name:")[1] for line in lines[:-1]] == [
        "FlowCtrl_LoopCond_ASSIGN, type:Assign.",
        "FlowCtrl_LoopCond_ASSIGNADD, type:AssignAdd.",
    ]
    nothing = str(shell("%npu_log no such words"))
    assert nothing.startswith(
        "No line of this process's host log matches; its level is 1"
    )


def test_before_any_run_the_log_is_empty(shell: Shell) -> None:
    assert str(shell("%npu_log")).startswith("No line")
