"""Estimators, their configuration and hooks."""

from __future__ import annotations

import re
from typing import ClassVar

import libcst as cst

from npu_lab.extras.migrate.rules.base import (
    CONVERTER,
    CallRule,
    Edit,
    Refused,
    Site,
    setting,
    wrapped,
)  # fmt: skip
from npu_lab.extras.source import arguments

_TF = "import tensorflow as tf\n"
_INIT = f"from npu_bridge.npu_init import *\n{_TF}"
_CANNED = (
    r"(Baseline|BoostedTrees|DNN|DNNLinearCombined|Linear)"
    r"(Classifier|Estimator|Regressor)"
)
_ESTIMATOR = re.compile(
    rf"tf\.(contrib\.)?(estimator|tpu|learn)\.(tpu\.)?(Estimator|TPUEstimator|{_CANNED})"
)
_TPU = re.compile(r"tf\.(contrib\.tpu|estimator\.tpu|tpu)\.TPUEstimator")
# A class of the script calls its base, which may be any of them.
_SUBCLASS = "tf.estimator.Estimator().__init__"
_OWN = ("model_fn", "model_dir", "config")
_RUN_CONFIG = re.compile(
    r"tf\.(contrib\.tpu|contrib\.learn|estimator\.tpu|tpu|estimator)\.RunConfig"
)


class EstimatorConfig(CallRule):
    """E1: the run configuration goes through npu_run_config_init."""

    id = "E1"
    profiles = ("auto",)
    trigger = "tf.estimator.Estimator(...) and the ready-made estimators"
    before = f"{_TF}e = tf.estimator.Estimator(fn, config=rc)\n"
    after = (
        f"{_INIT}e = tf.estimator.Estimator(fn,"
        " config=npu_run_config_init(run_config=rc))\n"
    )
    reason = (
        "the estimator makes its session from the run configuration",
        "Estimator 根据运行配置创建会话",
    )
    source = CONVERTER

    def matches(self, path: str) -> bool:
        """By the class."""
        return _ESTIMATOR.fullmatch(path) is not None or path == _SUBCLASS

    def edit(self, site: Site) -> Edit | None:
        """Wrap the config once, or add one."""
        site.refuse_starred()
        own = site.path.endswith((".Estimator", ".TPUEstimator"))
        signature = _OWN if own else ()
        if not own and arguments.positional(site.call) > 4:  # noqa: PLR2004
            raise Refused("too many arguments")
        given = site.value("config", signature)
        if site.called(given, "npu_run_config_init", "NPURunConfig"):
            return None
        wrapper = site.emit("npu_run_config_init")

        def change(call: cst.Call) -> cst.Call:
            index = arguments.find(call, "config", signature)
            return wrapped(call, index, "config", wrapper, "run_config")

        return change


class TpuEstimator(CallRule):
    """E2: a TPUEstimator without its TPU."""

    id = "E2"
    profiles = ("auto",)
    trigger = "TPUEstimator(...)"
    before = f"{_TF}e = tf.contrib.tpu.TPUEstimator(m, config=rc, use_tpu=flag)\n"
    after = (
        f"{_INIT}e = tf.contrib.tpu.TPUEstimator(m,"
        " config=npu_run_config_init(run_config=rc), use_tpu=False,"
        " eval_on_tpu=False, export_to_tpu=False)\n"
    )
    reason = ("there is no TPU", "没有 TPU")
    source = CONVERTER
    _switches = ("eval_on_tpu", "use_tpu", "export_to_tpu")
    _signature = (
        "model_fn", "model_dir", "config", "params", "use_tpu", "train_batch_size",
        "eval_batch_size", "predict_batch_size", "batch_axis", "eval_on_tpu",
        "export_to_tpu",
    )  # fmt: skip

    def matches(self, path: str) -> bool:
        """By the class."""
        return _TPU.fullmatch(path) is not None

    def edit(self, site: Site) -> Edit | None:
        """Set three switches to False."""
        site.refuse_starred()
        off = cst.Name("False")
        if all(
            (given := site.value(name, self._signature)) is not None
            and given.deep_equals(off)
            for name in self._switches
        ):
            return None

        def change(call: cst.Call) -> cst.Call:
            for name in self._switches:
                call = setting(call, name, off, self._signature)
            return call

        return change


class SummarySteps(CallRule):
    """E3: no summaries by the estimator."""

    id = "E3"
    profiles = ("auto",)
    trigger = "tf.estimator.RunConfig(...) without save_summary_steps"
    before = f"{_TF}c = tf.estimator.RunConfig(model_dir='d')\n"
    after = f"{_TF}c = tf.estimator.RunConfig(model_dir='d', save_summary_steps=0)\n"
    reason = (
        "summaries every 100 steps would end the device's loop early",
        "每 100 步写一次 summary 会打断 Device 上的循环",
    )
    source = CONVERTER

    def matches(self, path: str) -> bool:
        """By the class."""
        return _RUN_CONFIG.fullmatch(path) is not None and ".learn." not in path

    def edit(self, site: Site) -> Edit | None:
        """Add the keyword where nothing sets it."""
        site.refuse_starred()
        name = "save_summary_steps"
        given = site.value(name, ("model_dir", "tf_random_seed", name))
        # TPUConfig's own RunConfig takes only keywords of its base.
        if given is not None or arguments.positional(site.call) > 2:  # noqa: PLR2004
            return None
        return lambda call: setting(call, name, cst.Integer("0"))


class SpecHooks(CallRule):
    """E4: the hook that broadcasts the first rank's variables."""

    id = "E4"
    trigger = "TrainSpec(...), EvalSpec(...)"
    modes = ("tf_strategy",)
    _signatures = {  # noqa: RUF012
        "tf.estimator.TrainSpec": ("input_fn", "max_steps", "hooks"),
        "tf.estimator.EvalSpec": ("input_fn", "steps", "name", "hooks"),
        "tf.estimator.Estimator().train": ("input_fn", "hooks"),
    }
    paths: ClassVar[tuple[str, ...]] = (
        "tf.estimator.TrainSpec",
        "tf.estimator.EvalSpec",
    )
    before = f"{_TF}s = tf.estimator.TrainSpec(input_fn=f, max_steps=9)\n"
    after = (
        f"{_INIT}s = tf.estimator.TrainSpec(input_fn=f, max_steps=9,"
        " hooks=npu_hooks_append())\n"
    )
    reason = (
        "all ranks begin with the variables of rank 0",
        "所有 Device 都从 rank 0 的变量开始训练",
    )
    source = CONVERTER

    def edit(self, site: Site) -> Edit | None:
        """Wrap the hooks once, or add them."""
        site.refuse_starred()
        signature = self._signatures[site.path]
        given = site.value("hooks", signature)
        if site.called(given, "npu_hooks_append"):
            return None
        wrapper = site.emit("npu_hooks_append")
        return lambda call: wrapped(
            call,
            arguments.find(call, "hooks", signature),
            "hooks",
            wrapper,
            "hooks_list",
        )


class TrainHooks(SpecHooks):
    """E5: as E4, for a call of train() on an estimator."""

    id = "E5"
    trigger = "Estimator.train(...)"
    paths = ("tf.estimator.Estimator().train",)
    possible = ("train",)
    before = (
        f"{_TF}e = tf.estimator.Estimator(fn, config=npu_run_config_init())\n"
        "e.train(input_fn=f, steps=3)\n"
    )
    after = (
        f"{_INIT}e = tf.estimator.Estimator(fn, config=npu_run_config_init())\n"
        "e.train(input_fn=f, steps=3, hooks=npu_hooks_append())\n"
    )
    source = CONVERTER

    def suspects(self, call: cst.Call) -> bool:
        """Only what names an argument of this train() looks like ours."""
        return arguments.find(call, "input_fn") is not None


RULES = (EstimatorConfig, TpuEstimator, SummarySteps, SpecHooks, TrainHooks)
