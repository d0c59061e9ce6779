"""The injected link: a delay for each call, and a wait for each byte."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import npu_lab
import npu_lab.tf1 as tf
from npu_lab.device import Device
from npu_lab.device.link import size
from tests.device.models import config, session, softmax


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (None, 0),
        (np.zeros([10, 20], "float32"), 800),
        (np.float64(1), 8),
        ([np.zeros(3, "int8"), (np.zeros(2, "int16"), None)], 7),
        ({"a": np.zeros(4, "float16"), 3: [np.bool_(True)]}, 9),
        (np.array([b"four", b"seven77"], object), 11),
        (b"four", 4),
        (tf.SparseTensorValue(np.zeros([2, 2], "int64"), np.ones(2, "f"), (3, 3)), 56),
        ((), 0),
    ],
)
def test_what_crosses_is_measured_in_bytes(values: Any, expected: int) -> None:
    assert size(values) == expected


def injected(device: Device, *args: Any) -> float:
    """Seconds that a call waited."""
    before = device.ledger.injected_seconds
    opened, fetches, fed = args
    opened.run(fetches, fed)
    return device.ledger.injected_seconds - before


@pytest.fixture
def fed() -> Any:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None], name="x")
        half = x[: tf.size(x) // 2]
        with tf.Session(config=config(1)) as opened:
            yield opened, half, {x: np.zeros(10_000, "float32")}


def test_each_byte_is_waited_for_on_the_way_in_and_out(
    device: Device, fed: Any
) -> None:
    assert injected(device, *fed) == 0
    device.bandwidth = 1e6  # 40,000 bytes in, 20,000 out
    assert 0.06 <= injected(device, *fed) < 0.5
    device.link_delay = 0.2
    assert 0.26 <= injected(device, *fed) < 0.8
    device.bandwidth = None
    assert 0.2 <= injected(device, *fed) < 0.5


def test_a_fed_list_crosses_with_the_type_of_its_placeholder(
    device: Device, fed: Any
) -> None:
    opened, fetches, feed = fed
    device.bandwidth = 100.0
    (x,) = feed
    assert 0.12 <= injected(device, opened, fetches, {x: [1.0, 2.0]}) < 0.3


def test_a_refused_call_carries_nothing(device: Device, fed: Any) -> None:
    opened, fetches, feed = fed
    device.bandwidth = 1.0
    (x,) = feed
    with pytest.raises(ValueError, match="shape"):
        opened.run(fetches, {x: [[1.0, 2.0]]})
    assert device.ledger.injected_seconds == 0


def test_what_the_user_did_not_ask_for_costs_nothing(device: Device) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(10)) as opened:
            from npu_bridge.npu_init import util

            train = util.set_iteration_per_loop(opened, model.train, 10)
            opened.run(train)
            device.bandwidth = 1e3
            assert injected(device, opened, train, None) == 0
            assert injected(device, opened, [train, model.loss], None) >= 4 / 1e3


def test_a_session_without_npu_optimizer_crosses_no_link(device: Device) -> None:
    device.bandwidth, device.link_delay = 1.0, 5.0
    with tf.Graph().as_default(), tf.Session() as opened:
        assert injected(device, opened, tf.zeros([10]), None) == 0


@pytest.mark.parametrize("bad", [0, -1.0, math.nan, True, "1", [1]])
def test_bandwidth_must_be_bytes_a_second(device: Device, bad: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="bandwidth"):
        npu_lab.activate(bandwidth=bad, link_delay=1)
    assert device.bandwidth is None
    assert device.link_delay == 0


def test_no_limit_can_be_said(device: Device) -> None:
    assert npu_lab.activate(bandwidth=1e9).bandwidth == 1e9
    assert npu_lab.activate().bandwidth == 1e9
    assert npu_lab.activate(bandwidth=math.inf).bandwidth is None
