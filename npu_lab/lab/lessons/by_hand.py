"""Tables of lesson 09: what each line of a session's configuration is good for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from npu_lab import language
from npu_lab.activation import activate
from npu_lab.device.option_table import OPTIONS
from npu_lab.device.options import OPTIMIZER, SessionOptions
from npu_lab.lab.exercises import Text
from npu_lab.lab.lessons.clinic import quiet
from npu_lab.lab.tables import Table

WORDS: dict[str, Text] = {
    "line": {"en": "left out", "zh": "去掉的行"},
    "nothing": {"en": "(nothing)", "zh": "（无）"},
    "verdict": {"en": "loop", "zh": "循环"},
    "True": {"en": "in effect", "zh": "生效"},
    "False": {"en": "not in effect", "zh": "未生效"},
    "data": {"en": "data", "zh": "数据"},
    "fresh": {"en": "fresh", "zh": "更新"},
    "repeated": {"en": "repeated", "zh": "重复"},
    "none": {"en": "none", "zh": "无"},
    "code": {"en": "diagnostic", "zh": "诊断"},
    "counts": {"en": "what counts then", "zh": "此时的取值"},
    "added": {"en": "added, without options", "zh": "自动添加，无参数"},
    "caption": {
        "en": "Trained on this computer. The verdict changes with {changed} of"
        " {lines} lines; predicted: {guess}.",
        "zh": "在本机训练。{lines} 行中有 {changed} 行会改变判定；预测：{guess}。",
    },
    "no guess": {"en": "nothing", "zh": "无"},
    "option": {"en": "option", "zh": "参数"},
    "value": {"en": "recorded", "zh": "记录的值"},
    "effect": {"en": "effect in the lab", "zh": "在实验环境中的作用"},
    "yes": {"en": "yes", "zh": "有"},
    "no": {"en": "none", "zh": "无"},
    "read": {
        "en": "Read from the session's configuration, as the adapter reads it.",
        "zh": "按适配器的方式从会话配置中读取。",
    },
}

_SWITCHES = ("use_off_line", "enable_data_pre_proc", "iterations_per_loop")
_REWRITES = ("remapping", "memory_optimization")
_JIT = "global_jit_level"
LINES = (OPTIMIZER, *_SWITCHES, *_REWRITES, _JIT)


def leave_out(
    train: Callable[[Any], Any], make: Callable[[], Any], guess: object = None
) -> Table:
    """Train once with all lines of `make()`, a ConfigProto, then without each of them.

    Raises:
        Whatever `train` raises.
    """
    rows = [_row(train, make(), line) for line in (None, *LINES)]
    changed = sum(row[1:3] != rows[0][1:3] for row in rows)
    told = _say("no guess") if guess is None else guess
    facts = {"changed": changed, "lines": len(LINES), "guess": told}
    header = tuple(map(_say, ("line", "verdict", "data", "code", "counts")))
    return Table(_say("caption").format(**facts), header, tuple(rows))


def recorded(config: Any, *keys: str) -> Table:
    """What the adapter reads for these options, and whether the lab does it.

    Raises:
        ValueError, tf.errors.OpError: as the adapter, for a value that is not allowed.
    """
    options = cast("SessionOptions", SessionOptions.from_config(config))
    rows = [
        (key, str(options[key]), _say("yes" if OPTIONS[key].effect else "no"))
        for key in keys
    ]
    return Table(
        _say("read"), tuple(map(_say, ("option", "value", "effect"))), tuple(rows)
    )


def _row(train: Callable[[Any], Any], config: Any, line: str | None) -> tuple[str, ...]:
    if line is not None:
        _remove(config, line)
    with quiet():
        train(config)
    verdict = activate().loops[-1]
    codes = " ".join(one.code for one in verdict.diagnostics)
    words = _say(str(verdict.in_effect)), _say(verdict.data), codes or "-"
    if line is None:
        return _say("nothing"), *words, "-"
    return line, *words, _counts(config, line)


def _remove(config: Any, line: str) -> None:
    rewrite = config.graph_options.rewrite_options
    if line == OPTIMIZER:
        rewrite.ClearField("custom_optimizers")
    elif line in _SWITCHES:
        del rewrite.custom_optimizers[0].parameter_map[line]
    elif line in _REWRITES:
        rewrite.ClearField(line)
    else:
        config.graph_options.optimizer_options.ClearField(line)


def _counts(config: Any, line: str) -> str:
    """What the session has in place of the line, the import's defaults included."""
    rewrite = config.graph_options.rewrite_options
    if line == OPTIMIZER:
        return _say("added")
    if line in _REWRITES:
        return str(_named(rewrite, line))
    if line == _JIT:
        return str(_named(config.graph_options.optimizer_options, line))
    return str(cast("SessionOptions", SessionOptions.from_config(config))[line])


def _named(message: Any, field: str) -> str:
    """The name of an enum's value."""
    kind = message.DESCRIPTOR.fields_by_name[field].enum_type
    return cast("str", kind.values_by_number[getattr(message, field)].name)


def _say(key: str) -> str:
    return WORDS[key][language.current()]
