from __future__ import annotations

from typing import Any

import pytest

from npu_lab._tensorflow import tf
from npu_lab.bridge.estimator.npu import npu_scope
from npu_lab.bridge.estimator.npu.npu_config import NpuExecutePlacement

v1 = tf.compat.v1

SCOPES = [
    (npu_scope.without_npu_compile_scope, (), {"_without_npu_compile": True}),
    (npu_scope.keep_dtype_scope, (), {"_keep_dtype": 1}),
    (npu_scope.npu_variable_scope, (), {"_variable_placement": b"all"}),
    (
        npu_scope.npu_variable_scope,
        (NpuExecutePlacement.HOST,),
        {"_variable_placement": b"host"},
    ),
    (npu_scope.npu_stage_scope, (2,), {"_stage_level": 2}),
    (npu_scope.npu_mem_type_scope, (), {"_output_memory_type": 1}),
    (
        npu_scope.npu_weight_prefetch_scope,
        (),
        {"_buffer_pool_id": 0, "_buffer_pool_size": 536870912},
    ),
    (
        npu_scope.op_specified_engine_scope,
        ("AIcoreEngine", "lib"),
        {
            "_specified_engine_name": b"AIcoreEngine",
            "_specified_kernel_lib_name": b"lib",
        },
    ),
    (npu_scope.npu_qos_label_scope, (3,), {"_qos_service_label": 3}),
    (npu_scope.subgraph_multi_dims_scope, (1,), {"_subgraph_multi_dims_index": 1}),
    (npu_scope.npu_optimizer_scope, (), {"_optimizer": True}),
    (npu_scope.disable_autofuse, (), {"_disable_autofuse_scope": True}),
    (npu_scope.limit_core_num_scope, ("0", "8"), {"_op_vectorcore_num": b"8"}),
]


@pytest.mark.parametrize(("scope", "arguments", "expected"), SCOPES)
def test_operations_in_the_block_are_marked_and_still_run(
    graph: Any, scope: Any, arguments: Any, expected: Any
) -> None:
    before = tf.constant(1.0)
    with scope(*arguments):
        inside = before + 1.0
    after = inside + 1.0
    assert {name: inside.op.get_attr(name) for name in expected} == expected
    for outside in (before, after):
        for name in expected:
            with pytest.raises(ValueError, match=name):
                outside.op.get_attr(name)
    with v1.Session() as sess:
        assert sess.run(after) == 3.0


def test_operations_of_another_graph_are_not_marked(graph: Any) -> None:
    with npu_scope.keep_dtype_scope(), tf.Graph().as_default():
        other = tf.constant(1.0)
    with pytest.raises(ValueError, match="_keep_dtype"):
        other.op.get_attr("_keep_dtype")


def test_a_mark_survives_in_a_trained_variable(graph: Any) -> None:
    with npu_scope.npu_variable_scope(NpuExecutePlacement.HOST):
        w = v1.get_variable("w", initializer=4.0, use_resource=True)
    step = v1.train.GradientDescentOptimizer(0.5).minimize(w * w)
    with v1.Session() as sess:
        sess.run(w.initializer)
        sess.run(step)
        assert sess.run(w) == 0.0


@pytest.mark.parametrize(
    ("scope", "arguments"),
    [
        (npu_scope.npu_stage_scope, ("first",)),
        (npu_scope.npu_qos_label_scope, ("high",)),
        (npu_scope.npu_weight_prefetch_scope, (0, "512MB")),
        (npu_scope.op_specified_engine_scope, (1, 2)),
    ],
)
def test_a_mark_of_another_type_is_refused(
    graph: Any, scope: Any, arguments: Any
) -> None:
    with pytest.raises(TypeError), scope(*arguments):
        pass


@pytest.mark.parametrize("placement", ["host", None, 1])
def test_a_placement_is_a_member_of_the_enumeration(graph: Any, placement: Any) -> None:
    with (
        pytest.raises(ValueError, match=r"NpuExecutePlacement\.HOST"),
        npu_scope.npu_variable_scope(placement),
    ):
        pass


@pytest.mark.parametrize(
    "arguments", [(), ("4",), ("0", "0"), ("0", "-1"), ("0", "many"), ("0", 8)]
)
def test_the_number_of_cores_is_a_string_above_0(graph: Any, arguments: Any) -> None:
    with (
        pytest.raises(ValueError, match="op_vectorore_num"),
        npu_scope.limit_core_num_scope(*arguments),
    ):
        pass


def test_recomputation_and_slices_are_name_scopes(graph: Any) -> None:
    with npu_scope.npu_recompute_scope():
        assert tf.constant(1.0).op.name == "NpuRecompute/Const"
    with npu_scope.npu_graph_slice_scope(4):
        assert tf.constant(1.0).op.name == "SliceNum-4-NpuGraphSlicing4/Const"
    with npu_scope.npu_graph_slice_scope():
        assert tf.constant(1.0).op.name == "SliceNum-None-NpuGraphSlicingNone/Const"


def test_a_number_of_slices_is_a_positive_integer(graph: Any) -> None:
    with pytest.raises(ValueError, match="slice_num"):
        npu_scope.npu_graph_slice_scope(0)
    with pytest.raises(TypeError, match="slice_num"):
        npu_scope.npu_graph_slice_scope("2")  # type: ignore[arg-type]
