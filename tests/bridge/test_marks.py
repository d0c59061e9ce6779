from __future__ import annotations

from typing import Any

import pytest

from npu_lab._tensorflow import tf
from npu_lab.bridge.estimator.npu import util

v1 = tf.compat.v1

EXEC_CONFIG = {
    "_graph_dynamic_input": True,
    "_graph_dynamic_graph_execute_mode": b"lazy_recompile",
    "_graph_dynamic_inputs_shape_range": b"getnext:[1~8]",
    "_is_train_graph": True,
}
GIVEN = (True, "lazy_recompile", "getnext:[1~8]", True)


def attributes(operation: Any, names: Any) -> dict[str, Any]:
    return {name: operation.get_attr(name) for name in names}


@pytest.fixture
def total(graph: Any) -> Any:
    return tf.constant(1.0, name="a") + tf.constant(2.0, name="b")


def test_the_options_of_a_graph_are_written_onto_a_tensor(total: Any) -> None:
    assert util.set_graph_exec_config(total, *GIVEN) is total
    assert attributes(total.op, EXEC_CONFIG) == EXEC_CONFIG
    with v1.Session() as sess:
        assert sess.run(total) == 3.0


def test_the_options_have_defaults(total: Any) -> None:
    assert util.set_graph_exec_config(total.op) is total.op
    assert attributes(total.op, EXEC_CONFIG) == {
        "_graph_dynamic_input": False,
        "_graph_dynamic_graph_execute_mode": b"dynamic_execute",
        "_graph_dynamic_inputs_shape_range": b"",
        "_is_train_graph": False,
    }


def test_a_list_is_marked_part_by_part(total: Any, graph: Any) -> None:
    fetch = [total, ("a:0", graph.get_operation_by_name("b"))]
    assert util.set_graph_exec_config(fetch, *GIVEN) is fetch
    for name in ("a", "b", total.op.name):
        operation = graph.get_operation_by_name(name)
        assert attributes(operation, EXEC_CONFIG) == EXEC_CONFIG


def test_a_name_gives_the_tensor(total: Any) -> None:
    found = util.set_graph_exec_config(total.name)
    assert found is total
    assert total.op.get_attr("_is_train_graph") is False


@pytest.mark.parametrize("fetch", [None, 3, {"a": 1}, [None]])
def test_what_cannot_be_fetched_is_refused(graph: Any, fetch: Any) -> None:
    with pytest.raises(ValueError, match="fetch is"):
        util.set_graph_exec_config(fetch)


def test_an_unknown_mode_is_refused_first(graph: Any) -> None:
    with pytest.raises(ValueError, match=r"'lazy'.*dynamic_execute"):
        util.set_graph_exec_config(None, dynamic_graph_execute_mode="lazy")


def test_an_option_of_another_type_is_refused(total: Any) -> None:
    with pytest.raises(TypeError):
        util.set_graph_exec_config(total, dynamic_input="True")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        util.set_graph_exec_config(total, dynamic_inputs_shape_range=8)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        util.set_op_tensor_max_range(total, 8)  # type: ignore[arg-type]


def test_an_experimental_config_cannot_be_given_yet(total: Any) -> None:
    with pytest.raises(ValueError, match="ExperimentalConfig"):
        util.set_graph_exec_config(total, experimental_config=object())


def test_precision_is_kept_by_tensor_or_by_name(total: Any, graph: Any) -> None:
    util.keep_tensors_dtypes(graph, (total, "a:0"))
    for name in (total.op.name, "a"):
        assert graph.get_operation_by_name(name).get_attr("_keep_dtype") == 1
    with pytest.raises(ValueError, match="_keep_dtype"):
        graph.get_operation_by_name("b").get_attr("_keep_dtype")


def test_keeping_precision_needs_a_graph_and_a_list(total: Any, graph: Any) -> None:
    with pytest.raises(ValueError, match=r"tf\.Graph"):
        util.keep_tensors_dtypes(None, [total])
    with pytest.raises(ValueError, match="list or tuple"):
        util.keep_tensors_dtypes(graph, total)


def test_the_setters_for_changing_shapes(total: Any) -> None:
    util.set_op_tensor_max_range(total, "4,5")
    util.set_op_tensor_max_size(total.op, "80")
    util.set_op_input_tensor_multi_dims(total, "a:-1", "1;2")
    expected = {
        "_op_max_shape": b"4,5",
        "_op_max_size": b"80",
        "_subgraph_multi_dims_input_shape": b"a:-1",
        "_subgraph_multi_dims_input_dims": b"1;2",
    }
    assert attributes(total.op, expected) == expected
