from __future__ import annotations

from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.bridge.estimator.npu import util
from tests.bridge.conftest import CountingSession, words

v1 = tf.compat.v1

DOCUMENTED = words("""
    set_iteration_per_loop IterationPerLoop create_or_get_var register_func
    check_not_none check_positive_integer check_nonnegative_integer check_bool_type
    convert_bool_to_int format_string check_profiling_options check_path
    check_aoe_mode get_ranksize variable_initializer_in_host
    fair_division GradDivisionItem add_grads_and_vars get_gid_by_grad
    get_gid_by_weight get_all_grad_item
    set_graph_exec_config npu_compile global_dict_init set_value get_value
    keep_tensors_dtypes set_op_tensor_max_range set_op_tensor_max_size
    set_op_input_tensor_multi_dims
""")


def test_every_documented_name_is_there() -> None:
    assert [name for name in DOCUMENTED if not callable(getattr(util, name))] == []


def test_variables_are_initialized_by_an_op_that_the_host_runs(weight: Any) -> None:
    op = util.variable_initializer_in_host([weight])
    assert op.name == "var_in_host"
    with v1.Session() as sess:
        sess.run(op)
        assert sess.run(weight) == 0.0


def test_no_variables_give_an_op_without_effect(graph: Any) -> None:
    op = util.variable_initializer_in_host([])
    with v1.Session() as sess:
        assert sess.run(op) is None


def test_compiling_is_one_run_of_all_fetches(train_op: Any, weight: Any) -> None:
    with CountingSession() as sess:
        sess.run(weight.initializer)
        assert util.npu_compile(sess, train_op, weight) is None
        assert sess.fetched[1:] == [(train_op, weight)]
        assert sess.run(weight) == 1.0


def test_values_are_kept_until_the_store_is_emptied() -> None:
    util.set_value("answer", 42)
    assert util.get_value("answer") == 42
    util.global_dict_init()
    assert util.get_value("answer") is None
    assert util.get_value("answer", 7) == 7
