"""What the dumps say, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping

from npu_lab import language

TEXTS: Mapping[str, Mapping[language.Language, str]] = {
    "cannot write": {
        "en": "The dump of {operator} cannot be written to {folder}: {reason}. What is"
        " there of it was removed. Make room or free the folder (dump_path), dump fewer"
        " steps or operators (dump_step, dump_layer), or figures only"
        ' (dump_data="stats").',
        "zh": "{operator} 的 dump 数据无法写入 {folder}：{reason}。"
        "已删除其不完整的文件。请释放空间或修改目录权限（dump_path），"
        "减少 dump 的步数或算子（dump_step、dump_layer），"
        '或只 dump 统计值（dump_data="stats"）。',
    },
    "no folder": {
        "en": "{path} is no folder with dumps. Give the dump_path of the session.",
        "zh": "{path} 不是包含 dump 数据的目录，请给出会话的 dump_path。",
    },
    "broken": {
        "en": "{path} is not a dump of npu_lab: {reason}.",
        "zh": "{path} 不是 npu_lab 的 dump 文件：{reason}。",
    },
    "only left": {
        "en": "only in {left}, not in {right}",
        "zh": "只在 {left} 中，不在 {right} 中",
    },
    "shapes": {
        "en": "the shapes differ: {left} and {right}",
        "zh": "shape 不一致：{left} 与 {right}",
    },
    "not numbers": {
        "en": "inf or nan in the data",
        "zh": "数据中有 inf 或 nan",
    },
    "empty": {"en": "no values", "zh": "没有数据"},
    "column": {
        "en": "{column} is no figure of a comparison. There are: {columns}.",
        "zh": "{column} 不是比对指标。可用的指标：{columns}。",
    },
}


def text(key: str, **facts: object) -> str:
    """The text `key` in the current language."""
    return TEXTS[key][language.current()].format(**facts)
