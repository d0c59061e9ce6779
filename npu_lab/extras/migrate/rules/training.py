"""Optimizers, gradients, loss scales, and Keras's training in parallel."""

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
)  # fmt: skip
from npu_lab.extras.migrate.rules.dropping import Editing
from npu_lab.extras.source import arguments
from npu_lab.extras.source.names import text_of

_TF = "import tensorflow as tf\n"
_INIT = f"from npu_bridge.npu_init import *\n{_TF}"
_OPTIMIZER = re.compile(
    r"tf\.(train|contrib\.opt|contrib\.\w+\.optimizers?)\.(experimental\.)?"
    r"\w*Optimizer\w*"
)
_NO_OPTIMIZER = (
    "ScipyOptimizerInterface", "MixedPrecisionLossScaleOptimizer",
    "NPULossScaleOptimizer", "Optimizer",
)  # fmt: skip
WRAPPER = "npu_distributed_optimizer_wrapper"
_ASKS = ("isinstance", "issubclass")
_SCALE = "tf.train.experimental."
AVERAGE = ("the gradients of all ranks are averaged", "对所有 Device 的梯度求平均")


def is_optimizer(path: str | None) -> bool:
    """Whether a call of `path` makes an optimizer of TensorFlow 1."""
    return (
        path is not None
        and _OPTIMIZER.fullmatch(path) is not None
        and path.rpartition(".")[2] not in _NO_OPTIMIZER
    )


class Optimizer(CallRule):
    """O1: an optimizer that averages gradients over the ranks."""

    id = "O1"
    trigger = "tf.train.*Optimizer(...)"
    modes = ("tf_strategy",)
    before = f"{_TF}o = tf.train.AdamOptimizer(.1)\n"
    after = f"{_INIT}o = {WRAPPER}(tf.train.AdamOptimizer(.1))\n"
    reason = AVERAGE
    source = CONVERTER

    def matches(self, path: str) -> bool:
        """By the class, by the base of a class of the script, or by the name."""
        named = "Optimizer" in path.rpartition(".")[2]
        known = path.startswith(("tf.", "npu.", "hvd."))
        return is_optimizer(path) or path.startswith("class@") or (named and not known)

    def edit(self, site: Site) -> Edit | None:
        """Wrap the call once."""
        names = site.context.names
        if site.wrapped_by in {WRAPPER, "NPUOptimizer", "NPUDistributedOptimizer"}:
            return None
        if not is_optimizer(site.path):
            node = names.class_at(site.path)
            if node is None:
                return self._elsewhere(site)
            base = names.base(node)
            if base != "tf.train.Optimizer" and not is_optimizer(base):
                return None
        if _wrapped_later(site):
            return None
        around = site.emit(WRAPPER)
        return lambda call: cst.Call(func=around, args=[cst.Arg(call)])

    @staticmethod
    def _elsewhere(site: Site) -> None:
        if not site.context.names.foreign(site.call.func):
            raise Refused("receiver unknown")


def plan(work: Editing) -> None:
    """Report optimizers that are handed on as classes: their calls are not seen."""
    context = work.context
    if context.options.mode != "tf_strategy" or context.options.tf != 1:
        return
    names = context.names
    for node, path in names.references():
        if not is_optimizer(path) or context.horovod_left:
            continue
        above = names.scopes.parent[node]
        call = names.scopes.parent.get(above) if isinstance(above, cst.Arg) else None
        called = isinstance(above, cst.Call) and above.func is node
        inherits = isinstance(call, cst.ClassDef)
        bound = isinstance(above, cst.Assign) and all(
            names.path(target.target) == path for target in above.targets
        )
        asked = isinstance(call, cst.Call) and text_of(call.func) in _ASKS
        if not (called or inherits or bound or asked or _is_hint(above)):
            context.say("O1", "hand", node, "optimizer class")


def _is_hint(node: cst.CSTNode | None) -> bool:
    return isinstance(node, (cst.Annotation, cst.SubscriptElement, cst.Index))


def _wrapped_later(site: Site) -> bool:
    """Whether the name that the call is bound to is given to the wrapper anyway."""
    parent = site.context.names.scopes.parent.get(site.call)
    if not isinstance(parent, cst.Assign):
        return False
    targets = [t.target for t in parent.targets]
    for node in site.context.names.nodes:
        if isinstance(node, cst.Call) and node.args and _named(node, WRAPPER):
            inner = node.args[0].value
            if any(inner.deep_equals(target) for target in targets):
                return True
    return False


def _named(call: cst.Call, name: str) -> bool:
    return isinstance(call.func, cst.Name) and call.func.value == name


class Gradients(CallRule):
    """O2: gradients that are applied by hand are averaged as well."""

    id = "O2"
    trigger = "tf.gradients(...)"
    modes = ("tf_strategy",)
    paths = ("tf.gradients",)
    before = f"{_TF}g = tf.gradients(loss, v)\nopt.apply_gradients(zip(g, v))\n"
    after = (
        f"{_INIT}g = npu_allreduce(tf.gradients(loss, v))\n"
        "opt.apply_gradients(zip(g, v))\n"
    )
    reason = AVERAGE
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Wrap the call once, where the gradients go to an optimizer."""
        if site.wrapped_by == "npu_allreduce":
            return None
        names = site.context.names
        here = names.scopes.of[site.call]
        applied = any(
            isinstance(node, cst.Call)
            and isinstance(node.func, cst.Attribute)
            and node.func.attr.value == "apply_gradients"
            and names.scopes.of[node] is here
            for node in names.nodes
        )
        if not applied:
            raise Refused("gradients not applied")
        around = site.emit("npu_allreduce")
        return lambda call: cst.Call(func=around, args=[cst.Arg(call)])


class FixedLossScale(CallRule):
    """O3: a fixed loss scale."""

    id = "O3"
    trigger = "tf.train.experimental.FixedLossScale(...)"
    paths = (
        f"{_SCALE}FixedLossScale", "tf.mixed_precision.experimental.FixedLossScale",
    )  # fmt: skip
    before = f"{_TF}s = {_SCALE}FixedLossScale(loss_scale_value=128)\n"
    after = f"{_INIT}s = FixedLossScaleManager(loss_scale=128)\n"
    reason = (
        "the adapter's loss scale also sees overflow on the device",
        "适配器的 loss scale 能感知 Device 上的溢出",
    )
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Replace class and keyword."""
        site.refuse_starred()
        given = site.value("loss_scale_value", ("loss_scale_value",))
        if given is None:
            raise Refused("missing argument", name="loss_scale_value")
        name = site.emit("FixedLossScaleManager")
        by_name = site.call.args[0].keyword is not None

        def change(call: cst.Call) -> cst.Call:
            value = call.args[0].value
            arg = named("loss_scale", value) if by_name else cst.Arg(value)
            return call.with_changes(func=name, args=[arg])

        return change


class DynamicLossScale(CallRule):
    """O4: a loss scale that grows and shrinks."""

    id = "O4"
    trigger = "tf.train.experimental.DynamicLossScale(...)"
    paths = (
        f"{_SCALE}DynamicLossScale",
        "tf.mixed_precision.experimental.DynamicLossScale",
    )
    before = f"{_TF}s = {_SCALE}DynamicLossScale(increment_period=9)\n"
    after = (
        f"{_INIT}s = ExponentialUpdateLossScaleManager("
        "init_loss_scale=2**15, incr_every_n_steps=9, incr_ratio=2)\n"
    )
    reason = FixedLossScale.reason
    source = CONVERTER
    _parameters = (
        ("initial_loss_scale", "init_loss_scale", "2**15"),
        ("increment_period", "incr_every_n_steps", "2000"),
        ("multiplier", "incr_ratio", "2"),
    )

    def edit(self, site: Site) -> Edit | None:
        """Replace class and keywords, defaults written out."""
        site.refuse_starred()
        name = site.emit("ExponentialUpdateLossScaleManager")
        old = tuple(row[0] for row in self._parameters)

        def change(call: cst.Call) -> cst.Call:
            made = cst.Call(func=name)
            for parameter, new, default in self._parameters:
                value = arguments.value(call, parameter, old)
                made = arguments.with_keyword(
                    made, new, value or cst.parse_expression(default)
                )
            return made.with_changes(lpar=call.lpar, rpar=call.rpar)

        return change


class LossScaleOptimizer(CallRule):
    """O5: the optimizer that uses a loss scale."""

    id = "O5"
    trigger = "tf.train.experimental.MixedPrecisionLossScaleOptimizer(...)"
    paths = (f"{_SCALE}MixedPrecisionLossScaleOptimizer",)
    before = f"{_TF}o = {_SCALE}MixedPrecisionLossScaleOptimizer(opt, loss_scale=a)\n"
    after = f"{_INIT}o = NPULossScaleOptimizer(opt, loss_scale_manager=a)\n"
    reason = FixedLossScale.reason
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Replace class and keyword."""
        site.refuse_starred()
        name = site.emit("NPULossScaleOptimizer")
        several = bool(site.context.options.mode) and not site.context.alone

        def change(call: cst.Call) -> cst.Call:
            args = [
                arg.with_changes(keyword=cst.Name("loss_scale_manager"))
                if arg.keyword is not None and arg.keyword.value == "loss_scale"
                else arg
                for arg in call.args
            ]
            call = call.with_changes(func=name, args=args)
            if several:
                call = arguments.with_keyword(call, "is_distributed", cst.Name("True"))
            return call

        return change


class GraphRewrite(CallRule):
    """O6: automatic mixed precision is an option of the NPU's session."""

    id = "O6"
    trigger = "enable_mixed_precision_graph_rewrite(...)"
    paths = (
        f"{_SCALE}enable_mixed_precision_graph_rewrite",
        "tf.train.enable_mixed_precision_graph_rewrite",
    )
    before = after = f"{_TF}o = {_SCALE}enable_mixed_precision_graph_rewrite(o)\n"
    reason = (
        "mixed precision is set by precision_mode; the rewrite has no effect on the"
        " NPU",
        "混合精度由 precision_mode 设置；该图改写对 NPU 无效",
    )
    source = (
        "section 6.4 of the observed rules, which leave it out",
        "观察所得规则的 6.4 节，其中没有包括它",
    )

    def edit(self, site: Site) -> Edit | None:
        """Nothing can stand in its place: the option belongs to the session."""
        del site
        raise Refused("precision mode")


RULES = (
    Optimizer, Gradients, FixedLossScale, DynamicLossScale, LossScaleOptimizer,
    GraphRewrite,
)  # fmt: skip
