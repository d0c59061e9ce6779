"""What the optimizers with a loss scale say, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping

from npu_lab import language

TEXTS: Mapping[str, Mapping[language.Language, str]] = {
    "fixed scale": {
        "en": "loss_scale is {given}, but must be 1 or more.",
        "zh": "loss_scale 为 {given}，但必须大于等于 1。",
    },
    "no manager": {
        "en": "is_loss_scale is True, but there is no loss_scale_manager: give"
        " FixedLossScaleManager(1024) or an ExponentialUpdateLossScaleManager.",
        "zh": "is_loss_scale 为 True，但没有 loss_scale_manager：请传入"
        " FixedLossScaleManager(1024) 或 ExponentialUpdateLossScaleManager。",
    },
    "tailing": {
        "en": "is_tailing_optimization is True, but is_distributed is False: the status"
        " is then never read, and the graph cannot be built. Leave it out on one"
        " device.",
        "zh": "is_tailing_optimization 为 True，而 is_distributed 为 False："
        "此时不会读取溢出状态，无法构图。单 Device 训练请去掉该参数。",
    },
    "no gradients": {
        "en": "apply_gradients got no gradient at all: nothing of the loss depends on"
        " these variables: {variables}.",
        "zh": "apply_gradients 没有得到任何梯度：loss 不依赖这些变量：{variables}。",
    },
    "no optimizer": {
        "en": "{name} needs an optimizer of tf.train, not {given}.",
        "zh": "{name} 需要 tf.train 的优化器，而不是 {given}。",
    },
}


def text(key: str, /, **facts: object) -> str:
    """The text in the current language."""
    return TEXTS[key][language.current()].format(**facts)
