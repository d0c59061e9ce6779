"""The counting model, sunk and ready to run."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import npu_lab.tf1 as tf
from npu_lab.device import Device
from tests.device.counting import N, model
from tests.device.models import config


@pytest.fixture
def util(device: Device) -> Any:
    from npu_bridge.npu_init import util

    return util


@pytest.fixture
def sunk(device: Device, util: Any) -> Iterator[SimpleNamespace]:
    """The model with its training operation sunk, and an open session."""
    with tf.Graph().as_default():
        m = model()
        with tf.Session(config=config(N)) as m.opened:
            m.opened.run([tf.global_variables_initializer(), m.setup])
            m.sunk = util.set_iteration_per_loop(m.opened, m.train, N)
            yield m
