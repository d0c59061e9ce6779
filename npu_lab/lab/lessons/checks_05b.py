"""Checkers of lesson 05b: the cause by its code, and parts that lesson 05 has not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.lab.exercises import Text, mistake
from npu_lab.lab.lessons import checks_05 as checks
from npu_lab.lab.lessons.clinic import quiet

# What the findings would be with each cause: said to who names it wrongly.
SIGNS: dict[str, Text] = {
    "SINK006": {
        "en": "With SINK006 no loop variable is loaded, since no setter is called."
        " Look at that row and at the script.",
        "zh": "SINK006 时没有调用设置接口，因此不会加载循环变量。请查看该行和脚本。",
    },
    "SINK007": {
        "en": "With SINK007 each call runs the number of steps that was loaded, not the"
        " one in the configuration.",
        "zh": "SINK007 时每次调用执行的是加载的步数，而不是配置中的步数。",
    },
    "SINK009": {
        "en": "With SINK009, a one-shot iterator, the script stops with an error at"
        " N = 10. This one ran.",
        "zh": "SINK009（one-shot 迭代器）时，脚本在 N = 10 时报错退出。"
        "这个脚本运行了。",
    },
    "SINK010": {
        "en": "SINK010 needs mix_compile_mode True. This script does not set it.",
        "zh": "SINK010 的前提是 mix_compile_mode 为 True。这个脚本没有配置它。",
    },
    "SINK013": {
        "en": "SINK013 comes from a Dataset whose batches have no fixed size. Look at"
        " batch(...).",
        "zh": "SINK013 的原因是 Dataset 的 batch 大小不固定。请查看 batch(...)。",
    },
    "SINK018": {
        "en": "With SINK018 the loop variables are loaded more than once, and the first"
        " call is unlike the others.",
        "zh": "SINK018 时循环变量被加载不止一次，第一次调用与其他调用不同。",
    },
    "SINK019": {
        "en": "With SINK019 the setter is called inside a scope. Look where the script"
        " calls it.",
        "zh": "SINK019 时设置接口在 scope 内调用。请查看脚本在哪里调用它。",
    },
    "SINK021": {
        "en": "With SINK021 the markers are in the log, but each call runs one step,"
        " because the count is 0 again.",
        "zh": "SINK021 时日志中有标志行，但每次调用只执行一步，因为次数又变为 0。",
    },
    "SINK022": {
        "en": "SINK022 is an option that is there, but in a wrong field. Look for it in"
        " the configuration.",
        "zh": "SINK022 是参数已经配置，但写错了字段。请在配置中查找。",
    },
    "SINK040": {
        "en": "With SINK040 the numbers are wrong at N = 1, too.",
        "zh": "SINK040 时，N = 1 的数值也不对。",
    },
    "other": {
        "en": "{answer} is none of the ten codes. Write one as a text, such as"
        ' "SINK009".',
        "zh": '{answer} 不是那十个编号之一。请写成字符串，例如 "SINK009"。',
    },
}
DATASET_KEYS = ("no function", "shape", "size", "end", "unpaired", "same rows")
INITIALIZING: dict[str, Text] = {
    "no function": checks.NO_FUNCTION,
    "together": {
        "en": "The losses do not change: the learning rate is still 0 on the device."
        " Variables and iterator need a run each.",
        "zh": "loss 不变：Device 侧的学习率仍为 0。变量和迭代器需要各运行一次。",
    },
    "no iterator": {
        "en": "The iterator was not initialized.",
        "zh": "迭代器没有初始化。",
    },
    "no variables": {
        "en": "The variables were not initialized.",
        "zh": "变量没有初始化。",
    },
}
DATASET: dict[str, Text] = {
    **{key: checks.INPUT[key] for key in DATASET_KEYS},
    "no dataset": {
        "en": "Return the Dataset itself, without an iterator.",
        "zh": "请返回 Dataset 本身，不要返回迭代器。",
    },
}


def check_code(right: str) -> Callable[[Any], None]:
    """A checker for the code of the cause; any other is told its own findings."""

    def check(answer: Any) -> None:
        code = answer.strip().upper() if isinstance(answer, str) else answer
        if code != right:
            key = code if isinstance(code, str) and code in SIGNS else "other"
            raise mistake(SIGNS, key, answer=answer)

    return check


def signs_without(right: str) -> dict[str, Text]:
    """The messages for all codes but the right one."""
    return {code: text for code, text in SIGNS.items() if code != right}


def check_initializing(function: Callable[[Any, Any], object]) -> None:
    """Case 10: after it variables and iterator are ready, on the device."""
    if not callable(function):
        raise mistake(INITIALIZING, "no function")
    try:
        losses = checks.losses_after(function)
    except tf.errors.FailedPreconditionError as error:
        key = "no iterator" if "GetNext" in str(error) else "no variables"
        raise mistake(INITIALIZING, key) from error
    if losses != checks.plain_losses()[9::10]:
        raise mistake(INITIALIZING, "together")


def check_dataset(function: Callable[..., Any]) -> None:
    """Case 12: a Dataset with batches of one shape."""
    if not callable(function):
        raise mistake(DATASET, "no function")

    def pipeline(images: Any, labels: Any, batch_size: int) -> Any:
        dataset = function(images, labels, batch_size)
        if not isinstance(dataset, tf.data.Dataset):
            raise mistake(DATASET, "no dataset")
        iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
        return iterator, iterator.get_next()

    with quiet():
        checks.check_input(pipeline)


def check_field(function: Callable[[Any], object]) -> None:
    """Case 11: the option moves to the field from which it is read."""
    checks.check_config(function, in_field_i=True)
