"""Sessions and what they are configured with."""

from __future__ import annotations

from typing import ClassVar

import libcst as cst

from npu_lab.extras.migrate.rules.base import (
    CONVERTER,
    CallRule,
    Edit,
    Refused,
    Site,
    as_keyword,
    is_name,
    setting,
    takes,
    wrapped,
)  # fmt: skip
from npu_lab.extras.source import arguments

# Where each takes its config: the keyword, then the order of its parameters.
_SESSION = ("target", "graph", "config")
_OTHERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "tf.train.MonitoredTrainingSession": (
        "config",
        (
            "master", "is_chief", "checkpoint_dir", "scaffold", "hooks",
            "chief_only_hooks", "save_checkpoint_secs", "save_summaries_steps",
            "save_summaries_secs", "config",
        ),
    ),
    "tf.train.SingularMonitoredSession": (
        "config", ("hooks", "scaffold", "master", "config"),
    ),
    "tf.train.ChiefSessionCreator": ("config", ("scaffold", "master", "config")),
    "tf.train.WorkerSessionCreator": ("config", ("scaffold", "master", "config")),
    "tf.train.Supervisor().managed_session": ("config", ("master", "config")),
    "tf.train.Supervisor().prepare_or_wait_for_session": (
        "config", ("master", "config"),
    ),
    "tf.train.SessionManager().prepare_session": (
        "config",
        (
            "master", "init_op", "saver", "checkpoint_dir",
            "checkpoint_filename_with_path", "wait_for_checkpoint", "max_wait_secs",
            "config",
        ),
    ),
    "tf.train.SessionManager().recover_session": (
        "config",
        (
            "master", "saver", "checkpoint_dir", "checkpoint_filename_with_path",
            "wait_for_checkpoint", "max_wait_secs", "config",
        ),
    ),
    "tf.train.SessionManager().wait_for_session": (
        "config", ("master", "config"),
    ),
    "tf.test.TestCase().session": ("config", ("graph", "config")),
    "tf.test.TestCase().test_session": ("config", ("graph", "config")),
    "tf.contrib.slim.learning.train": ("session_config", ()),
    "tf.contrib.slim.evaluation.evaluate_once": ("session_config", ()),
    "tf.contrib.slim.evaluation.evaluation_loop": ("session_config", ()),
}  # fmt: skip


class SessionConfig(CallRule):
    """S1: the session's config goes through npu_config_proto."""

    id = "S1"
    profiles = ("auto",)
    trigger = "tf.Session(...), tf.InteractiveSession(...)"
    paths: ClassVar[tuple[str, ...]] = ("tf.Session", "tf.InteractiveSession")
    before = "import tensorflow as tf\ns = tf.InteractiveSession(config=c)\n"
    after = (
        "from npu_bridge.npu_init import *\nimport tensorflow as tf\n"
        "s = tf.InteractiveSession(config=npu_config_proto(config_proto=c))\n"
    )
    reason = (
        "a session runs on the NPU when its config holds NpuOptimizer, with the"
        " rewrites that would hinder it turned off",
        "会话配置中含有 NpuOptimizer 并关闭有冲突的图优化时，图才在 NPU 上运行",
    )
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Wrap the config once, or add one."""
        keyword, signature = self.parameter(site.path)
        site.refuse_starred()
        given = site.value(keyword, signature)
        if site.called(given, "npu_config_proto") or configured(site, given):
            return None
        if given is None and arguments.positional(site.call) > len(signature) > 0:
            raise Refused("too many arguments")
        wrapper = site.emit("npu_config_proto")

        def change(call: cst.Call) -> cst.Call:
            index = arguments.find(call, keyword, signature)
            call = wrapped(call, index, keyword, wrapper, "config_proto")
            return call if index is None else as_keyword(call, index, keyword)

        return change

    def parameter(self, path: str) -> tuple[str, tuple[str, ...]]:
        """The config's keyword, and the order of the parameters."""
        del path
        return "config", _SESSION


class OtherSessions(SessionConfig):
    """S13: as S1, for everything else that makes a session."""

    id = "S13"
    trigger = "MonitoredTrainingSession, managed_session, slim.learning.train, ..."
    paths = tuple(_OTHERS)
    possible = ("managed_session",)
    before = (
        "import tensorflow as tf\n"
        "with tf.train.MonitoredTrainingSession(hooks=h) as s:\n    s.run(t)\n"
    )
    after = (
        "from npu_bridge.npu_init import *\nimport tensorflow as tf\n"
        "with tf.train.MonitoredTrainingSession(hooks=h,"
        " config=npu_config_proto()) as s:\n    s.run(t)\n"
    )
    source = (
        "the vendor's list of rewritten interfaces",
        "厂商文档中的改写接口列表",
    )

    def parameter(self, path: str) -> tuple[str, tuple[str, ...]]:
        """The config's keyword, and the order of the parameters."""
        return _OTHERS[path]


class MonitoredSession(CallRule):
    """S15: a MonitoredSession without a creator gets one with the config."""

    id = "S15"
    trigger = "tf.train.MonitoredSession(...) without session_creator"
    paths = ("tf.train.MonitoredSession",)
    before = "import tensorflow as tf\ns = tf.train.MonitoredSession(hooks=h)\n"
    after = (
        "from npu_bridge.npu_init import *\nimport tensorflow as tf\n"
        "s = tf.train.MonitoredSession(hooks=h, session_creator="
        "tf.train.ChiefSessionCreator(config=npu_config_proto()))\n"
    )
    reason = SessionConfig.reason
    source = (
        "section 3.2 of the observed rules, which leave it out",
        "观察所得规则的 3.2 节，其中没有包括它",
    )

    def edit(self, site: Site) -> Edit | None:
        """Add a ChiefSessionCreator, which is what the class would make."""
        site.refuse_starred()
        given = site.value("session_creator", ("session_creator",))
        if given is not None and not is_name(given, "None"):
            return None  # its creator is S13's
        creator: cst.BaseExpression
        if isinstance(site.call.func, cst.Attribute):
            creator = site.call.func.with_changes(attr=cst.Name("ChiefSessionCreator"))
        elif takes(site.context.names, "tf"):
            raise Refused("no creator")
        else:
            creator = site.emit("tf.train.ChiefSessionCreator")
        config = cst.Call(func=site.emit("npu_config_proto"))
        made = setting(cst.Call(func=creator), "config", config)
        return lambda call: setting(call, "session_creator", made, ("session_creator",))


class GraphOptions(CallRule):
    """S2: GraphOptions goes through npu_graph_options."""

    id = "S2"
    trigger = "tf.GraphOptions(...)"
    paths = ("tf.GraphOptions",)
    wrapper, keyword = "npu_graph_options", "graph_options"
    before = "import tensorflow as tf\no = tf.GraphOptions(x=1)\n"
    after = (
        "from npu_bridge.npu_init import *\nimport tensorflow as tf\n"
        "o = npu_graph_options(graph_options=tf.GraphOptions(x=1))\n"
    )
    reason = (
        "the JIT compiler of XLA is turned off: the NPU compiles the graph itself",
        "关闭 XLA 的 JIT 编译：图由 NPU 自行编译",
    )
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Wrap the call once."""
        if site.wrapped_by == self.wrapper:
            return None
        around, keyword = site.emit(self.wrapper), self.keyword
        return lambda call: cst.Call(
            func=around, args=setting(cst.Call(func=around), keyword, call).args
        )


class OptimizerOptions(GraphOptions):
    """S3: OptimizerOptions goes through npu_optimizer_options."""

    id = "S3"
    trigger = "tf.OptimizerOptions(...)"
    paths = ("tf.OptimizerOptions",)
    wrapper, keyword = "npu_optimizer_options", "optimizer_options"
    before = "import tensorflow as tf\no = tf.OptimizerOptions(opt_level=0)\n"
    after = (
        "from npu_bridge.npu_init import *\nimport tensorflow as tf\n"
        "o = npu_optimizer_options("
        "optimizer_options=tf.OptimizerOptions(opt_level=0))\n"
    )
    source = CONVERTER


def configured(site: Site, given: cst.CSTNode | None) -> bool:
    """Whether the file already puts NpuOptimizer into this config by hand."""
    if not isinstance(given, (cst.Name, cst.Attribute)):
        return False
    for node in site.context.names.nodes:
        if isinstance(node, cst.SimpleString) and node.raw_value == "NpuOptimizer":
            return True
    return False


RULES = (SessionConfig, OtherSessions, MonitoredSession, GraphOptions, OptimizerOptions)
