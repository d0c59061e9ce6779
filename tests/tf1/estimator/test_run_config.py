"""RunConfig has the arguments, defaults and checks of TensorFlow 1.15."""

from __future__ import annotations

import copy
import inspect
import json
from pathlib import Path

import pytest

import npu_lab.tf1 as tf

RunConfig = tf.estimator.RunConfig


@pytest.fixture(autouse=True)
def no_cluster(monkeypatch):
    monkeypatch.delenv("TF_CONFIG", raising=False)


def test_names_order_and_defaults():
    parameters = list(inspect.signature(RunConfig).parameters.values())
    assert [p.name for p in parameters] == [
        "model_dir",
        "tf_random_seed",
        "save_summary_steps",
        "save_checkpoints_steps",
        "save_checkpoints_secs",
        "session_config",
        "keep_checkpoint_max",
        "keep_checkpoint_every_n_hours",
        "log_step_count_steps",
        "train_distribute",
        "device_fn",
        "protocol",
        "eval_distribute",
        "experimental_distribute",
        "experimental_max_worker_delay_secs",
        "session_creation_timeout_secs",
    ]
    config = RunConfig()
    for p in parameters:
        if not p.name.startswith(("save_checkpoints", "experimental_distribute")):
            assert getattr(config, p.name) == p.default
    assert config.save_summary_steps == config.log_step_count_steps == 100
    assert (config.is_chief, config.master, config.task_type) == (True, "", "worker")
    assert (config.num_worker_replicas, config.num_ps_replicas) == (1, 0)
    assert not config.cluster_spec


@pytest.mark.parametrize(
    ("given", "steps", "secs"),
    [
        ({}, None, 600),
        ({"save_checkpoints_steps": 7}, 7, None),
        ({"save_checkpoints_secs": 7}, None, 7),
        ({"save_checkpoints_steps": 7, "save_checkpoints_secs": None}, 7, None),
        ({"save_checkpoints_steps": None, "save_checkpoints_secs": None}, None, None),
        ({"save_checkpoints_steps": None}, None, None),
    ],
)
def test_the_intervals_of_checkpoints(given, steps, secs):
    config = RunConfig(**given)
    found = config.save_checkpoints_steps, config.save_checkpoints_secs
    assert found == (steps, secs)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"save_checkpoints_steps": 1, "save_checkpoints_secs": 1}, "cannot both"),
        ({"save_checkpoints_steps": -1}, "save_checkpoints_steps must be 0 or more"),
        ({"save_summary_steps": -1}, "save_summary_steps must"),
        ({"keep_checkpoint_max": -1}, "keep_checkpoint_max must"),
        ({"keep_checkpoint_every_n_hours": 0}, "must be more than 0"),
        ({"log_step_count_steps": 0}, "must be more than 0"),
        ({"tf_random_seed": 1.5}, "must be an integer"),
        ({"session_config": 3}, "must be a tf.ConfigProto, not 3"),
        ({"model_dir": ""}, "model_dir must not be empty"),
        ({"device_fn": lambda x: x}, "named op"),
        ({"protocol": "http"}, "grpc"),
    ],
)
def test_wrong_values_are_refused_when_made_and_when_replaced(given, text):
    with pytest.raises(ValueError, match=text):
        RunConfig(**given)
    with pytest.raises(ValueError, match=text):
        RunConfig().replace(**given)


@pytest.mark.parametrize(
    "name", ["save_checkpoints_steps", "save_summary_steps", "keep_checkpoint_max"]
)
def test_a_number_that_is_text_is_refused_by_name(name):
    with pytest.raises(TypeError, match=f"{name} must be 0 or more, not '100'"):
        RunConfig(**{name: "100"})


@pytest.mark.parametrize(
    "name", ["train_distribute", "eval_distribute", "experimental_distribute"]
)
def test_strategies_are_refused_with_what_the_lab_has(name):
    with pytest.raises(NotImplementedError, match=f"{name} .*one device"):
        RunConfig(**{name: object()})


@pytest.mark.parametrize("name", ["train_distribute", "eval_distribute"])
def test_a_strategy_of_one_device_is_kept(name):
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    config = RunConfig(**{name: strategy})
    assert getattr(config, name) is strategy
    assert getattr(config.replace(tf_random_seed=4), name).num_replicas_in_sync == 1
    with pytest.raises(NotImplementedError, match=f"{name} is <.*MirroredStrategy"):
        RunConfig(**{name: tf.distribute.MirroredStrategy(["/cpu:0"])})


def test_replace_makes_a_copy():
    config = RunConfig(Path("here"), save_checkpoints_steps=3)
    assert config.model_dir == "here"
    new = config.replace(save_checkpoints_secs=9, tf_random_seed=4)
    assert (new.save_checkpoints_steps, new.save_checkpoints_secs) == (None, 9)
    assert (config.save_checkpoints_steps, config.tf_random_seed) == (3, None)
    assert copy.deepcopy(new).tf_random_seed == 4
    with pytest.raises(ValueError, match="cannot replace master"):
        config.replace(master="x")


def test_tf_config_of_one_machine_is_honoured(monkeypatch):
    def environment(**values):
        monkeypatch.setenv("TF_CONFIG", json.dumps(values))

    environment(model_dir="there", task={"type": "worker", "index": 0})
    assert RunConfig().model_dir == "there"
    assert RunConfig("there").model_dir == "there"
    with pytest.raises(ValueError, match="'here', but 'there' in TF_CONFIG"):
        RunConfig("here")
    environment(model_dir="")
    with pytest.raises(ValueError, match="must not be empty"):
        RunConfig()
    environment(task={"type": "chief"})
    with pytest.raises(ValueError, match="must be of type worker"):
        RunConfig()
    environment(cluster={"worker": ["a:1"]}, task={"type": "worker", "index": 0})
    with pytest.raises(NotImplementedError, match="unset TF_CONFIG"):
        RunConfig()
