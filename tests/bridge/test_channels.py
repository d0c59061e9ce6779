from __future__ import annotations

import _thread
import time
from typing import Any

import pytest
from tensorflow.python.eager import context

import npu_lab
import npu_lab.tf1 as tf
from npu_lab.bridge import channels
from npu_lab.bridge.estimator.npu import npu_hook
from npu_lab.device import Device
from tests.bridge.estimators import threads_of_channels
from tests.device import models

pytestmark = pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")
N, CALLS = 10, 4
STEPS = list(range(1, N * CALLS + 1))


@pytest.fixture
def device(device: Device) -> Any:
    yield npu_lab.activate(view=True)
    assert threads_of_channels() == []


class Sender:
    """A model that sends step and loss after each step; `got` is what arrived."""

    def __init__(
        self,
        per_call: int = N,
        slow: float = 0,
        fails_at: int = 0,
        interrupts_at: int = 0,
    ) -> None:
        self.got: list[tuple[int, float]] = []
        self.per_call, self._slow = per_call, slow
        self._fails_at, self._interrupts_at = fails_at, interrupts_at

    def _arrived(self, step: Any, loss: Any) -> Any:
        time.sleep(self._slow)
        self.got.append((int(step), float(loss)))
        if step == self._interrupts_at:
            _thread.interrupt_main()
        if step == self._fails_at:
            message = "on the host"
            raise KeyError(message)
        return step

    def session(self) -> Any:
        model = models.softmax()
        self.model = model
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, model.initializer)
        with tf.control_dependencies([model.train]):
            sent = channels.outfeed_enqueue_op("train", [model.step, model.loss])
        with tf.control_dependencies([sent]):
            self.loss = tf.identity(model.loss)
        taken = channels.outfeed_dequeue_op("train", [tf.int64, tf.float32], [(), ()])
        host = tf.py_func(self._arrived, taken, tf.int64)
        hooks: list[Any] = [npu_hook.NPUInfeedOutfeedSessionHook(host, "train")]
        self.train = model.train
        if self.per_call > 1:
            hooks.append(npu_hook.SetIterationsVarHook(self.per_call))
            self.train = tf.group(model.train, name="IterationOp")
        return tf.train.MonitoredSession(
            tf.train.ChiefSessionCreator(config=models.config(self.per_call)), hooks
        )

    def run(self, session: Any) -> float:
        return float(session.run([self.train, self.loss])[1])


def trained(sender: Sender, calls: int) -> list[float]:
    with tf.Graph().as_default(), sender.session() as session:
        return [sender.run(session) for _ in range(calls)]


def test_each_step_inside_a_loop_arrives_with_its_own_values(device: Device) -> None:
    sunk, plain = Sender(), Sender(per_call=1)
    last = trained(sunk, CALLS)
    assert [step for step, _ in sunk.got] == STEPS
    assert [verdict.state for verdict in device.loops] == ["in effect"]
    assert [loss for _, loss in sunk.got][N - 1 :: N] == last
    trained(plain, N * CALLS)
    assert plain.got == sunk.got


def test_all_has_arrived_at_the_end_however_slow_the_host_is(device: Device) -> None:
    sender = Sender(slow=0.005)
    trained(sender, CALLS)
    assert [step for step, _ in sender.got] == STEPS


def test_what_the_host_takes_is_no_call_to_the_device(device: Device) -> None:
    counted = {}
    for sends in (True, False):
        device.ledger.reset()
        verdicts = len(device.verdicts)
        sender = Sender()
        with tf.Graph().as_default(), sender.session() as session:
            for _ in range(CALLS):
                sender.run(session) if sends else session.run(sender.train)
        counted[sends] = device.ledger.calls, len(device.verdicts) - verdicts
        assert (len(sender.got) > 0) == sends
    assert counted[True] == counted[False]


def test_an_error_on_the_host_ends_training_and_is_the_one_that_is_raised(
    device: Device,
) -> None:
    sender = Sender(fails_at=3)
    with pytest.raises(tf.errors.UnknownError, match="on the host"):
        trained(sender, 1000)
    assert len(sender.got) == 3


def test_an_error_in_training_loses_nothing_that_was_sent(device: Device) -> None:
    sender = Sender(slow=0.005)

    def fail() -> None:
        with tf.Graph().as_default(), sender.session() as session:
            sender.run(session)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert [step for step, _ in sender.got] == STEPS[:N]


def test_an_interrupt_inside_a_loop_loses_nothing_and_does_not_hang(
    device: Device,
) -> None:
    sender = Sender(per_call=1_000_000, interrupts_at=5)
    with pytest.raises(KeyboardInterrupt):
        trained(sender, 1)
    assert 5 <= len(sender.got) < 1_000_000
    assert [step for step, _ in sender.got] == list(range(1, len(sender.got) + 1))
    assert device.ledger.device_iterations == len(sender.got)


def test_nobody_needs_to_take_what_is_sent(device: Device) -> None:
    with tf.Graph().as_default(), tf.Session(config=models.config(1)) as session:
        sent = channels.outfeed_enqueue_op("nobody", [tf.constant("a")])
        for _ in range(100):
            session.run(sent)


def test_a_stopped_channel_gives_what_is_left_and_then_its_end(device: Device) -> None:
    with tf.Graph().as_default(), tf.Session(config=models.config(1)) as session:
        sent = channels.outfeed_enqueue_op("c", [tf.constant([1.0, 2.0])])
        taken = channels.outfeed_dequeue_op("c", [tf.float32], [[2]])
        stop = channels.stop_outfeed_dequeue_op("c")
        session.run(sent)
        session.run(stop)
        assert taken[0].shape == [2]
        assert session.run(taken)[0].tolist() == [1.0, 2.0]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(taken)


def test_sessions_have_channels_of_their_own(device: Device) -> None:
    with tf.Graph().as_default():
        value = tf.placeholder(tf.int32, [])
        sent = channels.outfeed_enqueue_op("c", [value])
        taken = channels.outfeed_dequeue_op("c", [tf.int32], [()])
        with tf.Session() as first, tf.Session() as second:
            first.run(sent, {value: 1})
            second.run(sent, {value: 2})
            assert first.run(taken) == [1]
            assert second.run(taken) == [2]


def test_a_channel_that_is_not_there_cannot_be_stopped(device: Device) -> None:
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match="no channel 'train' in this graph"),
    ):
        channels.stop_outfeed_dequeue_op("train")


def test_they_are_for_graphs(device: Device) -> None:
    with context.eager_mode(), pytest.raises(RuntimeError, match="not eagerly"):
        channels.outfeed_enqueue_op("c", [1.0])


def test_other_queues_are_still_refused_beside_a_channel(device: Device) -> None:
    with tf.Graph().as_default():
        queue = tf.queue.FIFOQueue(
            10, [tf.float32], shapes=[()], name="npu_lab_channel"
        )
        weight = tf.get_variable("w", initializer=0.0)
        loss = (weight - queue.dequeue()) ** 2
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        with tf.control_dependencies([train]):
            sent = channels.outfeed_enqueue_op("train", [loss])
        from npu_bridge.npu_init import util

        with tf.Session(config=models.config(N)) as session:
            session.run(tf.global_variables_initializer())
            session.run([queue.enqueue(1.0)] * 3)
            op = util.set_iteration_per_loop(session, tf.group(train, sent), N)
            session.run(op)
    (refused,) = [d for d in device.diagnostics if d.code == "SINK026"]
    assert "channel/" not in refused.message
    assert "dequeue" in refused.message.lower()


def test_a_run_that_has_work_for_the_device_as_well_is_counted(device: Device) -> None:
    with tf.Graph().as_default(), tf.Session(config=models.config(1)) as session:
        weight = tf.get_variable("w", initializer=0.0)
        sent = channels.outfeed_enqueue_op("c", [tf.constant(1.0)])
        taken = channels.outfeed_dequeue_op("c", [tf.float32], [()])
        session.run(sent)
        before = device.ledger.session_runs
        session.run([weight.initializer, taken])
        assert device.ledger.session_runs == before + 1
