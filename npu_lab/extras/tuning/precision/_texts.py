"""What the precision modes say, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping

from npu_lab import language

TEXTS: Mapping[str, Mapping[language.Language, str]] = {
    "sat mode": {
        "en": "set_device_sat_mode: mode is {given}, but must be 0 (saturation) or 1"
        " (INF/NaN).",
        "zh": "set_device_sat_mode：mode 为 {given}，但必须是 0（饱和模式）或"
        " 1（INF/NaN 模式）。",
    },
    "no device": {
        "en": "set_device_sat_mode: no device is active. Call npu_lab.activate()"
        " first.",
        "zh": "set_device_sat_mode：没有激活的 Device，请先调用 npu_lab.activate()。",
    },
    "no file": {
        "en": "{option}={path}: {reason}. Give the path of a file that can be read.",
        "zh": "{option}={path}：{reason}。请给出可以读取的文件路径。",
    },
    "no json": {
        "en": "{option}={path} is no JSON: {reason}. The file has no comments.",
        "zh": "{option}={path} 不是 JSON：{reason}。文件中不能有注释。",
    },
    "mixlist": {
        "en": "modify_mixlist={path}: {where} is {given}, but {rule}. Such a file is"
        ' {{"black-list": {{"to-add": ["Exp"], "to-remove": []}}, "white-list":'
        " {{...}}}}.",
        "zh": "modify_mixlist={path}：{where} 为 {given}，但{rule}。文件格式为"
        ' {{"black-list": {{"to-add": ["Exp"], "to-remove": []}}, "white-list":'
        " {{...}}}}。",
    },
    "object": {"en": "must be an object", "zh": "必须是对象"},
    "lists": {
        "en": "must be one of black-list, white-list and gray-list",
        "zh": "必须是 black-list、white-list 或 gray-list 之一",
    },
    "changes": {
        "en": "must be to-add or to-remove",
        "zh": "必须是 to-add 或 to-remove",
    },
    "types": {
        "en": "must be a list of operator types",
        "zh": "必须是算子类型的列表",
    },
    "twice": {
        "en": "is added to {other} as well: an operator is on one list",
        "zh": "同时加入了 {other}：一个算子只能在一个列表中",
    },
    "dtypes": {
        "en": "customize_dtypes={path}, line {number}: {given}, but a line is"
        " NAME::InputDtype:float16,...,OutputDtype:float16,... or"
        " OpType::TYPE:InputDtype:...,OutputDtype:..., with the types {types}.",
        "zh": "customize_dtypes={path} 第 {number} 行：{given}，但每行的格式为"
        " NAME::InputDtype:float16,...,OutputDtype:float16,... 或"
        " OpType::TYPE:InputDtype:...,OutputDtype:...，类型可以是 {types}。",
    },
}


def text(key: str, **facts: object) -> str:
    """The text `key` in the current language."""
    return TEXTS[key][language.current()].format(**facts)
