"""Keras's training in parallel, and strategies of distribution."""

from __future__ import annotations

import re

import libcst as cst

from npu_lab.extras.migrate.rules.base import (
    CONVERTER,
    CallRule,
    Edit,
    Refused,
    Site,
    named,
    wrapped,
)
from npu_lab.extras.migrate.rules.training import AVERAGE, WRAPPER, is_optimizer
from npu_lab.extras.source import arguments

_TF = "import tensorflow as tf\n"
_INIT = f"from npu_bridge.npu_init import *\n{_TF}"
_MODELS = ("tf.keras.Model()", "keras.Model()")


class Compile(CallRule):
    """K2: the optimizer of a Keras model averages gradients over the ranks."""

    id = "K2"
    trigger = "Model.compile(...)"
    modes = ("tf_strategy",)
    versions = (1,)
    paths = tuple(f"{model}.compile" for model in _MODELS)
    possible = ("compile",)
    before = f"{_TF}m = tf.keras.Sequential([])\nm.compile('sgd', loss='mse')\n"
    after = (
        f"{_INIT}m = tf.keras.Sequential([])\n"
        f"m.compile(optimizer={WRAPPER}(optimizer='sgd'), loss='mse')\n"
    )
    reason = AVERAGE
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Wrap the optimizer once."""
        site.refuse_starred()
        given = site.value("optimizer", ("optimizer",))
        made = site.context.names.path(given) if given is not None else None
        if site.called(given, WRAPPER, "NPULossScaleOptimizer"):
            return None
        if made is not None and is_optimizer(made.removesuffix("()")):
            return None  # O1 has it
        wrapper = site.emit(WRAPPER)

        def change(call: cst.Call) -> cst.Call:
            index = arguments.find(call, "optimizer", ("optimizer",))
            call = wrapped(call, index, "optimizer", wrapper, "optimizer")
            if index == 0 and call.args[0].keyword is None:
                first = named("optimizer", call.args[0].value)
                if arguments.positional(call) == 1:
                    first = first.with_changes(comma=call.args[0].comma)
                    call = call.with_changes(args=[first, *call.args[1:]])
            return call

        return change

    def suspects(self, call: cst.Call) -> bool:
        """A regular expression is compiled without these."""
        return any(arguments.find(call, n) is not None for n in ("optimizer", "loss"))


class Fit(CallRule):
    """K3: the callback that broadcasts the first rank's variables."""

    id = "K3"
    trigger = "Model.fit(...), Model.fit_generator(...)"
    modes = ("tf_strategy",)
    versions = (1,)
    paths = tuple(
        f"{model}.{name}" for model in _MODELS for name in ("fit", "fit_generator")
    )
    possible = ("fit", "fit_generator")
    before = f"{_TF}m = tf.keras.Sequential([])\nm.fit(x, callbacks=[cb])\n"
    after = (
        f"{_INIT}m = tf.keras.Sequential([])\n"
        "m.fit(x, callbacks=npu_callbacks_append(callbacks_list=[cb]))\n"
    )
    reason = (
        "all ranks begin with the variables of rank 0",
        "所有 Device 都从 rank 0 的变量开始训练",
    )
    source = CONVERTER
    _fit = ("x", "y", "batch_size", "epochs", "verbose", "callbacks")
    _generator = ("generator", "steps_per_epoch", "epochs", "verbose", "callbacks")

    def edit(self, site: Site) -> Edit | None:
        """Wrap the callbacks once, or add them."""
        site.refuse_starred()
        fits = site.path.endswith(".fit")
        signature = self._fit if fits else self._generator
        given = site.value("callbacks", signature)
        if site.called(given, "npu_callbacks_append"):
            return None
        wrapper = site.emit("npu_callbacks_append")
        return lambda call: wrapped(
            call,
            arguments.find(call, "callbacks", signature),
            "callbacks",
            wrapper,
            "callbacks_list",
        )

    def suspects(self, call: cst.Call) -> bool:
        """Other libraries' fit() has no such arguments."""
        names = ("epochs", "callbacks", "steps_per_epoch", "validation_data")
        return any(arguments.find(call, name) is not None for name in names)


class Strategy(CallRule):
    """D1: the strategy of the NPU."""

    id = "D1"
    trigger = "MirroredStrategy(...), MultiWorkerMirroredStrategy(...)"
    modes = ("tf_strategy",)
    paths = (
        "tf.distribute.MirroredStrategy",
        "tf.distribute.MultiWorkerMirroredStrategy",
        "tf.distribute.experimental.MultiWorkerMirroredStrategy",
        "tf.contrib.distribute.MirroredStrategy",
    )
    before = f"{_TF}st = tf.distribute.MirroredStrategy(devices=['/gpu:0'])\n"
    after = f"{_INIT}st = npu_strategy.NPUStrategy()\n"
    reason = (
        "one process a device; the strategy only tells TensorFlow so",
        "每个 Device 一个进程；该策略向 TensorFlow 说明这一点",
    )
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Replace the call; options of the other strategy go."""
        if site.call.args:
            site.warn("options dropped")
        name = site.emit("npu_strategy.NPUStrategy")
        return lambda call: call.with_changes(func=name, args=[])


class OtherStrategy(CallRule):
    """D2: strategies that have no counterpart."""

    id = "D2"
    trigger = "any other strategy, or one without -d tf_strategy"
    before = after = f"{_TF}st = tf.distribute.OneDeviceStrategy('/cpu:0')\n"
    reason = (
        "this way of distributing has no counterpart that can be written in its place",
        "这种分布式方式没有可直接替换的写法",
    )
    source = CONVERTER

    def matches(self, path: str) -> bool:
        """Any strategy."""
        return (
            re.fullmatch(
                r"tf\.(contrib\.)?distribute\.(experimental\.)?\w+Strategy", path
            )
            is not None
        )

    def edit(self, site: Site) -> Edit | None:
        """Report what D1 does not change."""
        if site.path in Strategy.paths:
            if site.context.options.mode == "tf_strategy":
                return None
            raise Refused("needs mode", mode="tf_strategy")
        raise Refused("no counterpart")


RULES = (Compile, Fit, Strategy, OtherStrategy)
