"""`NPURunConfig`, and the session options that NPUEstimator writes from it."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Iterator
from typing import Any

from npu_lab import language
from npu_lab._tensorflow import tf
from npu_lab.bridge import checks, config_classes
from npu_lab.bridge.run_config_table import PARAMETERS, PASSED_ON, Parameter
from npu_lab.device.defaults import NAME as OPTIMIZER
from npu_lab.tf1.estimator.run_config import RunConfig

v1 = tf.compat.v1

SAVE_CHECKPOINTS_STEPS = 100  # where neither steps nor seconds are given
REWRITERS = (
    "pruning",
    "function",
    "constfold",
    "shape",
    "arithmetic",
    "loop",
    "dependency",
    "layout",
    "GradFusionOptimizer",
)

PARAMETER_SERVERS = v1.distribute.experimental.ParameterServerStrategy
MESSAGES = {
    "mixed": {
        "en": "NPURunConfig: mix_compile_mode is True and iterations_per_loop is"
        " {loop}, but mixed compute allows no loop. Leave mix_compile_mode at False,"
        " or set iterations_per_loop to 1.",
        "zh": "NPURunConfig：mix_compile_mode 为 True，iterations_per_loop 为 {loop}，"
        "但混合计算不支持循环下沉。请将 mix_compile_mode 保持为 False，"
        "或者将 iterations_per_loop 配置为 1。",
    },
    "jit": {
        "en": "Expected str, got {kind}: jit_compile is {given}, but must be one of"
        ' the texts "auto", "true" and "false".',
        "zh": "Expected str, got {kind}：jit_compile 为 {given}，"
        '但必须是字符串 "auto"、"true" 或 "false"。',
    },
    "cluster": {
        "en": "NPURunConfig: distribute is {given}, but it must be a"
        " ParameterServerStrategy where TF_CONFIG has a cluster, and only there.",
        "zh": "NPURunConfig：distribute 为 {given}；TF_CONFIG 中有 cluster 时，"
        "它必须是 ParameterServerStrategy，没有 cluster 时不能是。",
    },
    "servers": {
        "en": "NPURunConfig: TF_CONFIG has a cluster, and parameter servers need mixed"
        " compute: set mix_compile_mode=True (and iterations_per_loop to 1).",
        "zh": "NPURunConfig：TF_CONFIG 中有 cluster，而 PS-Worker 需要混合计算："
        "请配置 mix_compile_mode=True（并且 iterations_per_loop 为 1）。",
    },
    "strategy": {
        "en": "NPURunConfig: %s has no effect, and is documented as not supported:"
        " NPUEstimator broadcasts the variables of rank 0, and the optimizer averages"
        " gradients. Leave it out.",
        "zh": "NPURunConfig：%s 不起作用，文档说明不支持该参数："
        "NPUEstimator 会广播 rank 0 的变量，梯度由优化器平均。请去掉该参数。",
    },
    "run mode": {
        "en": "graph_run_mode is {given}, but must be 0 (inference) or 1 (training).",
        "zh": "graph_run_mode 为 {given}，但必须是 0（推理）或 1（训练）。",
    },
}


def _parameter(row: Parameter) -> inspect.Parameter:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(row.name, kind, default=row.default)


SIGNATURE = inspect.Signature([_parameter(row) for row in PARAMETERS])


class NPURunConfig(RunConfig):
    """The configuration of an NPUEstimator.

    Every parameter is an attribute of the same name. The values of most are looked at
    when the first graph is compiled, not here.

    Raises:
        TypeError: an unknown keyword, or a value of another type.
        ValueError: a value that is not allowed; mixed compute with a loop; both
            `save_checkpoints_steps` and `save_checkpoints_secs`.
    """

    _session_config: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        try:
            given = SIGNATURE.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"NPURunConfig: {error}.") from None
        given.apply_defaults()
        values = given.arguments
        _check(values)
        if values["save_checkpoints_steps"] is values["save_checkpoints_secs"] is None:
            values["save_checkpoints_steps"] = SAVE_CHECKPOINTS_STEPS
        super().__init__(**{name: values.pop(name) for name in PASSED_ON})
        vars(self).update(values)

    __init__.__signature__ = SIGNATURE.replace(  # type: ignore[attr-defined]
        parameters=[
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY),
            *SIGNATURE.parameters.values(),
        ]
    )
    __doc__ += "\nArgs:\n" + "\n".join(
        f"    {row.name}: {row.meaning}." for row in PARAMETERS
    )


def session_config(run_config: NPURunConfig) -> Any:
    """Write the options of `run_config` into its session configuration; return that.

    As in the adapter, another NpuOptimizer is added even where there is one, and a
    ConfigProto that the user gave is changed.

    Raises:
        TypeError: a value that the option's proto field does not take.
    """
    if run_config.session_config is None:
        run_config._session_config = v1.ConfigProto()
    rewrite = run_config.session_config.graph_options.rewrite_options
    rewrite.optimizers.extend(REWRITERS)
    optimizer = rewrite.custom_optimizers.add(name=OPTIMIZER)
    for row, value in _written(run_config):
        if value is None:
            continue
        parameter = optimizer.parameter_map[row.name]
        try:
            setattr(parameter, str(row.field), _encoded(row, value))
        except TypeError as error:
            message = (
                f"NPURunConfig: {row.name}={value!r} cannot be written to the session"
                f' option {row.name}, field "{row.field}": {error}. The adapter fails'
                f" here, too; give a value of the documented type ({row.meaning})."
            )
            raise TypeError(message) from error
    return run_config.session_config


def _written(run_config: NPURunConfig) -> Iterator[tuple[Parameter, Any]]:
    """The options that are written, in the order of the parameters."""
    yield Parameter("min_group_size"), True
    task = _environment().get("task", {})
    yield Parameter("job"), task.get("type") or "localhost"
    yield Parameter("task_index"), int(task.get("index") or 0)
    for row in PARAMETERS:
        value = getattr(run_config, row.name)
        if row.field:
            if not row.only_with or getattr(run_config, row.only_with) is not None:
                yield row, value
        elif hasattr(value, "written"):
            for name, part in value.written().items():
                yield Parameter(name), part


def _encoded(row: Parameter, value: Any) -> Any:
    if row.field != "s" or row.written == "raw":
        return value
    return tf.compat.as_bytes(str(value) if row.written == "str" else value)


def _environment() -> dict[str, Any]:
    return dict(json.loads(os.environ.get("TF_CONFIG") or "{}"))


def _check(values: dict[str, Any]) -> None:
    """The adapter's checks, in its order."""
    loop, mixed = values["iterations_per_loop"], values["mix_compile_mode"]
    checks.check_positive_integer(loop, "iterations_per_loop")
    checks.check_bool_type(mixed, "mix_compile_mode")
    if mixed and loop != 1:
        raise ValueError(_text("mixed", loop=loop))
    if not isinstance(values["jit_compile"], str):
        given = values["jit_compile"]
        raise TypeError(_text("jit", kind=type(given).__name__, given=repr(given)))
    cluster = _environment().get("cluster")
    if bool(cluster) != isinstance(values["distribute"], PARAMETER_SERVERS):
        raise ValueError(_text("cluster", given=values["distribute"]))
    if cluster and not mixed:
        raise ValueError(_text("servers"))
    for name in ("train_distribute", "eval_distribute"):
        if values[name] is not None:
            v1.logging.warning(_text("strategy"), name)
    config_classes.check_kind(
        values["dump_config"], config_classes.DumpConfig, "dump_config"
    )
    checks.check_bool_type(values["horovod_mode"], "horovod_mode")
    checks.check_nonnegative_integer(values["graph_run_mode"], "graph_run_mode")
    if values["graph_run_mode"] > 1:
        raise ValueError(_text("run mode", given=values["graph_run_mode"]))
    dump = values["enable_exception_dump"]
    checks.check_nonnegative_integer(dump, "enable_exception_dump")
    for kind, name in (
        (config_classes.DynamicInputConfig, "dynamic_input_config"),
        (config_classes.ExperimentalConfig, "experimental_config"),
    ):
        config_classes.check_kind(values[name], kind, name)


def _text(key: str, **facts: object) -> str:
    return MESSAGES[key][language.current()].format(**facts)
