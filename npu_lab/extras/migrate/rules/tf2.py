"""TensorFlow 2: the device is opened before anything else, the rest is little."""

from __future__ import annotations

import libcst as cst

from npu_lab.extras.migrate.rules.base import CONVERTER, CallRule, Edit, Site, wrapped
from npu_lab.extras.migrate.rules.entry import Card
from npu_lab.extras.source import arguments

_TF = "import tensorflow as tf\n"
_DEVICE = "import npu_device as npu\n"
_SUM = ("the gradients of all ranks are averaged", "对所有 Device 的梯度求平均")
_NAMES = (
    "SGD", "RMSprop", "Adam", "Ftrl", "Adagrad", "Adadelta", "Adamax", "Nadam",
)  # fmt: skip
_PLACES = (
    "tf.keras.optimizers", "tf.keras.optimizers.legacy", "keras.optimizers",
    "tf.optimizers",
)  # fmt: skip
WRAPPER = "npu.distribute.npu_distributed_keras_optimizer_wrapper"


class Device(Card):
    """V1: the adapter's import."""

    id = "V1"
    versions = (2,)
    trigger = "a script that another rule changes, or that is started"
    before = f"{_TF}\nif __name__ == '__main__':\n    main()\n"
    after = (
        f"{_DEVICE}npu.open().as_default()\n{_TF}\n"
        "if __name__ == '__main__':\n    main()\n"
    )
    reason = ("names of the adapter", "引入适配器的名称")
    source = CONVERTER


class Open(Card):
    """V2: the device is opened, and is where everything runs."""

    id = "V2"
    versions = (2,)
    trigger = "the script that is started"
    before, after = Device.before, Device.after
    reason = (
        "from here on everything runs on the NPU; without it all would run on the host",
        "此后一切都在 NPU 上运行；没有它则全部在 Host 上运行",
    )
    source = CONVERTER


class Compat(Card):
    """V10: TensorFlow 1's way of working is turned on in TensorFlow 2."""

    id = "V10"
    versions = (2,)
    trigger = "-c: a script that another rule changes, or that is started"
    before = "import tensorflow.compat.v1 as tf\ns = tf.Session()\n"
    after = (
        f"{_DEVICE}from npu_device.compat.v1.npu_init import *\n"
        "npu.compat.enable_v1()\nimport tensorflow.compat.v1 as tf\n"
        "s = tf.Session(config=npu_config_proto())\n"
    )
    reason = (
        "the adapter works as for TensorFlow 1; this comes before it is used",
        "适配器按 TensorFlow 1 方式工作；须在使用之前启用",
    )
    source = CONVERTER


class LossScale(CallRule):
    """V4: the optimizer that uses a loss scale."""

    id = "V4"
    versions = (2,)
    trigger = "tf.keras.mixed_precision.LossScaleOptimizer(...)"
    paths = ("tf.keras.mixed_precision.LossScaleOptimizer",)
    name = "npu.train.optimizer.NpuLossScaleOptimizer"
    before = f"{_TF}o = tf.keras.mixed_precision.LossScaleOptimizer(opt)\n"
    after = f"{_DEVICE}{_TF}o = npu.train.optimizer.NpuLossScaleOptimizer(opt)\n"
    reason = (
        "the adapter's loss scale also sees overflow on the device",
        "适配器的 loss scale 能感知 Device 上的溢出",
    )
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Replace what is called."""
        name = site.emit(self.name)
        return lambda call: call.with_changes(func=name)


class OldLossScale(LossScale):
    """V5: as V4, for the class before TensorFlow 2.4."""

    id = "V5"
    trigger = "tf.keras.mixed_precision.experimental.LossScaleOptimizer(...)"
    paths = ("tf.keras.mixed_precision.experimental.LossScaleOptimizer",)
    name = "NpuExperimentalLossScaleOptimizer"
    line = (
        "from npu_device.train.optimizer.npu_loss_scale_optimizer import"
        " NpuExperimentalLossScaleOptimizer"
    )
    before = (
        f"{_TF}o = tf.keras.mixed_precision.experimental.LossScaleOptimizer("
        "opt, 'dynamic')\n"
    )
    after = (
        f"{_DEVICE}{line}\n{_TF}o = NpuExperimentalLossScaleOptimizer(opt, 'dynamic')\n"
    )
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Replace what is called, and import it."""
        edit = super().edit(site)
        site.context.imports[self.line] = None
        return edit


class Scope(CallRule):
    """V6: variables made in the scope begin as rank 0's."""

    id = "V6"
    versions = (2,)
    modes = ("tf_strategy",)
    trigger = "Strategy.scope()"
    paths = ("tf.distribute.Strategy().scope",)
    wrapper = "npu_broadcast_scope_wrapper"
    line = f"from npu_device.distribute.hccl import {wrapper}"
    before = (
        f"{_TF}st = tf.distribute.OneDeviceStrategy('/cpu:0')\n"
        "with st.scope():\n    pass\n"
    )
    after = (
        f"{_DEVICE}{line}\n{_TF}st = tf.distribute.OneDeviceStrategy('/cpu:0')\n"
        f"with {wrapper}(st).scope():\n    pass\n"
    )
    reason = (
        "all ranks begin with the variables of rank 0",
        "所有 Device 都从 rank 0 的变量开始训练",
    )
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Wrap the strategy once."""
        func = site.call.func
        if not isinstance(func, cst.Attribute) or site.called(func.value, self.wrapper):
            return None
        around = site.emit(self.wrapper)
        site.context.imports[self.line] = None

        def change(call: cst.Call) -> cst.Call:
            assert isinstance(call.func, cst.Attribute)  # noqa: S101
            inner = cst.Call(func=around, args=[cst.Arg(call.func.value)])
            return call.with_changes(func=call.func.with_changes(value=inner))

        return change


class Optimizer(CallRule):
    """V7: an optimizer that averages gradients over the ranks."""

    id = "V7"
    versions = (2,)
    modes = ("tf_strategy",)
    trigger = "tf.keras.optimizers.Adam(...) and the others"
    paths = tuple(f"{place}.{name}" for place in _PLACES for name in _NAMES)
    before = f"{_TF}o = tf.keras.optimizers.Adam(1e-3)\n"
    after = f"{_DEVICE}{_TF}o = {WRAPPER}(tf.keras.optimizers.Adam(1e-3))\n"
    reason = _SUM
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Wrap the call once."""
        if site.wrapped_by == WRAPPER.rpartition(".")[2]:
            return None
        around = site.emit(WRAPPER)
        return lambda call: cst.Call(func=around, args=[cst.Arg(call)])


class OptimizerByName(Optimizer):
    """V8: as V7, for an optimizer that is named."""

    id = "V8"
    trigger = "tf.keras.optimizers.get('adam')"
    paths = tuple(f"{place}.get" for place in _PLACES)
    before = f"{_TF}o = tf.keras.optimizers.get('adam')\n"
    after = f"{_DEVICE}{_TF}o = {WRAPPER}(tf.keras.optimizers.get('adam'))\n"
    source = CONVERTER


class Fit(CallRule):
    """V9: the callback that broadcasts the first rank's variables."""

    id = "V9"
    versions = (2,)
    modes = ("tf_strategy",)
    trigger = "Model.fit(...)"
    paths = ("tf.keras.Model().fit", "keras.Model().fit")
    possible = ("fit",)
    wrapper = "npu_callbacks_append"
    line = f"from npu_device.distribute.hccl import {wrapper}"
    before = f"{_TF}m = tf.keras.Sequential([])\nm.fit(ds, epochs=1)\n"
    after = (
        f"{_DEVICE}{line}\n{_TF}m = tf.keras.Sequential([])\n"
        f"m.fit(ds, epochs=1, callbacks={wrapper}())\n"
    )
    reason = Scope.reason
    source = CONVERTER
    _signature = ("x", "y", "batch_size", "epochs", "verbose", "callbacks")

    def edit(self, site: Site) -> Edit | None:
        """Wrap the callbacks once, or add them."""
        site.refuse_starred()
        given = site.value("callbacks", self._signature)
        if site.called(given, self.wrapper):
            return None
        wrapper = site.emit(self.wrapper)
        site.context.imports[self.line] = None
        return lambda call: wrapped(
            call,
            arguments.find(call, "callbacks", self._signature),
            "callbacks",
            wrapper,
            "callbacks_list",
        )

    def suspects(self, call: cst.Call) -> bool:
        """Other libraries' fit() has no such arguments."""
        names = ("epochs", "callbacks", "steps_per_epoch", "validation_data")
        return any(arguments.find(call, name) is not None for name in names)


RULES = (
    Device, Open, Compat, LossScale, OldLossScale, Scope, Optimizer, OptimizerByName,
    Fit,
)  # fmt: skip
