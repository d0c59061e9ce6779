from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest

from npu_lab._tensorflow import tf
from npu_lab.bridge import loop_variables
from npu_lab.bridge.estimator.npu import util
from npu_lab.device import Device
from tests.bridge.conftest import CountingSession

v1 = tf.compat.v1

NAMES = ["iterations_per_loop", "loop_cond", "zero", "one"]
VARIABLES = [f"npu_runconfig/{name}" for name in NAMES]


def set_with(train_op: Any, iterations: Any = 10) -> tuple[Any, list[Any]]:
    """The op that the setter returns, and what the four variables hold."""
    with CountingSession() as sess:
        op = util.set_iteration_per_loop(sess, train_op, iterations)
        values = [sess.run(util.create_or_get_var(name)) for name in NAMES]
    return op, values


def local_names(graph: Any) -> list[str]:
    return [v.op.name for v in graph.get_collection(v1.GraphKeys.LOCAL_VARIABLES)]


@pytest.mark.parametrize("iterations", [2, 3, 10, 100])
def test_the_setter_loads_the_count_less_one(train_op: Any, iterations: int) -> None:
    op, values = set_with(train_op, iterations)
    assert (op.name, op.type) == ("IterationOp", "NoOp")
    assert values == [iterations - 1, 0, 0, 1]


def test_the_new_op_runs_the_training_step(train_op: Any, weight: Any) -> None:
    with v1.Session() as sess:
        sess.run(weight.initializer)
        sess.run(util.set_iteration_per_loop(sess, train_op, 10))
        assert sess.run(weight) == 1.0


def test_a_count_of_one_changes_nothing(train_op: Any, graph: Any) -> None:
    before = graph.version
    with CountingSession() as sess:
        assert util.set_iteration_per_loop(sess, train_op) is train_op
        assert util.set_iteration_per_loop(sess, train_op, 1) is train_op
        assert util.set_iteration_per_loop(sess, train_op, True) is train_op
        assert sess.fetched == []
    assert graph.version == before


def test_a_second_call_gives_an_op_of_another_name(train_op: Any, graph: Any) -> None:
    first, _ = set_with(train_op, 10)
    second, values = set_with(train_op, 5)
    assert (first.name, second.name) == ("IterationOp", "IterationOp_1")
    assert values == [4, 0, 0, 1]
    assert local_names(graph) == VARIABLES


def test_a_name_scope_is_put_in_front_of_the_op_only(train_op: Any, graph: Any) -> None:
    with tf.name_scope("train"):
        op, _ = set_with(train_op)
    assert op.name == "train/IterationOp"
    assert local_names(graph) == VARIABLES


def test_a_variable_scope_is_put_in_front_of_the_variables_too(
    train_op: Any, graph: Any
) -> None:
    with v1.variable_scope("train"):
        op, _ = set_with(train_op)
    assert op.name == "train/IterationOp"
    assert local_names(graph) == [f"train/{name}" for name in VARIABLES]


def test_loading_is_four_runs_of_the_session(train_op: Any) -> None:
    with CountingSession() as sess:
        util.set_iteration_per_loop(sess, train_op, 10)
        assert len(sess.fetched) == 4
        iteration = util.IterationPerLoop()
        iteration.create_iteration_per_loop_var(train_op)
        assert len(sess.fetched) == 4
        iteration.load_iteration_per_loop_var(sess, 10)
        assert len(sess.fetched) == 8


def test_the_device_counts_four_host_calls(train_op: Any, npu_init: Any) -> None:
    device = npu_init_device()
    with v1.Session() as sess:
        npu_init.util.set_iteration_per_loop(sess, train_op, 10)
    assert device.ledger.session_runs == device.ledger.setup_calls == 4
    assert device.ledger.calls["load"] == 4


def npu_init_device() -> Device:
    import npu_lab

    device = npu_lab.active_device()
    assert device is not None
    return device


def test_the_variables_are_local_untrained_and_of_the_device(graph: Any) -> None:
    for name in NAMES:
        variable = util.create_or_get_var(name)
        assert variable.op.type == "VarHandleOp"
        assert variable.op.name == f"npu_runconfig/{name}"
        assert (variable.dtype, variable.shape.as_list()) == (tf.int64, [])
        assert not variable.trainable
        assert graph.get_collection(f"npu_runconfig_{name}") == [variable]
    assert local_names(graph) == VARIABLES
    for key in ("GLOBAL_VARIABLES", "TRAINABLE_VARIABLES", "MODEL_VARIABLES"):
        assert graph.get_collection(getattr(v1.GraphKeys, key)) == []


def test_a_variable_is_made_once(graph: Any) -> None:
    first = util.create_or_get_var("loop_cond")
    before = graph.version
    assert util.create_or_get_var("loop_cond") is first
    assert graph.version == before


def test_two_variables_in_a_collection_are_refused(graph: Any) -> None:
    variable = util.create_or_get_var("zero")
    graph.add_to_collection("npu_runconfig_zero", variable)
    with pytest.raises(RuntimeError, match=r"Multiple var in collection.*_zero: 2"):
        util.create_or_get_var("zero")


def test_the_variables_lie_where_the_global_step_is(graph: Any) -> None:
    v1.train.create_global_step()
    variable = util.create_or_get_var("iterations_per_loop")
    assert variable.op.colocation_groups() == [b"loc:@global_step"]


def test_without_a_global_step_they_lie_where_they_are(graph: Any) -> None:
    with graph.colocate_with(tf.constant(1, name="elsewhere").op):
        variable = util.create_or_get_var("iterations_per_loop")
    assert variable.op.colocation_groups() == [variable.op.colocation_groups()[0]]
    assert b"elsewhere" not in variable.op.colocation_groups()[0]


def test_they_are_in_force_without_an_initializer(train_op: Any) -> None:
    _, values = set_with(train_op, 7)
    assert values[0] == 6


def test_the_local_initializer_sets_them_back_to_a_loop_of_one(train_op: Any) -> None:
    with v1.Session() as sess:
        util.set_iteration_per_loop(sess, train_op, 10)
        sess.run(v1.global_variables_initializer())
        count = util.create_or_get_var("iterations_per_loop")
        assert sess.run(count) == 9
        sess.run(v1.local_variables_initializer())
        assert sess.run(count) == 0


@pytest.mark.parametrize("setter", ["function", "class"])
class TestWhatIsNoOperation:
    @staticmethod
    def call(setter: str, train_op: Any) -> None:
        if setter == "function":
            util.set_iteration_per_loop(None, train_op, 10)
        else:
            util.IterationPerLoop().create_iteration_per_loop_var(train_op)

    def test_a_tensor_is_named_by_its_dtype(self, setter: str, graph: Any) -> None:
        with pytest.raises(ValueError, match=r"float32.*need type is Operation"):
            self.call(setter, tf.constant(1.0))

    def test_a_variable_and_an_array_too(self, setter: str, weight: Any) -> None:
        for value in (weight, np.zeros(3, np.float32)):
            with pytest.raises(ValueError, match="float32"):
                self.call(setter, value)

    @pytest.mark.parametrize("value", [None, 3, "IterationOp", []])
    def test_what_has_no_dtype_trips_the_check(
        self, setter: str, graph: Any, value: Any
    ) -> None:
        with pytest.raises(AttributeError, match=type(value).__name__):
            self.call(setter, value)

    def test_nothing_was_made(self, setter: str, graph: Any) -> None:
        with pytest.raises(AttributeError):
            self.call(setter, None)
        assert graph.get_operations() == []


@pytest.mark.parametrize(
    ("iterations", "error"),
    [
        (None, TypeError),
        (10.0, TypeError),
        ("10", TypeError),
        (np.int64(10), TypeError),
        (0, ValueError),
        (-3, ValueError),
        (False, ValueError),
    ],
)
def test_a_wrong_count_is_refused_before_anything_is_made(
    train_op: Any, graph: Any, iterations: Any, error: type[Exception]
) -> None:
    before = graph.version
    with pytest.raises(error, match="iterations_per_loop"):
        util.set_iteration_per_loop(None, train_op, iterations)
    assert graph.version == before
    iteration = util.IterationPerLoop()
    iteration.create_iteration_per_loop_var(train_op)
    with pytest.raises(error, match="iterations_per_loop"):
        iteration.load_iteration_per_loop_var(None, iterations)


def test_the_operation_is_checked_before_the_count(graph: Any) -> None:
    with pytest.raises(AttributeError):
        util.set_iteration_per_loop(None, None, 0)


@pytest.mark.parametrize("iterations", [1, 2, 10])
def test_the_two_halves_work_around_a_finalized_graph(
    train_op: Any, graph: Any, iterations: int
) -> None:
    iteration = util.IterationPerLoop()
    op = iteration.create_iteration_per_loop_var(train_op)
    count = util.create_or_get_var("iterations_per_loop")
    assert op.name == "IterationOp"
    assert local_names(graph) == VARIABLES
    graph.finalize()
    with v1.Session() as sess:
        iteration.load_iteration_per_loop_var(sess, iterations)
        assert sess.run(count) == iterations - 1
        iteration.load_iteration_per_loop_var(sess)
        assert sess.run(count) == 0


def test_a_supervisor_finalizes_between_the_halves(
    train_op: Any, tmp_path: Any, graph: Any
) -> None:
    iteration = util.IterationPerLoop()
    iteration.create_iteration_per_loop_var(train_op)
    v1.train.Supervisor(logdir=str(tmp_path))
    assert graph.finalized
    with v1.Session() as sess:
        iteration.load_iteration_per_loop_var(sess, 10)


def test_loading_before_creating_is_an_attribute_error(graph: Any) -> None:
    with pytest.raises(AttributeError, match="create_iteration_per_loop_var"):
        util.IterationPerLoop().load_iteration_per_loop_var(None, 10)


def test_a_finalized_graph_is_named_with_the_op_and_the_order(
    train_op: Any, graph: Any
) -> None:
    graph.finalize()
    told = (
        r"Graph is finalized and cannot be modified.*IterationOp"
        rf".*{train_op.name}.*earlier line or cell.*load_iteration_per_loop_var"
    )
    with v1.Session() as sess:
        with pytest.raises(RuntimeError, match=told):
            util.set_iteration_per_loop(sess, train_op, 10)
        assert util.set_iteration_per_loop(sess, train_op, 1) is train_op
    with pytest.raises(RuntimeError, match=told):
        util.IterationPerLoop().create_iteration_per_loop_var(train_op)


def test_a_graph_is_needed(train_op: Any) -> None:
    if not tf.executing_eagerly():
        with tf.__internal__.eager_context.eager_mode():
            check_eager(train_op)
    else:
        check_eager(train_op)


def check_eager(train_op: Any) -> None:
    with pytest.raises(RuntimeError, match="eager execution is on"):
        util.set_iteration_per_loop(None, train_op, 10)


def test_without_a_session_the_default_one_is_loaded(train_op: Any) -> None:
    with v1.Session() as sess:
        util.set_iteration_per_loop(None, train_op, 10)
        assert sess.run(util.create_or_get_var("iterations_per_loop")) == 9
    with pytest.raises(ValueError, match="session"):
        util.set_iteration_per_loop(None, train_op, 10)


def test_loading_prints_no_notice_of_its_age(
    train_op: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    logger = logging.getLogger("tensorflow")
    monkeypatch.setattr(logger, "propagate", True)
    with caplog.at_level(logging.WARNING, "tensorflow"):
        set_with(train_op)
    assert "deprecated" not in caplog.text


@pytest.mark.parametrize(
    ("key", "language", "word"),
    [(key, "zh", "请") for key in loop_variables.MESSAGES],
)
def test_every_message_has_a_mend_in_both_languages(
    key: str, language: str, word: str
) -> None:
    texts = loop_variables.MESSAGES[key]
    assert set(texts) == {"en", language}
    assert word in texts["zh"]
    fields = {"{" + f.split("}")[0] + "}" for f in texts["en"].split("{")[1:]}
    assert all(field in texts["zh"] for field in fields)


def test_a_meta_graph_keeps_the_loop_variables(train_op: Any) -> None:
    import npu_lab.bridge.estimator.npu.npu_hook  # noqa: F401  (has the effect)

    for name in NAMES:
        util.create_or_get_var(name)
    util.IterationPerLoop().create_iteration_per_loop_var(train_op)
    kept = v1.train.export_meta_graph()
    assert {f"npu_runconfig_{name}" for name in NAMES} <= set(kept.collection_def)
    with tf.Graph().as_default() as restored, v1.Session() as sess:
        v1.train.import_meta_graph(kept)
        before = restored.version
        variables = [util.create_or_get_var(name) for name in NAMES]
        assert restored.version == before
        assert [v.op.name for v in variables] == VARIABLES
        op = restored.get_operation_by_name("IterationOp")
        util.set_iteration_per_loop(sess, op, 10)
        assert [int(sess.run(v)) for v in variables] == [9, 0, 0, 1]


def test_registering_a_collection_again_is_harmless(graph: Any) -> None:
    for _ in range(2):
        util.register_func("made_up_for_a_test")
    variable = util.create_or_get_var("made_up_for_a_test")
    kept = v1.train.export_meta_graph()
    stored = kept.collection_def["npu_runconfig_made_up_for_a_test"]
    assert stored.bytes_list.value
    assert variable.op.name == "npu_runconfig/made_up_for_a_test"


def test_an_unregistered_collection_comes_back_as_a_tensor(graph: Any) -> None:
    util.create_or_get_var("never_registered")
    kept = v1.train.export_meta_graph()
    with tf.Graph().as_default():
        v1.train.import_meta_graph(kept)
        assert not hasattr(util.create_or_get_var("never_registered"), "load")
