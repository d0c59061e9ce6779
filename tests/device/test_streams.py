"""Random numbers of one session are one stream: over fetch sets, sunk and plain."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.client import pywrap_tf_session
from tensorflow.python.framework import op_def_registry

import npu_lab
import npu_lab.tf1 as tf
from npu_lab.device import Device
from npu_lab.device.subgraph import RANDOM
from npu_lab.diagnostics import NpuLabWarning
from tests.device import training, zoo
from tests.device import zoo_networks as networks
from tests.device import zoo_trainings as trainings
from tests.device.models import config
from tests.device.training import Kept, same

pytestmark = [
    pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning"),
    pytest.mark.filterwarnings("ignore:.*is deprecated and will be removed"),
]


def streams() -> tuple[Any, dict[str, Any]]:
    """A training step with dropout, and values with draws of their own beside it."""
    model = zoo.FAMILIES["dropout"]()
    sharp = tf.random_normal([2], seed=21)
    return model, {
        "loss": model.loss,
        "noise": sharp,
        "both": [model.loss, sharp * 2.0, tf.random_uniform([3], seed=22)],
    }


# (steps, what is fetched with them; None runs the values alone)
SCRIPT = [
    (3, "loss"), (2, "noise"), (1, "both"), (3, "both"), (0, "noise"), (2, "loss"),
    (0, "both"), (3, "noise"), (1, "loss"), (2, "both"), (0, "noise"), (3, "loss"),
]  # fmt: skip


def followed(sunk: bool) -> list[Any]:
    seen: list[Any] = []
    with tf.Graph().as_default():
        model, values = streams()
        with tf.Session(
            config=config(3) if sunk else training.plain_config()
        ) as opened:
            training.start(opened, model)
            if sunk:
                from npu_bridge.npu_init import util

                loop = util.IterationPerLoop()
                marked = loop.create_iteration_per_loop_var(model.train)
            for steps, name in SCRIPT:
                wanted = values[name]
                if not steps:
                    seen.append(opened.run(wanted))
                elif sunk and steps > 1:
                    loop.load_iteration_per_loop_var(opened, steps)
                    seen.append(opened.run([marked, wanted])[1])
                else:
                    for _ in range(steps):
                        last = opened.run([model.train, wanted])[1]
                    seen.append(last)
            seen.append(training.state(opened))
    return seen


def test_one_random_stream_over_fetch_sets_sunk_and_plain(
    request: pytest.FixtureRequest,
) -> None:
    npu_lab.deactivate()
    plain = followed(sunk=False)
    device = request.getfixturevalue("device")
    same(followed(sunk=True), plain)
    assert device.ledger.device_iterations == sum(n for n, _ in SCRIPT if n > 1)


def test_the_seed_of_the_graph_is_a_seed_of_its_operators(
    request: pytest.FixtureRequest,
) -> None:
    """Two fetch sets, and so two loops, share one stream."""

    def numbers(per_call: int) -> list[Any]:
        with tf.Graph().as_default():
            tf.set_random_seed(5)
            noise = tf.random_uniform([2])
            total = tf.get_variable("t", [2], initializer=tf.zeros_initializer())
            train = tf.assign_add(total, noise).op
            proto = config(per_call) if per_call > 1 else training.plain_config()
            with tf.Session(config=proto) as opened:
                opened.run(tf.global_variables_initializer())
                if per_call > 1:
                    from npu_bridge.npu_init import util

                    train = util.set_iteration_per_loop(opened, train, per_call)
                for _ in range(6 // per_call):
                    opened.run(train)
                    opened.run([train, noise])
                return opened.run([total, noise])

    npu_lab.deactivate()
    plain = numbers(1)
    request.getfixturevalue("device")
    assert np.all(plain[0] > 0)
    for per_call in (2, 3):
        same(numbers(per_call), plain)


WITH_RANDOM = [
    trainings.dropout_by_a_fed_flag,
    trainings.dropout_in_a_function,
    trainings.random_crop,
    networks.noise_contrast,
]
CONTINUED = WITH_RANDOM[:3]


@pytest.mark.parametrize("build", WITH_RANDOM)
def test_a_random_operator_in_one_loop(
    build: Callable[[], Kept], request: pytest.FixtureRequest
) -> None:
    """One fetch set, sunk from the start: one stream, as in TensorFlow."""

    def trained(per_call: int) -> Any:
        with tf.Graph().as_default():
            model = build()
            proto = config(per_call) if per_call > 1 else training.plain_config()
            with tf.Session(config=proto) as opened:
                fed = training.start(opened, model)
                train = model.train
                if per_call > 1:
                    from npu_bridge.npu_init import util

                    train = util.set_iteration_per_loop(opened, train, per_call)
                for _ in range(10 // per_call):
                    loss = opened.run([train, model.loss], fed)[1]
                return loss, training.state(opened)

    npu_lab.deactivate()
    plain = trained(1)
    request.getfixturevalue("device")
    same(trained(5), plain)


@pytest.mark.parametrize("build", CONTINUED)
def test_one_stream_over_fetch_sets_also_in_functions(
    build: Callable[[], Kept], request: pytest.FixtureRequest
) -> None:
    npu_lab.deactivate()
    plain = training.train_plainly(build, [23])
    request.getfixturevalue("device")
    same(training.train_sunk(build, [10, 10, 3], 10).states, plain.states)


def stateful_random_operators() -> Iterator[str]:
    """Every seeded operator of TensorFlow that keeps its place itself."""
    listed = op_def_pb2.OpList()
    buffer = pywrap_tf_session.TF_GetAllOpList()
    listed.ParseFromString(pywrap_tf_session.TF_GetBuffer(buffer))
    for op in listed.op:
        if op.is_stateful and {"seed", "seed2"} <= {a.name for a in op.attr}:
            yield op.name


def test_every_random_operator_is_known() -> None:
    host = re.compile(
        r"\w*(Dataset|Queue)\w*|CudnnRNN\w*"
    )  # no kernels, or on the host
    found = {name for name in stateful_random_operators() if not host.fullmatch(name)}
    assert len(found) > 12
    assert {name for name in found if not RANDOM.fullmatch(name)} == set()


@pytest.mark.parametrize(
    "kind",
    [
        "RandomGammaGrad",
        "RandomIndexShuffle",
        "StatefulUniform",
        "RandomShuffleQueueV2",
    ],
)
def test_what_keeps_no_stream_is_not_taken_for_random(kind: str) -> None:
    assert op_def_registry.get(kind) is not None
    assert not RANDOM.fullmatch(kind)


def test_a_sampler_of_candidates_is_named(device: Device, util: Any) -> None:
    with tf.Graph().as_default(), tf.Session(config=config(3)) as opened:
        model = networks.noise_contrast()
        training.start(opened, model)
        train = util.set_iteration_per_loop(opened, model.train, 3)
        with pytest.warns(NpuLabWarning, match=r"SINK027.*CandidateSampler"):
            opened.run(train)


@pytest.mark.parametrize("where", ["shuffle", "branch"])
def test_an_operator_without_a_seed_promises_no_stream(
    device: Device, util: Any, where: str
) -> None:
    with tf.Graph().as_default(), tf.Session(config=config(3)) as opened:
        if where == "shuffle":
            drawn = tf.random_shuffle([0.0, 1.0])[0]
        else:
            drawn = tf.cond(
                tf.constant(True), lambda: tf.random_uniform([]), lambda: 0.0
            )
        total = tf.get_variable("total", initializer=0.0)
        train = tf.assign_add(total, drawn).op
        opened.run(tf.global_variables_initializer())
        opened.run(util.set_iteration_per_loop(opened, train, 3))
    assert [d.code for d in device.diagnostics] == []


def test_a_random_generator_goes_on_and_needs_no_warning(
    device: Device, util: Any
) -> None:
    def numbers(per_call: int) -> Any:
        with tf.Graph().as_default():
            generator = tf.random.Generator.from_seed(3)
            total = tf.get_variable("t", [2], initializer=tf.zeros_initializer())
            train = tf.assign_add(total, generator.normal([2])).op
            with tf.Session(config=config(per_call)) as opened:
                opened.run(
                    [tf.global_variables_initializer(), generator.state.initializer]
                )
                if per_call > 1:
                    train = util.set_iteration_per_loop(opened, train, per_call)
                for _ in range(12 // per_call):
                    opened.run(train)
                return opened.run(total)

    same(numbers(4), numbers(1))
    assert not [d for d in device.diagnostics if d.code == "SINK027"]
