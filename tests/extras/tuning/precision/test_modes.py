"""Which operators a mode changes, and the files and scopes that say otherwise."""

from __future__ import annotations

import json

import numpy as np
import pytest

import npu_lab
import npu_lab.tf1 as tf
from npu_lab.extras.tuning.precision import types
from npu_lab.extras.tuning.precision.table import MODES, MODES_V2
from tests.device import models
from tests.extras.tuning.precision.runs import run

PI = np.array([3.14159274], np.float32)
ROUNDED = np.float32(np.float16(3.14159274))


def _computed(build, **options):
    """The type of each operator of the table in a small graph, by its name."""
    with tf.Graph().as_default():
        fetches = build()
        with tf.Session(config=models.config(**options)) as session:
            return types(session, fetches)


def _network():
    x = tf.placeholder(tf.float32, [2, 3])
    product = tf.matmul(x, tf.ones([3, 3]), name="product")
    sum_ = tf.nn.bias_add(product, tf.ones([3]), name="sum")
    relu = tf.nn.relu(tf.reshape(sum_, [3, 2]), name="relu")
    softmax = tf.nn.softmax(relu, name="softmax")
    after = tf.multiply(softmax, relu, name="after")
    return tf.add(x, 1.0, name="first"), after, tf.square(after, name="square")


NARROW = {"product", "sum", "relu", "softmax", "after", "first"}


@pytest.mark.parametrize(
    ("options", "reduced"),
    [
        ({}, set()),
        ({"precision_mode": "must_keep_origin_dtype"}, set()),
        ({"precision_mode_v2": "origin"}, set()),
        ({"precision_mode": "force_fp16"}, NARROW),
        ({"precision_mode_v2": "fp16"}, NARROW),
        ({"precision_mode": "allow_fp32_to_fp16"}, {"product"}),
        ({"precision_mode": "cube_fp16in_fp32out"}, {"product"}),
        ({"precision_mode_v2": "cube_fp16in_fp32out"}, {"product"}),
        ({"precision_mode": "force_fp32"}, {"product"}),
        ({"precision_mode": "allow_mix_precision"}, {"product", "sum", "relu"}),
        ({"precision_mode": "allow_mix_precision_fp16"}, {"product", "sum", "relu"}),
        ({"precision_mode_v2": "mixed_float16"}, {"product", "sum", "relu"}),
    ],
)
def test_a_mode_reduces_its_operators(device, options, reduced):
    found = _computed(_network, **options)
    assert set(found) == NARROW
    assert {name for name, dtype in found.items() if dtype == "float16"} == reduced


@pytest.mark.parametrize(
    "options",
    [
        {"precision_mode": "allow_mix_precision_bf16"},
        {"precision_mode": "allow_fp32_to_bf16"},
        {"precision_mode_v2": "mixed_bfloat16"},
    ],
)
def test_bfloat16_modes(device, options):
    assert _computed(_network, **options)["product"] == "bfloat16"


def test_every_mode_of_the_options_is_known():
    from npu_lab.device.option_table import PRECISIONS, PRECISIONS_V2

    assert set(MODES) == set(PRECISIONS)
    assert set(MODES_V2) == {m for m in PRECISIONS_V2 if "hif8" not in m}


@pytest.mark.parametrize("mode", ["cube_hif8", "mixed_hif8"])
def test_hifloat8_is_refused_with_a_warning(device, mode):
    with pytest.warns(UserWarning, match="SINK062"):
        got = run(lambda x: x * 1.0, (PI,), precision_mode_v2=mode)
    np.testing.assert_array_equal(got, PI)


def _mixlist(tmp_path, **lists):
    path = tmp_path / "mixlist.json"
    path.write_text(json.dumps({k.replace("_", "-"): v for k, v in lists.items()}))
    return {"precision_mode": "allow_mix_precision", "modify_mixlist": str(path)}


@pytest.mark.parametrize(
    ("lists", "reduced"),
    [
        ({"black_list": {"to-add": ["MatMul"]}}, set()),
        ({"black_list": {"to-add": ["MatMulV2"]}}, set()),  # Ascend IR
        ({"white_list": {"to-remove": ["MatMul"]}}, set()),  # grey: as its inputs
        ({"black_list": {"to-add": ["BiasAdd"]}}, {"product"}),
        (
            {"white_list": {"to-add": ["SoftmaxV2"]}},
            {"product", "sum", "relu", "softmax", "after"},
        ),
        (
            {"black_list": {"to-remove": ["Softmax"]}},
            {"product", "sum", "relu", "softmax", "after"},
        ),
        ({"gray_list": {"to-add": ["MatMul"]}}, set()),
        (
            {"white_list": {"to-add": ["Add"]}},
            {"product", "sum", "relu", "first"},
        ),
    ],
)
def test_modify_mixlist_moves_operators(device, tmp_path, lists, reduced):
    found = _computed(_network, **_mixlist(tmp_path, **lists))
    assert {name for name, dtype in found.items() if dtype == "float16"} == reduced


def test_an_unknown_type_in_the_lists_is_reported(device, tmp_path):
    options = _mixlist(tmp_path, white_list={"to-add": ["MatMull", "Relu"]})
    with pytest.warns(UserWarning, match="SINK063.*MatMull"):
        run(lambda x: x + x, (PI,), **options)


@pytest.mark.parametrize(
    ("content", "about"),
    [
        ("{", "no JSON"),
        ("[]", "must be an object"),
        ('{"blacklist": {}}', "black-list"),
        ('{"black-list": {"add": []}}', "to-add"),
        ('{"black-list": {"to-add": "MatMul"}}', "list of operator types"),
        ('{"black-list": {"to-add": [1]}}', "list of operator types"),
        (
            '{"black-list": {"to-add": ["Mul"]}, "white-list": {"to-add": ["Mul"]}}',
            "added to black-list as well",
        ),
    ],
)
def test_a_wrong_mixlist_is_an_error_before_anything_runs(
    device, tmp_path, content, about
):
    options = _mixlist(tmp_path)
    (tmp_path / "mixlist.json").write_text(content)
    with pytest.raises(tf.errors.InternalError, match=about):
        run(lambda x: x + x, (PI,), **options)


def test_a_missing_mixlist_is_an_error(device, tmp_path):
    options = _mixlist(tmp_path)
    (tmp_path / "mixlist.json").unlink()
    with pytest.raises(tf.errors.InternalError, match="No such file"):
        run(lambda x: x + x, (PI,), **options)


def test_keep_dtype_scope_keeps_float32(device):
    from npu_bridge.npu_init import npu_scope

    def build(x):
        with npu_scope.keep_dtype_scope():
            kept = x + 0.0
        return kept, x + 0.0

    kept, reduced = run(build, (PI,), precision_mode="force_fp16")
    assert kept == PI
    assert reduced == ROUNDED


def _customized(tmp_path, *lines):
    path = tmp_path / "types.cfg"
    path.write_text("\n".join(lines))
    return str(path)


@pytest.mark.parametrize(
    ("line", "first", "second"),
    [
        ("one::InputDtype:float32,float32,OutputDtype:float32", PI, ROUNDED),
        ("OpType::Add:InputDtype:float32,float32,OutputDtype:float32", PI, PI),
        ("OpType::Add:InputDtype:float32,OutputDtype:float16", ROUNDED, ROUNDED),
    ],
)
def test_customize_dtypes(device, tmp_path, line, first, second):
    def build(x):
        return tf.add(x, 0.0, name="one"), tf.add(x, 0.0, name="two")

    path = _customized(tmp_path, line)
    options = {"precision_mode": "force_fp16", "customize_dtypes": path}
    assert run(build, (PI,), **options) == (first, second)


def test_a_name_beats_a_type_in_customize_dtypes(device, tmp_path):
    path = _customized(
        tmp_path,
        "OpType::Add:InputDtype:float16,OutputDtype:float16",
        "",
        "one::InputDtype:float32,OutputDtype:float32",
    )
    options = {"precision_mode": "allow_mix_precision", "customize_dtypes": path}

    def build(x):
        return tf.add(x, 0.0, name="one"), tf.add(x, 0.0, name="two")

    assert run(build, (PI,), **options) == (PI, ROUNDED)


def test_customize_dtypes_has_no_effect_where_types_are_kept(device, tmp_path):
    path = _customized(tmp_path, "OpType::Add:InputDtype:float16,OutputDtype:float16")
    assert run(lambda x: x + 0.0, (PI,), customize_dtypes=path) == PI


@pytest.mark.parametrize("line", ["Add", "one::InputDtype:int5", "one::"])
def test_a_wrong_line_in_customize_dtypes_is_named(device, tmp_path, line):
    path = _customized(tmp_path, "OpType::Add:InputDtype:float16", line)
    with pytest.raises(tf.errors.InternalError, match="line 2"):
        run(lambda x: x, (PI,), precision_mode="force_fp16", customize_dtypes=path)


def test_an_operator_outside_of_the_table_is_reported_once(device):
    from npu_bridge.npu_init import util  # noqa: F401

    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [1])
        first, second = tf.square(x), tf.reshape(tf.square(x) + x, [])
        with tf.Session(config=models.config(precision_mode="force_fp16")) as session:
            got = session.run(first, {x: PI})
            session.run(second, {x: PI})
    assert got == PI * PI
    found = [d for d in device.diagnostics if d.code == "SINK061"]
    assert [d.facts["operators"] for d in found] == [["Square"]]
    assert all("SINK061" in [d.code for d in v.diagnostics] for v in device.verdicts)


def test_types_needs_a_session_with_npu_optimizer(device):
    with (
        tf.Graph().as_default(),
        tf.Session() as session,
        pytest.raises(ValueError, match="NpuOptimizer"),
    ):
        types(session, tf.constant(1.0))


def test_what_the_device_cannot_copy_is_reported(device):
    """Keras in graph mode runs a callable of the session, as it is."""
    from npu_bridge.npu_init import util  # noqa: F401

    config = models.config(precision_mode="force_fp16")
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        made = tf.constant(PI) + 0.0
        options = tf.core.protobuf.config_pb2.CallableOptions(fetch=[made.name])
        with pytest.warns(UserWarning, match="SINK064"):
            (got,) = session._make_callable_from_options(options)()
    assert got == PI


@pytest.mark.parametrize("mode", [2, -1, None, True, "1"])
def test_another_overflow_mode_is_a_value_error(device, mode):
    from npu_bridge.estimator.npu import npu_plugin

    assert npu_plugin.is_inf_nan_enabled()
    with pytest.raises(ValueError, match="set_device_sat_mode"):
        npu_plugin.set_device_sat_mode(mode)


def test_the_overflow_mode_belongs_to_the_device(device):
    from npu_bridge.estimator.npu import npu_plugin

    npu_plugin.set_device_sat_mode(0)
    assert not npu_plugin.is_inf_nan_enabled()
    npu_lab.deactivate()
    npu_lab.activate(view=True)
    assert npu_plugin.is_inf_nan_enabled()
