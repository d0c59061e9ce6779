"""The checker on scripts of TensorFlow 2."""

from __future__ import annotations

import pytest

pytest.importorskip("libcst")

from npu_lab.extras.check import check_source

HEAD = """
import npu_device as npu
npu.open().as_default()
import tensorflow as tf

@tf.function
def silent(iterator, steps):
    for _ in tf.range(steps):
        train_step(next(iterator))

@tf.function
def telling(iterator, steps):
    loss = 0.0
    for _ in tf.range(steps):
        loss = train_step(next(iterator))
    return loss

it = iter(dataset)
"""
FIT = "model.compile('sgd', 'mse'{})\nmodel.fit(dataset)\n"


def found(body, head=HEAD):
    checked = check_source(head + body)
    assert not checked.problems
    return [
        (f.code, f.possible)
        for f in checked.findings
        if f.diagnostic.severity != "info"
    ]


CASES = {
    # Equal: nothing is said.
    "npu.set_npu_loop_size(10)\nsilent(it, tf.constant(10))": [],
    "npu.set_npu_loop_size(10)\ntelling(it, tf.constant(10))": [],
    "N = 10\nnpu.set_npu_loop_size(N)\nsilent(it, tf.constant(N))": [],
    # the documented remainder
    "npu.set_npu_loop_size(10)\nsilent(it, tf.constant(10))\n"
    "npu.set_npu_loop_size(3)\nsilent(it, tf.constant(3))": [],
    # unequal
    "npu.set_npu_loop_size(10)\nsilent(it, tf.constant(20))": [("SINK077", False)],
    "npu.set_npu_loop_size(10)\nsilent(it, steps=tf.constant(5))": [("SINK077", False)],
    "npu.set_npu_loop_size(10)\ntelling(it, tf.constant(20))": [("SINK078", False)],
    "npu.set_npu_loop_size(10)\ntelling(it, tf.constant(5))": [("SINK079", False)],
    # the environment may say otherwise
    "silent(it, tf.constant(100))": [("SINK077", True)],
    "telling(it, tf.constant(100))": [("SINK078", True)],
    "import os\nos.environ['NPU_LOOP_SIZE'] = '5'\nsilent(it, tf.constant(5))": [],
    "import os\nos.environ['NPU_LOOP_SIZE'] = '5'\nsilent(it, tf.constant(6))": [
        ("SINK077", False)
    ],
    # a size of 0 is ignored, one that is not plain is not judged
    "npu.set_npu_loop_size(4)\nnpu.set_npu_loop_size(0)\n"
    "silent(it, tf.constant(4))": [],
    "npu.set_npu_loop_size(args.n)\nsilent(it, tf.constant(10))": [],
    "npu.set_npu_loop_size(10)\nsilent(it, tf.constant(args.n))": [],
    "if args.fast:\n    npu.set_npu_loop_size(9)\nsilent(it, tf.constant(10))": [],
    "npu.set_npu_loop_size(10)\nif args.fast:\n    silent(it, tf.constant(9))": [
        ("SINK077", True)
    ],
    "def main():\n    npu.set_npu_loop_size(10)\n    silent(it, tf.constant(9))\n"
    "if __name__ == '__main__':\n    main()": [("SINK077", False)],
    # Keras
    "npu.set_npu_loop_size(10)\n" + FIT.format(""): [("SINK082", False)],
    "npu.set_npu_loop_size(10)\n" + FIT.format(", steps_per_execution=10"): [],
    "npu.set_npu_loop_size(10)\n" + FIT.format(", steps_per_execution=20"): [
        ("SINK078", False)
    ],
    "npu.set_npu_loop_size(10)\n" + FIT.format(", steps_per_execution=5"): [
        ("SINK079", False)
    ],
    FIT.format(""): [],
    FIT.format(", steps_per_execution=5"): [("SINK078", True)],
}


@pytest.mark.parametrize("body", CASES)
def test_a_program(body):
    assert found(body) == CASES[body]


def test_a_function_that_returns_is_told_of(capsys):
    del capsys
    (one,) = check_source(HEAD).findings
    assert one.code == "SINK080"
    assert one.diagnostic.facts["function"] == "telling"
    assert one.place.line == 12


def test_several_loops():
    body = """
@tf.function
def twice(iterator):
    for _ in tf.range(3):
        train_step(next(iterator))
    for _ in tf.range(3):
        other()
"""
    codes = [f.diagnostic.facts for f in check_source(HEAD + body).findings]
    assert "several Whiles" in str(codes)


def test_a_comment_silences_it():
    body = "npu.set_npu_loop_size(10)\nsilent(it, tf.constant(20))"
    silenced = f"{body}  # npu-lab: ignore[SINK077] the rest is not needed"
    checked = check_source(HEAD + silenced)
    assert "SINK077" not in {f.code for f in checked.findings}


def test_without_npu_device_nothing_is_said():
    head = HEAD.replace("import npu_device as npu", "import x as npu")
    assert check_source(head + "silent(it, tf.constant(20))").findings == ()
