"""The form that the documentation has one write by hand (`--profile manual`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from npu_lab.extras.migrate.rules.base import (
    CallRule,
    Context,
    Edit,
    Refused,
    Site,
    as_keyword,
    is_name,
    setting,
    takes,
)  # fmt: skip
from npu_lab.extras.migrate.rules.entry import option_lines
from npu_lab.extras.migrate.rules.estimators import EstimatorConfig
from npu_lab.extras.migrate.rules.sessions import (
    OtherSessions,
    SessionConfig,
    configured,
)  # fmt: skip
from npu_lab.extras.source import arguments
from npu_lab.extras.source.names import Names, text_of
from npu_lab.extras.source.scopes import dotted

# In the order of RunConfig, which is not that of NPURunConfig.
PARAMETERS = (
    "model_dir", "tf_random_seed", "save_summary_steps", "save_checkpoints_steps",
    "save_checkpoints_secs", "session_config", "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours", "log_step_count_steps",
)  # fmt: skip
_TF = "import tensorflow as tf\n"
_INIT = f"from npu_bridge.npu_init import *\n{_TF}"
RUN_CONFIG = "tf.estimator.RunConfig"
ESTIMATOR = "tf.estimator.Estimator"
# What RunConfig has for other ways of distributing.
_REMOVED = (
    "train_distribute", "eval_distribute", "device_fn", "protocol",
    "experimental_distribute",
)  # fmt: skip


_LINES = "\n".join(option_lines("npu_config", "custom_op")) + "\n"


class HandSession(SessionConfig):
    """M1: the session's config holds NpuOptimizer, written out."""

    id = "M1"
    profiles = ("manual",)
    before = f"{_TF}s = tf.Session(graph=g)\n"
    after = (
        f"{_INIT}npu_config = tf.ConfigProto()\n{_LINES}"
        "s = tf.Session(graph=g, config=npu_config)\n"
    )
    source = ("the documented migration by hand", "文档中的手工迁移")

    def edit(self, site: Site) -> Edit | None:
        """Write the options behind the config that is given, or a config before."""
        keyword, signature = self.parameter(site.path)
        site.refuse_starred()
        given = site.value(keyword, signature)
        if site.called(given, "npu_config_proto") or configured(site, given):
            return None
        if isinstance(given, cst.Name) and given.value != "None":
            self._behind(site, given)
            return None
        own = given is None or is_name(given, "None")
        if not own and site.context.names.path(given) != "tf.ConfigProto()":
            raise Refused("config unknown")
        statement = place_before(site.context.names, site.call)
        name = fresh(site.context, "npu_config")
        lines = self._lines(site, name)
        held: list[str] = []
        proto = _proto(site)

        def change(call: cst.Call) -> cst.Call:
            index = arguments.find(call, keyword, signature)
            old = None if index is None else call.args[index].value
            held.append(f"{name} = {proto if own or old is None else text_of(old)}")
            return setting(call, keyword, cst.Name(name), signature)

        site.context.before.setdefault(statement, []).append(lambda: held + lines)
        return change

    def _lines(self, site: Site, name: str) -> list[str]:
        site.emit("RewriterConfig")
        loop = site.context.options.loop if site.context.sunk else 1
        return option_lines(name, fresh(site.context, "custom_op"), loop)

    def _behind(self, site: Site, given: cst.Name) -> None:
        """Write the options behind the one assignment that makes the config."""
        context = site.context
        assigned = one_assignment(context.names, given)
        if assigned is None or context.names.path(given) != "tf.ConfigProto()":
            raise Refused("config unknown")
        statement = context.names.scopes.parent[assigned]
        if statement in context.after:
            return
        found = context.say(self.id, "changed", site.call, f"rule {self.id}")
        lines = self._lines(site, given.value)
        found.after = "\n".join(lines)
        context.after[statement] = [lambda: lines]


class HandOtherSessions(HandSession):
    """M2: as M1, for everything else that makes a session."""

    id = "M2"
    trigger = OtherSessions.trigger
    paths = OtherSessions.paths
    before = (
        f"{_TF}c = tf.ConfigProto()\ns = tf.train.MonitoredTrainingSession(config=c)\n"
    )
    after = (
        f"{_INIT}c = tf.ConfigProto()\n"
        + "\n".join(option_lines("c", "custom_op"))
        + "\ns = tf.train.MonitoredTrainingSession(config=c)\n"
    )
    source = HandSession.source

    def parameter(self, path: str) -> tuple[str, tuple[str, ...]]:
        """The config's keyword, and the order of the parameters."""
        return OtherSessions().parameter(path)


class HandRunConfig(CallRule):
    """M3: the adapter's run configuration."""

    id = "M3"
    profiles = ("manual",)
    trigger = "tf.estimator.RunConfig(...)"
    paths = (RUN_CONFIG,)
    before = f"{_TF}c = tf.estimator.RunConfig(model_dir='d', device_fn=f)\n"
    after = f"{_INIT}c = NPURunConfig(model_dir='d')\n"
    reason = (
        "the estimator of the adapter takes its own run configuration",
        "适配器的 Estimator 使用自己的运行配置",
    )
    source = HandSession.source

    def edit(self, site: Site) -> Edit | None:
        """Replace the class; what is for other ways of distributing goes."""
        why = refused(site.call)
        if why:
            raise Refused(why)
        if any(a.keyword and a.keyword.value in _REMOVED for a in site.call.args):
            site.warn("options dropped")
        name = site.emit("NPURunConfig")
        loop = site.context.options.loop if site.context.sunk else 1

        def change(call: cst.Call) -> cst.Call:
            for index in range(arguments.positional(call) - 1, -1, -1):
                call = as_keyword(call, index, PARAMETERS[index])
            args = [
                a for a in call.args if not a.keyword or a.keyword.value not in _REMOVED
            ]
            if args and len(args) < len(call.args):
                args[-1] = args[-1].with_changes(comma=call.args[-1].comma)
            call = call.with_changes(func=name, args=args)
            if loop > 1:
                value = cst.Integer(str(loop))
                call = arguments.with_keyword(call, "iterations_per_loop", value)
            return call

        return change


class HandEstimator(CallRule):
    """M4: the adapter's estimator."""

    id = "M4"
    profiles = ("manual",)
    trigger = "tf.estimator.Estimator(...)"
    before = f"{_TF}e = tf.estimator.Estimator(fn, config=tf.estimator.RunConfig())\n"
    after = f"{_INIT}e = NPUEstimator(fn, config=NPURunConfig())\n"
    reason = (
        "this estimator makes its session for the NPU, and can sink its loop",
        "该 Estimator 为 NPU 创建会话，并支持循环下沉",
    )
    source = HandSession.source
    _signature = ("model_fn", "model_dir", "config", "params")

    def matches(self, path: str) -> bool:
        """The estimator, and those that have no form by hand."""
        return EstimatorConfig().matches(path)

    def edit(self, site: Site) -> Edit | None:
        """Replace the class, where its configuration is replaced as well."""
        site.refuse_starred()
        if site.path != ESTIMATOR:
            raise Refused("no hand form")
        if arguments.positional(site.call) > len(self._signature):
            raise Refused("too many arguments")
        names = site.context.names
        given = site.value("config", self._signature)
        path = names.path(given) if given is not None else None
        absent = given is None or is_name(given, "None")
        ours = path == f"{RUN_CONFIG}()" and not any(
            refused(call) for call in calls_of(names, RUN_CONFIG)
        )
        if not absent and not ours and path != "npu.NPURunConfig()":
            raise Refused("config unknown")
        name = site.emit("NPUEstimator")
        config = site.emit("NPURunConfig") if absent else None
        loop = site.context.options.loop if site.context.sunk else 1

        def change(call: cst.Call) -> cst.Call:
            if config is not None:
                made = cst.Call(func=config)
                if loop > 1:
                    value = cst.Integer(str(loop))
                    made = setting(made, "iterations_per_loop", value)
                call = setting(call, "config", made, self._signature)
            return call.with_changes(func=name)

        return change


def refused(call: cst.Call) -> str:
    """Why a RunConfig has no form by hand, or ""."""
    if arguments.starred(call):
        return "starred"
    many = arguments.positional(call) > len(PARAMETERS)
    return "too many arguments" if many else ""


def calls_of(names: Names, path: str) -> list[cst.Call]:
    """All calls of `path` in the module."""
    return [
        node
        for node in names.nodes
        if isinstance(node, cst.Call) and names.path(node.func) == path
    ]


def one_assignment(names: Names, name: cst.Name) -> cst.Assign | None:
    """The only assignment of a name, `name = value` on a line of its own, or None."""
    scope = names.scopes.of.get(name)
    while scope is not None and name.value not in scope.bindings:
        scope = scope.parent
    if scope is None or len(scope.bindings[name.value]) != 1:
        return None
    value = scope.bindings[name.value][0].value
    above = names.scopes.parent.get(value) if value is not None else None
    if not isinstance(above, cst.Assign) or len(above.targets) != 1:
        return None
    line = names.scopes.parent.get(above)
    alone = isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1
    same = isinstance(above.targets[0].target, cst.Name)
    return above if alone and same else None


def place_before(names: Names, node: cst.CSTNode) -> cst.CSTNode:
    """The statement before which what `node` needs may be done.

    Raises:
        Refused: `node` is not always reached when the statement is, or several times.
    """
    parent = names.scopes.parent
    child, above = node, parent[node]
    while not isinstance(above, (cst.IndentedBlock, cst.Module)):
        unsafe = (
            cst.Lambda, cst.IfExp, cst.BooleanOperation, cst.ListComp, cst.SetComp,
            cst.DictComp, cst.GeneratorExp, cst.While, cst.Decorator, cst.Param,
            cst.SimpleStatementSuite, cst.Await,
        )  # fmt: skip
        elif_ = isinstance(above, cst.If) and isinstance(parent.get(above), cst.If)
        if isinstance(above, unsafe) or elif_:
            raise Refused("no place")
        child, above = above, parent[above]
    return child


def fresh(context: Context, name: str) -> str:
    """A name that the module does not have, `name` when that is one."""
    number, made = 1, name
    while made in context.made or takes(context.names, made):
        number += 1
        made = f"{name}_{number}"
    context.made.add(made)
    return made


def _proto(site: Site) -> str:
    """How this module would write an empty ConfigProto."""
    written, tail = dotted(site.call.func) or "", site.path.removeprefix("tf")
    if written.endswith(tail) and written != tail:
        return f"{written.removesuffix(tail)}.ConfigProto()"
    site.emit("config_pb2")
    return "config_pb2.ConfigProto()"


def surrounded(
    statement: cst.CSTNode | cst.FlattenSentinel[cst.CSTNode],
    before: Sequence[Callable[[], list[str]]],
    after: Sequence[Callable[[], list[str]]],
) -> cst.FlattenSentinel[cst.CSTNode]:
    """A statement between others, which take the comments before it."""
    first = [cst.parse_statement(line) for lines in before for line in lines()]
    last = [cst.parse_statement(line) for lines in after for line in lines()]
    if isinstance(statement, cst.FlattenSentinel):  # several already
        return cst.FlattenSentinel([*first, *statement, *last])
    leading = getattr(statement, "leading_lines", ())
    if first and leading:
        first[0] = first[0].with_changes(leading_lines=leading)
        statement = statement.with_changes(leading_lines=[])
    return cst.FlattenSentinel([*first, statement, *last])


RULES = (HandSession, HandOtherSessions, HandRunConfig, HandEstimator)
