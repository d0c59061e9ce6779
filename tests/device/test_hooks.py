"""MonitoredTrainingSession and its hooks around the sunk loop, as documented."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npu_lab
import npu_lab.tf1 as tf
from npu_lab.device import Device
from tests.device import training, zoo
from tests.device.models import config

pytestmark = pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")
N, LAST, REPEATS = 10, 100, 20
SAVED = [20, 40, 60, 80, 100]
HOOKS = ("StopAtStepHook", "CheckpointSaverHook", "StepCounterHook", "SummarySaverHook")


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[int]]:
    """The step that each hook of TensorFlow gets to see after each call."""
    found: dict[str, list[int]] = defaultdict(list)

    def watched(name: str, after_run: Any) -> Any:
        def watching(hook: Any, context: Any, values: Any) -> None:
            step = values.results
            found[name].append(step["global_step"] if isinstance(step, dict) else step)
            after_run(hook, context, values)

        return watching

    for name in HOOKS:
        kind = getattr(tf.train, name)
        monkeypatch.setattr(kind, "after_run", watched(name, kind.after_run))
    return found


def train_monitored(folder: Path, per_call: int) -> int:
    """Train to step 100; returns the number of calls."""
    with tf.Graph().as_default():
        model = zoo.FAMILIES["adam"]()
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, model.setup[0])
        tf.summary.scalar("loss", model.loss)
        hooks: list[Any] = [tf.train.StopAtStepHook(last_step=LAST)]
        train, proto = model.train, training.plain_config()
        if per_call > 1:
            from npu_bridge.npu_init import SetIterationsVarHook

            train = tf.group(train, name="IterationOp")
            hooks.insert(0, SetIterationsVarHook(per_call))
            proto = config(per_call)
        calls = 0
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=str(folder),
            hooks=hooks,
            config=proto,
            save_checkpoint_steps=20,
            save_summaries_steps=N,
            log_step_count_steps=N,
        ) as monitored:
            while not monitored.should_stop():
                monitored.run(train)
                calls += 1
        return calls


def checkpoints(folder: Path) -> dict[str, Any]:
    """The names of all files of checkpoints, and the values in each checkpoint."""
    files = sorted(p.name for p in folder.iterdir() if p.suffix != ".meta")
    found: dict[str, Any] = {"files": [f for f in files if "tfevents" not in f]}
    for step in SAVED:
        reader = tf.train.load_checkpoint(str(folder / f"model.ckpt-{step}"))
        names = sorted(reader.get_variable_to_shape_map())
        found |= {f"{name} at {step}": reader.get_tensor(name) for name in names}
    return found


def points(folder: Path) -> dict[str, list[int]]:
    """The steps of each summary in the events."""
    found: dict[str, list[int]] = defaultdict(list)
    for path in sorted(folder.glob("events.*")):
        for event in tf.train.summary_iterator(str(path)):
            for value in event.summary.value:
                found[value.tag].append(event.step)
    return found


@pytest.fixture
def plainly(tmp_path: Path) -> Iterator[dict[str, Any]]:
    npu_lab.deactivate()
    assert train_monitored(tmp_path / "plain", 1) == LAST
    return checkpoints(tmp_path / "plain")


def test_a_monitored_session_makes_ten_calls_of_ten(
    plainly: dict[str, Any],
    device: Device,
    tmp_path: Path,
    seen: dict[str, list[int]],
) -> None:
    every = list(range(N, LAST + 1, N))
    for repeat in range(REPEATS):
        folder = tmp_path / str(repeat)
        before = device.ledger.as_dict()
        seen.clear()
        assert train_monitored(folder, N) == LAST // N
        counted = device.ledger.since(before)
        assert counted["training_calls"] == LAST // N
        assert counted["device_iterations"] == counted["batches_pulled"] == LAST
        assert seen == dict.fromkeys(HOOKS, every)
        np.testing.assert_equal(checkpoints(folder), plainly)
        # TensorFlow's hook takes step + 1 for the next: it asks at every other call.
        assert points(folder) == {"loss": every[::2], "global_step/sec": every[1:]}


class Recorder(tf.train.SessionRunHook):
    """What a hook of the user's own sees of each call."""

    def __init__(self, *fetches: Any) -> None:
        self.fetches, self.seen = fetches, []

    def before_run(self, context: Any) -> Any:
        return tf.train.SessionRunArgs(list(self.fetches))

    def after_run(self, context: Any, values: Any) -> None:
        step = context.session.run(tf.train.get_global_step())
        self.seen.append((step, *values.results))


def monitored(folder: Path, last: int, *more: Any, build: Any = None) -> Recorder:
    """Train at N=10 until a hook stops it; the recorder is the last hook."""
    from npu_bridge.npu_init import SetIterationsVarHook

    with tf.Graph().as_default():
        model = (build or zoo.FAMILIES["adam"])()
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, model.setup[0])
        train = tf.group(model.train, name="IterationOp")
        step = tf.train.get_global_step()
        recorder = Recorder(step, model.loss)
        hooks = [make(model) for make in more]
        hooks += [tf.train.StopAtStepHook(last_step=last), recorder]
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=str(folder),
            hooks=[SetIterationsVarHook(N), *hooks],
            config=config(N),
            save_checkpoint_steps=20,
            save_summaries_steps=None,
            save_summaries_secs=None,
        ) as session:
            while not session.should_stop():
                session.run(train)
    return recorder


def test_training_goes_on_from_a_checkpoint(device: Device, tmp_path: Path) -> None:
    steps = [seen[0] for seen in monitored(tmp_path, 40).seen]
    assert steps == [10, 20, 30, 40]
    again = [seen[0] for seen in monitored(tmp_path, 70).seen]
    assert again == [50, 60, 70]
    assert device.ledger.device_iterations == 70
    latest = tf.train.latest_checkpoint(str(tmp_path))
    assert tf.train.load_checkpoint(latest).get_tensor("global_step") == 70


def test_a_last_step_between_two_calls_is_passed(
    device: Device, tmp_path: Path
) -> None:
    assert [seen[0] for seen in monitored(tmp_path, 35).seen] == [10, 20, 30, 40]


def test_a_hook_of_the_users_own_sees_the_last_step_of_each_call(
    device: Device, tmp_path: Path
) -> None:
    """As values of its fetches, and by a run of its own."""
    seen = monitored(tmp_path, 40).seen
    plain = training.train_sunk(zoo.FAMILIES["adam"], [1] * 40, 1)
    assert seen == [(step, step, plain.losses[step]) for step in (10, 20, 30, 40)]


def test_hooks_that_log_and_check(device: Device, tmp_path: Path) -> None:
    formatted: list[Any] = []
    seen = monitored(
        tmp_path,
        40,
        lambda model: tf.train.LoggingTensorHook(
            {"loss": model.loss, "step": tf.train.get_global_step()},
            every_n_iter=2,
            formatter=lambda values: formatted.append(dict(values)) or "",
        ),
        lambda model: tf.train.NanTensorHook(model.loss),
        lambda model: tf.train.ProfilerHook(
            save_steps=20, output_dir=str(tmp_path / "profile")
        ),
    ).seen
    # It counts calls, not steps: the first, and every second one after it.
    assert formatted == [{"step": s, "loss": loss} for s, _, loss in seen[::2]]
    assert list((tmp_path / "profile").glob("timeline-*.json"))


def poisoned() -> training.Kept:
    """The loss is not a number from step 25 on."""
    model = zoo.FAMILIES["momentum"]()
    step = tf.train.get_global_step()
    with tf.control_dependencies([model.train]):
        after = tf.identity(step.read_value())
    model.loss = tf.where_v2(after < 25, model.loss, np.nan)
    return model


def test_a_loss_that_is_not_a_number_stops_after_its_call(
    device: Device, tmp_path: Path
) -> None:
    with pytest.raises(tf.train.NanLossDuringTrainingError):
        monitored(
            tmp_path, 40, lambda m: tf.train.NanTensorHook(m.loss), build=poisoned
        )
    assert device.ledger.device_iterations == 30
