"""The messages for the mistakes of lesson 09's exercises."""

from __future__ import annotations

from npu_lab.lab.exercises import Text

NAMES_MISTAKES: dict[str, Text] = {
    "no function": {
        "en": "Hand over the function itself: its name, without brackets.",
        "zh": "请传入函数本身：只写函数名，不带括号。",
    },
    "no names": {
        "en": "The function must return a list of names, texts; it gave {got}.",
        "zh": "函数应返回名称（字符串）的列表；实际返回 {got}。",
    },
    "same object": {
        "en": "{got}: with {more} nothing changes, the script and the module hold the"
        " same object under it. Ask whether they are different objects.",
        "zh": "{got}：{more} 不会变化，脚本和模块中的这个名称指向同一个对象。"
        "请判断两者是不是不同的对象。",
    },
    "private": {
        "en": "{got}: a star import brings no name that begins with _, so {more} is"
        " safe.",
        "zh": "{got}：星号导入不带入以 _ 开头的名称，所以 {more} 不受影响。",
    },
    "only its own": {
        "en": "{got}: the script does not have {more}. Only a name that is in both can"
        " be lost.",
        "zh": "{got}：脚本中没有 {more}。只有两边都有的名称才会被覆盖。",
    },
    "kept": {
        "en": "{got}: the module does not have {more}, so the script keeps it.",
        "zh": "{got}：模块中没有 {more}，所以脚本中的保持不变。",
    },
    "equal": {
        "en": "{got} lacks {more}: its value is equal, but it is another object."
        " Compare with is, not with ==.",
        "zh": "{got} 缺少 {more}：两者的值相等，但不是同一个对象。"
        "请用 is 比较，不要用 ==。",
    },
    "missed": {
        "en": "{got} lacks {more}: the module has another object under this name.",
        "zh": "{got} 缺少 {more}：模块中的这个名称指向另一个对象。",
    },
}

CONFIG_MISTAKES: dict[str, Text] = {
    "no function": {
        "en": "Hand over the function itself: its name, without brackets.",
        "zh": "请传入函数本身：只写函数名，不带括号。",
    },
    "class": {
        "en": "The function returned {got}; NPUEstimator takes an NPURunConfig only.",
        "zh": "函数返回了 {got}；NPUEstimator 只接受 NPURunConfig。",
    },
    "n": {
        "en": "With n = {n} the configuration has iterations_per_loop = {got}.",
        "zh": "n = {n} 时，配置中的 iterations_per_loop = {got}。",
    },
    "folder": {
        "en": "model_dir is {got} instead of the folder that was given.",
        "zh": "model_dir 为 {got}，应为传入的目录。",
    },
    "seed": {
        "en": "tf_random_seed is {got}; the script gave 7, by position.",
        "zh": "tf_random_seed 为 {got}；原脚本按位置传入了 7。",
    },
    "checkpoints": {
        "en": "save_checkpoints_steps is {got}; the script had 50.",
        "zh": "save_checkpoints_steps 为 {got}；原脚本为 50。",
    },
    "summaries": {
        "en": "save_summary_steps is {got}: the guide allows it at N = 1 only, and the"
        " script did not ask for it.",
        "zh": "save_summary_steps 为 {got}：文档规定只能在 N = 1 时使用，"
        "原脚本也没有配置它。",
    },
}
