"""`npu.open` and the handle: every row of the table."""

from __future__ import annotations

import logging

import pytest

from npu_lab._tensorflow import tf
from npu_lab.extras.tf2 import seam


def test_the_device_is_zero_unless_the_environment_says_otherwise(npu):
    assert npu.open().device_id == 0


def test_the_environment_names_the_device(npu, monkeypatch):
    monkeypatch.setenv("ASCEND_DEVICE_ID", "3")
    handle = npu.open()
    assert handle.device_id == 3
    assert handle.name().endswith("NPU:3")


def test_an_empty_variable_is_none(npu, monkeypatch):
    monkeypatch.setenv("ASCEND_DEVICE_ID", "")
    assert npu.open().device_id == 0


def test_the_same_device_gives_the_same_handle_and_says_so(npu, caplog):
    handle = npu.open(2)
    with caplog.at_level(logging.INFO, "npu_device"):
        assert npu.open(2) is handle
    assert "NPU:2" in caplog.text


def test_another_device_is_refused(npu):
    npu.open(0)
    with pytest.raises(RuntimeError, match=r"Device 0 is open.*device 1"):
        npu.open(1)


def test_a_closed_device_can_be_opened_anew(npu):
    npu.open(0)
    npu.close()
    assert npu.open(1).device_id == 1


def test_what_the_native_library_refuses(npu):
    npu.global_options().precision_mode = "force_fp16"
    npu.global_options().precision_mode_v2 = "fp16"
    with pytest.raises(RuntimeError, match="Failed open npu device 0 : precision_mode"):
        npu.open()


@pytest.mark.parametrize("name", ["RANK_SIZE", "CM_WORKER_SIZE"])
def test_one_worker(npu, monkeypatch, name):
    monkeypatch.setenv(name, "1")
    handle = npu.open()
    assert (handle.workers_num, handle.worker_id) == (1, 0)
    assert not handle.is_cluster_worker()


WORKERS = [
    ({"RANK_SIZE": "2", "CM_WORKER_SIZE": "2"}, ValueError, "both set"),
    ({"RANK_SIZE": "2"}, RuntimeError, "RANK_TABLE_FILE"),
    (
        {"RANK_SIZE": "2", "CM_CHIEF_IP": "1.1.1.1", "RANK_TABLE_FILE": "t.json"},
        RuntimeError,
        "both set",
    ),
    ({"RANK_SIZE": "2", "RANK_TABLE_FILE": "t.json"}, RuntimeError, "RANK_ID"),
    ({"CM_WORKER_SIZE": "2", "CM_CHIEF_IP": "1"}, RuntimeError, "CM_CHIEF_PORT"),
    (
        {"CM_WORKER_SIZE": "2", "CM_CHIEF_IP": "1", "CM_CHIEF_PORT": "6000"},
        RuntimeError,
        "CM_CHIEF_DEVICE",
    ),
    ({"RANK_SIZE": "two"}, ValueError, "two"),
]


@pytest.mark.parametrize(("given", "kind", "words"), WORKERS)
def test_several_workers_need_their_variables(npu, monkeypatch, given, kind, words):
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(kind, match=words):
        npu.open()


def test_as_default_returns_the_handle_and_takes_effect_at_once(npu, device2):
    handle = npu.open()
    doubled = tf.function(lambda x: 2 * x)
    doubled(tf.constant(1))
    assert device2.ledger.session_runs == 0
    assert handle.as_default() is handle
    doubled(tf.constant(1))
    assert device2.ledger.session_runs == 1


def test_scope_puts_a_block_on_the_device(npu, device2):
    handle, doubled = npu.open(), tf.function(lambda x: 2 * x)
    with handle.scope():
        doubled(tf.constant(1))
    doubled(tf.constant(1))
    assert device2.ledger.session_runs == 1


def test_xla_is_turned_off_with_a_log(opened, caplog):
    with caplog.at_level(logging.INFO, "npu_device"):
        made = tf.function(lambda x: x, jit_compile=True)
        opened.npu_compat_function(lambda x: x, jit_compile=True)
    assert not made._jit_compile
    assert caplog.text.count("Skip xla compile") == 2


def test_the_users_device_is_ignored(opened):
    with tf.device("/device:NPU:7"):
        assert float(tf.function(lambda x: x + 1)(tf.constant(1.0))) == 2


def test_eager_execution_stays_on_and_the_view_is_not_there(opened):
    assert tf.executing_eagerly()
    assert not hasattr(tf, "placeholder")


def test_deactivating_restores_tensorflow(opened):
    from tensorflow.python.autograph.core import config
    from tensorflow.python.eager.polymorphic_function import concrete_function
    from tensorflow.python.framework import ops

    import npu_lab

    held = (concrete_function.ConcreteFunction._call_flat, ops.device)
    npu_lab.deactivate()
    assert concrete_function.ConcreteFunction._call_flat is not held[0]
    assert ops.device is not held[1]
    assert "npu_lab" not in str(config.CONVERSION_RULES)
    assert not seam.in_use()


def test_a_nested_function_is_one_graph(opened, device2):
    inner = tf.function(lambda x: x + 1)
    outer = tf.function(lambda x: inner(x) * 2)
    assert int(outer(tf.constant(1))) == 4
    assert device2.ledger.session_runs == 1


def test_py_function_works_on_the_host(opened):
    made = tf.function(lambda x: tf.py_function(lambda v: v + 1, [x], tf.int32))
    assert int(made(tf.constant(1))) == 2
