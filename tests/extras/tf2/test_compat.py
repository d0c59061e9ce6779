"""The door to TensorFlow 1; a script goes through it in test_coexistence."""

from __future__ import annotations

import importlib
import os

import pytest

import npu_lab
from npu_lab._tensorflow import tf
from npu_lab.device.options import SessionOptions, find_npu_optimizer

v1 = tf.compat.v1


def test_a_configuration_without_one_given(npu):
    builder = npu.compat.v1.SessionConfigBuilder()
    config = builder.session_config
    assert config.allow_soft_placement
    assert len(find_npu_optimizer(config)) == 1
    assert config.graph_options.rewrite_options.remapping == 2  # OFF


def test_a_configuration_that_is_given(npu):
    given = v1.ConfigProto(inter_op_parallelism_threads=3)
    builder = npu.compat.v1.SessionConfigBuilder(given)
    config = builder.session_config
    assert config.inter_op_parallelism_threads == 3
    assert not config.allow_soft_placement
    assert len(find_npu_optimizer(config)) == 1
    assert not find_npu_optimizer(given)  # a copy


def test_an_optimizer_is_always_added(npu):
    once = npu.compat.v1.SessionConfigBuilder().session_config
    twice = npu.compat.v1.SessionConfigBuilder(once).session_config
    assert len(find_npu_optimizer(twice)) == 2


def test_the_options_of_tensorflow_1_count(npu):
    builder = npu.compat.v1.SessionConfigBuilder()
    builder.parameter_map["iterations_per_loop"].i = 7
    options = SessionOptions.from_config(builder.session_config)
    assert options["iterations_per_loop"] == 7


def test_the_door(npu, device2, monkeypatch):
    monkeypatch.setenv("ASCEND_DEVICE_ID", "1")
    npu.open(3)
    npu.compat.enable_v1()
    assert os.environ["ASCEND_DEVICE_ID"] == "3"
    assert not tf.executing_eagerly()
    bridge = importlib.import_module("npu_bridge.estimator.npu.util")
    assert importlib.import_module("npu_device.compat.v1.estimator.npu.util") is bridge
    assert npu_lab.active_device() is device2
    npu_lab.deactivate()
    assert tf.executing_eagerly()


def test_the_device_stays_as_it_is_set_where_none_is_open(npu, monkeypatch):
    monkeypatch.setenv("ASCEND_DEVICE_ID", "1")
    npu.compat.enable_v1()
    assert os.environ["ASCEND_DEVICE_ID"] == "1"


def test_without_a_device(npu):
    npu_lab.deactivate()
    with pytest.raises(RuntimeError, match="activate"):
        npu.compat.enable_v1()


@pytest.mark.parametrize(
    "name",
    [
        "init_resource",
        "get_npu_rank_id",
        "get_npu_rank_size",
        "npu_distributed_optimizer_wrapper",
        "NPUBroadcastGlobalVariablesHook",
        "shutdown_resource",
        "close_session",
        "NPURunConfig",
        "NPUEstimator",
        "npu_config_proto",
    ],
)
def test_the_star_import_has_the_names_of_tensorflow_1(npu, name):
    del npu
    module = importlib.import_module("npu_device.compat.v1.npu_init")
    assert hasattr(module, name)
