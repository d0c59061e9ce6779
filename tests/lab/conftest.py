"""A device for each test, a small model as lessons build it, made-up measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npu_lab
from npu_lab.device import Device
from npu_lab.lab.measurement import Measurement
from tests.eager import eager


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "en")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the learner's progress is kept: nowhere else."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Device]:
    """The device with the view; for a test marked `eager` that of TensorFlow 2."""
    monkeypatch.setenv("ASCEND_GLOBAL_LOG_LEVEL", "1")
    monkeypatch.setenv("ASCEND_PROCESS_LOG_PATH", str(tmp_path / "log"))
    npu_lab.deactivate()
    if request.node.get_closest_marker("eager"):
        with eager():
            yield npu_lab.activate(mode="tf2")
        return
    yield npu_lab.activate(view=True)
    npu_lab.deactivate()


@pytest.fixture
def build_model(device: Device) -> Callable[[], tuple[Any, Any, Any]]:
    """What a lesson's `build_model` returns: iterator, training operation, loss."""
    import npu_lab.tf1 as tf

    numbers = np.linspace(0, 1, 32, dtype="float32").reshape(8, 4)

    def build() -> tuple[Any, Any, Any]:
        dataset = tf.data.Dataset.from_tensor_slices(numbers).repeat()
        dataset = dataset.batch(2, drop_remainder=True)
        iterator = tf.data.make_initializable_iterator(dataset)
        weights = tf.Variable(tf.ones([4, 1]))
        loss = tf.reduce_mean(tf.square(tf.matmul(iterator.get_next(), weights)))
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        return iterator, train_op, loss

    return build


@pytest.fixture
def npu_config(device: Device) -> Callable[[int], Any]:
    """What a lesson's configuration function returns for a given N."""
    import npu_lab.tf1 as tf

    def config(n: int) -> Any:
        made = tf.ConfigProto()
        custom_op = made.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = "NpuOptimizer"
        custom_op.parameter_map["use_off_line"].b = True
        custom_op.parameter_map["enable_data_pre_proc"].b = True
        custom_op.parameter_map["iterations_per_loop"].i = n
        return made

    return config


@pytest.fixture
def measurements() -> list[Measurement]:
    """Made-up ones, slower at N=1 and with a spread."""
    return [measured(n) for n in (1, 2, 5, 10, 20, 50, 100)]


def measured(n: int, link_delay: float = 0.0) -> Measurement:
    times = tuple((0.5 + 0.4 / n + 0.01 * k) / 1000 + link_delay / n for k in range(5))
    iterations = 100 if n > 1 else 0
    return Measurement(n, 100, 100 // n, iterations, 100, times, link_delay)


@pytest.fixture
def delayed() -> list[Measurement]:
    """Made-up ones with 2 ms injected into each round trip."""
    return [measured(n, link_delay=0.002) for n in (1, 10, 100)]
