"""Settings of devices and of the graph's compiler."""

from __future__ import annotations

from typing import ClassVar

import libcst as cst

from npu_lab.extras.migrate.rules.base import (
    CONVERTER,
    CallRule,
    Edit,
    Refused,
    Site,
    is_name,
    setting,
)  # fmt: skip
from npu_lab.extras.source import arguments

_TF = "import tensorflow as tf\n"


class ExperimentalOptions(CallRule):
    """S4: the graph rewrites that the NPU can use, in place of the script's."""

    id = "S4"
    trigger = "tf.config.optimizer.set_experimental_options(...)"
    paths = ("tf.config.optimizer.set_experimental_options",)
    before = f"{_TF}tf.config.optimizer.set_experimental_options({{'x': True}})\n"
    after = (
        f"from npu_bridge.npu_init import *\n{_TF}"
        "tf.config.optimizer.set_experimental_options(experimental_options)\n"
    )
    reason = (
        "the rewrites of the host's optimizer that hinder the NPU are turned off",
        "关闭 Host 侧与 NPU 冲突的图优化",
    )
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Replace all arguments by the adapter's dictionary."""
        only = site.call.args[0].value if len(site.call.args) == 1 else None
        if is_name(only, "experimental_options"):
            return None
        options = site.emit("experimental_options")
        return lambda call: call.with_changes(args=[cst.Arg(options)])


class _Setting(CallRule):
    """Sets one argument to a constant."""

    argument = ""
    constant = ""
    signature: tuple[str, ...] = ()

    def edit(self, site: Site) -> Edit | None:
        """Set it by the way it was given."""
        site.refuse_starred()
        value = cst.parse_expression(self.constant)
        given = site.value(self.argument, self.signature)
        if given is not None and given.deep_equals(value):
            return None
        return lambda call: setting(call, self.argument, value, self.signature)


class VirtualDevice(_Setting):
    """S5: no limit of memory for a virtual GPU."""

    id = "S5"
    trigger = "tf.config.experimental.VirtualDeviceConfiguration(...)"
    paths = (
        "tf.config.experimental.VirtualDeviceConfiguration",
        "tf.config.LogicalDeviceConfiguration",
    )
    argument, constant, signature = "memory_limit", "None", ("memory_limit",)
    before = (
        f"{_TF}v = tf.config.experimental.VirtualDeviceConfiguration("
        "memory_limit=1024)\n"
    )
    after = (
        f"{_TF}v = tf.config.experimental.VirtualDeviceConfiguration("
        "memory_limit=None)\n"
    )
    reason = (
        "there is no GPU whose memory could be divided",
        "没有可划分内存的 GPU",
    )
    source = CONVERTER


class SoftPlacement(CallRule):
    """S6: operations that the NPU lacks may run on the host."""

    id = "S6"
    trigger = "tf.config.set_soft_device_placement(...)"
    paths = ("tf.config.set_soft_device_placement",)
    before = f"{_TF}tf.config.set_soft_device_placement(False)\n"
    after = f"{_TF}tf.config.set_soft_device_placement(enabled=True)\n"
    reason = (
        "operations that the NPU does not have must be allowed to run on the host",
        "必须允许 NPU 不支持的算子在 Host 上执行",
    )
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Set it to True."""
        site.refuse_starred()
        value = cst.Name("True")
        if is_name(site.value("enabled", ("enabled",)), "True"):
            return None
        made = setting(cst.Call(func=value), "enabled", value).args
        return lambda call: call.with_changes(args=made)


class MemoryGrowth(CallRule):
    """S7: settings of a GPU's memory are dropped."""

    id = "S7"
    trigger = "set_memory_growth(...), set_virtual_device_configuration(...)"
    paths: ClassVar[tuple[str, ...]] = (
        "tf.config.experimental.set_memory_growth",
        "tf.config.experimental.set_virtual_device_configuration",
        "tf.config.set_logical_device_configuration",
    )
    before = f"{_TF}tf.config.experimental.set_memory_growth(g, True)\n"
    after = f"{_TF}None\n"
    reason = ("there is no GPU whose memory could be set", "没有可设置内存的 GPU")
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """None stands where the call stood."""
        del site
        return lambda _: cst.Name("None")


class MemoryGrowth2(MemoryGrowth):
    """V3: as S7, in TensorFlow 2."""

    id = "V3"
    source = CONVERTER
    versions = (2,)
    paths: ClassVar[tuple[str, ...]] = ("tf.config.experimental.set_memory_growth",)
    trigger = "tf.config.experimental.set_memory_growth(...)"


class JitScope(_Setting):
    """S8: no JIT compilation."""

    id = "S8"
    trigger = "tf.xla.experimental.jit_scope(...)"
    paths = (
        "tf.xla.experimental.jit_scope",
        "tf.contrib.compiler.jit.experimental_jit_scope",
    )
    argument, constant, signature = "compile_ops", "False", ("compile_ops",)
    before = f"{_TF}with tf.xla.experimental.jit_scope(compile_ops=c):\n    pass\n"
    after = f"{_TF}with tf.xla.experimental.jit_scope(compile_ops=False):\n    pass\n"
    reason = (
        "the JIT compiler of XLA is turned off: the NPU compiles the graph itself",
        "关闭 XLA 的 JIT 编译：图由 NPU 自行编译",
    )
    source = CONVERTER


class ClearSession(CallRule):
    """S9: Keras gets a session for the NPU again after it was cleared."""

    id = "S9"
    trigger = "K.clear_session()"
    paths = (
        "tf.keras.backend.clear_session",
        "keras.backend.clear_session",
    )
    before = "from tensorflow.keras import backend as K\nK.clear_session()\n"
    after = (
        "from npu_bridge.npu_init import *\n"
        "from tensorflow.keras import backend as K\nnpu_clear_session()\n"
    )
    reason = (
        "clearing drops the session that runs on the NPU; this one makes it anew",
        "清理会丢弃在 NPU 上运行的会话；该函数会重新创建",
    )
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Replace what is called."""
        if site.call.args:
            site.refuse_starred()
        name = site.emit("npu_clear_session")
        return lambda call: call.with_changes(func=name, args=[])


class AvailableGpus(CallRule):
    """S10: the list of GPUs is that of the host's CPU."""

    id = "S10"
    trigger = "check_available_gpus()"
    before = f"{_TF}n = len(check_available_gpus())\n"
    after = f"{_TF}n = len(['/device:CPU:0'])\n"
    reason = (
        "there is no GPU; parts for the host go to its CPU",
        "没有 GPU；需放在 Host 上的部分由 CPU 执行",
    )
    source = CONVERTER

    possible = ("check_available_gpus",)

    def matches(self, path: str) -> bool:
        """By the name, which is no library's."""
        return path.rpartition(".")[2] == "check_available_gpus"

    def edit(self, site: Site) -> Edit | None:
        """Replace the call by a list of one, unless another library's is meant."""
        if site.call.args:
            return None
        if not site.path.startswith("?.") and site.context.names.foreign(
            site.call.func
        ):
            raise Refused("receiver unknown")
        made = cst.parse_expression("['/device:CPU:0']")
        return lambda _: made


class DeviceScope(CallRule):
    """S11: what was placed on a GPU is placed on the host."""

    id = "S11"
    trigger = "tf.device(...)"
    paths = ("tf.device",)
    before = f"{_TF}with tf.device('/gpu:1'):\n    pass\n"
    after = f"{_TF}with tf.device('/cpu:0'):\n    pass\n"
    reason = (
        "there is no GPU to place anything on; the adapter takes the graph from the"
        " CPU",
        "没有 GPU 可供放置；适配器从 CPU 取得计算图",
    )
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Replace the device, by position or keyword as it was given."""
        site.refuse_starred()
        signature = ("device_name_or_function",)
        given = site.value(signature[0], signature)
        if given is None:
            return None
        if isinstance(given, cst.SimpleString):
            if "cpu" in given.value.lower():
                return None
        elif not is_name(given, "None"):
            site.warn("several devices")
        else:
            return None
        index = arguments.find(site.call, signature[0], signature)
        made = cst.SimpleString("'/cpu:0'")
        return lambda call: arguments.with_value(call, index or 0, made)


RULES = (
    ExperimentalOptions, VirtualDevice, SoftPlacement, MemoryGrowth, MemoryGrowth2,
    JitScope, ClearSession, AvailableGpus, DeviceScope,
)  # fmt: skip
